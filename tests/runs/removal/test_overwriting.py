"""Whether a proof goes on writing to its array: what is on it outweighs the journal, which may be older."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.boot import entries
from raidtui.core.disks.machine import Signature
from raidtui.core.run import events, journal_lines
from raidtui.core.run.events import Event
from raidtui.core.run.proof import continued_at
from raidtui.runs.removal import overwriting
from raidtui.runs.removal.decision import NameNeeded
from raidtui.runs.waiting import Refused
from raidtui.system.arrays.contents import Contents
from tests.runs.proof.proving import MIB, MOMENTS, ProofRig, index_of, killed
from tests.runs.rig import FINISHED


def look(rig: ProofRig, *typed: str) -> None:
    past = rig.journal.state
    index = continued_at(rig.plan, past)
    assert index is not None
    rig.executor.context.enter(past.stage, rig.plan.stages[past.stage])
    overwriting.look(rig.executor.context, past, index, typed)


def name_of(rig: ProofRig) -> str:
    array = rig.plan.stages[-1].array
    assert array
    return array.name


def writes(rig: ProofRig) -> list[tuple[str, ...]]:
    """Commands that were given, without those that only look."""
    return [argv for argv in rig.given if argv[0] not in ("udevadm", "umount")]


@pytest.mark.parametrize("moment", [moment for moment in MOMENTS if moment != "mkfs"])
@pytest.mark.parametrize("own", [True, False])
def test_any_signature_refuses_the_runs_own_included(tmp_path: Path, moment: str, own: bool) -> None:
    rig = killed(tmp_path, moment)
    look(rig, name_of(rig))
    filesystem = rig.plan.stages[-1].filesystem
    assert filesystem
    rig.on_array = (Signature(kind="ext4", uuid=filesystem.uuid if own else "another"),)
    for typed in ((), (name_of(rig),)):
        with pytest.raises(Refused, match="holds ext4") as refused:
            look(rig, *typed)
        assert not isinstance(refused.value, NameNeeded)
    outcome, reason, left = rig.go()
    assert outcome == "failed" and "holds ext4" in reason and left and rig.executor.refused
    assert writes(rig) == [] and rig.array == "md127"


@pytest.mark.parametrize("moment", [moment for moment in MOMENTS if moment != "mkfs"])
@pytest.mark.parametrize(
    "theirs, says",
    [
        (lambda rig: rig.disk.write(0, b"x"), "ends of /dev/md127"),
        (lambda rig: rig.disk.write(MIB // 2, b"x"), "ends of /dev/md127"),
        (lambda rig: rig.disk.write(end_of(rig) - 1, b"x"), "ends of /dev/md127"),
        (lambda rig: rig.disk.write(0, b"data", end_of(rig) // 4), "ends of /dev/md127"),
    ],
)
def test_other_content_at_an_end_refuses(
    tmp_path: Path, moment: str, theirs: Callable[[ProofRig], None], says: str
) -> None:
    rig = killed(tmp_path, moment)
    theirs(rig)
    with pytest.raises(Refused, match=says):
        look(rig, name_of(rig))
    assert rig.go()[0] == "failed" and writes(rig) == []


def end_of(rig: ProofRig) -> int:
    proof = rig.plan.stages[-1].proof
    assert proof
    return proof.room_bytes


@pytest.mark.parametrize("moment", ["degraded", "rebuilding", "assembled"])
def test_no_pattern_anywhere_between_the_ends_refuses(tmp_path: Path, moment: str) -> None:
    rig = killed(tmp_path, moment)
    rig.disk.write(MIB, b"data", end_of(rig) // 4 - MIB // 2)
    with pytest.raises(Refused, match="holds no pattern of this proof"):
        look(rig, name_of(rig))
    assert rig.go()[0] == "failed" and writes(rig) == [] and rig.journal.state.differed == ()


def test_a_first_part_that_was_only_begun_is_known_by_its_mark(tmp_path: Path) -> None:
    rig = killed(tmp_path, "fill", late=False, keep=False)
    look(rig)
    assert rig.go() == FINISHED


def test_the_pattern_of_an_earlier_run_may_lie_where_nothing_was_written_yet(tmp_path: Path) -> None:
    rig = killed(tmp_path, "fill", late=False, keep=False)
    rig.disk.fill("a1" * 8, MIB, end_of(rig) - 2 * MIB)
    assert rig.go() == FINISHED


def test_without_the_mark_it_is_not(tmp_path: Path) -> None:
    rig = killed(tmp_path, "fill", late=False)
    rig.disk.write(0, bytes(MIB))
    with pytest.raises(Refused, match="ends of /dev/md127"):
        look(rig)


def test_a_pattern_that_is_wrong_is_a_difference_and_the_array_stays(tmp_path: Path) -> None:
    rig = killed(tmp_path, "rebuilding")
    last = rig.plan.stages[-1].proof.states[0].spans[-1]  # type: ignore[union-attr]
    rig.disk.write(last.begin_bytes + last.size_bytes - 4096, b"somebody's bytes" * 8)
    look(rig)  # the worker has to journal it
    outcome, reason, left = rig.go()
    assert outcome == "failed" and left and reason.startswith("1 disk out: other data at array byte ")
    (event,) = rig.journal.state.differed
    assert event.count == 1 and writes(rig) == [] and rig.array == "md127"
    assert rig.after().go()[:2] == ("failed", f"{reason}; nothing is continued")


def test_an_earlier_pass_where_the_later_one_was_is_a_difference(tmp_path: Path) -> None:
    rig = killed(tmp_path, "rebuilding")
    proof = rig.plan.stages[-1].proof
    assert proof
    rig.disk.fill(proof.tags[0], MIB, MIB)
    assert rig.go()[1].startswith("1 disk out: an earlier write at array byte ")
    assert writes(rig) == []


def test_a_part_that_was_being_written_may_have_both_passes(tmp_path: Path) -> None:
    rig = killed(tmp_path, "rebuilding")
    rig.after()
    proof = rig.plan.stages[-1].proof
    assert proof
    past = [*recorded(rig)]
    begun = max(at for at, event in enumerate(past) if isinstance(event, events.StepStarted) and event.role == "fill")
    cut_to(rig, past[: begun + 1])
    rig.stands_on = ("sdb", "sdc")
    look(rig)
    rig.disk.fill(proof.tags[0], MIB + 512, MIB - 512)  # torn within the request
    look(rig)
    rig.disk.write(MIB, bytes(512))
    with pytest.raises(AssertionError):
        assert overwriting.wrong_requests(rig.executor.context, rig.journal.state, index_of(rig)) == []


def test_a_later_pass_than_the_journal_tells_of_refuses(tmp_path: Path) -> None:
    rig = killed(tmp_path, "rebuilding")
    past = [*recorded(rig)]
    fails = next(at for at, event in enumerate(past) if isinstance(event, events.StepStarted) and event.role == "fail")
    cut_to(rig, past[:fails])
    with pytest.raises(Refused, match="holds a later pass"):
        look(rig, name_of(rig))


def recorded(rig: ProofRig) -> list[events.AnyEvent]:
    told, _ = journal_lines.read((rig.folder / "journal.jsonl").read_bytes())
    return [event for event in told if isinstance(event, Event)]


def cut_to(rig: ProofRig, told: list[events.AnyEvent]) -> None:
    (rig.folder / "journal.jsonl").write_bytes(b"".join(map(journal_lines.encode, told)))
    rig.after()


def without(rig: ProofRig) -> None:
    rig.stands_on = ("sdb", "sdc")


def failed(rig: ProofRig) -> None:
    rig.failed = {"sda"}


def swapped(rig: ProofRig) -> None:
    rig.slots = {"sda": 1, "sdb": 0, "sdc": 2}


def grown(rig: ProofRig) -> None:
    rig.slots["sdd"] = 3


def another_level(rig: ProofRig) -> None:
    rig.level = "raid6"


@pytest.mark.parametrize(
    "newer, says",
    [
        (without, "sda is out, and was active"),
        (failed, "sda is failed, and was active"),
        (swapped, "sda has slot 1, sdb has slot 0"),
        (grown, "md127 is raid5 of 4 disks"),
        (another_level, "md127 is raid6 of 3 disks"),
    ],
)
def test_an_array_that_is_newer_is_asked_for(tmp_path: Path, newer: Callable[[ProofRig], None], says: str) -> None:
    rig = killed(tmp_path, "fill")
    newer(rig)
    with pytest.raises(NameNeeded, match=f"is newer than the journal: {says}") as needed:
        look(rig)
    assert needed.value.name == name_of(rig)
    look(rig, name_of(rig))
    rig.executor.to_remove = ()
    assert rig.go()[0] == "failed" and writes(rig) == []


def test_all_active_is_newer_than_a_journal_in_which_one_is_out(tmp_path: Path) -> None:
    rig = killed(tmp_path, "degraded")
    rig.stands_on = ("sda", "sdb", "sdc")
    with pytest.raises(NameNeeded, match="sda is active, and was out"):
        look(rig)


@pytest.mark.parametrize("moment", list(MOMENTS))
def test_a_line_of_boots_refuses(tmp_path: Path, moment: str) -> None:
    rig = killed(tmp_path, moment)
    rig.boot_files[entries.FSTAB] = f"/dev/md/{name_of(rig)} /srv ext4 defaults 0 2\n".encode()
    with pytest.raises(Refused, match=f"{entries.FSTAB} has a line for what"):
        look(rig, name_of(rig))
    assert rig.go()[0] == "failed" and writes(rig) == []


def test_what_mkfs_left_is_removed_as_any_other_result(tmp_path: Path) -> None:
    rig = killed(tmp_path, "mkfs")
    rig.holds = Contents(names=("lost+found",))
    with pytest.raises(NameNeeded, match="is planned to be kept"):
        look(rig)
    rig.go()
    assert [argv[0] for argv in writes(rig)][:4] == ["wipefs", "dd", "dd", "mkfs.ext4"]


@pytest.mark.parametrize(
    "holds",
    [
        Contents(names=("lost+found", "theirs")),
        Contents(names=("lost+found",), mounts=7),
        Contents(names=("lost+found",), last_mounted="/srv/theirs"),
        Contents(why_not="it does not mount"),
    ],
)
def test_a_file_system_with_more_than_the_runs_own_stays(tmp_path: Path, holds: Contents) -> None:
    rig = killed(tmp_path, "mkfs")
    rig.holds = holds
    with pytest.raises(Refused) as refused:
        look(rig, name_of(rig))
    assert not isinstance(refused.value, NameNeeded)
    assert rig.go()[0] == "failed" and writes(rig) == []


def test_a_stopped_array_is_looked_at_read_only_and_stopped_again(tmp_path: Path) -> None:
    rig = killed(tmp_path, "fill")
    rig.array = None
    rig.on_array = (Signature(kind="ext4", uuid="theirs"),)
    with pytest.raises(Refused, match="holds ext4"):
        look(rig)
    assert rig.array is None
    assert rig.go()[0] == "failed" and rig.array is None and writes(rig) == []
