"""Facts of each condition, once per case; unread values give none. Grades and remedies are in `conditions`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from raidtui.core.arrays import remedies
from raidtui.core.arrays.array import READ_ONLY, Array, ArrayMember, BootMount, Half, Role, Upon
from raidtui.core.arrays.remedies import REDUNDANT, Way, has_lost_journal, idle, is_reshaping, replaced_by
from raidtui.core.disks.drive import ERC_DECISECONDS, LONG_TIMEOUT_S, Recovery
from raidtui.core.raid.levels import LEVELS
from raidtui.core.units import both, format_duration

Facts = dict[str, str]
FactsOf = Callable[[Array, float], Iterable[Facts]]
_CHECK_EVERY_S = 45 * 86400  # distributions check monthly; half a month of grace
_WORN_PERCENT = 90.0  # of the writes that the maker warrants (NVMe: Percentage Used, which ends at 255)
# What SMART counts that tells of data that could not be read (names of system.health)
_LOST = (
    "pending sectors", "uncorrectable errors", "offline uncorrectable", "media errors", "uncorrected reads",
    "uncorrected writes",
)  # fmt: skip
LEVEL_NAMES = {row.key: row.name for row in LEVELS}


def level_name(array: Array) -> str:
    return LEVEL_NAMES.get(array.level, array.level)


def disk_words(member: ArrayMember) -> str:
    node = f"/dev/{member.device}" if member.device else ""
    disk = member.disk
    if disk is None:
        return node or "an unknown disk"
    return f"{node} ({disk.title}" + (f", {disk.place})" if disk.place else ")") if node else disk.title


def _slot(member: ArrayMember) -> str:
    return f"slot {member.slot}: " if member.slot is not None else ""


def when(holds: Callable[[Array], bool]) -> FactsOf:
    return lambda array, now_s: [{}] if holds(array) else []


def of_members(told: Callable[[Array, ArrayMember], Iterable[Facts]]) -> FactsOf:
    """What is told of each member, with its slot and disk."""

    def facts(array: Array, now_s: float) -> Iterator[Facts]:
        for member in array.members:
            for of_member in told(array, member):
                yield {"slot": _slot(member), "disk": disk_words(member), "device": member.device} | of_member

    return facts


def each_with_role(role: str, ways: Sequence[Way] = ()) -> FactsOf:
    @of_members
    def facts(array: Array, member: ArrayMember) -> Iterator[Facts]:
        if member.role == role and not member.is_journal:  # of which `journal_lost` tells
            yield {"do": remedies.chosen(ways, array, member) if ways else ""}

    return facts


def each_in_state(state: str) -> FactsOf:
    """Members with this kernel word, not failed."""

    @of_members
    def facts(array: Array, member: ArrayMember) -> Iterator[Facts]:
        replaced = state == "want_replacement" and replaced_by(array, member)
        if state in member.states and member.role != "failed" and not replaced:
            yield _to_replace(array, member)

    return facts


def _to_replace(array: Array, member: ArrayMember) -> Facts:
    """How to replace a working disk."""
    other = replaced_by(array, member)
    words = {"level": level_name(array), "begin": remedies.chosen(remedies.BEGIN, array)}
    new = disk_words(other) if other else ""
    return {"replace": remedies.chosen(remedies.REPLACED, array, member, new=new, **words)}


@of_members
def in_list_of_bad_blocks(array: Array, member: ArrayMember) -> Iterator[Facts]:
    if member.bad_sectors:
        yield {"sectors": str(member.bad_sectors), **_to_replace(array, member)}


def missing(array: Array, now_s: float) -> Iterator[Facts]:
    """Empty slots with a known disk one by one, the others together."""
    empty = array.of_role("missing")
    for member in empty:
        if member.disk:
            yield {"slots": f"slot {member.slot} is empty, which was {disk_words(member)}"}
    unknown = [member.slot for member in empty if not member.disk and member.slot is not None]
    if len(unknown) == 1:
        yield {"slots": f"slot {unknown[0]} is empty"}
    elif unknown:
        yield {"slots": f"{len(unknown)} slots are empty ({ranges(unknown)})"}


def ranges(slots: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for slot in slots:
        if runs and slot == runs[-1][1] + 1:
            runs[-1][1] = slot
        else:
            runs.append([slot, slot])
    return ", ".join(f"{first} to {last}" if last > first else f"{first}" for first, last in runs)


def reshape_waits(array: Array, now_s: float) -> Iterator[Facts]:
    waits = array.sync is None or _is_read_only_until_written(array)
    if array.reshape_at_bytes is not None and waits and array.health != "inactive":
        yield {"at": both(array.reshape_at_bytes), "do": remedies.chosen(remedies.RESHAPE_WAITS, array)}


def resync_waits(array: Array, now_s: float) -> Iterator[Facts]:
    if array.resync_waits:
        yield {"do": remedies.chosen(remedies.BEGIN, array)}


def read_only(array: Array, now_s: float) -> Iterator[Facts]:
    if array.array_state == "readonly":
        yield {"do": remedies.chosen(remedies.READ_ONLY_ARRAY, array)}


def split(array: Array, now_s: float) -> Iterator[Facts]:
    if array.halves and array.health != "inactive":
        yield {"halves": "; ".join(_half_words(half) for half in array.halves)}


def _half_words(half: Half) -> str:
    disks = ", ".join(f"/dev/{device}" for device in half.devices)
    if half.events is None or half.updated_s is None:
        shown = ", ".join(f"`mdadm --examine /dev/{device}`" for device in half.devices[:1])
        return f"{half.name} ({disks}; events and last update: {shown or 'not known'})"
    at = datetime.fromtimestamp(half.updated_s, UTC)
    return f"{half.name} ({disks}; {half.events} events, last update {at:%Y-%m-%d %H:%M} UTC)"


def left_out(array: Array, now_s: float) -> Iterable[Facts]:
    runs = array.health not in ("stopped", "inactive")
    return each_with_role("left out", remedies.LEFT_OUT)(array, now_s) if runs else []


def _is_read_only_until_written(array: Array) -> bool:
    return bool(array.sync and array.sync.is_pending and array.array_state in READ_ONLY)


def unless(health: str, facts: FactsOf) -> FactsOf:
    return lambda array, now_s: [] if array.health == health else facts(array, now_s)


def too_few(array: Array, now_s: float) -> Iterator[Facts]:
    if array.health == "failed":
        yield _working(array)


def spare_took_over(array: Array, now_s: float) -> Iterable[Facts]:
    return each_with_role("failed")(array, now_s) if array.health == "clean" else []


def _working(array: Array) -> Facts:
    return {"working": str(len(array.of_role("in sync"))), "slots": str(array.slots), "level": level_name(array)}


def journal_lost(array: Array, now_s: float) -> Iterator[Facts]:
    if has_lost_journal(array) and array.health not in ("inactive", "stopped"):
        journal = next((member for member in array.members if member.is_journal), None)
        remove = f"`mdadm {array.node} --remove /dev/{journal.device}`, " if journal else ""
        halt = f"`mdadm --readonly {array.node}`, " if array.array_state != "readonly" else ""
        yield {"disk": f" ({disk_words(journal)})" if journal else "", "remove": halt + remove}


def lost_members(array: Array, now_s: float) -> Iterator[Facts]:
    if array.health == "degraded":
        yield _working(array)


def syncing(*actions: str) -> FactsOf:
    def facts(array: Array, now_s: float) -> Iterator[Facts]:
        if array.sync and array.sync.action in actions and not _is_read_only_until_written(array):
            filled = array.of_role("rebuilding") if array.sync.action == "reshape" else ()
            new = f", which fills {', '.join(disk_words(member) for member in filled)}" if filled else ""
            yield {"progress": progress(array), "new": new}

    return facts


def progress(array: Array) -> str:
    sync = array.sync
    if sync is None:
        return ""
    if sync.waits:
        return f"it is {sync.waits}"
    share_done = f"{100 * sync.done_bytes / sync.total_bytes:.1f} % done" if sync.total_bytes else "just begun"
    left_words = f", about {format_duration(round(sync.left_s))} left" if sync.left_s is not None else ""
    return share_done + left_words


def rebuilding(array: Array, now_s: float) -> Iterator[Facts]:
    if array.sync and array.sync.action == "recover" and not _is_read_only_until_written(array):
        filled, new_disks = array.of_role("rebuilding"), array.of_role("replacement")
        new = " (a new RAID 4 or 5 begins in the same way)" if array.level in ("4", "5") and not new_disks else ""
        disks = ", ".join(disk_words(member) for member in filled) or "a member"
        places = [f"{disk_words(member)} takes the place of {_replaced_words(array, member)}" for member in new_disks]
        what = "; ".join((*([f"rebuild on {disks}"] if filled or not places else []), *places))
        yield {"progress": progress(array), "new": new, "what": what}


def _replaced_words(array: Array, new: ArrayMember) -> str:
    old = (member for member in array.of_role("in sync", "failed", "gone") if member.slot == new.slot)
    return ", ".join(disk_words(member) for member in old) or f"slot {new.slot}"


def not_rebuilding(array: Array, now_s: float) -> Iterator[Facts]:
    action = array.sync.action if array.sync else ""
    waits = array.array_state in READ_ONLY
    if array.health == "degraded" and not (action == "recover" and not _is_read_only_until_written(array)):
        filling, spares = array.of_role("rebuilding"), array.of_role("spare")
        reshaping = is_reshaping(array)
        if reshaping and filling:
            return  # from RAID 5 to 6 the reshape itself writes the new disk
        if filling or spares:
            why = (
                "the array is read-only until it is first written to" if waits
                else "its syncs are frozen" if array.frozen
                else "the reshape goes first" if reshaping else "the rebuild has not begun"
            )  # fmt: skip
            begins = remedies.chosen(remedies.BEGIN, array)
            do = "wait for the reshape" if reshaping and not (waits or array.frozen) else begins
            yield {"have": f"{disk_words((*filling, *spares)[0])} is idle, {why}", "do": do}
        else:
            others = ", ".join(disk_words(member) for member in array.of_role("left out"))
            yield {"have": "no spare", "do": remedies.chosen(remedies.NO_SPARE, array, left_out=others)}


def mismatched(*levels: str) -> FactsOf:
    def facts(array: Array, now_s: float) -> Iterator[Facts]:
        mismatches = array.mismatches
        if array.level in levels and mismatches and mismatches.sectors and mismatches.counted_by != "resync":
            counted_by = {"check": "the last check", "repair": "the last repair"}.get(
                mismatches.counted_by, "a check before"
            )
            so_far = "" if mismatches.final else " so far"
            yield {"sectors": f"{mismatches.sectors} sectors of 512 bytes", "by": counted_by, "so_far": so_far}

    return facts


@of_members
def corrected(array: Array, member: ArrayMember) -> Iterator[Facts]:
    if member.corrected_sectors and member.role != "failed":
        yield {"sectors": str(member.corrected_sectors)}


@of_members
def failing(array: Array, member: ArrayMember) -> Iterator[Facts]:
    health = str(member.smart.get("health", ""))
    if health.startswith("failing"):
        yield {"told": health, **_to_replace(array, member)}


@of_members
def unreadable(array: Array, member: ArrayMember) -> Iterator[Facts]:
    if counts := [f"{count:.0f} {key}" for key in _LOST if (count := _number(member.smart.get(key)))]:
        yield {"told": ", ".join(counts)}


@of_members
def worn(array: Array, member: ArrayMember) -> Iterator[Facts]:
    used = _number(member.smart.get("used, %"))
    if used >= _WORN_PERCENT:
        yield {"used": f"{used:.0f}"}


@of_members
def hot(array: Array, member: ArrayMember) -> Iterator[Facts]:
    temperature_c, limit = (_number(member.smart.get(name)) for name in ("temperature, °C", "temperature limit, °C"))
    if limit > 0 and temperature_c >= limit:
        yield {"now": f"{temperature_c:.0f}", "limit": f"{limit:.0f}"}


@of_members
def recovery_outlasts(array: Array, member: ArrayMember) -> Iterator[Facts]:
    """The disk may try a bad sector longer than the kernel waits."""
    if (disk := member.disk) and disk.recovery.outlasts_kernel and member.role != "failed":
        sets_erc = f"`smartctl -l scterc,{ERC_DECISECONDS},{ERC_DECISECONDS} /dev/{disk.name}`"
        waits = f"`echo {LONG_TIMEOUT_S} > /sys/block/{disk.name}/device/timeout`"
        limit_it = array.level in REDUNDANT and disk.recovery.erc != "none"
        timeout = str(disk.recovery.timeout_s)
        yield {"tries": _tries(disk.recovery), "timeout": timeout, "do": sets_erc if limit_it else waits}


def _tries(recovery: Recovery) -> str:
    if recovery.erc == "none":
        return "has no error recovery control (ERC)"
    if recovery.is_unlimited:
        return "has its error recovery control (ERC) off"
    return f"tries a bad sector for {max(recovery.read_s, recovery.write_s):g} s (ERC)"


def _number(value: float | str | None) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def checked_long_ago(array: Array, now_s: float) -> Iterator[Facts]:
    at_s = array.checked.at_s
    if array.level in REDUNDANT and idle(array) and at_s is not None and now_s - at_s > _CHECK_EVERY_S:
        yield {"ago": format_duration(now_s - at_s)}


def never_checked(array: Array, now_s: float) -> Iterator[Facts]:
    checked = array.checked
    if array.level in REDUNDANT and idle(array) and checked.at_s is None and checked.paused_bytes is None:
        yield {}


def check_paused(array: Array, now_s: float) -> Iterator[Facts]:
    if array.checked.paused_bytes is not None and array.sync is None:
        yield {"at": both(array.checked.paused_bytes)}


def _mounts(array: Array) -> Iterator[tuple[Upon, BootMount]]:
    for upon in array.upon:
        for mount in upon.boot or ():
            yield upon, mount


def mounted_by_node(array: Array, now_s: float) -> Iterator[Facts]:
    for upon, mount in _mounts(array):
        promised = array.at_boot.assembly == "ARRAY line" and mount.source == array.at_boot.node
        if mount.by == "node" and upon.device.startswith("md") and not promised:
            by_uuid = f"UUID={upon.uuid}" if upon.uuid else "its UUID"
            yield {"file": mount.file, "mountpoint": mount.mountpoint, "source": mount.source, "by_uuid": by_uuid}


def boot_waits(array: Array, now_s: float) -> Iterator[Facts]:
    for _, mount in _mounts(array):
        if not mount.nofail and mount.mountpoint not in ("/", "/boot", "/usr", "swap"):
            yield {"file": mount.file, "mountpoint": mount.mountpoint}


def unmounted_at_boot(array: Array, now_s: float) -> Iterator[Facts]:
    for upon in array.upon:
        points = [point for point in upon.mounted_at if point != "/"]
        if points and upon.boot == ():
            yield {
                "device": upon.device,
                "at": ", ".join(points),
                "by": f"UUID={upon.uuid}" if upon.uuid else "its UUID",
            }


def initramfs_older(array: Array, now_s: float) -> Iterator[Facts]:
    if array.at_boot.initramfs_older and array.at_boot.assembly == "ARRAY line":
        yield {"file": array.at_boot.file}


def another_name(array: Array, now_s: float) -> Iterator[Facts]:
    if array.at_boot.assembly == "another name":
        yield {"title": array.title}


def no_array_line(array: Array, now_s: float) -> Iterator[Facts]:
    if array.at_boot.assembly == "by itself":
        yield {"back": array.at_boot.node}


def inactive(array: Array, now_s: float) -> Iterator[Facts]:
    if array.health == "inactive":
        do = remedies.chosen(remedies.INACTIVE, array, level=level_name(array))
        without = f"; nothing is here of {', '.join(array.groups_missing)}" if array.groups_missing else ""
        yield _members_here(array, "gathered") | {"do": do, "without": without}


def stopped(array: Array, now_s: float) -> Iterator[Facts]:
    if array.health == "stopped" and not _expected_by(array):
        yield _members_here(array)


def stopped_and_expected(array: Array, now_s: float) -> Iterator[Facts]:
    if array.health == "stopped" and (why := _expected_by(array)):
        yield _members_here(array) | {"why": why}


def _expected_by(array: Array) -> str:
    if array.at_boot.assembly == "ARRAY line":
        return f"{array.at_boot.file} has a line for it"
    return f"raidtui's run {array.run} keeps it" if array.run else ""


def _members_here(array: Array, role: Role = "left out") -> Facts:
    devices = [f"/dev/{array_member.device}" for array_member in array.of_role(role)]
    of_slots = f" of {array.slots}" if array.slots else ""
    noun = "member" if len(devices) == 1 and not of_slots else "members"
    return {"many": f"{len(devices)}{of_slots} {noun}", "disks": ", ".join(devices)}
