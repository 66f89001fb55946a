"""The write caches of NVMe disks in a script: its functions are there where a step calls them, and switch no others."""

import os
import subprocess
from pathlib import Path

import pytest

from raidtui import recipes
from raidtui.core.plan.answers import Answers, Axes
from raidtui.core.plan.planner import make
from raidtui.core.script.render import NVME as FUNCTIONS
from raidtui.core.script.render import script
from tests.builders.racks import disk

NVME = tuple(disk(number, name=f"nvme{number}n1", path=f"/dev/nvme{number}n1", model="FLASH") for number in range(4))
AXES = Axes(level=("10",), layout=("n2",), chunk=("64KiB",), filesystem=("xfs",))


def script_of(job: str) -> str:
    ids = tuple(disk.id for disk in NVME)
    answers = Answers(disks=ids, recipe="levels-random-4k", axes=(AXES,), jobs=(job,), repeat=1)
    return script(make(answers, recipes.load("levels-random-4k"), NVME, "here"))


def test_a_script_brings_the_functions_that_switch_it_where_it_is_switched() -> None:
    switching, reading = script_of("rand_write"), script_of("rand_read")
    assert """\nnvme_setting nvme/"$(name "${member_0}")"/volatile-write-cache 'write through'\n""" in switching
    assert """\nput_back nvme/"$(name "${member_0}")"/volatile-write-cache\n""" in switching
    assert FUNCTIONS in switching and FUNCTIONS not in reading and "\nnvme_setting nvme/" not in reading
    assert subprocess.run(["bash", "-n"], input=switching, text=True, capture_output=True).stderr == ""


CLI = """#!/bin/bash
echo "$*" >> {folder}/asked
case $1 in
  list-ns) echo '[   0]:0x1' ;;
  id-ctrl) echo 'vid       : 0x1b36'; echo 'vwc       : 0x7' ;;
  get-feature) echo "get-feature:0x06 (Volatile Write Cache), Current value:0x0000000$(cat {folder}/cache)" ;;
  set-feature) echo "${{@: -1}}" | cut -d = -f 2 > {folder}/cache ;;
esac
"""
BY_HAND = """set -euo pipefail
declare -A old
name() {{ basename "$(readlink --canonicalize-existing "$1")"; }}
{functions}
members=({members})
nvme_setting nvme/nvme0n1/volatile-write-cache 'write through'
cat {folder}/cache
for path in "${{!old[@]}}"; do nvme_set "$path" "${{old[$path]}}"; done
cat {folder}/cache
"""


@pytest.mark.parametrize(
    "members, namespaces, printed, set_to",
    [
        (("nvme0n1", "nvme1n1"), ("nvme0/nvme0n1", "nvme1/nvme1n1"), "0\n1\n", ["--value=0", "--value=1"]),
        (("nvme0n1",), ("nvme5/nvme0c5n1",), "0\n1\n", ["--value=0", "--value=1"]),
        (("nvme0n1",), ("nvme0/nvme0n1", "nvme0/nvme0n2"), "1\n1\n", []),  # another disk has it, too
        (("nvme0n1", "nvme0n2"), ("nvme0/nvme0n1", "nvme0/nvme0n2"), "1\n1\n", []),  # the controller tells of one
        (("nvme0n1",), ("nvme0/nvme0c0n1", "nvme1/nvme0c1n1"), "1\n1\n", []),  # it hangs on two controllers
    ],
)
def test_the_functions_switch_what_is_the_plans_alone_and_put_it_back(
    tmp_path: Path, members: tuple[str, ...], namespaces: tuple[str, ...], printed: str, set_to: list[str]
) -> None:
    for namespace in namespaces:
        (tmp_path / "sys" / namespace).mkdir(parents=True)
    for member in members:
        (tmp_path / member).touch()
    (tmp_path / "cache").write_text("1\n")
    (tmp_path / "nvme").write_text(CLI.format(folder=tmp_path))
    (tmp_path / "nvme").chmod(0o755)
    functions = FUNCTIONS.replace("/sys/class/nvme", str(tmp_path / "sys"))
    paths = " ".join(str(tmp_path / member) for member in members)
    text = BY_HAND.format(functions=functions, members=paths, folder=tmp_path)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["bash"], input=text, text=True, capture_output=True, env={"PATH": path})
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
    asked = (tmp_path / "asked").read_text().splitlines() if (tmp_path / "asked").exists() else []
    assert [words.split()[-1] for words in asked if words.startswith("set-feature")] == set_to
    assert bool(done.stderr) == (not set_to)
