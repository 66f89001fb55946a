"""The LVM volume of a run: taken away where it is as the run made it, and left alone where somebody made more of it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.core.raid import volumes
from raidtui.recipes import load
from raidtui.runs import boot
from raidtui.runs.waiting import Ended, StepFailed
from raidtui.system.process import Done
from tests.runs.rig import SEEN, Argv, Rig


def plan() -> Plan:
    disks = disks_of(SEEN)
    setup = Setup(level="5", filesystem="ext4", between="lvm")
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=setup, after="keep", jobs=("seq_write",))
    recipe = Recipe(title="x", job=load("quick").job)
    return planner.make(answers, recipe, disks, "machine")


class WithLvm(Rig):
    """A kept array with the run's volume on it, of which pvs tells `rows`; what takes it away changes them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, plan())
        stage = self.plan.stages[-1]
        assert stage.layer and stage.array
        self.array, self.stands_on = "md127", tuple(one.name for one in self.seen.devices)
        self.superblocks = {one.path: stage.array.uuid for one in self.seen.devices}
        self.group = stage.layer.group
        self.mapped = {volumes.mapped(self.group): "dm-0"}
        self.rows: list[dict[str, str]] = [self.row()]
        self.answer = self._told
        self.executor.begin(len(self.plan.stages) - 1, stage)

    def row(self, name: str = volumes.NAME, **others: str) -> dict[str, str]:
        told = {"pv_name": "/dev/md127", "vg_name": self.group, "pv_count": "1", "pe_start": "1048576"}
        return {**told, "lv_name": name, **others}

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        if argv[0] != "pvs":
            return super().ask(argv, timeout_s)
        return Done(0, json.dumps({"report": [{"pv": self.rows}]}), "")

    def _told(self, argv: Argv) -> Ended:
        match argv[0]:
            case "lvremove":
                self.rows, self.mapped = [self.row("")], {}
            case "vgremove":
                self.rows = [self.row("", vg_name="", pv_count="0")]
            case "pvremove":
                self.rows = []
        if argv[:2] == ("mdadm", "--stop"):
            self.array = None
        if argv[:2] == ("mdadm", "--zero-superblock"):
            del self.superblocks[argv[-1]]
        return Ended(0, "")

    def take_back(self) -> tuple[str, str]:
        outcome, reason, _ = self.taken_back()
        return outcome, reason

    def removed(self) -> list[str]:
        return [argv[0] for argv in self.given if argv[0] in ("lvremove", "vgremove", "pvremove")]


def test_the_volume_is_found_on_its_array_alone(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    assert rig.executor.context.device_of("volume") == "/dev/dm-0"
    made = rig.plan.stages[-1].filesystem
    assert made
    rig.mounted = True
    for source, is_own in (("/dev/dm-0", True), ("/dev/dm-1", False), ("/dev/md127", False)):
        rig.geometry = f"{made.uuid} {source}\n"
        assert boot.is_ours(rig.executor.context, "/srv/array") is is_own
    rig.mapped = {}
    with pytest.raises(StepFailed, match=f"^{rig.group} is not there, or not open, on the run's array md127$"):
        rig.executor.context.device_of("volume")


def test_volume_group_and_physical_volume_go_before_the_array(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    assert rig.take_back()[0] == "finished" and rig.array is None
    assert rig.removed() == ["lvremove", "vgremove", "pvremove"]
    stopped = [argv[:2] for argv in rig.given].index(("mdadm", "--stop"))
    assert ("pvremove", "/dev/md127") in rig.given[:stopped]


@pytest.mark.parametrize("name, group, goes", [("", True, ["vgremove", "pvremove"]), ("", False, ["pvremove"])])
def test_what_is_gone_already_is_passed_over(tmp_path: Path, name: str, group: bool, goes: list[str]) -> None:
    rig = WithLvm(tmp_path)
    rig.mapped = {}
    rig.rows = [rig.row(name, **({} if group else {"vg_name": "", "pv_count": "0"}))]
    assert rig.take_back()[0] == "finished" and rig.removed() == goes


def test_before_there_was_a_physical_volume_nothing_of_lvm_is_asked_to_go(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    rig.mapped, rig.rows = {}, []
    assert rig.take_back()[0] == "finished" and rig.removed() == [] and rig.array is None


@pytest.mark.parametrize(
    "changed, says",
    [
        ({"vg_name": "theirs"}, "is called theirs by now"),
        ({"pv_count": "2"}, "has 2 physical volumes by now"),
        ({"lv_name": "more"}, "holds more besides"),
    ],
)
def test_what_somebody_made_of_it_is_left_alone(tmp_path: Path, changed: dict[str, str], says: str) -> None:
    rig = WithLvm(tmp_path)
    rig.rows.append(rig.row(**{"name": changed.get("lv_name", volumes.NAME)}))
    rig.rows = [row | changed for row in rig.rows]
    outcome, reason = rig.take_back()
    assert outcome == "failed" and says in reason and rig.executor.refused
    assert rig.removed() == [] and rig.array == "md127"


def test_another_mapped_device_on_the_array_is_left_alone(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    rig.mapped["theirs"] = "dm-1"
    assert "is under theirs, which this run did not make" in rig.take_back()[1] and rig.removed() == []


def test_a_volume_in_use_is_left_alone(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    rig.in_use = lambda: {"/dev/dm-0": "mounted at /srv"}
    assert "is in use: mounted at /srv" in rig.take_back()[1] and rig.removed() == []


def test_where_lvm_does_not_tell_nothing_is_taken_away(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    rig.rows = []
    assert "LVM does not tell of the volume" in rig.take_back()[1] and rig.array == "md127"


def test_data_that_do_not_begin_at_a_stripe_are_a_warning(tmp_path: Path) -> None:
    rig = WithLvm(tmp_path)
    look = next(step for step in rig.plan.stages[-1].steps if step.what == "Does its data start on a stripe boundary?")
    rig.executor.carry_out(look)
    assert not rig.journal.state.warnings
    rig.rows = [rig.row(pe_start="1050000")]
    rig.executor.carry_out(look)
    words = "begin at 1050000 bytes of the array, which is no multiple of 1048576"
    assert [words in warning for warning in rig.journal.state.warnings] == [True]
