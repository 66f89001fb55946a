"""`raidtui check`: a sentence each, exit codes for CI, JUnit's XML."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest
from msgspec.structs import replace

from raidtui.core.plan import model
from raidtui.core.threshold import Expect
from raidtui.runs import directory
from tests.cli.conftest import Command


def test_exit_codes_and_sentences(command: Command, recorded_run: Path, tmp_path: Path) -> None:
    junit = tmp_path / "out.xml"
    code, out, _ = command("check", "--fail-if", "seq_read.gain < 5", "--fail-if", "*.iops < 1", "--junit", str(junit))
    assert code == 1 and out.splitlines()[0].startswith("FAILED   seq_read.gain < 5: it is 2.97")
    assert out.splitlines()[1] == "passed   *.iops < 1: 4 values"
    assert xml.fromstring(junit.read_text()).get("failures") == "1"
    assert command("check", "--fail-if", "failed_tests > 0")[:2] == (0, "passed   failed_tests > 0: it is 0\n")
    told = json.loads(command("check", "--fail-if", "failed_tests > 0", "--json")[1])
    assert told["passed"] is True and told["checks"][0]["value"] == 0


def test_a_file_that_cannot_be_written_is_no_failed_check(command: Command, recorded_run: Path) -> None:
    code, out, err = command("check", "--fail-if", "failed_tests > 0", "--junit", "/none/at/all.xml")
    assert (code, out) == (2, "passed   failed_tests > 0: it is 0\n") and "/none/at" in err


@pytest.mark.parametrize(
    "argv, says",
    [
        ((), "the recipe has no thresholds; give --fail-if"),
        (("--fail-if", "slow_disk > 0"), "did you mean slow_disks"),
        (("--fail-if", "seq_reed.gain > 0"), "did you mean seq_read"),
        (("--against", "nosuch"), "no run 'nosuch'"),
    ],
)
def test_bad_input_is_one_sentence(command: Command, recorded_run: Path, argv: tuple[str, ...], says: str) -> None:
    code, _, error = command("check", *argv)
    assert code == 2 and says in error and error.count("\n") == 1


def test_the_recipes_own_thresholds_hold_without_being_asked(command: Command, recorded_run: Path) -> None:
    plan = directory.read_plan(recorded_run)
    expecting = replace(plan, expect=(Expect(fail_if="seq_read.gain < 5", why="a rule"),))
    (recorded_run / directory.PLAN).write_bytes(model.encode(expecting))
    code, out, _ = command("check")
    assert code == 1 and out.endswith("(a rule)\n")


def test_every_name_is_listed_with_its_value(command: Command, recorded_run: Path) -> None:
    _, out, _ = command("check", "--names")
    assert "  slow_disks " in out and "\n  .gain " in out
    names = json.loads(command("check", "--names", "--json")[1])["names"]
    assert {"slow_disks", "seq_read.gain"} <= {named["name"] for named in names}


def test_another_run_is_the_base(command: Command, recorded_run: Path) -> None:
    shutil.copytree(recorded_run, recorded_run.parent / "20260101T030405Z-cd34")
    code, out, _ = command("check", "ab12", "--against", "cd34")
    assert code == 0 and out.count("passed   ") == 12 and "in 20260101T030405Z-cd34" in out


def test_where_nothing_can_be_judged_nothing_has_passed(command: Command, recorded_run: Path) -> None:
    plan = directory.read_plan(recorded_run)
    expecting = replace(plan, expect=(Expect(fail_if="unheard_of.gain < 5"),))
    (recorded_run / directory.PLAN).write_bytes(model.encode(expecting))
    code, out, _ = command("check", "--json")
    assert code == 1 and json.loads(out)["passed"] is False
