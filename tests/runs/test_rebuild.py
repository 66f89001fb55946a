"""Members that fail on purpose, in a run: fewer are legal then, and only then; what is taken out is the run's own."""

from pathlib import Path

import pytest

from raidtui.core.arrays.array import Sync
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.run.events import RebuildProgress
from raidtui.runs import rebuild
from raidtui.runs.waiting import Ended, StepFailed
from tests.builders.plans import planned
from tests.runs.rig import SEEN, Argv, Rig

SYNC = Sync("recover", 100, 1000, 50.0)


def rig(folder: Path, rebuild_min_kib_s: int = 0, level: str = "5") -> Rig:
    """RAID of three disks, of which the last one is taken out, on a machine whose md does as it is told."""
    setup = Setup(level=level, first_sync="skip", failed=1, rebuild_min_kib_s=rebuild_min_kib_s)
    made = Rig(folder, planned(disks_of(SEEN), setup, baseline="none"))
    made.build()
    built = made.answer
    out: set[str] = set()

    def answer(argv: Argv) -> Ended:
        if argv[:2] == ("mdadm", "--fail"):
            out.add(argv[-1].removeprefix("/dev/"))
        if argv[:2] == ("mdadm", "--remove"):
            assert made.stands_on
            made.stands_on = tuple(name for name in made.stands_on if name not in out)
            out.clear()
        if argv[:2] == ("mdadm", "--add"):
            name = argv[-1].removeprefix("/dev/")
            made.put_back = {name}
            array = made.plan.stages[-1].array
            assert made.stands_on and array
            made.stands_on, made.superblocks[argv[-1]] = (*made.stands_on, name), array.uuid
        return built(argv)

    made.answer, made.faulty = answer, lambda: set(out)
    return made


def lost(made: Rig) -> list[bool]:
    return [trial.lost for trial in made.journal.state.trials]


def test_a_member_that_was_taken_out_is_missed_by_nobody(tmp_path: Path) -> None:
    made = rig(tmp_path)
    assert made.go()[0] == "finished"
    given = made.programs()
    at = given.index("mdadm --fail")
    assert given[at : at + 3] == ["mdadm --fail", "mdadm --remove", "mdadm --zero-superblock"]
    assert [argv[-1] for argv in made.given if argv[1] == "--fail"] == ["/dev/sdc"]
    assert given.count("mdadm --zero-superblock") == 3  # its own before the tests, those of the others after them
    assert lost(made) == [False] * 4


def test_a_second_one_that_goes_by_itself_is(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.faulty = lambda: {"sdb"} if any(argv[0] == "fio" for argv in made.given) else set()
    made.go()
    assert lost(made) == [True] * 4


def test_the_member_that_was_taken_out_does_not_make_good_for_another(tmp_path: Path) -> None:
    """Somebody puts it back, and another one fails: as many are missed as planned, and not the same."""
    made = rig(tmp_path)
    built = made.answer

    def answer(argv: Argv) -> Ended:
        if argv[0] == "fio":
            made.stands_on, made.faulty = ("sda", "sdb", "sdc"), lambda: {"sdb"}
        return built(argv)

    made.answer = answer
    made.go()
    assert lost(made) == [True] * 4


@pytest.mark.parametrize(
    "superblock, reason",
    [("00000000:00000000:00000000:00000001", "no superblock of the run's array"), (None, "no superblock of the")],
)
def test_a_disk_that_does_not_carry_the_runs_array_is_not_taken_out(
    tmp_path: Path, superblock: str | None, reason: str
) -> None:
    made = rig(tmp_path)
    built = made.answer

    def answer(argv: Argv) -> Ended:
        ended = built(argv)
        if argv[:2] == ("mdadm", "--create"):
            made.superblocks.pop("/dev/sdc")
            made.superblocks |= {"/dev/sdc": superblock} if superblock else {}
        return ended

    made.answer = answer
    outcome, said, _ = made.go()
    assert outcome == "failed" and reason in said and made.executor.refused
    assert "mdadm --fail" not in made.programs()


def test_one_that_md_does_not_let_go_is_not_made_blank(tmp_path: Path) -> None:
    made = rig(tmp_path)
    built = made.answer

    def answer(argv: Argv) -> Ended:
        stood = made.stands_on
        ended = built(argv)
        if argv[:2] == ("mdadm", "--remove"):
            made.stands_on = stood
        return ended

    made.answer = answer
    outcome, said, _ = made.go()
    assert outcome == "failed" and "/dev/sdc is still a member of md127" in said and not made.executor.refused


def rebuilding(folder: Path, level: str = "5") -> Rig:
    """As `rig`, with a rebuild that goes on from the moment at which the disk is put back."""
    made = rig(folder, rebuild_min_kib_s=1000, level=level)
    built = made.answer

    def answer(argv: Argv) -> Ended:
        made.syncing = SYNC if argv[:2] == ("mdadm", "--add") else None if argv[1] == "--fail" else made.syncing
        return built(argv)

    made.answer = answer
    for name in ("sync_speed_min", "sync_speed_max"):
        (folder / name).write_text("1000")
        made.settings[f"/sys/block/md127/md/{name}"] = folder / name
    return made


def test_a_rebuild_by_itself_is_told_at_its_beginning_and_at_its_end(tmp_path: Path) -> None:
    made = rebuilding(tmp_path)

    def pause(duration_s: float) -> None:
        made.syncing = None

    made.executor.waiter.pause = pause  # type: ignore[method-assign]
    assert made.go()[:2] == ("finished", "")
    assert [one.done_bytes for one in made.journal.state.rebuilds] == [100, 1000]
    assert isinstance(made.journal.state.rebuilds[0], RebuildProgress)
    assert (tmp_path / "sync_speed_min").read_text() == "1000"


@pytest.mark.parametrize("fails, built", [(True, set()), (True, {"sdb"}), (False, set())])
def test_a_second_one_that_fails_during_the_rebuild_is_missed(tmp_path: Path, fails: bool, built: set[str]) -> None:
    """Also where md builds it in again beside the one that the run has put back, which nobody misses."""
    made = rebuilding(tmp_path, level="1")
    made.measure()
    answered, sdb, sdc = made.answer, *made.plan.members[1:]

    def answer(argv: Argv) -> Ended:
        if argv[0] == "fio":
            made.put_back |= built
            made.faulty = lambda: {"sdb"} - built if fails else set()
        return answered(argv)

    made.answer = answer
    made.executor.waiter.pause = lambda duration_s: setattr(made, "syncing", None)  # type: ignore[method-assign]
    made.go()
    assert lost(made) == [fails] * 4
    measured = [trial.measurement for trial in made.journal.state.trials if trial.measurement]
    assert [one.status for one in measured] == ["failed" if fails else "ok"] * 4
    assert [sdb.serial in (one.error or "") for one in measured] == [fails] * 4
    assert not any(sdc.serial in (one.error or "") for one in measured)


def test_a_test_that_outlasts_the_rebuild_has_no_figure(tmp_path: Path) -> None:
    made = rig(tmp_path, rebuild_min_kib_s=1000)
    context = made.executor.context
    context.stage, context.array = made.plan.stages[-1], "md127"
    good = Measurement(name="t", status="ok")
    assert (rebuild.judged(context, good).error or "").startswith("the rebuild was over before the test")
    made.syncing = SYNC
    assert rebuild.judged(context, good) is good


def test_what_was_taken_out_is_claimed_while_fio_works(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.go()
    assert made.claims == [("/dev/md127", "/dev/sdc")] * 4


def test_what_was_taken_out_and_pulled_is_not(tmp_path: Path) -> None:
    made = rig(tmp_path)
    built = made.answer

    def answer(argv: Argv) -> Ended:
        if argv[0] == "fio":
            made.without(2)
        return built(argv)

    made.answer = answer
    made.go()
    assert made.claims == [("/dev/md127", "/dev/sdc")] + [("/dev/md127",)] * 3
    assert lost(made) == [False] * 4


def test_what_was_put_back_is_mds(tmp_path: Path) -> None:
    made = rebuilding(tmp_path)
    made.executor.waiter.pause = lambda duration_s: setattr(made, "syncing", None)  # type: ignore[method-assign]
    made.go()
    assert made.claims == [("/dev/md127",)] * 4


def test_without_its_array_nothing_is_rebuilt(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.enter_last()
    with pytest.raises(StepFailed, match=r"^the run's array is not there any more$"):
        rebuild._array(made.executor.context)
