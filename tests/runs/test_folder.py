"""A folder that is measured as it is: what became of the file of the run's own, and fio's name of a device."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Machine
from raidtui.core.plan.steps import Command
from raidtui.core.plan.target import Existing, Seen
from raidtui.core.report import markdown
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.core.units import GIB
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended
from tests.builders.journals import started
from tests.runs.rig import BOOT, FINISHED, Argv, Rig, plan_of_existing

WORKER = started()


class Folder:
    """A run in a folder, whose own file is really made and removed, but not filled; it can be unmounted."""

    def __init__(self, place: Path) -> None:
        self.data = place / "data"
        self.data.mkdir()
        target = Existing(path=str(self.data), kind="folder", identity="uuid /data", filesystem="ext4")
        seen = Seen(target, free_bytes=100 * GIB)
        self.unmounts_at = ""
        (place / "run").mkdir()
        self.rig = Rig(place / "run", plan_of_existing(seen), Machine(host="here", root=True))
        self.rig.target = seen
        self.rig.answer = self.answer

    def answer(self, argv: Argv) -> Ended:
        file = Path(next((word.rpartition("=")[2] for word in argv if word.endswith(".fio")), ""))
        if argv[0] == "dd":
            file.open("x").close()
        if argv[0] == "rm":
            file.unlink()
        if self.unmounts_at and self.unmounts_at in " ".join(argv):
            self.unmount()
        return Ended(0, "")

    def unmount(self) -> None:
        self.data.rename(self.data.with_name("aside"))
        self.data.mkdir()
        assert self.rig.target
        other = replace(self.rig.target.target, identity="another /")
        self.rig.target = replace(self.rig.target, target=other)

    def mount(self) -> None:
        self.data.rmdir()
        self.data.with_name("aside").rename(self.data)
        planned = self.rig.plan.stages[0].existing
        assert planned
        self.rig.target = Seen(planned, free_bytes=100 * GIB)

    def clean(self) -> Outcome:
        self.rig.open()
        return self.rig.taken_back()

    def told(self, outcome: Outcome) -> str:
        """The end of the report of a run with this outcome."""
        ended = events.RunEnded(at_s=9e8, outcome=outcome[0], reason=outcome[1], left=tuple(outcome[2]))
        state = fold_all([ended], self.rig.journal.state)
        report = markdown.markdown(self.rig.plan, state)
        return report.split("### How it ended")[1].replace("\\_", "_")  # a scratch folder may have such a name


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_run_removes_its_file_and_says_so(folder: Folder) -> None:
    went = folder.rig.go()
    assert went == FINISHED and list(folder.data.iterdir()) == []
    assert "the run's file is removed" in folder.told(went)


def test_a_file_whose_file_system_was_unmounted_is_left_and_named_until_it_is_removed(folder: Folder) -> None:
    folder.unmounts_at = "s1-"  # in the first trial
    went = outcome, _, left = folder.rig.go()
    path = str(folder.data / "raidtui-run.fio")
    assert outcome == "failed" and len(left) == 1 and path in left[0] and "raidtui clean run" in left[0]
    assert "is removed" not in folder.told(went) and path in folder.told(went)
    outcome, reason, left = folder.clean()
    assert outcome == "failed" and path in reason and left
    folder.mount()
    went = folder.clean()
    assert went == FINISHED and list(folder.data.iterdir()) == []
    assert "the run's file is removed" in folder.told(went)


def test_a_file_that_is_out_of_sight_is_not_called_removed_by_a_report(folder: Folder) -> None:
    folder.rig.journal.add(events.FileMade(at_s=2.0, path="/data/raidtui-run.fio", inode=7))
    assert "there may be /data/raidtui-run.fio yet" in folder.told(("failed", "its worker died", []))


def test_a_folder_that_is_gone_is_said_to_be(folder: Folder) -> None:
    folder.rig.journal.add(WORKER)
    folder.rig.journal.add(events.FileMade(at_s=2.0, path=str(folder.data / "raidtui-run.fio"), inode=7))
    folder.rig.target = None
    shutil.rmtree(folder.data)
    outcome, reason, _ = folder.clean()
    assert outcome == "failed" and "raidtui-run.fio is not removed" in reason and "No such file" in reason


def test_fio_is_given_a_devices_node_never_a_link_that_it_would_split(tmp_path: Path) -> None:
    node, link = tmp_path / "sda", tmp_path / "pci-0000:00:1f.2"
    node.touch()
    link.symlink_to(node)
    target = Existing(path=str(link), kind="device", identity="wwn-1", size_bytes=GIB)
    rig = Rig(tmp_path, plan_of_existing(Seen(target, "sda")))
    rig.executor.begin(0, rig.plan.stages[0])
    measure = Command(what="", role="measure", argv=("fio", "--filename={target}"))
    assert rig.executor.context.resolved(measure) == ("fio", f"--filename={node}")


def test_a_program_that_does_not_end_is_said_to_be_at_the_folder(folder: Folder) -> None:
    left = events.ProgramLeft(at_s=2.0, program="fio", pid=7, start_ticks=9, boot_id=BOOT, members=())
    folder.rig.journal.add(left)
    folder.rig.outlives = True
    assert folder.rig.executor.context.held().startswith(f"{folder.data}: left standing, as fio (pid 7)")
