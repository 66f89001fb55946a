"""The last look before members are written to: what was not looked at is not touched."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.disks.machine import Machine, Mount, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs.member_guard import Members, MembersError
from raidtui.system.claims import gone
from tests.builders.machines import device, machine, part
from tests.runs.rig import Rig, WrittenHost, plan_of


def changed(seen: Machine, **fields: object) -> Machine:
    """The same machine, its first disk another."""
    first, *others = seen.devices
    return msgspec.structs.replace(seen, devices=(msgspec.structs.replace(first, **fields), *others))


def identities(plan: Plan) -> tuple[str, ...]:
    return tuple(member.id for member in plan.members)


SEEN = machine(*(device(name) for name in ("sda", "sdb", "sdc")))


def with_second_path(**fields: object) -> Machine:
    """The same machine after its first disk has appeared by another path too."""
    path = msgspec.structs.replace(SEEN.devices[0], name="sdz", devnum="8:9")
    return msgspec.structs.replace(SEEN, devices=(*SEEN.devices, path), **fields)


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (msgspec.structs.replace(SEEN, not_read=("mounts",)), "not checked: what is mounted"),
        (changed(SEEN, read=False), "not checked: what it holds"),
        (changed(SEEN, told={"reservation": "1 registered key"}), "another host may be using it"),
        (changed(SEEN, told={"opal": "locked"}), "it is locked"),
        (changed(SEEN, holders=("md0",)), "sda is part of the md array md0"),
        (with_second_path(), "sda (ST4000 Z6382707) must not be touched: it is the same disk as sdz"),
        (
            with_second_path(mounts=(Mount(devnum="8:9", source="/dev/sdz", mountpoint="/srv"),)),
            "sdz (the same disk by another path) is mounted at /srv",
        ),
        (changed(SEEN, unknown_blocks=2), "holds unknown data, the plan was made for blank"),
        (msgspec.structs.replace(SEEN, devices=SEEN.devices[1:]), "is no longer there"),
    ],
)
def test_a_member_that_is_not_as_planned_ends_the_run(now: Machine, says: str) -> None:
    disks = disks_of(SEEN)
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    with pytest.raises(MembersError) as refused:
        Members(plan, WrittenHost(now)).check_free(identities(plan))
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_all_nodes_of_a_member_are_asked_whether_they_are_free() -> None:
    """A map of which one path is left out, and that path is open in a program."""
    said = {"ID_WWN": "", "DM_WWN": SEEN.devices[0].properties["ID_WWN"]}
    above = device("dm-0", slaves=("sda",), properties=said, attributes={"dm/uuid": "mpath-x"})
    inside = msgspec.structs.replace(SEEN.devices[0], holders=("dm-0",))
    seen = with_second_path()
    seen = msgspec.structs.replace(seen, devices=(above, inside, *seen.devices[1:]))
    disks = {disk.name: disk for disk in disks_of(seen)}
    given = Answers(disks=tuple(disks[name].id for name in ("dm-0", "sdb")), setup=Setup(level="1"))
    plan = planner.make(given, recipes.load("quick"), tuple(disks.values()), "machine")
    host = WrittenHost(seen)
    host.in_use = lambda: {"/dev/sdz": "/dev/sdz is open in dd (pid 7)"}
    with pytest.raises(MembersError, match="/dev/sdz is open in dd"):
        Members(plan, host).check_free(identities(plan))


def test_what_an_earlier_worker_wrote_is_no_reason_to_refuse() -> None:
    disks = disks_of(SEEN)
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    now = WrittenHost(changed(SEEN, unknown_blocks=2))
    Members(plan, now, written=identities(plan)[:1]).check_free(identities(plan))
    with pytest.raises(MembersError, match="holds unknown data"):
        Members(plan, now, written=identities(plan)[1:]).check_free(identities(plan))


def test_partitions_whose_signatures_the_run_has_erased_are_no_reason_to_refuse() -> None:
    """Their table goes last: a worker that is slow, or another after it, looks in between."""

    def holding(*found: Signature, unknown_blocks: int | None = None) -> Machine:
        one, *others = SEEN.devices
        table = msgspec.structs.replace(one, signatures=(Signature(kind="gpt"),))
        inner = msgspec.structs.replace(part("sda1", "sda"), signatures=found, unknown_blocks=unknown_blocks)
        return msgspec.structs.replace(SEEN, devices=(table, inner, *others))

    disks = disks_of(holding(Signature(kind="ext4", uuid="1234")))
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    for erased in (holding(unknown_blocks=3), holding()):
        host = WrittenHost(erased)
        Members(plan, host, written=identities(plan)[:1]).check_free(identities(plan))
        with pytest.raises(MembersError, match="the plan was made for"):
            Members(plan, host).check_free(identities(plan))
        later = Members(plan, host, written=identities(plan)[:1])
        later.blanked = True
        with pytest.raises(MembersError, match="the plan was made for"):
            later.check_free(identities(plan))
    another = holding(Signature(kind="ext4", uuid="5678"))
    with pytest.raises(MembersError, match="5678"):
        Members(plan, WrittenHost(another), written=identities(plan)[:1]).check_free(identities(plan))
    erased = holding()
    one_more = msgspec.structs.replace(erased, devices=(*erased.devices, part("sda2", "sda")))
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

    disks = disks_of(holding("1234"))
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    Members(plan, WrittenHost(holding("1234"))).check_free(identities(plan))
    for written in ((), identities(plan)):
        with pytest.raises(MembersError, match="plan again"):
            Members(plan, WrittenHost(holding("5678")), written=written).check_free(identities(plan))


def test_what_somebody_has_is_not_remembered_as_a_tests_own() -> None:
    disks = disks_of(SEEN)
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    host = WrittenHost(SEEN)
    host.in_use = lambda: {"/dev/sdb": "/dev/sdb is open in qemu (pid 7)"}
    Members(plan, host).remember(plan.members)
    assert host.remembered == ["sda", "sdc"]


@pytest.mark.parametrize("noticed_by", ["the verdict", "the first look", "the last look", "the claim"])
def test_a_disk_that_was_just_pulled_out_is_gone_whoever_stumbles_over_it(noticed_by: str) -> None:
    """Its node is gone, and sysfs has it yet."""
    disks = disks_of(SEEN)
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
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


@pytest.mark.parametrize(("gone", "refused"), [((), True), (("/dev/sdb",), False)])
def test_a_run_that_finds_a_disk_in_use_was_refused_and_one_that_finds_it_gone_failed(
    tmp_path: Path, gone: tuple[str, ...], refused: bool
) -> None:
    rig = Rig(tmp_path, plan_of("5"))
    rig.gone = gone
    rig.in_use = lambda: {"/dev/sdb": "/dev/sdb is open in qemu (pid 7)"}
    assert rig.go()[0] == "failed" and rig.executor.refused == refused
