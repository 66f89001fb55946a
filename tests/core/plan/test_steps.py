"""Steps: placeholders become devices just before execution, variables in a script."""

import subprocess

import pytest

from raidtui.core.plan.steps import Command, Write, resolve, shell, shell_word


def test_placeholders_are_filled_in_and_nothing_else() -> None:
    nodes = {"member:0": "/dev/sda", "part:0:1": "/dev/sda1", "array": "/dev/md127"}
    assert resolve("--filename={member:0}", nodes.__getitem__) == "--filename=/dev/sda"
    assert resolve("{part:0:1} {array} {unknown} {}", nodes.__getitem__) == "/dev/sda1 /dev/md127 {unknown} {}"


@pytest.mark.parametrize(
    "step, line",
    [
        (Command(what="", role="wipe", argv=("wipefs", "--all", "{member:0}")), 'wipefs --all "${member_0}"'),
        (Command(what="", role="wipe", argv=("fio", "--filename={array}")), 'fio --filename="${array}"'),
        (Command(what="", role="wipe", argv=("wipefs", "{part:1:2}")), 'wipefs "${part_1_2}"'),
        (Write(what="", path="/sys/block/x y", value="4096"), "echo 4096 > '/sys/block/x y'"),
    ],
)
def test_the_shell_rendering(step: Command | Write, line: str) -> None:
    assert shell(step) == line


def test_bash_agrees() -> None:
    hostile = ("a b", "$(reboot)", "`id`", "it's", 'quo"te', "*", "\n", "é\u202e")
    words = " ".join(map(shell_word, hostile))
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True)
    assert tuple(done.stdout.decode().split("\0")[:-1]) == hostile
