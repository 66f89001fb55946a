"""The last look before members are written to: what was not looked at is not touched."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.disks.disk import Content
from raidtui.core.disks.machine import Machine, Mount, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner, slots
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Command
from raidtui.core.run import events
from raidtui.runs import directory, member_guard
from raidtui.runs.member_guard import Members, MembersError, NotBegun
from raidtui.system.claims import NotOpened, gone
from raidtui.system.signatures import Reading
from tests.builders import plans
from tests.builders.machines import device, machine, part
from tests.runs.rig import SEEN, Rig, WrittenHost, plan_of


def changed(seen: Machine, **fields: object) -> Machine:
    """The same machine, its first disk another."""
    first, *others = seen.devices
    return replace(seen, devices=(replace(first, **fields), *others))


def identities(plan: Plan) -> tuple[str, ...]:
    return tuple(member.id for member in plan.members)


def planned(seen: Machine = SEEN) -> Plan:
    return plans.planned(disks_of(seen), Setup(level="5"))


TABLE = "0a0b0c0d-0000-4000-8000-000000000001"
GPT = Signature(kind="gpt", uuid=TABLE)


def check(plan: Plan, host: WrittenHost | Machine, written: tuple[str, ...] = ()) -> None:
    """All members are looked at; `written`: by an earlier worker."""
    host = host if isinstance(host, WrittenHost) else WrittenHost(host)
    Members(plan, host, written=written).check_free(identities(plan))


def with_second_path(**fields: object) -> Machine:
    """The same machine after its first disk has appeared by another path too."""
    path = replace(SEEN.devices[0], name="sdz", devnum="8:9")
    return replace(SEEN, devices=(*SEEN.devices, path), **fields)


@pytest.mark.parametrize(
    "now, says",
    [
        (replace(SEEN, not_read=("mounts",)), "not checked: what is mounted"),
        (changed(SEEN, read=False), "not checked: contents"),
        (changed(SEEN, told={"reservation": "1 registered key"}), "another host may be using it"),
        (changed(SEEN, told={"opal": "locked"}), "it is locked"),
        (changed(SEEN, holders=("md0",)), "sda is part of the md array md0"),
        (with_second_path(), "sda (ST4000 Z6382707) must not be touched: it is the same disk as sdz"),
        (
            with_second_path(mounts=(Mount(devnum="8:9", source="/dev/sdz", mountpoint="/srv"),)),
            "sdz (the same disk by another path) is mounted at /srv",
        ),
        (changed(SEEN, unknown_blocks=2), "holds unknown data, the plan was made for blank"),
        (replace(SEEN, devices=SEEN.devices[1:]), "is no longer there"),
    ],
)
def test_a_member_that_is_not_as_planned_ends_the_run(now: Machine, says: str) -> None:
    plan = planned()
    with pytest.raises(MembersError) as refused:
        check(plan, now)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_all_nodes_of_a_member_are_asked_whether_they_are_free() -> None:
    """A map of which one path is left out, and that path is open in a program."""
    said = {"ID_WWN": "", "DM_WWN": SEEN.devices[0].properties["ID_WWN"]}
    above = device("dm-0", slaves=("sda",), properties=said, attributes={"dm/uuid": "mpath-x"})
    inside = replace(SEEN.devices[0], holders=("dm-0",))
    seen = with_second_path()
    seen = replace(seen, devices=(above, inside, *seen.devices[1:]))
    disks = {disk.name: disk for disk in disks_of(seen)}
    given = Answers(disks=tuple(disks[name].id for name in ("dm-0", "sdb")), setup=Setup(level="1"))
    plan = planner.make(given, recipes.load("quick"), tuple(disks.values()), "machine")
    host = WrittenHost(seen)
    host.in_use = lambda: {"/dev/sdz": "/dev/sdz is open in dd (pid 7)"}
    with pytest.raises(MembersError, match="/dev/sdz is open in dd"):
        check(plan, host)


@pytest.mark.parametrize("written, partitions, is_gone", [(1, (), True), (0, (), False), (1, ("sda1",), False)])
def test_a_partition_is_gone_where_the_run_erased_it(
    tmp_path: Path, written: int, partitions: tuple[str, ...], is_gone: bool
) -> None:
    rig = Rig(tmp_path, plan_of("5", "keep", members="partitions"))
    rig.partitions = {"sda": partitions}
    rig.enter_last()
    rig.executor.context.members.written = {*identities(rig.plan)[:written]}
    step = Command(what="", role="zero", argv=(), members=(0,), partition=1)
    assert rig.executor.context.is_gone(step) is is_gone


def test_only_the_tables_that_are_on_the_disk_itself_keep_what_its_paths_show() -> None:
    one = disks_of(SEEN)[0]
    inner = (Content("sda1", "dos", "", ""), Content("sdz1", "dos", "", ""))
    shown = replace(one, partitions=("sda1",), contents=inner)
    assert member_guard._as_its_map(shown, written=True).contents == inner[:1]
    whole = replace(shown, contents=(*inner, Content("sda", "gpt", "", "")))
    assert member_guard._as_its_map(whole, written=True) is whole
    assert member_guard._as_its_map(shown, written=False) is shown


def test_what_an_earlier_worker_wrote_is_no_reason_to_refuse() -> None:
    plan = planned()
    now = WrittenHost(changed(SEEN, unknown_blocks=2))
    check(plan, now, identities(plan)[:1])
    with pytest.raises(MembersError, match="holds unknown data"):
        check(plan, now, identities(plan)[1:])


def test_partitions_whose_signatures_the_run_has_erased_are_no_reason_to_refuse() -> None:
    """Their table goes last: a worker that is slow, or another after it, looks in between."""

    def holding(*found: Signature, unknown_blocks: int | None = None) -> Machine:
        one, *others = SEEN.devices
        table = replace(one, signatures=(Signature(kind="gpt"),))
        inner = replace(part("sda1", "sda"), signatures=found, unknown_blocks=unknown_blocks)
        return replace(SEEN, devices=(table, inner, *others))

    plan = planned(holding(Signature(kind="ext4", uuid="1234")))
    for erased in (holding(unknown_blocks=3), holding()):
        host = WrittenHost(erased)
        check(plan, host, identities(plan)[:1])
        with pytest.raises(MembersError, match="the plan was made for"):
            check(plan, host)
        later = Members(plan, host, written=identities(plan)[:1])
        later.blanked = True
        with pytest.raises(MembersError, match="the plan was made for"):
            later.check_free(identities(plan))
    another = holding(Signature(kind="ext4", uuid="5678"))
    with pytest.raises(MembersError, match="5678"):
        Members(plan, WrittenHost(another), written=identities(plan)[:1]).check_free(identities(plan))
    erased = holding()
    one_more = replace(erased, devices=(*erased.devices, part("sda2", "sda")))
    with pytest.raises(MembersError, match="partition on sda2"):  # the plan knew of none: somebody made it since
        Members(plan, WrittenHost(one_more), written=identities(plan)[:1]).check_free(identities(plan))


def test_fio_works_under_a_claim_of_its_own_and_other_programs_do_not(tmp_path: Path) -> None:
    """mkfs, mdadm and mount make one themselves; they would not get it."""
    rig = Rig(tmp_path, plan_of("5"))
    rig.build()
    rig.go()
    assert len(rig.claims) == sum(argv[0] == "fio" for argv in rig.given) >= len(rig.plan.trials)
    members = [f"/dev/{member.name}" for member in rig.plan.members]
    assert rig.claims[0] == (members[0],) and set(members) in map(set, rig.claims) and ("/dev/md127",) in rig.claims


def test_udev_is_done_with_what_is_measured_before_it_is_looked_at_and_written_to(tmp_path: Path) -> None:
    """It probes what was written last, which under load takes longer than a look has patience."""
    rig = Rig(tmp_path, plan_of("5"))
    rig.build()
    rig.go()
    tests = [index for index, argv in enumerate(rig.given) if argv[0] == "fio"]
    assert any("--filename=/dev/md127" in rig.given[index] for index in tests)
    assert all(rig.given[index - 1][:2] == ("udevadm", "settle") for index in tests)


@pytest.mark.parametrize("role", ["measure", "create"])
def test_between_the_last_look_and_the_first_write_nothing_waits(tmp_path: Path, role: str) -> None:
    """Somebody takes a disk while the journal waits for its own: the program is not begun, and nothing was written."""
    rig = Rig(tmp_path, plan_of("5"))
    add = rig.journal.add
    taken = rig.plan.members[1]

    def waits(event: events.AnyEvent) -> None:
        add(event)
        if isinstance(event, events.StepStarted) and event.role == role and taken.id in event.members:
            rig.in_use = lambda: {f"/dev/{taken.name}": f"/dev/{taken.name} is in use: mounted"}

    rig.journal.add = waits  # type: ignore[method-assign]
    rig.build()
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "is in use: mounted" in reason
    assert not any(argv[:2] == ("mdadm", "--create") for argv in rig.given)
    if role == "measure":
        assert taken.id not in rig.journal.state.written
        assert f"/dev/{taken.name}" not in " ".join(" ".join(argv) for argv in rig.given)


def test_another_file_system_of_the_same_label_is_not_the_planned_one() -> None:
    def holding(uuid: str) -> Machine:
        return changed(SEEN, signatures=(Signature(kind="ext4", uuid=uuid, label="home"),))

    plan = planned(holding("1234"))
    check(plan, holding("1234"))
    for written in ((), identities(plan)):
        with pytest.raises(MembersError, match="plan again"):
            check(plan, holding("5678"), written)


def test_what_somebody_has_is_not_remembered_as_a_tests_own() -> None:
    plan = planned()
    host = WrittenHost(SEEN)
    host.in_use = lambda: {"/dev/sdb": "/dev/sdb is open in qemu (pid 7)"}
    Members(plan, host).remember(plan.members)
    assert host.remembered == ["sda", "sdc"]


@pytest.mark.parametrize("noticed_by", ["the verdict", "the first look", "the last look", "the claim"])
def test_a_disk_that_was_just_pulled_out_is_gone_whoever_stumbles_over_it(noticed_by: str) -> None:
    """Its node is gone, and sysfs has it yet."""
    plan = planned()
    host = WrittenHost(changed(SEEN, read=False) if noticed_by == "the verdict" else SEEN)
    members = Members(plan, host)
    members.look()
    if noticed_by != "the verdict":
        host.in_use = lambda: {"/dev/sda": "/dev/sda cannot be opened: No such file or directory"}
    looks: dict[str, Callable[[], object]] = {
        "the last look": lambda: members.last_look(identities(plan)),
        "the claim": lambda: ExitStack().enter_context(members.claimed(["/dev/sda"])),
    }
    host.gone = ("/dev/sda",)
    with pytest.raises(MembersError) as refused:
        looks.get(noticed_by, lambda: members.check_free(identities(plan)))()
    assert str(refused.value) == gone(plan.members[0])
    host.gone = ()
    with pytest.raises(MembersError, match=r"not checked|cannot be opened"):
        looks.get(noticed_by, lambda: members.check_free(identities(plan)))()


@pytest.mark.parametrize("gone, refused", [((), True), (("/dev/sdb",), False)])
def test_a_run_that_finds_a_disk_in_use_was_refused_and_one_that_finds_it_gone_failed(
    tmp_path: Path, gone: tuple[str, ...], refused: bool
) -> None:
    rig = Rig(tmp_path, plan_of("5"))
    rig.gone = gone
    rig.in_use = lambda: {"/dev/sdb": "/dev/sdb is open in qemu (pid 7)"}
    assert rig.go()[0] == "failed" and rig.executor.refused == refused


class Locking(WrittenHost):
    """`locked`: nodes that are kept from udev's probing; `offline` ones cannot be opened."""

    def __init__(self, seen: Machine = SEEN) -> None:
        super().__init__(seen)
        self.locked: list[str] = []
        self.asked: list[str] = []
        self.offline = ""

    @contextmanager
    def lock_nodes(self, paths: Sequence[str]) -> Iterator[None]:
        self.asked += paths
        if self.offline in paths:
            raise NotOpened(f"{self.offline} cannot be opened")
        self.locked += paths
        yield
        self.locked = [path for path in self.locked if path not in paths]


@pytest.mark.parametrize("offline, locked", [("", "abc"), ("/dev/sdb", "ac")])
def test_members_are_kept_from_probing_in_one_order_and_an_offline_one_is_no_reason_not_to(
    offline: str, locked: str
) -> None:
    host = Locking(replace(SEEN, devices=SEEN.devices[::-1]))
    host.offline = offline
    members = Members(plan_of(), host)
    assert not members.held
    for _ in range(2):
        members.hold(True)
        assert members.held and host.locked == [f"/dev/sd{letter}" for letter in locked]
    assert host.asked == ["/dev/sda", "/dev/sdb", "/dev/sdc"], "once"
    for _ in range(2):
        members.hold(False)
        assert not members.held and host.locked == []


NUMBERED = machine(
    *(device(name, attributes={"diskseq": str(number)}) for number, name in enumerate(("sda", "sdb", "sdc"), 1))
)


def test_the_last_look_sees_another_disk_of_the_same_name_and_who_has_another_node() -> None:
    plan, host = plan_of(seen=NUMBERED), WrittenHost(NUMBERED)
    members = Members(plan, host)
    members.look()
    members.last_look(identities(plan), ["/dev/md127"])
    host.in_use = lambda: {"/dev/md127": "/dev/md127 is in use: mounted"}
    members.last_look(identities(plan))
    with pytest.raises(NotBegun, match=r"^/dev/md127 is in use: mounted$"):
        members.last_look(identities(plan), ["/dev/md127"])
    host.seen = machine(*NUMBERED.devices[:1], device("sdb", attributes={"diskseq": "9"}), *NUMBERED.devices[2:])
    members.last_look(identities(plan)[:1])
    with pytest.raises(NotBegun, match=r"^sdb is another disk since the last look \(number 9\): plan again$"):
        members.last_look(identities(plan))


class Counted(WrittenHost):
    looks = 0

    def read_machine(self) -> Machine:
        self.looks += 1
        return super().read_machine()


def test_what_lies_beneath_is_looked_for_again_once_a_disk_is_another_or_was_missing() -> None:
    plan, (first, second, third) = plan_of(seen=NUMBERED), NUMBERED.devices
    host = Counted(machine(first, second))
    members = Members(replace(plan, members=(), beneath=plan.members), host)
    for seen, there, looks in [
        ((first, second), ["sda", "sdb"], 1),
        ((first, second, third), ["sda", "sdb", "sdc"], 2),
        ((first, second, third), ["sda", "sdb", "sdc"], 2),
        ((first, device("sdb", attributes={"diskseq": "9"}, properties={"ID_MODEL": "X"}), third), ["sda", "sdc"], 3),
    ]:
        host.seen = machine(*seen)
        assert ([disk.name for disk in members.beneath().values()], host.looks) == (there, looks)


class Now:
    """A clock that a test sets."""

    def __init__(self, at_s: float) -> None:
        self.at_s = at_s

    def monotonic(self) -> float:
        return self.at_s

    def monotonic_ns(self) -> int:
        return int(self.at_s * 1e9)

    time_ns = monotonic_ns


def test_a_look_holds_for_a_second() -> None:
    plan, host, now = plan_of(), WrittenHost(), Now(1000.0)
    host.clock = now
    members = Members(plan, host)
    assert members.due(identities(plan)) and not members.due(())
    members.check_free(identities(plan))
    for since_s, is_due in ((0.0, False), (1.0, False), (1.01, True)):
        now.at_s = 1000.0 + since_s
        assert members.due(identities(plan)) == is_due
    members.check_free(identities(plan)[:2])
    assert not members.due(identities(plan)[:2]) and members.due(identities(plan))


@pytest.mark.parametrize(
    "found, why",
    [
        ({"sda": (GPT,)}, ""),
        ({"sda": (Signature(kind="gpt", uuid=TABLE.upper()),)}, ""),
        ({"sda": None}, "nothing is known on sda"),
        ({"sda": ()}, "there is none on sda"),
        ({"sda": (Signature(kind="gpt", uuid="1234"),)}, "gpt 1234 on sda"),
        ({"sda": (Signature(kind="dos", uuid=TABLE),)}, f"dos {TABLE} on sda"),
        ({"sda": (GPT, Signature(kind="ext4"))}, "ext4 on sda"),
        ({"sda": (GPT,), "sdz": (GPT,)}, ""),
        ({"sda": (GPT,), "sdz": ()}, "there is none on sdz"),
    ],
)
def test_its_own_table_is_alone_on_each_node_of_a_member(
    found: dict[str, tuple[Signature, ...] | None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, host = plan_of(), WrittenHost()
    members = Members(plan, host)
    member, disk = plan.members[0], disks_of(SEEN)[0]
    disk = replace(disk, nodes=tuple(f"/dev/{name}" for name in found if name != "sda"))
    monkeypatch.setattr(host, "signatures_on", lambda names: {name: Reading(signatures=found[name]) for name in names})
    members.tables = {member.id: TABLE}
    assert members.why_no_own_table(member, disk) == why
    members.tables = {}  # the run made none
    assert members.why_no_own_table(member, disk) != ""


@pytest.mark.parametrize("model, serial, same", [("ST4000", "", True), ("ST8000", "", False), ("ST4000", "X", False)])
def test_a_member_is_what_its_disk_was_in_all_that_it_tells(model: str, serial: str, same: bool) -> None:
    plan = plan_of()
    first = plan.members[0]
    assert first.model == "ST4000"
    named = replace(first, model=model, serial=serial or first.serial)
    plan = replace(plan, members=(named, *plan.members[1:]))
    members = Members(plan, WrittenHost())
    if same:
        assert [disk.name for disk in members.look().values()] == ["sda", "sdb", "sdc"]
        return
    with pytest.raises(
        MembersError, match=f"^sda says it is ST4000 {first.serial}, the plan named {model} "
    ) as refused:
        members.look()
    assert not refused.value.is_gone
    assert [disk.name for disk in members.look(all_needed=False).values()] == ["sdb", "sdc"]


def test_what_lies_beneath_is_found_as_members_are() -> None:
    plan = plan_of()
    beneath = replace(plan, members=(), beneath=plan.members)
    members = Members(beneath, WrittenHost(machine(*SEEN.devices[1:])))
    assert [disk.name for disk in members.beneath().values()] == ["sdb", "sdc"]
    assert members.disk_beneath(plan.members[1]).name == "sdb"
    with pytest.raises(MembersError) as refused:
        members.disk_beneath(plan.members[0])
    assert refused.value.is_gone and str(refused.value) == gone(plan.members[0])
    other = replace(plan.members[1], model="another")
    with pytest.raises(MembersError, match="says it is") as refused:
        members.disk_beneath(other)
    assert not refused.value.is_gone
    assert Members(plan, WrittenHost()).beneath() == {}


def test_who_is_no_member_is_a_stranger_and_so_is_a_whole_disk_where_partitions_are_members() -> None:
    host = WrittenHost()
    host.partitions = {name: (f"{name}1",) for name in ("sda", "sdb")}
    whole = Members(plan_of(), host)
    assert whole.strangers(["sdc", "sdx", "sda", "sda1"]) == ["sda1", "sdx"] and whole.strangers([]) == []
    parted = Members(plan_of(after="keep", members="partitions"), host)
    parted.tables = {"x": TABLE}
    assert parted.strangers(["sda1", "sdb", "sdc1"]) == ["sdb", "sdc1"]
    disks = {disk.name: disk for disk in disks_of(SEEN)}
    assert [parted.carrier(disks[name]) for name in ("sda", "sdc")] == ["sda1", ""]
    assert whole.carrier(disks["sda"]) == "sda"
    parted.look()
    assert parted.title("sda1").startswith("sda1 (ST4000 ") and parted.title("sdb").startswith("sdb (ST4000 ")
    assert parted.title("md0") == "md0"


def test_only_what_was_blank_is_remembered_as_a_tests_own() -> None:
    plan, host = plan_of(), WrittenHost()
    used = replace(plan.members[0], found="ext4 on sda")
    Members(plan, host).remember((used, *plan.members[1:]))
    assert host.remembered == ["sdb", "sdc"]
    host.remembered = []
    Members(plan, host).remember((used,))
    assert host.remembered == []


TEXT4 = Signature(kind="ext4", uuid="1234")


@pytest.mark.parametrize(
    "written, own, inner, more, says",
    [
        (True, True, (), (), ""),
        (False, True, (), (), "holds gpt"),
        (True, False, (), (), "holds gpt"),
        (True, True, (TEXT4,), (), "ext4"),
        (True, True, (), ("sda2",), "sda2"),
    ],
)
def test_the_table_that_the_run_has_made_and_its_own_empty_partition_are_no_content(
    written: bool, own: bool, inner: tuple[Signature, ...], more: tuple[str, ...], says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plan = slots.filled(directory.drawn(plan_of(after="keep", members="partitions")))
    first = plan.members[0]
    table = Signature(kind="gpt", uuid=plan.tables[first.id].upper() if own else TABLE)
    disk, *others = SEEN.devices
    parts = [replace(part("sda1", "sda"), signatures=inner), *(part(name, "sda") for name in more)]
    host = WrittenHost(machine(replace(disk, signatures=(table,)), *parts, *others))
    host.partitions = {"sda": ("sda1",)}
    monkeypatch.setattr(host, "signatures_on", lambda names: dict.fromkeys(names, Reading(signatures=(table,))))
    members = Members(plan, host, written=identities(plan)[:1] if written else ())
    if not says:
        members.check_free(identities(plan)[:1])
        return
    with pytest.raises(MembersError, match=says):
        members.check_free(identities(plan)[:1])
