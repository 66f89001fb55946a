"""Conditions of an array: grade, sentence, remedy, one row each. Commands in them are for a person."""

import msgspec

from raidtui.core.arrays import superblock
from raidtui.core.arrays.array import Array, Condition, Grade
from raidtui.core.arrays.condition_facts import (
    FactsOf,
    another_name,
    boot_waits,
    check_paused,
    checked_long_ago,
    corrected,
    each_in_state,
    each_with_role,
    failing,
    hot,
    in_list_of_bad_blocks,
    inactive,
    initramfs_older,
    journal_lost,
    left_out,
    lost_members,
    mismatched,
    missing,
    mounted_by_node,
    never_checked,
    no_array_line,
    not_rebuilding,
    read_only,
    rebuilding,
    recovery_outlasts,
    reshape_waits,
    resync_waits,
    spare_took_over,
    split,
    stopped,
    stopped_and_expected,
    syncing,
    too_few,
    unless,
    unmounted_at_boot,
    unreadable,
    when,
    worn,
)
from raidtui.core.arrays.monitor import Monitor
from raidtui.core.arrays.pools import Pool
from raidtui.core.arrays.remedies import FAILED_MEMBER, REDUNDANT, names_of

_GOOD, _ATTENTION, _DEGRADED, _FAILED = Grade
SPLIT = "split"
_BITMAP_FROM_BYTES = 100 * 1024**3  # from where mdadm itself makes a bitmap (4.2: Create.c)


class ConditionRow(msgspec.Struct, frozen=True):
    kind: str
    grade: Grade
    facts: FactsOf
    words: str
    remedy: str


ROWS: tuple[ConditionRow, ...] = (
    ConditionRow(SPLIT, _FAILED, split,
        "two halves run apart, each without the other's writes: {halves}",
        "write to neither; mount both read-only (ext4: ro,noload; xfs: ro,norecovery,nouuid), compare their files, and"
        " decide. A higher event count does not mean that the other half holds nothing. The disks of the half that goes"
        " are erased and added anew, never re-added: that would mix both"),
    ConditionRow("failed", _FAILED, too_few,
        "{working} of {slots} members work, too few for {level}; its data cannot be read completely",
        "do not create it again and write nothing to its disks: reconnect the missing ones (cable, power, slot), stop"
        " it and assemble it from them; copy disks that fail (ddrescue) before anything is forced"),
    ConditionRow("stopped-and-expected", _FAILED, stopped_and_expected,
        "not running, though {why}: {many} here ({disks})",
        "reconnect missing disks, then `mdadm --assemble {node} --uuid={uuid}`"),
    ConditionRow("inactive", _FAILED, inactive,
        "inactive: {many} gathered ({disks}), not started{without}",
        "{do}"),
    ConditionRow("degraded", _DEGRADED, lost_members,
        "{working} of {slots} members of a {level} work", ""),
    ConditionRow("member-failed", _DEGRADED, unless("clean", each_with_role("failed", FAILED_MEMBER)),
        "{slot}{disk} has failed", "{do}"),
    ConditionRow("failed-disk-stays", _ATTENTION, spare_took_over,
        "{disk} has failed, and a spare has taken its place",
        "{writable}remove it (`mdadm {parent} --remove /dev/{device}`), and add a new spare"),
    ConditionRow("member-gone", _DEGRADED, each_with_role("gone"),
        "{slot}{disk} is gone, and md has not noticed yet",
        "check its cable, power and slot; `mdadm {parent} --fail detached --remove detached` tells md"),
    ConditionRow("member-missing", _DEGRADED, missing, "{slots}", "check its disk: cable, power, slot"),
    ConditionRow("journal-lost", _DEGRADED, journal_lost,
        "its journal{disk} is lost: what is on it can be read, and every write to it fails",
        "unmount what is on it, {remove}`mdadm {node} --add-journal` another disk"),
    ConditionRow("not-rebuilding", _DEGRADED, not_rebuilding, "no rebuild running: {have}", "{do}"),
    ConditionRow("rebuilding", _GOOD, rebuilding,
        "{what}: {progress}{new}", "wait, and keep load on the other disks low"),
    ConditionRow("left-out", _ATTENTION, left_out,
        "{disk} carries this array's superblock, and the array runs without it", "{do}"),
    ConditionRow("resync", _ATTENTION, syncing("resync"),
        "resync: {progress}", "wait: a disk that fails meanwhile may cost data"),
    ConditionRow("resync-waits", _ATTENTION, resync_waits,
        "not stopped cleanly, or never synced; resync pending", "{do}"),
    ConditionRow("reshape", _ATTENTION, syncing("reshape"),
        "reshape: {progress}{new}",
        "wait; after a reboot it continues, with a backup file only if assembled with that file"),
    ConditionRow("reshape-waits", _ATTENTION, reshape_waits,
        "reshape interrupted at {at}", "{do}"),
    ConditionRow("check", _GOOD, syncing("check", "repair"), "check: {progress}", ""),
    ConditionRow("frozen", _ATTENTION, when(lambda array: array.frozen),
        "syncs frozen: no rebuild, no check",
        "if no program does that on purpose (mdadm --grow), `echo idle > /sys/block/{name}/md/sync_action`"),
    ConditionRow("read-only", _ATTENTION, read_only, "it is read-only", "{do}"),
    ConditionRow("suspended", _ATTENTION, when(lambda array: array.array_state == "suspended"),
        "suspended: all I/O waits", "find out which program did that"),
    ConditionRow("mismatches-of-copies", _ATTENTION, mismatched("1", "10"),
        "{by} counted{so_far} {sectors} in which copies differ: either a page of memory (swap, a mapped file) changed"
        " while it was written, which is harmless, or a disk returned something else than was written;"
        " the count does not tell which",
        "check once more; if the count grows, compare files with a backup. `echo repair >"
        " /sys/block/{name}/md/sync_action` makes copies equal, by the first of them"),
    ConditionRow("mismatches-of-parity", _ATTENTION, mismatched("4", "5", "6"),
        "{by} counted{so_far} {sectors} in stripes whose parity does not fit their data: there was a power cut while"
        " they were written, or a disk, its cable or memory returned something else than was written",
        "check SMART, cables and memory first, then compare files with a backup; `echo repair >"
        " /sys/block/{name}/md/sync_action` makes parity anew from the data as they are read"),
    ConditionRow("stopped", _ATTENTION, stopped,
        "not running: {many} here ({disks})",
        "connect all of its disks, then `mdadm --assemble {node} --uuid={uuid}`"),
    ConditionRow("older-kernels", _GOOD, lambda array, _: superblock.facts(array.older_kernels), "{said}", "{do}"),
    ConditionRow("not-known", _ATTENTION, when(lambda array: array.health == "not known"),
        "its members are not known: this recording does not hold them",
        "record the machine again (`raidtui doctor --dump`)"),
    ConditionRow("smart-failing", _ATTENTION, failing,
        "{slot}{disk} reports: {told}",
        "replace it while it still works: {replace}"),
    ConditionRow("smart-unreadable", _ATTENTION, unreadable,
        "{slot}{disk} counts {told}",
        "a check reads all of it and has md write anew what cannot be read; replace it if the count grows"),
    ConditionRow("write-error", _ATTENTION, each_in_state("write_error"),
        "{slot}{disk} had write errors, and md still uses it",
        "check its SMART and cable; {replace}"),
    ConditionRow("to-be-replaced", _ATTENTION, each_in_state("want_replacement"),
        "{slot}{disk} is to be replaced, after errors or by request", "{replace}"),
    ConditionRow("blocked", _ATTENTION, each_in_state("blocked"),
        "{slot}{disk} is blocked: writes wait until its failure or its bad blocks are recorded",
        "check dmesg; of firmware RAID, mdmon has to run"),
    ConditionRow("bad-blocks", _ATTENTION, in_list_of_bad_blocks,
        "{slot}{disk}: {sectors} sectors are in md's list of bad blocks",
        "`mdadm --examine-badblocks /dev/{device}` lists them; {replace}"),
    ConditionRow("corrected", _ATTENTION, corrected,
        "{slot}{disk} could not read {sectors} sectors, which md made good from the others",
        "check its SMART and cable; replace it if the count grows"),
    ConditionRow("worn", _ATTENTION, worn,
        "{slot}{disk} has used {used} % of the writes that it is made for", "plan to replace it"),
    ConditionRow("hot", _ATTENTION, hot,
        "{slot}{disk} is at {now} °C, its limit is {limit} °C", "check fans and filters"),
    ConditionRow("error-recovery", _ATTENTION, recovery_outlasts,
        "{slot}{disk} {tries}, and the kernel waits {timeout} s: a bad sector may drop it from the array",
        "{do}, after each power cycle"),
    ConditionRow("ignored-at-boot", _ATTENTION, when(lambda array: array.at_boot.assembly == "ignored"),
        "it does not come back at boot: mdadm.conf has it ignored",
        "if that is not on purpose, give it an ARRAY line with its UUID, and rebuild the initramfs"),
    ConditionRow("mounted-by-node", _ATTENTION, mounted_by_node,
        "{file} mounts {mountpoint} by {source}, a name that may be another at the next boot",
        "write {by_uuid} there in its place"),
    ConditionRow("check-long-ago", _ATTENTION, checked_long_ago,
        "last checked {ago} ago", "`raidtui scrub {name}`, in a quiet hour"),
    ConditionRow("another-name", _GOOD, another_name,
        "no ARRAY line names it, and its superblock is another host's ({title}): at boot its node may be another",
        "`ARRAY /dev/md/NAME UUID={uuid}` in mdadm.conf fixes it; then rebuild the initramfs"),
    ConditionRow("no-array-line", _GOOD, no_array_line,
        "no ARRAY line names it; its superblock alone brings it back as {back}",
        "`ARRAY {back} UUID={uuid}` in mdadm.conf fixes that; then rebuild the initramfs"),
    ConditionRow("initramfs-older", _GOOD, initramfs_older,
        "{file} was changed after the initramfs was made, which may hold other ARRAY lines",
        "rebuild the initramfs (`update-initramfs -u`, `dracut -f`, `mkinitcpio -P`)"),
    ConditionRow("boot-waits", _GOOD, boot_waits,
        "{file} mounts {mountpoint} without nofail: without the array the boot stops in an emergency shell",
        "add nofail"),
    ConditionRow("not-mounted-at-boot", _GOOD, unmounted_at_boot,
        "nothing mounts {device} at boot, which is at {at} now",
        "a line of /etc/fstab with {by} and nofail does, if it is to come back"),
    ConditionRow("check-paused", _GOOD, check_paused, "check paused at {at} of each member", ""),
    ConditionRow("never-checked", _GOOD, never_checked,
        "last check unknown", "`raidtui scrub {name}`, in a quiet hour"),
    ConditionRow("no-bitmap", _GOOD,
        when(lambda array: array.consistency == "resync" and array.level in REDUNDANT and not array.container
              and (array.size_bytes or 0) >= _BITMAP_FROM_BYTES),
        "no bitmap: a power cut causes a full resync", "`mdadm --grow --bitmap=internal {node}`, while nothing syncs"),
)  # fmt: skip


def conditions_of(array: Array, now_s: float) -> tuple[Condition, ...]:
    """Most urgent first, then in table order. `now_s`: UTC."""
    names = names_of(array)
    conditions = [
        Condition(
            kind=row.kind,
            grade=row.grade,
            words=row.words.format(**names, **facts),
            remedy="" if array.halves and row.kind not in (SPLIT, "inactive") else row.remedy.format(**names, **facts),
        )
        for row in ROWS
        for facts in row.facts(array, now_s)
    ]
    return tuple(sorted(conditions, key=lambda condition: -list(Grade).index(condition.grade)))


SCHEMA = 1


class ArraysStatus(msgspec.Struct, frozen=True, kw_only=True):
    """At `at_s` (UTC), with the worst grade."""

    schema: int = SCHEMA
    host: str = ""
    at_s: float = 0.0
    grade: Grade = Grade.GOOD
    arrays: tuple[Array, ...] = ()
    pools: tuple[Pool, ...] = ()
    monitor: Monitor = Monitor()
    not_read: tuple[str, ...] = ()
