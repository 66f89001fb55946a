"""The disks' own tests in a script: its function is there where the plan asks for them; a disk that fails ends it."""

import os
import subprocess
from pathlib import Path
from typing import Literal

import pytest

from raidtui import recipes
from raidtui.core.plan.answers import Answers, SelfTest, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Wait
from raidtui.core.script.render import SELF_TESTS, script
from raidtui.core.units import TB
from tests.builders.racks import disk

DISKS = tuple(disk(number, size_bytes=4 * TB) for number in range(3))
SMARTCTL = """#!/bin/bash
echo "$*" >> {folder}/asked
case $* in
  --test=*none) exit 4 ;;
  --test=*) ;;
  --capabilities*)
    [ -e {folder}/looked ] || {{ touch {folder}/looked; echo 'Self-test routine in progress...'; }}
    exit 128 ;;  # the log holds a test that failed
  --log=selftest*) printf '%s\\n' '=== START' {newest} '# 2  Extended offline  Completed: read failure 90%% 3 -' ;;
esac
"""


def plan_of(length: SelfTest | Literal[""]) -> Plan:
    ids = tuple(disk.id for disk in DISKS)
    answers = Answers(disks=ids, setup=Setup(level="5"), repeat=1, self_test=length)
    return make(answers, recipes.load("quick"), DISKS, "here")


def test_they_come_before_anything_is_erased_and_are_in_the_estimate() -> None:
    without, short, long = plan_of(""), plan_of("short"), plan_of("long")
    assert short.stages[0].title == "Self-tests" and len(short.stages) == len(without.stages) + 1
    (*_, wait) = long.stages[0].steps
    assert isinstance(wait, Wait) and wait.estimate_s > 3600
    assert long.estimate_s > wait.estimate_s > short.estimate_s > without.estimate_s + 100
    assert long.estimated_s["self-test"] >= wait.estimate_s and "self-test" not in without.estimated_s
    assert short.written_bytes == without.written_bytes and short.code != without.code


def test_a_script_brings_its_function_where_it_calls_it() -> None:
    tested, untested = script(plan_of("long")), script(plan_of(""))
    assert SELF_TESTS in tested and "\nself_tests long\n" in tested
    assert "self_tests" not in untested
    assert tested.index("\nself_tests long\n") < tested.index("wipefs --all")
    assert subprocess.run(["bash", "-n"], input=tested, text=True, capture_output=True).stderr == ""


@pytest.mark.parametrize(
    "newest, status, words",
    [
        ("'# 1  Short offline  Completed without error 00% 1 -'", 0, "Completed without error"),
        ("'# 1  Short offline  Completed: read failure 90% 1 17'", 3, "failed its self-test"),
        ("' 0   Short  Completed: failed segments 9'", 3, "failed its self-test"),
        ("'Self-test log is empty'", 0, "nothing is told"),
    ],
)
def test_by_bash(newest: str, status: int, words: str, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, text in (("smartctl", SMARTCTL.format(folder=tmp_path, newest=newest)), ("sleep", "#!/bin/bash\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    head = 'set -euo pipefail; refuse() { echo "$1" >&2; exit 3; }; members=(/dev/sda /dev/none)\n'
    done = subprocess.run(
        ["bash", "-c", head + SELF_TESTS + "self_tests short"],
        env={"PATH": f"{tools}:{os.environ['PATH']}"},
        text=True,
        capture_output=True,
    )
    assert done.returncode == status and words in done.stderr, done.stderr
    assert "/dev/none: no short self-test" in done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:2] == ["--test=short /dev/sda", "--test=short /dev/none"]
    assert sum(line.startswith("--capabilities") for line in asked) == 2
