"""A removal as a person agrees to it once: what its look lists, and nothing done if the next look is another."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan import slots
from raidtui.core.run import events
from raidtui.runs import directory, launch, removing
from raidtui.runs.boot import Taking
from raidtui.runs.removing import LookChanged, Removal
from raidtui.runs.waiting import Refused
from tests.builders.journals import started
from tests.runs.rig import plan_permanent, run_in

KEPT, HELD = "is planned to be kept", "holds 'letters', which this run did not write"


class Looked:
    """`launch`, written: what each look finds, and what was done."""

    def __init__(self, *found: str) -> None:
        self.found, self.done = list(found), list[Any]()

    def look(self, path: Path) -> tuple[str, str]:
        return "vms", self.found.pop(0) if len(self.found) > 1 else self.found[0]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    plan = slots.filled(directory.drawn(plan_permanent(mount_point="/srv/vms", array_name="vms")))
    assert plan.kept_stage is not None
    kept = events.StageEnded(at_s=2, stage=plan.kept_stage, kept=True)
    at_stage = events.StageStarted(at_s=1, stage=plan.kept_stage)
    ended = events.RunEnded(at_s=3, outcome="finished", kept=True)
    return run_in(tmp_path, plan, "20260101T000000Z-abcd", started("r"), at_stage, kept, ended)


def written(monkeypatch: pytest.MonkeyPatch, *found: str, at_boot: bool = False) -> Looked:
    looked = Looked(*found)
    boot = [at_boot]
    undo = looked.done.append

    def undone(path: Path) -> None:
        boot[0] = False
        undo("undo")

    monkeypatch.setattr(launch, "look_to_remove", looked.look)
    monkeypatch.setattr(launch, "undo", undone)
    monkeypatch.setattr(launch, "clean", lambda path, consent: looked.done.append(consent.arrays))
    monkeypatch.setattr(removing, "is_to_undo", lambda state: boot[0])
    monkeypatch.setattr(removing, "takings", lambda *_: iter([Taking("/etc/fstab", b"a", b"")]))
    return looked


def test_a_kept_array_is_named_and_removed_by_its_name(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = written(monkeypatch, HELD)
    found = removing.look(run)
    assert found == Removal("vms", ("stop vms, erase what is on its 3 disks",), HELD)
    removing.remove(run, found)
    assert looked.done == [("vms",)]


def test_nothing_is_done_if_the_look_before_it_finds_something_else(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = written(monkeypatch, KEPT, HELD)
    agreed = removing.look(run)
    with pytest.raises(LookChanged) as changed:
        removing.remove(run, agreed)
    assert (changed.value.found, looked.done) == (replace(agreed, found=HELD), [])


@pytest.mark.parametrize("after, done", [(KEPT, ["undo", ("vms",)]), (HELD, ["undo"])])
def test_boots_lines_go_first_and_what_only_the_look_after_that_sees_is_asked_about(
    run: Path, monkeypatch: pytest.MonkeyPatch, after: str, done: list[Any]
) -> None:
    looked = written(monkeypatch, after, at_boot=True)
    agreed = removing.look(run)
    assert agreed.does[:2] == ("unmount /srv/vms", "take its lines out of /etc/fstab") and len(agreed.does) == 3
    assert (agreed.found, agreed.at_boot) == (KEPT, True)  # nothing is mounted there
    if after == HELD:
        with pytest.raises(LookChanged, match="vms holds 'letters'"):
            removing.remove(run, agreed)
    else:
        removing.remove(run, agreed)
    assert looked.done == done


def test_what_a_person_has_in_the_mounted_folder_refuses_before_it_is_unmounted(
    run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written(monkeypatch, KEPT, at_boot=True)
    folder = tmp_path / "mounted"
    folder.mkdir()
    monkeypatch.setattr(removing, "mount_point", lambda plan: str(folder))
    monkeypatch.setattr("os.path.ismount", lambda path: path == str(folder))
    (folder / "lost+found").mkdir()
    assert removing.look(run).found == KEPT
    (folder / "letters").touch()
    with pytest.raises(directory.NotDone, match=f"^vms {HELD}; nothing was changed; to remove it: `raidtui undo"):
        removing.look(run)


def test_lines_that_somebody_changed_refuse_before_anything_is_asked(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(monkeypatch, KEPT, at_boot=True)

    def changed(*_: object) -> None:
        raise Refused("/etc/fstab: changed")

    monkeypatch.setattr(removing, "takings", changed)
    with pytest.raises(directory.NotDone, match="/etc/fstab: changed"):
        removing.look(run)
