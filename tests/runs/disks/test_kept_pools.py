"""A ZFS pool that stays: exported, imported and placed by its GUID alone, undone, cleared away; others' left alone."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import carried_out
from raidtui.core.raid import zfs
from raidtui.core.run import events
from raidtui.core.run.kept import is_permanent, permanence_due
from raidtui.runs import stages
from raidtui.runs.removal import decision
from raidtui.runs.waiting import Ended, Refused
from raidtui.system.process import Done
from tests.builders.journals import started
from tests.runs.disks.pool_rig import GUID, NAMES, OTHER_GUID, Pool, cleared, destroyed, held_by_zfs, kept_pool_plan
from tests.runs.rig import BOOT, FINISHED, Argv

FOLDER = "/srv/tank"
KEPT, PERMANENT = 1, 2


class KeptPool(Pool):
    """`at`: where it is mounted, by its mountpoint or `by_hand`; `cached`: the GUIDs in the cache file; its `health`;
    `units`: not enabled.
    """

    def __init__(self, folder: Path) -> None:
        self.at, self.health, self.busy, self.by_hand = "", "ONLINE", False, False
        self.cached: set[str] = set()
        self.units: tuple[str, ...] = ()
        super().__init__(folder, kept_pool_plan())
        self.journal.add(started(boot_id=BOOT))

    def is_mounted(self, folder: Path) -> bool:
        return str(folder) == self.at

    def pool_units_off(self) -> tuple[str, ...]:
        return self.units

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        if argv == zfs.MOUNTED:
            return Done(0, f"{self.own} {self.at}\n", "") if self.at else Done(1, "", "")
        if argv[0] == "findmnt":
            return Done(0, f"{self.own}\n", "") if self.at else Done(1, "", "")
        if argv == (*zfs.PLACE_SOURCES, self.own):
            heirs = (f"{name}\tinherited from {self.own}\n" for name in self.datasets)
            return Done(0, f"{self.own}\tlocal\n{''.join(heirs)}", "")
        if argv[:4] == ("zpool", "list", "-H", "-o") and argv[4] == "health":
            return Done(0, f"{self.health}\n", "")
        if argv[:2] == ("zfs", "get") and "mountpoint" in argv:
            return Done(0, f"{'legacy' if self.by_hand else self.at or 'legacy'}\n", "")
        if argv[:2] == ("zdb", "-C"):
            told = "".join(f"tank:\n    name: '{self.own}'\n    pool_guid: {guid}\n" for guid in self.cached)
            return Done(0 if told else 1, told, "")
        return super().ask(argv, timeout_s)

    def _told(self, argv: Argv) -> Ended:
        if argv[:2] == ("zpool", self.fails):
            return super()._told(argv)
        if argv[:2] == ("zpool", "export"):
            del self.pools[argv[-1]]
        if argv[:2] == ("zpool", "import"):
            self.pools[self.own] = argv[-1]
            self.cached.add(argv[-1])
        if argv[:3] == ("zpool", "set", "cachefile=none"):
            self.cached.clear()
        if argv[:2] == ("zfs", "set"):
            if self.busy:
                return Ended(1, "cannot unmount: pool or dataset is busy")
            self.at, self.by_hand = argv[2].removeprefix("mountpoint=").removeprefix("legacy"), False
        return super()._told(argv)

    def keep(self) -> None:
        """Make it, and have it stay."""
        self.executor.begin(KEPT, self.plan.stages[KEPT])
        assert stages.run_stage(self.plan, KEPT, self.executor) == FINISHED
        self.executor.end(KEPT, kept=True)

    def settle(self) -> stages.Outcome:
        return stages.settle(self.plan, self.executor, self.journal.state)

    def lines(self) -> list[str]:
        return [" ".join(argv) for argv in self.given if argv[0] in ("zpool", "zfs")]


@pytest.fixture
def pool(tmp_path: Path) -> KeptPool:
    made = KeptPool(tmp_path)
    made.keep()
    made.given.clear()
    return made


def test_it_is_imported_by_its_guid_by_links_that_outlive_a_boot_and_mounted(pool: KeptPool) -> None:
    assert permanence_due(pool.plan, pool.journal.state) and pool.settle() == FINISHED
    links = " ".join(f"-d /dev/disk/by-id/{name}1" for name in NAMES)
    assert pool.lines() == ["zpool export tank", f"zpool import -N {links} {GUID}", f"zfs set mountpoint={FOLDER} tank"]
    state = pool.journal.state
    assert state.kept and is_permanent(pool.plan, state) and (pool.at, pool.cached) == (FOLDER, {GUID})


def test_gone_on_with_after_a_boot_that_brought_it_back_nothing_is_done_to_it(pool: KeptPool) -> None:
    pool.cached, pool.at = {GUID}, FOLDER
    assert pool.settle() == FINISHED and pool.lines() == []


def test_gone_on_with_where_it_was_mounted_by_hand_meanwhile_it_gets_its_mountpoint(pool: KeptPool) -> None:
    """By mount(8) it would be there now, and not after the next boot."""
    pool.cached, pool.at, pool.by_hand = {GUID}, FOLDER, True
    assert pool.settle() == FINISHED and pool.lines() == [f"zfs set mountpoint={FOLDER} tank"]


def test_gone_on_with_after_a_boot_without_it_it_is_imported(pool: KeptPool) -> None:
    pool.pools = {}
    assert pool.settle() == FINISHED
    assert [line.split()[1] for line in pool.lines()] == ["import", "set"]


def test_gone_on_with_where_another_of_its_name_is_mounted_there_it_ends_in_a_sentence(pool: KeptPool) -> None:
    pool.pools, pool.at = {"tank": OTHER_GUID}, FOLDER
    outcome, reason, left = pool.settle()
    assert (outcome, left) == ("failed", []) and f"is another (GUID {OTHER_GUID}" in reason and pool.executor.refused
    assert pool.lines() == []


def undone(pool: KeptPool) -> stages.Outcome:
    return stages.undo_permanence(pool.plan, pool.executor, pool.journal.state)


def test_undone_boot_knows_it_no_more_and_it_stays(pool: KeptPool) -> None:
    pool.settle()
    pool.given.clear()
    assert undone(pool) == FINISHED
    assert pool.lines() == ["zfs set mountpoint=legacy tank", "zpool set cachefile=none tank"]
    state = pool.journal.state
    assert state.kept and not state.is_at_boot and pool.pools == {"tank": GUID}


def test_undone_while_it_is_exported_it_is_imported_for_that_and_has_no_mountpoint_any_more(pool: KeptPool) -> None:
    pool.settle()
    pool.given.clear()
    pool.pools, pool.cached = {}, set()
    assert undone(pool) == FINISHED
    assert [line.split()[1] for line in pool.lines()] == ["import", "set", "set"]
    assert (pool.at, pool.cached) == ("", set()) and pool.pools == {"tank": GUID}


def test_where_somebody_has_it_mounted_since_it_stays(pool: KeptPool) -> None:
    pool.settle()
    pool.given.clear()
    pool.at = "/data"
    assert undone(pool) == FINISHED and pool.lines() == ["zpool set cachefile=none tank"]
    assert pool.at == "/data" and any("tank is /data by now" in words for words in pool.journal.state.warnings)


def test_one_whose_disks_are_lost_is_at_boot_yet_and_it_is_said_what_changes_that(pool: KeptPool) -> None:
    pool.settle()
    pool.pools, pool.fails = {}, "import"
    outcome, reason, _ = undone(pool)
    assert outcome == "failed" and "bring its disks back" in reason and pool.journal.state.is_at_boot


def test_what_somebody_made_in_it_keeps_its_place_until_it_has_one_of_its_own(pool: KeptPool) -> None:
    pool.settle()
    pool.given.clear()
    pool.datasets = ("tank/home",)
    outcome, reason, _ = undone(pool)
    assert outcome == "failed" and f"zfs set mountpoint={FOLDER}/home tank/home" in reason and pool.executor.refused
    assert pool.lines() == [] and pool.journal.state.is_at_boot


def test_one_that_somebody_has_mounted_elsewhere_is_not_exported(pool: KeptPool) -> None:
    """`zpool export` would unmount it."""
    pool.at, pool.by_hand = "/mnt", True
    outcome, reason, _ = pool.settle()
    assert outcome == "failed" and "is in use: it is mounted at /mnt" in reason and pool.executor.refused
    assert not [line for line in pool.lines() if line.startswith("zpool export")]


def test_one_that_is_in_use_is_not_undone(pool: KeptPool) -> None:
    pool.settle()
    pool.busy = True
    outcome, reason, _ = undone(pool)
    assert outcome == "failed" and "busy" in reason and pool.journal.state.is_at_boot and pool.cached


def taken_back(pool: KeptPool) -> tuple[str, list[str]]:
    outcome, reason, left = pool.taken_back()
    return outcome, [reason, *left] if reason else left


def test_cleared_away_it_is_destroyed_and_its_disks_are_blank(pool: KeptPool) -> None:
    assert taken_back(pool) == ("finished", [])
    assert destroyed(pool) and cleared(pool) == [f"/dev/{name}1" for name in NAMES]
    assert pool.on == {} and pool.partitions == {} and not pool.journal.state.kept


def mounted(pool: KeptPool) -> None:
    pool.at = "/mnt"


def exported(pool: KeptPool) -> None:
    pool.pools = {}


def another(pool: KeptPool) -> None:
    pool.pools = {"tank": OTHER_GUID}


def with_snapshots(pool: KeptPool) -> None:
    pool.datasets = ("tank@monday",)


@pytest.mark.parametrize(
    "somebody, says",
    [
        (mounted, "is in use: it is mounted at /mnt"),
        (exported, f"import it by its GUID first: zpool import -N {GUID}"),
        (another, "is another"),
        (with_snapshots, "tank@monday, which this run did not make"),
    ],
)
def test_one_that_somebody_uses_or_that_cannot_be_looked_at_is_not_cleared(
    pool: KeptPool, somebody: Callable[[KeptPool], None], says: str
) -> None:
    somebody(pool)
    pool.in_use = held_by_zfs
    outcome, left = taken_back(pool)
    assert outcome == "failed" and any(says in reason for reason in left) and pool.executor.refused
    assert not destroyed(pool) and not cleared(pool)


def test_one_that_was_destroyed_has_its_disks_cleared(pool: KeptPool) -> None:
    """By hand, or by a worker that was killed before it could tell: `zpool import` brings no such pool."""
    pool.pools, pool.state = {}, 2
    assert taken_back(pool) == ("finished", [])
    assert not destroyed(pool) and cleared(pool) == [f"/dev/{name}1" for name in NAMES] and pool.on == {}


@pytest.mark.parametrize("role, act", [("destroy-pool", taken_back), ("export-pool", KeptPool.settle)])
def test_another_that_takes_its_name_while_the_journal_is_written_is_left_alone(
    pool: KeptPool, monkeypatch: pytest.MonkeyPatch, role: str, act: Callable[[KeptPool], object]
) -> None:
    add = pool.journal.add

    def added(event: events.AnyEvent) -> None:
        add(event)
        if isinstance(event, events.StepStarted) and event.role == role:
            pool.pools = {"tank": OTHER_GUID}

    monkeypatch.setattr(pool.journal, "add", added)
    pool.in_use = held_by_zfs
    act(pool)
    assert pool.executor.refused and not [line for line in pool.lines() if line.endswith("tank")]


def test_one_that_is_mounted_while_its_end_is_journalled_is_not_destroyed(
    pool: KeptPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`zpool destroy` would unmount it."""
    add = pool.journal.add

    def added(event: events.AnyEvent) -> None:
        add(event)
        if isinstance(event, events.StepStarted) and event.role == "destroy-pool":
            pool.at, pool.by_hand = "/mnt", True

    monkeypatch.setattr(pool.journal, "add", added)
    pool.in_use = held_by_zfs
    outcome, left = taken_back(pool)
    assert outcome == "failed" and "it is mounted at /mnt" in left[0] and not destroyed(pool) and not cleared(pool)


def foreign_label(pool: KeptPool) -> None:
    pool.pools = {}
    pool.label("sdb1", "tank", OTHER_GUID)


def degraded(pool: KeptPool) -> None:
    pool.health = "DEGRADED"


def not_started(pool: KeptPool) -> None:
    pool.units = ("zfs.target",)


@pytest.mark.parametrize(
    "somebody, says",
    [
        (foreign_label, f"should carry the labels of the run's pool, {GUID}, and has tank ({OTHER_GUID})"),
        (another, f"is another (GUID {OTHER_GUID}"),
        (degraded, "came back DEGRADED"),
        (not_started, "systemctl enable zfs.target"),
    ],
)
def test_what_is_not_the_runs_whole_pool_is_not_made_permanent(
    pool: KeptPool, somebody: Callable[[KeptPool], None], says: str
) -> None:
    somebody(pool)
    outcome, reason, _ = pool.settle()
    assert outcome == "failed" and says in reason and pool.at == "" and not is_permanent(pool.plan, pool.journal.state)
    assert carried_out(pool.plan, PERMANENT).filesystem and pool.cached == set()


@pytest.mark.parametrize("cut", [b'"stage-ended"', b'"pool-made"'])
@pytest.mark.parametrize("at", ["", "/srv/data"])
def test_a_journal_older_than_the_pool_destroys_nothing(tmp_path: Path, cut: bytes, at: str) -> None:
    """Nobody has typed its name, and its owner may have it mounted by now."""
    pool = KeptPool(tmp_path)
    pool.keep()
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if cut in line)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:first]))
    pool.to_remove = ()
    pool.open()
    pool.given.clear()
    pool.at = at
    assert not pool.journal.state.kept
    assert pool.taken_back()[0] == "failed"
    assert not destroyed(pool) and not cleared(pool)


def test_the_name_of_the_run_is_not_that_of_its_pool(tmp_path: Path) -> None:
    pool = KeptPool(tmp_path)
    pool.keep()
    pool.pools = {}  # exported by its owner
    pool.executor.to_remove = (tmp_path.name,)
    pool.given.clear()
    assert pool.taken_back()[0] == "failed" and not cleared(pool)


@pytest.mark.parametrize("stays", ["planned", "journalled", "neither"])
def test_one_that_is_planned_or_journalled_to_stay_is_not_removed_while_it_is_mounted(
    pool: KeptPool, stays: str
) -> None:
    pool.at = "/srv/my vms"
    context, past = pool.executor.context, pool.journal.state
    context.enter(KEPT, pool.plan.stages[KEPT])
    assert past.kept and pool.plan.kept_stage == KEPT
    if stays != "planned":
        answers = replace(pool.plan.answers, after="teardown")
        context.plan = replace(pool.plan, answers=answers)
    if stays != "journalled":
        past = replace(past, kept=False)
    if stays == "neither":
        decision.check(context, past, (pool.own,))
        return
    with pytest.raises(Refused, match="the pool tank is in use: it is mounted at /srv/my vms") as refused:
        decision.check(context, past, (pool.own,))
    assert not isinstance(refused.value, decision.NameNeeded)
    pool.at = ""
    decision.check(context, past, (pool.own,))
    with pytest.raises(decision.NameNeeded, match="tank is not looked into") as needed:
        decision.check(context, past, ("other",))
    assert needed.value.name == pool.own
