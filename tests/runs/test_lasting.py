"""What outlives a run: noted before its rules are written, left at its end, put back with them; also after a kill."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.boot import entries
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, carried_out
from raidtui.core.plan.steps import Edit, Write, role_of
from raidtui.core.report.markdown import whole
from raidtui.runs.waiting import Ended
from tests.builders.machines import machine
from tests.builders.plans import DEBIAN, planned
from tests.runs.permanent_rig import BEFORE, Permanent
from tests.runs.rig import SEEN, Argv

ARRAY = {"stripe_cache_size": "256", "group_thread_cnt": "0"}
TUNED = {"stripe_cache_size": "512", "group_thread_cnt": "2"}


def plan_lasting() -> Plan:
    assert DEBIAN
    disks = disks_of(machine(*(replace(one, told={"erc": erc}) for one, erc in zip(SEEN.devices, ERC, strict=True))))
    setup = Setup(level="5", filesystem="ext4", stripe_cache_size=512, group_thread_cnt=2)
    place = replace(DEBIAN, udev_rules=True, smartctl=True)
    return planned(disks, setup, place, after="keep", repeat=1, permanent=True)


ERC = ("supported", "none", "not applicable")


class Ruled(Permanent):
    """Its udev follows the rules: of the array when it is assembled, of the disks when they are triggered."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, plan_lasting())
        self.follows = True
        self.values = folder / "values"
        self.values.mkdir()
        for name, value in ARRAY.items():
            self.settings[f"/sys/block/md127/md/{name}"] = self.file(name, value)
        for disk in ("sda", "sdb", "sdc"):
            self.settings[f"/sys/block/{disk}/device/timeout"] = self.file(f"timeout-{disk}", "30")
            self.settings[f"smartctl/{disk}/scterc"] = self.file(f"erc-{disk}", "0,0")
        does = self.answer

        def answer(argv: Argv) -> Ended:
            rules = self.boot_files.get(self.rules, b"").decode()
            if argv[:2] == ("mdadm", "--assemble"):
                for name, value in (TUNED if self.follows and TUNED["stripe_cache_size"] in rules else ARRAY).items():
                    self.file(name, value)
            if argv[:2] == ("udevadm", "trigger") and self.follows and "timeout" in rules:
                self.file("timeout-sdb", "180")
            return does(argv)

        self.answer = answer

    def file(self, name: str, value: str) -> Path:
        (self.values / name).write_text(value)
        return self.values / name

    def now(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in self.values.iterdir()}

    @property
    def rules(self) -> str:
        return next(path for path in self.written if path.startswith(entries.RULES_FOLDER))

    @property
    def written(self) -> list[str]:
        return [step.path for step in self.plan.stages[-1].steps if isinstance(step, Edit)]


@pytest.fixture
def ruled(tmp_path: Path) -> Ruled:
    made = Ruled(tmp_path)
    made.to_be_made()
    return made


OLD = {**ARRAY, **{f"timeout-sd{disk}": "30" for disk in "abc"}, **{f"erc-sd{disk}": "0,0" for disk in "abc"}}
NEW = OLD | TUNED | {"timeout-sdb": "180", "erc-sda": "70,70"}


def test_what_lasts_stays_at_the_runs_end_and_goes_with_its_rules(ruled: Ruled) -> None:
    assert ruled.settle()[0] == "finished"
    ruled.executor.restore_settings()
    assert ruled.now() == NEW and {*ruled.boot_files} == {*BEFORE, *ruled.written}
    assert ruled.journal.state.settings == {} and len(ruled.journal.state.lasting) == 4
    report = whole(ruled.plan, ruled.journal.state).replace("\\", "")
    assert "device/timeout was 30, set to 180, and stays" in report
    assert ruled.undo()[0] == "finished"
    assert ruled.now() == OLD and ruled.boot_files == BEFORE and ruled.journal.state.lasting == {}
    assert "device/timeout was 30, set to 180, put back" in whole(ruled.plan, ruled.journal.state)


def test_a_killed_worker_noted_the_old_values_and_the_next_one_keeps_them(ruled: Ruled) -> None:
    number = ruled.plan.permanence
    assert number is not None
    stage = carried_out(ruled.plan, number)
    ruled.executor.begin(number, stage)
    for step in stage.steps:
        ruled.executor.carry_out(step)
        if role_of(step) == "udev-trigger":
            break
    assert ruled.now()["timeout-sdb"] == "180"
    assert ruled.settle()[0] == "finished"
    ruled.undo()
    assert ruled.now() == OLD


def test_tuning_that_udev_does_not_set_is_taken_back_as_a_whole(ruled: Ruled) -> None:
    ruled.follows = False
    outcome, reason, _ = ruled.settle()
    assert outcome == "failed" and "is 256, and not 512 as its udev rule sets it" in reason
    assert ruled.now() == OLD and ruled.boot_files == BEFORE and ruled.journal.state.kept


def test_a_limit_that_udev_does_not_set_is_warned_of(ruled: Ruled) -> None:
    does = ruled.answer

    def answer(argv: Argv) -> Ended:
        ruled.follows = argv[:2] != ("udevadm", "trigger")
        return does(argv)

    ruled.answer = answer
    assert ruled.settle()[0] == "finished"
    (warning,) = ruled.journal.state.warnings
    assert warning.endswith("/timeout-sdb is 30, and not 180 as its udev rule sets it")


def test_a_file_of_somebodys_under_the_rules_name_is_left_alone(ruled: Ruled) -> None:
    ruled.boot_files[ruled.rules] = b"# mine\n"
    outcome, reason, _ = ruled.settle()
    assert outcome == "failed" and "is there, and is not this run's" in reason and ruled.executor.refused
    assert ruled.boot_files == {**BEFORE, ruled.rules: b"# mine\n"} and ruled.now() == OLD


def test_a_disk_that_takes_no_limit_is_warned_of_and_the_array_stays_permanent(ruled: Ruled) -> None:
    del ruled.settings["smartctl/sda/scterc"]
    assert ruled.settle()[0] == "finished"
    (warning,) = ruled.journal.state.warnings
    assert warning.startswith("Limit the error recovery of /dev/sda to 7 s") or "{member:0}" in warning


def test_only_what_a_plan_says_lasts_is_noted_without_a_write(ruled: Ruled) -> None:
    step = next(step for step in ruled.plan.stages[-1].steps if isinstance(step, Write) and step.by_rule)
    ruled.executor.begin(len(ruled.plan.stages) - 1, carried_out(ruled.plan, len(ruled.plan.stages) - 1))
    ruled.executor.carry_out(step)
    assert ruled.now() == OLD and [*ruled.journal.state.lasting.values()] == ["256"]


def test_rules_are_taken_back_where_udev_does_not_run(ruled: Ruled) -> None:
    assert ruled.settle()[0] == "finished"
    ruled.fails = "udevadm control"
    assert ruled.undo()[0] == "finished"
    assert ruled.boot_files == BEFORE and ruled.now() == OLD
    assert "udev has the removed rules until it reads them again" in ruled.journal.state.warnings[-1]
