"""A growth on a machine that is written down: what is given, in which order, passed over, refused, told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Sync
from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Machine, Mount
from raidtui.core.run import kept
from raidtui.runs.waiting import Ended
from tests.builders.care import cared_for, seen
from tests.builders.journals import started
from tests.builders.machines import device
from tests.runs.rig import BOOT, FINISHED, Argv, Rig

RESHAPE, RECOVER = (Sync(action, 100, 1000, 50.0) for action in ("reshape", "recover"))
MOUNT = Mount(devnum="9:127", source="/dev/md127", mountpoint="/srv")
NEW = ("sdd", "sde")


def machine() -> Machine:
    made = seen()
    return replace(made, devices=(*made.devices, device("sde")), mounts=(MOUNT,))


class Md(Rig):
    """The array as md has it, which takes sdd and sde: its `files`, a reshape that lasts so many `looks`."""

    def __init__(self, folder: Path) -> None:
        array, disks = cared_for(machine())
        ids = {disk.name: disk.id for disk in disks}
        super().__init__(folder, plans.grow(array, [ids[name] for name in NEW], disks, "machine", Limits()), machine())
        self.array, self.stands_on = "md127", ("sda", "sdb", "sdc")
        self.files = {"raid_disks": "3", "reshape_position": "none"}
        self.slots = {"sdd": "none", "sde": "none"}
        self.bytes, self.looks, self.missing = 2088960 * 512, 0, 0
        self.answer = self._told

    def text(self, path: str | Path) -> str:
        path = Path(path)
        if path.name == "slot":
            return self.slots.get(path.parent.name.removeprefix("dev-"), "")
        return self.files.get(path.name, "") if "/md/" in str(path) else super().text(path)

    def size_bytes(self, name: str) -> int:
        return self.bytes

    def lacking(self, array: str) -> int:
        return self.missing

    def sync(self, array: str) -> Sync | None:
        self.looks -= 1
        if self.looks == 0 and self.syncing is RESHAPE:
            self.syncing, self.bytes = None, 2 * self.bytes
            self.files = {"raid_disks": "5", "reshape_position": "none"}
        return self.syncing

    def working(self, array: str) -> set[str]:
        return {name for name in self.stands_on or () if self.slots.get(name) != "none"}

    def _told(self, argv: Argv) -> Ended:
        if argv[1] == "--add":
            name = argv[-1].removeprefix("/dev/")
            self.stands_on = (*(self.stands_on or ()), name)
            taken = dict.fromkeys((f"/dev/{one}" for one in NEW if one in self.stands_on), "it is in md127")
            self.in_use = lambda: taken
        if argv[1] == "--grow":
            self.reshapes()
        return Ended(0, "")

    def reshapes(self) -> None:
        self.files = {"raid_disks": "5 (3)", "reshape_position": "4096"}
        self.slots, self.syncing, self.looks = {"sde": "3", "sdd": "4"}, RESHAPE, 9

    def has(self, *names: str) -> None:
        """As another worker finds it."""
        self.journal.add(started(boot_id=BOOT))
        self.open()
        self.stands_on = (*(self.stands_on or ()), *names)
        self.in_use = lambda: dict.fromkeys((f"/dev/{name}" for name in names), "it is in md127")


@pytest.fixture
def md(tmp_path: Path) -> Md:
    return Md(tmp_path)


def test_it_is_followed_to_its_end_and_the_slots_are_told(md: Md) -> None:
    assert md.go() == FINISHED
    assert [" ".join(argv) for argv in md.given if argv[0] != "udevadm"] == [
        "mdadm --add /dev/md127 /dev/sdd",
        "mdadm --add /dev/md127 /dev/sde",
        "mdadm --grow /dev/md127 --raid-devices=5",
        "resize2fs /dev/md127",
    ]
    told = md.journal.state.grown
    ids = [member.id for member in md.plan.members]
    assert told and told.slots == {ids[0]: 4, ids[1]: 3} and told.size_bytes == md.bytes
    finished = replace(md.journal.state, outcome="finished")
    first, second, *others = kept.sentences(md.plan, finished)
    assert first.startswith("/dev/md127 has 5 disks: ") and "are in sync in it" in first and "before" in second
    assert len(others) == 1 and "leaves it alone" in others[0]


@pytest.mark.parametrize(
    "has, reshaping, given",
    [
        (("sdd",), False, ["mdadm --add", "mdadm --grow", "resize2fs /dev/md127"]),
        (NEW, False, ["mdadm --grow", "resize2fs /dev/md127"]),
        (NEW, True, ["resize2fs /dev/md127"]),
    ],
)
def test_a_worker_that_comes_later_does_what_is_left(
    md: Md, has: tuple[str, ...], reshaping: bool, given: list[str]
) -> None:
    md.has(*has)
    if reshaping:
        md.reshapes()
    assert md.go() == FINISHED and md.programs() == given


def test_a_reshape_counts_before_md_tells_its_position(md: Md) -> None:
    md.has(*NEW)
    md.reshapes()
    size, md.files["reshape_position"] = md.bytes, "none"
    assert md.go() == FINISHED and md.bytes == 2 * size


def test_after_an_assembly_the_array_is_made_writable_first(md: Md) -> None:
    md.has(*NEW)
    md.reshapes()
    md.files["array_state"] = "read-auto"
    assert md.go()[0] == "finished" and md.programs() == ["mdadm --readwrite", "resize2fs /dev/md127"]


def busy(md: Md, sync: Sync) -> None:
    md.syncing, md.looks = sync, 99


def stranger(md: Md) -> None:
    md.seen = replace(md.seen, devices=(*md.seen.devices, device("sdz")))
    md.stands_on = ("sda", "sdb", "sdz")


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda md: setattr(md, "array", None), "does not run"),
        (lambda md: setattr(md, "missing", 1), "is degraded"),
        (lambda md: busy(md, RECOVER), "busy (recover)"),
        (lambda md: busy(md, RESHAPE), "busy (reshape)"),
        (lambda md: setattr(md, "in_use", lambda: {"/dev/sde": "sde is mounted"}), "sde is mounted"),
        (stranger, "which this run's plan does not name"),
    ],
)
def test_nothing_is_done_where_array_or_disks_are_not_as_planned(
    md: Md, change: Callable[[Md], None], why: str
) -> None:
    change(md)
    outcome, reason, left = md.go()
    assert (outcome, left) == ("failed", []) and why in reason and md.programs() == []


def test_what_mdadm_does_not_reshape_fails_with_its_words(md: Md) -> None:
    told = md.answer
    md.answer = lambda argv: Ended(1, "needs a backup-file") if argv[1] == "--grow" else told(argv)
    outcome, reason, _ = md.go()
    assert outcome == "failed" and "needs a backup-file" in reason and md.journal.state.grown is None
    assert "is a spare of the array" in kept.sentences(md.plan, md.journal.state)[0]


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda md: setattr(md, "missing", 1), "once it is whole, `resize2fs /dev/md127`"),
        (lambda md: setattr(md, "bytes", md.bytes // 4), "had 1069547520 before"),
    ],
)
def test_a_growth_whose_end_is_not_as_planned_says_so(md: Md, change: Callable[[Md], None], why: str) -> None:
    told = md.answer

    def answer(argv: Argv) -> Ended:
        ended = told(argv)
        if argv[1] == "--grow":
            change(md)
        return ended

    md.answer = answer
    outcome, reason, _ = md.go()
    assert outcome == "failed" and why in reason and "resize2fs /dev/md127" not in md.programs()


def test_md_that_does_not_begin_ends_the_following(md: Md, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.runs.care.following._BEGINS_S", 0.0)
    md.answer = lambda argv: Ended(0, "")
    outcome, reason, _ = md.go()
    assert outcome == "failed" and "does not continue to grow" in reason


@pytest.mark.parametrize("mounts", [(), (MOUNT, Mount(devnum="8:1", source="/dev/sdz1", mountpoint="/srv"))])
def test_a_file_system_that_is_not_mounted_any_more_is_told_of(md: Md, mounts: tuple[Mount, ...]) -> None:
    md.seen = replace(md.seen, mounts=mounts)
    assert md.go() == FINISHED and "resize2fs /dev/md127" not in md.programs()
    assert any("`resize2fs /dev/md127` gives it the room" in warning for warning in md.journal.state.warnings)
