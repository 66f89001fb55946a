"""A check and a replacement on a machine that is written down: what is given, stopped, passed over, refused."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Sync
from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import BlockDevice, Machine, Signature
from raidtui.core.plan.model import Plan, confirmation_code
from raidtui.core.run.samples import Counters
from raidtui.runs.care.following import CheckProgress
from raidtui.runs.waiting import Ended
from tests.builders.arrays import UUID
from tests.builders.care import cared_for, seen
from tests.builders.journals import started
from tests.builders.machines import device
from tests.runs.rig import BOOT, FINISHED, Argv, Rig, Still

CHECK, RECOVER = (Sync(action, 100, 1000, 50.0) for action in ("check", "recover"))


class Read(Still):
    """Disks from which so much was read."""

    def __init__(self) -> None:
        self.read_bytes = 0

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        return tuple(Counters(self.read_bytes, 0, 0, 0, 0) for _ in names)


class Md(Rig):
    """The array as md has it: its `files`, a sync that lasts so many `looks`, the members that work."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        super().__init__(folder, plan, seen())
        self.array, self.stands_on = "md127", ("sda", "sdb", "sdc")
        self.files: dict[str, str] = {"last_sync_action": "check", "mismatch_cnt": "0", "sync_min": "0"}
        self.works = {"sda", "sdb", "sdc"}
        self.looks, self.ends_at = 0, 1000
        self.answer = self._told

    def text(self, path: str | Path) -> str:
        name = Path(path).name
        return self.files.get(name, "") if "/md/" in str(path) else super().text(path)

    def matching(self, pattern: str) -> list[Path]:
        return [self.folder / Path(pattern).name]

    def sync(self, array: str) -> Sync | None:
        self.looks -= 1
        if self.looks == 0 and self.syncing and self.syncing.action == "check":
            self.syncing = replace(self.syncing, done_bytes=self.ends_at)
        if self.looks < 0 and self.syncing is RECOVER:
            self.works.add("sdd")
        if self.looks < 0:
            self.syncing = None
        return self.syncing

    def lacking(self, array: str) -> int:
        return 0

    def working(self, array: str) -> set[str]:
        self.sync(array)
        return self.works

    def _told(self, argv: Argv) -> Ended:
        if argv[1] == "--action=check":
            self.syncing, self.looks = CHECK, 5
        if argv[1] == "--action=idle":
            self.syncing = None
        if argv[1] == "--add":
            self.stands_on = (*(self.stands_on or ()), "sdd")
            self.in_use = lambda: {"/dev/sdd": "sdd is in md127"}
        if argv[1] == "--replace":
            self.syncing, self.looks, self.works = RECOVER, 20, self.works - {"sdb"}
        if argv[1] == "--readwrite":
            self.syncing, self.looks, self.files["array_state"] = RECOVER, 20, "clean"
        if argv[1] == "--remove":
            self.stands_on = tuple(name for name in self.stands_on or () if name != "sdb")
        return Ended(0, "")


def checking(folder: Path, limits: Limits | None = None) -> Md:
    array, disks = cared_for(seen())
    return Md(folder, plans.check(array, disks, "machine", limits or Limits()))


def replacing(folder: Path, machine: Machine | None = None) -> Md:
    machine = machine or seen()
    array, disks = cared_for(machine)
    ids = {disk.name: disk.id for disk in disks}
    how = plans.replacement(array, ids.get("sdb", "sdb"), ids["sdd"], disks, Limits())
    made = Md(folder, plans.replace(array, how, "machine"))
    made.seen = machine
    return made


def cut_off(made: Md) -> None:
    """As another worker finds it."""
    made.journal.add(started(boot_id=BOOT))
    made.open()


def test_of_few_looks_the_members_counters_decide_alone(tmp_path: Path) -> None:
    made, read = checking(tmp_path), Read()
    made.disk_counters, made.files["component_size"] = read, "1000"
    made.executor.context.read_before = dict.fromkeys(("sda", "sdb", "sdc"), 0)
    progress = CheckProgress(made.executor.context, "md127")
    read.read_bytes = 1024000
    for why in ("", "", "", "", "not seen to its end, last at 10 %"):
        progress.look(CHECK)
        assert progress.why_not_through() == why


def test_a_check_is_followed_and_what_md_counted_is_told(tmp_path: Path) -> None:
    made = checking(tmp_path, Limits(at_most_kib_s=500))
    (tmp_path / "sync_speed_max").write_text("200000 (system)")
    (tmp_path / "sync_min").write_text("77")
    made.files["mismatch_cnt"] = "128"
    assert made.go() == FINISHED
    assert made.programs() == ["mdadm --action=check"]
    assert [(one.sectors, one.final) for one in made.journal.state.mismatches] == [(128, False), (128, True)]
    told = [msgspec.json.decode(line)["event"] for line in (tmp_path / "journal.jsonl").read_bytes().splitlines()]
    assert "sync-progress" in told
    assert (tmp_path / "sync_min").read_text() == "0" and (tmp_path / "sync_speed_max").read_text() == "system"


def test_a_stop_puts_the_array_back_to_rest(tmp_path: Path) -> None:
    made = checking(tmp_path)
    (tmp_path / "sync_min").write_text("0")
    told = made.answer

    def answer(argv: Argv) -> Ended:
        made.executor.waiter.stop_asked = argv[1] == "--action=check" or made.executor.waiter.stop_asked
        return told(argv)

    made.answer = answer
    made.looks = 0
    assert made.go()[0] == "stopped"
    assert made.programs() == ["mdadm --action=check", "mdadm --action=idle"] and made.syncing is None
    assert not [one for one in made.journal.state.mismatches if one.final]


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda made: made.files.update(sync_min="4096"), "before it was through"),
        (lambda made: setattr(made, "array", None), "does not run"),
        (lambda made: setattr(made, "stands_on", ("sda", "sdb", "sdd")), "which this run's plan does not name"),
    ],
)
def test_a_check_that_is_not_whole_is_none(tmp_path: Path, change: Callable[[Md], None], why: str) -> None:
    made = checking(tmp_path)
    (tmp_path / "sync_min").write_text("0")
    change(made)
    outcome, reason, left = made.go()
    assert (outcome, left) == ("failed", []) and why in reason
    assert not [one for one in made.journal.state.mismatches if one.final]


def test_an_array_that_is_busy_is_let_be(tmp_path: Path) -> None:
    made = checking(tmp_path)
    made.syncing, made.looks = RECOVER, 99
    outcome, reason, _ = made.go()
    assert outcome == "failed" and "busy (recover)" in reason and made.programs() == []


def test_a_worker_that_comes_later_follows_the_check_that_goes_on(tmp_path: Path) -> None:
    made = checking(tmp_path)
    cut_off(made)
    made.syncing, made.looks = CHECK, 20
    assert made.go()[0] == "finished" and made.programs() == []
    assert made.journal.state.mismatches[-1].final


def test_a_disk_that_works_is_copied_and_then_taken_out(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    assert made.go() == FINISHED
    given = [" ".join(argv) for argv in made.given if argv[0] == "mdadm"]
    assert given == [
        "mdadm --add /dev/md127 /dev/sdd",
        "mdadm --replace /dev/md127 /dev/sdb --with /dev/sdd",
        "mdadm --remove /dev/md127 /dev/sdb",
    ]
    assert made.stands_on == ("sda", "sdc", "sdd")


def test_a_worker_that_comes_later_does_what_is_left(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    cut_off(made)
    made.stands_on, made.works = ("sda", "sdb", "sdc", "sdd"), {"sda", "sdc"}
    made.syncing, made.looks = RECOVER, 20
    made.in_use = lambda: {"/dev/sdd": "sdd is in use"}  # by the array itself: it is not looked at as a free disk
    assert made.go() == FINISHED
    assert made.programs() == ["mdadm --remove"]


def test_after_an_assembly_the_array_is_made_writable_first(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    cut_off(made)
    made.stands_on, made.works = ("sda", "sdb", "sdc", "sdd"), {"sda", "sdc"}
    made.files["array_state"] = "read-auto"
    assert made.go() == FINISHED
    assert made.programs() == ["mdadm --readwrite", "mdadm --remove"]


def test_a_new_disk_in_use_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    made.in_use = lambda: {"/dev/sdd": "sdd is mounted"}
    outcome, reason, left = made.go()
    assert (outcome, reason, left) == ("failed", "sdd is mounted", []) and made.executor.refused
    assert made.programs() == []


def test_a_stopped_replacement_takes_nothing_apart(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    told = made.answer

    def answer(argv: Argv) -> Ended:
        made.executor.waiter.stop_asked = argv[1] == "--replace" or made.executor.waiter.stop_asked
        return told(argv)

    made.answer = answer
    assert made.go()[0] == "stopped" and made.programs() == ["mdadm --add", "mdadm --replace"]
    assert made.syncing is RECOVER
    outcome, _, _ = made.taken_back()  # as `raidtui clean` does
    assert outcome == "finished" and made.programs() == ["mdadm --add", "mdadm --replace"]


def test_md_that_gives_the_new_disk_up_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.runs.care.following._BEGINS_S", 0.0)
    made = replacing(tmp_path)
    told = made.answer
    made.answer = lambda argv: told(argv) if argv[1] != "--replace" else Ended(0, "")
    outcome, reason, _ = made.go()
    assert (
        outcome == "failed" and "does not build in the new disk" in reason and "mdadm --remove" not in made.programs()
    )


def test_a_plan_whose_old_disk_was_changed_is_refused(tmp_path: Path) -> None:
    made = replacing(tmp_path)
    first, second, *rest = made.plan.beneath
    changed = replace(made.plan, beneath=(second, first, *rest))
    assert confirmation_code(changed) == made.plan.code and made.plan.care and made.plan.care.uuid == UUID
    (tmp_path / "other").mkdir()
    other = Md(tmp_path / "other", changed)
    outcome, reason, _ = other.go()
    assert outcome == "failed" and "not the one to be replaced" in reason and other.programs() == []


def nameless(machine: Machine, numbers: str) -> Machine:
    """The array's disks are known by their places alone. `numbers`: the kernel's of a boot."""
    places = dict(zip(("sda", "sdb", "sdc"), numbers, strict=True))

    def at_its_place(one: BlockDevice) -> BlockDevice:
        if one.name not in places:
            return one
        attributes = {**one.attributes, "diskseq": places[one.name]}
        return replace(one, properties={"ID_PATH": f"pci-{one.name}"}, attributes=attributes)

    return replace(machine, devices=tuple(map(at_its_place, machine.devices)))


@pytest.mark.parametrize("boot", [BOOT, "another boot"])
def test_disks_known_by_their_places_are_not_believed_after_they_came_anew(tmp_path: Path, boot: str) -> None:
    made = replacing(tmp_path, nameless(seen(), "123"))
    assert made.plan.care and made.plan.care.old == "path-pci-sdb"
    cut_off(made)
    made.seen = nameless(seen(), "213" if boot == BOOT else "123")
    made.boot_id = lambda: boot  # type: ignore[method-assign]
    outcome, reason, _ = made.go()
    assert outcome == "failed" and "which this run's plan does not name" in reason
    assert made.executor.refused and made.programs() == []


def test_disks_known_by_their_places_are_cared_for_in_their_boot(tmp_path: Path) -> None:
    made = replacing(tmp_path, nameless(seen(), "123"))
    assert made.go() == FINISHED


@pytest.mark.parametrize("said", [{"ID_SCSI_SERIAL": "another"}, {"ID_MODEL": "another"}, {"size": "4096000"}])
def test_an_old_disk_that_says_otherwise_is_not_taken_out(tmp_path: Path, said: dict[str, str]) -> None:
    made = replacing(tmp_path)
    told = made.answer

    def answer(argv: Argv) -> Ended:
        if argv[1] == "--add":  # before it is copied
            devices = [
                replace(one, properties=one.properties | said, attributes=one.attributes | said)
                if one.name == "sdb"
                else one
                for one in made.seen.devices
            ]
            made.seen = replace(made.seen, devices=tuple(devices))
        return told(argv)

    made.answer = answer
    assert made.go()[0] == "failed" and made.executor.refused and made.programs() == ["mdadm --add"]


@pytest.mark.parametrize("slot, is_refused", [("0", True), ("1", False), ("none", False), ("", False)])
def test_an_old_disk_in_another_slot_is_refused(tmp_path: Path, slot: str, is_refused: bool) -> None:
    made = replacing(tmp_path)
    made.files["slot"] = slot
    outcome, reason, _ = made.go()
    assert (outcome == "failed") == is_refused == made.executor.refused
    if is_refused:
        assert "is in slot 0 of /dev/md127, and was in slot 1" in reason and made.programs() == []


FULL = device("sdd", signatures=(Signature(kind="ext4", label="old"),))


def erased_by(made: Md) -> None:
    """What is on the new disk goes when it is told to."""
    told = made.answer

    def answer(argv: Argv) -> Ended:
        if argv[0] == "wipefs":
            made.seen = seen()
            return Ended(0, "")
        return told(argv)

    made.answer = answer


def test_a_full_disk_is_erased_and_built_in(tmp_path: Path) -> None:
    made = replacing(tmp_path, seen(new=FULL))
    erased_by(made)
    assert made.go() == FINISHED
    assert made.programs() == ["wipefs --all", "mdadm --add", "mdadm --replace", "mdadm --remove"]


def stranger(made: Md) -> None:
    made.seen = replace(made.seen, devices=(*made.seen.devices, device("sde")))
    made.stands_on = ("sda", "sdb", "sde")


def recovering(made: Md) -> None:
    made.syncing, made.looks = RECOVER, 99


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    "change, why",
    [
        (lambda made: setattr(made, "array", None), "does not run"),
        (stranger, "which this run's plan does not name"),
        (recovering, "busy (recover)"),
        (lambda made: made.files.update(slot="2"), "is in slot 2"),
    ],
)
def test_nothing_is_erased_for_an_array_that_is_not_as_planned(
    tmp_path: Path, change: Callable[[Md], None], why: str, later: bool
) -> None:
    made = replacing(tmp_path, seen(new=FULL))
    erased_by(made)
    if later:
        cut_off(made)
    change(made)
    outcome, reason, _ = made.go()
    assert outcome == "failed" and why in reason and made.programs() == []


def without(*names: str) -> Machine:
    """The array's machine without the disks of these names, which md still has as members."""
    machine = seen(raid_disks="3")
    return replace(machine, devices=tuple(one for one in machine.devices if one.name not in names))


@pytest.mark.parametrize("gone, forgotten", [(("sdb",), True), ((), False), (("sda",), None), (("sda", "sdb"), None)])
def test_only_the_disk_of_the_slot_is_forgotten(tmp_path: Path, gone: tuple[str, ...], forgotten: bool | None) -> None:
    made = replacing(tmp_path, without("sdb"))
    assert made.plan.care and made.plan.care.slot == 1
    made.seen, made.works = without(*gone), {"sda", "sdc"}
    made.stands_on, made.files["array_state"] = ("sda", "sdc"), "read-auto"
    outcome, reason, _ = made.go()
    assert (outcome, made.executor.refused) == (("failed", True) if forgotten is None else ("finished", False))
    assert (["mdadm", "--fail", "/dev/md127", "detached", "--remove", "detached"] in map(list, made.given)) == bool(
        forgotten
    )
    if forgotten is None:
        assert "has members without a device, sda (in slot 0)" in reason and made.programs() == []


def test_a_check_that_this_run_left_is_ended_by_clean(tmp_path: Path) -> None:
    made = checking(tmp_path)
    (tmp_path / "sync_min").write_text("0")
    told = made.answer

    def answer(argv: Argv) -> Ended:
        if argv[1] == "--action=check":
            told(argv)
            raise KeyboardInterrupt  # the worker dies
        return told(argv)

    made.answer = answer
    with pytest.raises(KeyboardInterrupt):
        made.go()
    made.looks = 99
    made.taken_back()
    assert made.programs() == ["mdadm --action=check", "mdadm --action=idle"] and made.syncing is None
    made.syncing, made.looks = CHECK, 99  # somebody's since
    made.taken_back()
    assert made.programs()[2:] == [] and made.syncing is CHECK


@pytest.mark.parametrize("was_carried_out", [True, False])
def test_a_check_of_somebody_else_is_not_ended(tmp_path: Path, was_carried_out: bool) -> None:
    made = checking(tmp_path)
    (tmp_path / "sync_min").write_text("0")
    if was_carried_out:
        assert made.go()[0] == "finished"
    before = made.programs()
    made.syncing, made.looks = CHECK, 99
    assert made.taken_back() == FINISHED
    assert made.programs() == before and made.syncing is CHECK


@pytest.mark.parametrize("ends_at, read, stripes, says", [
    (1000, 0, "", ""),
    (100, 0, "", "ended by somebody at 10 %"),
    (1000, 2048 * 512, "", "ended by somebody at 1 %"),  # a short one: what was read decides
    (100, 100 << 20, "", ""),
    (100, 95 << 20, "", ""),  # the rest may be in md's lists of bad blocks
    (100, (95 << 20) - 1, "", "ended by somebody at 10 %"),
    (100, 80 << 20, "5120", ""),  # the rest was in the stripe cache
    (100, (80 << 20) - 1, "5120", "ended by somebody at 10 %"),
])  # fmt: skip
def test_a_check_is_complete_only_if_its_end_was_seen(
    tmp_path: Path, ends_at: int, read: int, stripes: str, says: str
) -> None:
    made = checking(tmp_path)
    made.files["stripe_cache_size"] = stripes
    (tmp_path / "sync_min").write_text("0")
    made.files["component_size"] = str(100 << 10)
    made.ends_at, counters = ends_at, Read()
    made.disk_counters, told = counters, made.answer

    def answer(argv: Argv) -> Ended:
        counters.read_bytes += read if argv[1] == "--action=check" else 0
        ended = told(argv)
        made.looks = 2
        return ended

    made.answer = answer
    outcome, reason, _ = made.go()
    assert (outcome == "failed") == bool(says) and says in reason
    assert any(one.final for one in made.journal.state.mismatches) == (not says)


def test_of_a_long_check_position_and_counters_must_agree(tmp_path: Path) -> None:
    """Others may have read from the members; somebody may have ended it between two looks."""
    cases = ((1000, 100, ""), (1000, 1, "ended by somebody at 1 %"), (100, 100, "not seen to its end, last at 10 %"))
    for number, (ends_at, mib, says) in enumerate(cases):
        (folder := tmp_path / str(number)).mkdir()
        made = checking(folder)
        (folder / "sync_min").write_text("0")
        made.files["component_size"] = str(100 << 10)
        made.ends_at, counters = ends_at, Read()
        made.disk_counters = counters

        def answer(argv: Argv, made: Md = made, counters: Read = counters, mib: int = mib) -> Ended:
            counters.read_bytes += mib << 20 if argv[1] == "--action=check" else 0
            ended = made._told(argv)
            made.looks = 9
            return ended

        made.answer = answer
        outcome, reason, _ = made.go()
        assert (outcome == "failed") == bool(says) and says in reason, (number, reason)
