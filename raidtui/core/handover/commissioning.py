"""Handover document of a kept array, as the run left it, from plan and journal. Later: `raidtui status`.

Handover page of a ZFS pool, where it differs from an array's.

Who watches a permanent array from its first day: the next check, smartd, and how long its disks try a bad sector.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from shlex import quote

import msgspec
import tomli_w

from raidtui.core.arrays import monitor
from raidtui.core.arrays.array import Array, Upon
from raidtui.core.arrays.monitor import Watch
from raidtui.core.boot import entries
from raidtui.core.care import by_hand, rules
from raidtui.core.care.rules import Partition
from raidtui.core.disks.drive import ERC_DECISECONDS, LONG_TIMEOUT_S, Recovery, described
from raidtui.core.handover.again import built_again
from raidtui.core.hardware.drive import Fitness, judge, of_counts
from raidtui.core.page.blocks import Block, Bullets, Code, Fenced, Heading, PageTable, Strong, Text, Words, coded
from raidtui.core.page.markdown import markdown
from raidtui.core.plan import slots, sweep
from raidtui.core.plan.answers import PlanNotSafe, Setup, to_document
from raidtui.core.plan.kept import lasting
from raidtui.core.plan.kept.permanence import folder_of, mount_point
from raidtui.core.plan.member_steps import may_fail
from raidtui.core.plan.model import KEPT_FILE, ArrayPlan, GroupPlan, Member, Plan, Stage
from raidtui.core.plan.parsed_setup import array_title, level_of
from raidtui.core.plan.selection import journal_of, spares_of, write_mostly_of
from raidtui.core.raid import block_size, containers, layers, zfs
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import level, of_disks, survives, vdev_disks
from raidtui.core.report import facts, series
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import after_a_reboot
from raidtui.core.run.kept import is_permanent, kept_stage_number, permanence_due
from raidtui.core.run.state import RunState
from raidtui.core.script.render import script
from raidtui.core.units import both

_SMARTD = {
    True: "smartd runs.",
    False: "smartd does not run; `systemctl enable --now smartd` starts it (package smartmontools).",
    None: "smartd: not checked.",
}
_REPLACED = "A replacement of one of these disks is not in the rules; `raidtui status` shows its error recovery."


def blocks(plan: Plan, state: RunState, stage: Stage) -> Iterator[Block]:
    """As the run saw it when it made the array permanent; nothing where it did not look."""
    if (seen := state.watch) is None or stage.array is None:
        return
    yield Heading("Checks of the data", 3)
    yield Text(_next_check(seen, stage.array.name))
    yield Heading("Error recovery, and SMART", 3)
    head = ("Disk", "Error recovery (ERC)", "Time-out", "Set at boot", "In smartd.conf")
    yield PageTable(head, list(_rows(plan, state, stage, seen)), len(head))
    yield Text(coded(f"{_SMARTD[seen.smartd_running]} {_REPLACED}"))
    yield from map(Text, _mailed(plan, state))


def _mailed(plan: Plan, state: RunState) -> Iterator[str]:
    """The last test mail: handed over, which is all that is known."""
    mailed = [step for step in state.steps if step.role == "test-mail" and step.ended_at_s and step.error is None]
    to = (state.monitor.mailaddr if state.monitor else "") or plan.answers.mailaddr
    if mailed and to:
        at = f"{datetime.fromtimestamp(mailed[-1].ended_at_s or 0, UTC):%Y-%m-%d %H:%M} UTC"
        yield f"Test mail: handed to sendmail for {to} on {at}; its arrival was not checked."


def _next_check(seen: Watch, name: str) -> Words:
    check = seen.next_check
    if not check.by:
        return coded(f"None is scheduled. By hand: `raidtui scrub {name}`.")
    if check.at_s is None:
        return f"{check.by} begins them; the next date was not read."
    return f"The next begins on {datetime.fromtimestamp(check.at_s, UTC):%Y-%m-%d %H:%M} UTC ({check.by})."


def _rows(plan: Plan, state: RunState, stage: Stage, seen: Watch) -> Iterator[Sequence[Words]]:
    assert stage.array
    ruled = entries.rules_file(stage.array.name) in state.edits
    kept = lasting.lasting(stage, plan.members, by_unit=entries.unit_file(stage.array.name) in state.edits)
    for index, member in enumerate(plan.members):
        recovery = seen.recoveries.get(member.id, Recovery())
        unread = "not applicable" if recovery.erc == "not applicable" else "not checked"
        timeout = unread if recovery.timeout_s is None else f"{recovery.timeout_s} s"
        at_boot = _at_boot(kept, index) if ruled or index in kept.without else "nothing"
        how = seen.smartd.get(member.id, "not checked")
        yield (member.serial or member.id, described(recovery), timeout, at_boot, how)


def _at_boot(kept: lasting.Lasting, index: int) -> str:
    if index in kept.without:
        return "no rule (no WWN)"
    if index in kept.erc:
        return f"ERC {ERC_DECISECONDS / 10:g} s"
    return f"time-out {LONG_TIMEOUT_S} s" if lasting.TIMEOUT in kept.of_disks.get(index, {}) else "nothing"


_PROPERTIES = ("ashift", "recordsize", "compression", "atime", "primarycache")
_OLD_POOLS, _NEW_POOLS = "/dev/disk/by-id/OLD", "/dev/disk/by-id/NEW"


def setup_of(plan: Plan) -> Setup:
    return next(stage.setup for stage in plan.stages if stage.setup)


def pool_rows(plan: Plan, state: RunState, number: int, mounted_at: str) -> Iterator[Sequence[Words]]:
    made, row = state.pools.get(number), level_of(setup_of(plan))
    if made:
        yield ["GUID", made.guid]
        yield ["Size", (f"{both(made.used_bytes + made.available_bytes)}, as ", Code("zfs list"), " says")]
    yield ["Kind", row.name]
    may_be_lost = survives(row.key, None, len(plan.members))
    which = f"any {may_be_lost} of each " + ("pair" if row.pool_copies > 1 else "raidz")
    yield ["Disks that may fail", which if may_be_lost else "none: the loss of one is the loss of the pool"]
    yield ["Members", "a partition of each disk, with room left for a slightly smaller disk"]
    properties = {name: value for name, value in (made.properties if made else {}).items() if name in _PROPERTIES}
    yield ["Settings", ", ".join(f"{name} {value}" for name, value in properties.items())]
    if mounted_at:
        owner = state.owners.get(mounted_at)
        yield ["Mounted at", mounted_at + (f", {owner.new.description}" if owner else "")]


def when_a_disk_fails(plan: Plan, name: str) -> Iterator[Block]:
    yield Heading("When a disk fails")
    if not survives(setup_of(plan).level, None, len(plan.members)):
        yield Text("Any failed disk loses the pool: build it again, and restore the data from a backup.")
        return
    named = " shows its device and serial number. OLD is the link of the failed disk in "
    words = (
        ", NEW that of its replacement, at least as large; all data on NEW is lost. raidtui does not do this for pools:"
    )
    yield Text((Code("raidtui status"), named, Code("zpool status -P"), words))
    yield Fenced(by_hand.replace_lines(name, _OLD_POOLS, _NEW_POOLS))
    yield Text("Scrub it once a month (Debian does, by a cron job):")
    yield Fenced((f"zpool scrub {name}",))
    yield Text("zed (Debian: zfs-zed) mails ZED_EMAIL_ADDR of /etc/zfs/zed.d/zed.rc when a disk fails.")


def to_grow(plan: Plan, name: str) -> Iterator[Block]:
    row, groups = level_of(setup_of(plan)), setup_of(plan).groups
    kind = f"{row.profile} " if row.profile != "stripe" else ""
    count = vdev_disks(row, len(plan.members), groups)
    yield Heading("To grow it")
    yield Fenced(by_hand.grow_lines(name, [f"{_NEW_POOLS}{number}" for number in range(1, count + 1)], (), kind))
    yield Fenced(by_hand.grow_lines(name, (), [f"{_NEW_POOLS}1"]))


def to_bring_back(plan: Plan, state: RunState, number: int, name: str) -> Iterator[Block]:
    """By GUID, never created again."""
    made = state.pools.get(number)
    yield Text(
        "If its disks are present, import it, in any machine; never create it again over them. If ZFS reports that"
        " another machine used it last, make sure that machine is off, then add -f:"
    )
    yield Fenced(
        (
            "zpool import  # what is here, by name and GUID",
            f"zpool import -N {made.guid if made else name}  # if it fails, stop: {name} may be another pool",
            f"zfs set mountpoint={quote(folder_of(plan.answers))} {name}",
            f"zfs mount {name}  # if not mounted yet",
            f"systemctl is-enabled {' '.join(zfs.UNITS)}  # all of them, to mount it at boot",
        )
    )


SCRIPT = "build.sh"  # the name that the document gives it
_WHAT = ("What", "Which")
_OF_PARTITIONS = " Their partitions are OLD1 and NEW1, of NVMe disks OLDp1 and NEWp1; the new one is made first."


def build_script(plan: Plan, state: RunState) -> str:
    """PlanNotSafe if a disk has no unique link."""
    return script(built_again(plan, kept_stage_number(plan, state)))


def commissioning(plan: Plan, state: RunState) -> str:
    return markdown(page(plan, state))


def page(plan: Plan, state: RunState) -> Iterator[Block]:
    filled_plan = slots.filled(plan)
    number = kept_stage_number(plan, state)
    stage = filled_plan.stages[number]
    mounted_at = mount_point(filled_plan) if is_permanent(filled_plan, state) else ""
    pool = stage.filesystem.pool if stage.filesystem else ""
    array = None if pool or stage.array is None else _current_array(filled_plan, stage, stage.array, mounted_at)
    if array and stage.array:
        name = of_disks(level(array.level), len(stage.array.groups), array.slots or 0)
        yield Heading(f"{name}: {stage.array.name}", 1)
    else:
        yield Heading(f"{array_title(setup_of(plan), len(plan.members))}: {pool}", 1)
    yield from _standing(filled_plan, state)
    yield Text(
        f"{_built(state)} Results: report.md beside this page. Keep a copy of both, and of {SCRIPT}, elsewhere: they"
        " lie on this machine's own disk."
    )
    yield Heading("The array" if array else "The pool")
    if stage.array and array:
        yield PageTable(_WHAT, list(_array(filled_plan, state, number, stage.array, mounted_at)), 2)
    else:
        yield PageTable(_WHAT, list(pool_rows(plan, state, number, mounted_at)), 2)
    yield from after_a_reboot(filled_plan, state)
    if array:
        yield from _alarms(array, state)
        yield from blocks(filled_plan, state, stage)
    yield Heading("Machine")
    yield PageTable(_WHAT, list(_machine(state)), 2)
    yield from _disks(filled_plan, stage, state)
    yield Heading("What was tested and found")
    answer = RunContext(filled_plan, state).answer
    yield Bullets([answer.title, *answer.lines[:-1]])
    if array and stage.array:
        partition = _partition(stage.array)
        if stage.array.groups:
            yield from _when_a_disk_of_a_group_fails(array, stage.array)
        else:
            yield from _when_a_disk_fails(array, partition)
            if stage.journals:
                yield from _when_the_journal_fails(array, partition)
            yield from _to_grow(array, partition)
        tools = state.worker.tools if state.worker else {}
        yield from _to_build_again(plan, state, _to_put_together(array, tools, stage.array.groups))
    else:
        yield from when_a_disk_fails(plan, pool)
        yield from to_grow(plan, pool)
        yield from _to_build_again(plan, state, to_bring_back(plan, state, number, pool))


def _current_array(plan: Plan, stage: Stage, built: ArrayPlan, mounted_at: str) -> Array:
    filesystem = stage.filesystem
    upon = (
        Upon(
            device=f"md/{built.name}",
            volume=stage.layer.node if stage.layer and stage.layer.kind == "lvm" else "",
            container=stage.layer.group if stage.layer and stage.layer.kind == "luks" else "",
            kind=filesystem.kind,
            uuid=filesystem.uuid,
            mounted_at=(mounted_at,) if mounted_at else (),
        )
        if filesystem
        else None
    )
    return Array(
        name=built.name,
        node=f"/dev/md/{built.name}",
        uuid=built.uuid,
        level=built.level,
        slots=len(_members(plan, stage)),
        upon=(upon,) if upon else (),
    )


def _members(plan: Plan, stage: Stage) -> tuple[Member, ...]:
    return tuple(sweep.taken(stage.setup, plan.members)) if stage.setup else plan.members


_JOURNAL = (
    "one more disk, to which everything is written first: no write hole, and the array writes no faster than that disk"
)


def _spares_words(spares: int, groups: Sequence[GroupPlan]) -> Words:
    if not spares:
        return "none: failed disks are replaced by hand"
    words = f"{spares}: md replaces a failed disk by {'it' if spares == 1 else 'one of them'}"
    begun = ", ".join(group.name for group in groups if group.spares)
    shared = f"; begun in {begun}, and moved by a running `mdadm --monitor` (spare-group in mdadm.conf)"
    return coded(words + shared) if groups else words


def _standing(plan: Plan, state: RunState) -> Iterator[Text]:
    if permanence_due(plan, state):
        undone = Strong("Its boot entries are incomplete: it is gone after a reboot.")
        yield Text((undone, " To finish: ", Code(f"raidtui resume {state.run}"), "."))
    elif state.outcome != "finished":
        yield Text((Strong(f"The run {state.outcome or 'has not ended'}."), f" {state.reason}"))


def _built(state: RunState) -> str:
    where = f" on {state.worker.host}" if state.worker and state.worker.host else ""
    when = f"{_day(state.started_at_s)} to {_day(state.ended_at_s or state.now_s)}"
    return f"Built and measured{where} by raidtui's run {state.run}, {when}."


def _day(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M} UTC"


def _array(plan: Plan, state: RunState, number: int, array: ArrayPlan, mounted_at: str) -> Iterator[Sequence[Words]]:
    stage = plan.stages[number]
    holds, array_built = array.capacity, state.arrays.get(number)
    yield ["Node", f"/dev/md/{array.name}"]
    yield ["UUID", array.uuid]
    yield ["Setup", facts.setup_words(array)]
    if array.partitioned:
        outside = f"{both(holds.lost.outside_bytes)} in all are tables and room for a slightly smaller disk"
        yield ["Members", f"a partition of each disk, from 1 MiB on; {outside}"]
    yield ["Size", both(array_built.size_bytes if array_built else holds.array_bytes)]
    survives, of_each = may_fail(stage.setup, holds.survives), " of each group" if array.groups else ""
    none = "none: the loss of one is the loss of the array"
    yield ["Disks that may fail", f"any {survives}{of_each}" if survives else none]
    for group in array.groups:
        slots_of = f"disks {group.members[0]} to {group.members[-1]} below"
        yield [f"Group {group.name.rpartition('-g')[2]}", f"/dev/md/{group.name}, UUID {group.uuid}, {slots_of}"]
    if stage.journals:
        yield ["Journal", _JOURNAL]
    yield ["Spares", _spares_words(stage.spares, array.groups)]
    if array.raid.has_sync:
        yield ["Initial resync", facts.sync_words(stage, state, number)]
    yield ["Proof", series.proof_line(plan, state)]
    if covered := series.proof_covered(plan, state):
        yield ["Compared", covered]
    if stage.layer:
        yield [LAYERS[stage.layer.kind].title, facts.layer_words(stage.layer)]
        if stage.layer.kind == "luks":
            yield ["Header backup", _header_backup(plan, state)]
    if stage.filesystem:
        geometry = ", ".join(f"{name} {value}" for name, value in stage.filesystem.geometry.items() if value)
        yield ["File system", f"{stage.filesystem.kind}, UUID {stage.filesystem.uuid}"]
        if geometry:
            yield ["Its geometry", geometry]
        if any(step.role == "record" and step.stage == number for step in state.steps):
            yield ["Its record", f"{KEPT_FILE} in its root folder: this run and the UUIDs, for root to read"]
    if not (stage.filesystem or stage.layer):
        yield ["File system", "none"]
    if mounted_at:
        owner = state.owners.get(mounted_at)
        yield ["Mounted at", mounted_at + (f", {owner.new.description}" if owner else "")]


def _header_backup(plan: Plan, state: RunState) -> Words:
    done = any(step.role == "header-backup" and step.ended_at_s and step.error is None for step in state.steps)
    if not done:
        return coded("none; `cryptsetup luksHeaderBackup` makes one: a damaged header loses all data")
    at = plan.answers.luks_header_backup
    return coded(f"{at}: opens the array with a passphrase of that time; `cryptsetup luksHeaderRestore` puts it back")


def _partition(array: ArrayPlan) -> Partition | None:
    """Minimum for a new disk; None if members are whole disks."""
    least_bytes = array.capacity.data_offset_bytes + array.capacity.member_used_bytes
    return Partition(layers.whole_mib(least_bytes)) if array.partitioned else None


def _alarms(array: Array, state: RunState) -> Iterator[Block]:
    """Mail recipient on a disk failure, as the run saw it; else what is needed."""
    yield Heading("Alarms", 3)
    if array.level not in rules.REDUNDANT:
        yield Text(coded(monitor.NOT_WATCHED))
    else:
        yield Text(coded((monitor.sentence(state.monitor) if state.monitor else "") or monitor.NEEDED))
        if state.monitor and (check := monitor.next_check(state.monitor, state.ended_at_s or state.now_s)):
            yield Text(check)


def _machine(state: RunState) -> Iterator[Sequence[Words]]:
    if state.worker and state.worker.host:
        yield ["name", state.worker.host]
    for name, words in (state.worker.tools if state.worker else {}).items():
        yield [name, words]


def _disks(plan: Plan, stage: Stage, state: RunState) -> Iterator[Block]:
    health_told = state.healths[-1].disks if state.healths else {}
    rows, reasons = [], []
    setup = stage.setup or Setup()
    mostly = write_mostly_of(setup, plan.members)
    slots_named = [
        (f"{slot}{', write-mostly' if member in mostly else ''}", member)
        for slot, member in enumerate(_members(plan, stage))
    ]
    slots_named += [("journal", member) for member in journal_of(setup, plan.members)]
    slots_named += [("spare", member) for member in spares_of(setup, plan.members)]
    for slot, member in slots_named:
        judged = judge(of_counts(health_told.get(member.id, {})))
        about = (both(member.size_bytes), member.slot, member.firmware, judged.fitness, member.id)
        rows.append((slot, member.serial, member.model, *about))
        named = member.serial or member.id
        reasons += [f"{named}: {reason.words} ({reason.source})" for reason in judged.reasons]
    yield Heading("Disks")
    yield PageTable(["Slot", "Serial", "Model", "Size", "Where", "Firmware", "Health", "Identity"], rows, 8)
    yield Bullets(reasons)
    if state.self_tests:
        tested = state.self_tests.disks
        passed = sum(result.passed is True for result in tested.values())
        yield Text(
            f"Before it was built {passed} of {len(tested)} passed their own {state.self_tests.length} self-test."
        )
    if any(row[6] == Fitness.UNKNOWN for row in rows):
        why = state.healths[-1].why_not if state.healths else "no disk was asked"
        yield Text(f"Not told: {why or 'the disk did not answer smartctl'}.")


def _when_a_disk_fails(array: Array, partition: Partition | None) -> Iterator[Block]:
    yield Heading("When a disk fails")
    if array.level not in rules.REDUNDANT:
        yield Text("Any failed disk loses the array: build it again, and restore the data from a backup.")
        return
    words = (
        " shows its slot and serial number. OLD and NEW are the serial numbers of the failed disk and of its"
        " replacement, which must be at least as large; all data on NEW is lost. The first line prints a plan and its"
        " code, the second carries it out:"
    )
    yield Text((Code("raidtui status"), words))
    command = f"raidtui replace {array.name} OLD NEW"
    yield Fenced((command, f"{command} --confirm CODE"))
    by_mdadm = "With mdadm only; OLD and NEW are device names in /dev."
    yield Text(f"{by_mdadm}{_OF_PARTITIONS if partition else ''} A disk that has failed:")
    yield Fenced(by_hand.replace_any(array, "failed", partition))
    yield Text("A disk that is gone, or has no name in /dev any more:")
    yield Fenced(by_hand.replace_any(array, "gone", partition))
    yield Text("A disk that still works is copied, so the array is never degraded:")
    yield Fenced(by_hand.replace_any(array, "works", partition))


def _when_a_disk_of_a_group_fails(array: Array, built: ArrayPlan) -> Iterator[Block]:
    """By the name of its group; N stands for the number."""
    name = f"{built.name}-gN"
    group = msgspec.structs.replace(array, name=name, node=f"/dev/md/{name}", uuid="", upon=())
    yield from _when_a_disk_fails(group, None)
    yield Text(f"N is the number of the group that the disk is in: {built.name}-g1 and so on.")
    yield Heading("To grow it")
    yield Text(
        "A group cannot grow under a RAID 0, and a RAID 0 gets no further group: build a new array, and copy the data."
        " ZFS can add a vdev to a pool."
    )


def _when_the_journal_fails(array: Array, partition: Partition | None) -> Iterator[Block]:
    made, new = by_hand.new_device(array, partition)
    yield Heading("When the journal fails")
    yield Text(
        "The array is readable, but every write to it fails until it gets another journal. All data on NEW is lost; use"
        " fast flash with power-loss protection."
    )
    yield Fenced((*made, *by_hand.replace_journal(array, new)))
    yield Text("Without its journal it is not assembled at boot. This starts it read-only; then use the same lines:")
    yield Fenced((f"mdadm --assemble --force {array.node} --uuid={array.uuid}",))


def _to_grow(array: Array, partition: Partition | None) -> Iterator[Block]:
    made, new = by_hand.new_device(array, partition)
    lines = by_hand.grow(array, (new,))
    yield Heading("To grow it")
    if not lines:
        yield Text(f"raidtui cannot grow a {level(array.level).name}; see mdadm(8), GROW MODE.")
        return
    yield Text(
        "NEW is the serial number of a new disk, at least as large as the others; all data on it is lost. The first"
        " line prints a plan and its code, the second carries it out:"
    )
    yield Fenced((f"raidtui grow {array.name} NEW", f"raidtui grow {array.name} NEW --confirm CODE"))
    yield Text("With mdadm only, by one disk:")
    yield Bullets(list(map(coded, by_hand.GROW_REMARKS)))
    yield Fenced((*made, *lines))


def _to_put_together(array: Array, tools: Mapping[str, str], groups: Sequence[GroupPlan]) -> Iterator[Block]:
    is_new = block_size.is_written_by(tools.get("kernel", ""))
    machine = f"any machine with {block_size.SINCE} or later" if is_new else "any machine"
    yield Text(f"If its disks are present, assemble it, in {machine}; never create it again over them:")
    if is_new:
        yield Text(block_size.NOTE)
    opened = (" ".join(containers.open_argv(array.node, layer.container)) for layer in array.upon if layer.container)
    volumes = (f"vgchange --activate y {upon.volume.partition('/')[0]}" for upon in array.upon if upon.volume)
    first = (f"mdadm --assemble /dev/md/{group.name} --uuid={group.uuid}" for group in groups)
    yield Fenced((*first, f"mdadm --assemble {array.node} --uuid={array.uuid}", *volumes, *opened))


def _to_build_again(plan: Plan, state: RunState, to_put_together: Iterator[Block]) -> Iterator[Block]:
    """First what not to do: existing disks are assembled, never created again."""
    yield Heading("To assemble it, and to build it again")
    yield from to_put_together
    try:
        build_script(plan, state)
    except PlanNotSafe as why:
        yield Text(f"No script: {why}.")
    else:
        same = (
            " beside this page builds the same array from the same disks, once they are blank, with new UUIDs and"
            " without tests; if the array exists it changes nothing. As root, in an empty folder owned by root: "
        )
        yield Text((Code(SCRIPT), same, Code(f"bash {SCRIPT}"), "."))
    if plan.kept_stage is not None:
        answers, command = "On other disks: this answer file with the new disks' ids (", Code("raidtui disks")
        then = (Code("disks"), ", then ", Code("raidtui plan"), " and ", Code("raidtui run"), ".")
        yield Text((answers, command, ") in ", *then))
        yield Fenced(tomli_w.dumps(to_document(plan.answers)).splitlines())
