"""What chunks and other choices are good for, in a few plain words each.

The field's words in a sentence each, for those who meet them here first. Help begins with those of the screen below
it.
"""

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.entries import MOUNTED_AT
from raidtui.core.raid.purposes import Workload

PURPOSES = {
    Workload.BACKUP: "backup",
    Workload.MEDIA: "media",
    Workload.FILES: "files",
    Workload.VMS: "VMs",
    Workload.DATABASES: "databases",
    Workload.SCRATCH: "scratch",
}

CHUNKS = {
    "16KiB": "short stripes; splits requests over 16 KiB",
    "64KiB": "short stripes; more full-stripe writes with parity",
    "128KiB": "aligned requests up to 128 KiB stay on one disk",
    "256KiB": "aligned requests up to 256 KiB stay on one disk",
    "512KiB": "mdadm's default; right for most, databases too",
    "1MiB": "large requests stay on one disk: many streams at once",
    "2MiB": "the same, for very large files",
}

BITMAPS = {
    "internal": ("write-intent bitmap", "resync of regions being written"),
    "none": ("nothing", "full resync; slightly faster writes"),
    "ppl": ("partial parity log", "also closes the write hole (?); slower"),
    "journal": ("journal", "as the bitmap; the last disk takes all writes first"),
}

AFTER_THE_TESTS = {
    "teardown": "array removed, disks left blank",
    "keep": "array kept, ready to use",
}

MEMBERS = {
    "disks": "replacements must be at least as large",
    "partitions": "replacements may be slightly smaller",
}

BETWEEN = {
    "": "no layer between",
    "lvm": "one volume of the whole size; can be split, grown later",
    "luks": "passphrase typed during the run; if lost, all data is lost",
}

RESERVED = {
    "": "5 % of up to 10 TB, 1 % of more",
    "0": "all for files; no reserve against a full disk",
    "1": "enough for root on large arrays",
    "5": "mke2fs' default, at any size",
}

PERMANENT = {
    "": "not mounted; the report has the commands",
    "yes": "mdadm.conf, initramfs, fstab; `raidtui undo` reverts",
}
PERMANENT_IN_PRACTICE = "on the practice machine only; gone when you quit"

BOOT_NAMES = {
    "mount_point": "Mount at",
    "mount_owner": "Folder owner",
    "mount_mode": "Folder mode",
    "mount_options": "Mount options",
    "array_name": "Array name",
    "label": "Label",
    "mailaddr": "Mail alerts to",
}
NAMED = ("array_name", "mount_point")  # always in sight
MOUNT_NAMES = ("mount_owner", "mount_mode", "mount_options")
BOOT_HINTS = {
    "mount_point": f"default: {MOUNTED_AT}",
    "mount_owner": "root, or USER[:GROUP]",
    "mount_mode": "0755: owner writes; 2775: group too",
    "mount_options": "none; noatime,commit=30: beside defaults,nofail",
    "array_name": "default: raidtui-XXXXXXXX",
    "label": "none; 16 bytes of ext4, 12 of xfs",
    "mailaddr": "as in mdadm.conf; or root, or an address",
}
MOUNT_GUARD = {
    "": "programs write into the folder while it is not mounted",
    "immutable": "chattr +i on the folder, if the run makes it",
}


def wrong(reasons: dict[str, str]) -> str:
    """Of fields: a sentence each."""
    return " ".join(f"{BOOT_NAMES[key]}: {reason}." for key, reason in reasons.items())


def mail_hint(monitor: Monitor) -> str:
    """What holds where nothing is typed, and what could be typed; `monitor` as it is now."""
    if monitor.no_sendmail:
        return f"{monitor.mailaddr or 'nobody'} (no mail program installed); or root"
    if monitor.running is not None:
        return f"{monitor.mailaddr or 'nobody'} (mdadm.conf); or root, or an address"
    return BOOT_HINTS["mailaddr"]


USUAL_SYNC = {
    "keep": "wait (default for a kept array)",
    "teardown": "skip (default for a removed array)",
}
FIRST_SYNC = {
    "wait": "test after it: representative, may take hours",
    "skip": "--assume-clean: only for arrays removed after the tests",
}

SELF_TESTS = {
    "": "SMART counters only (if smartctl is installed)",
    "short": "about 2 min, before anything is erased",
    "long": "full read of each disk: hours on large ones",
}

PRECONDITION = {
    "recipe": "set by the recipe; most test flash as it is",
    "yes": "write twice first: full flash is slower; hours, wear",
}

USUAL_REPEATS = "1 setup: 1x; 2-3: 5 passes; 4 and more: 3 passes"
REPEATS = {
    1: "one setup; resolves >= 15 %",
    3: "four setups and more",
    5: "two or three setups",
}


WORDS = {
    "array": "several disks that the kernel (md) shows as one block device; its disks are its members",
    "JBOD": "separate disks, no array",
    "md": "the Linux kernel's software RAID; mdadm is its command",
    "chunk": "data written to one disk before the next disk's turn",
    "stripe": "one chunk per disk, parity included; a write of whole stripes reads nothing first",
    "parity": "checksum over the chunks of a stripe: P restores one lost chunk, P and Q restore two",
    "superblock": "md's metadata on each member; a disk with a zeroed superblock belongs to no array",
    "udev": "the part of Linux that detects and names disks; a step waits until udev is done",
    "SMART": "a drive's own health data, read by smartctl",
    "DDF": "on-disk format of some RAID controllers; useful only if such a controller has to read the disks",
    "overhead": "md metadata, space reserved for reshapes, and space too short for a whole chunk",
    "degraded": "a member is missing: the array works, slower; one more failure may lose its data",
    "near, far": "RAID 10's 2nd copy: on the next disk (near), in the disks' second half (far), a row below (offset)",
    "rebuild": "filling a new member with the failed disk's data, from parity or copies",
    "spare": "idle member that replaces a failed one at once",
    "initial resync": "makes copies and parity of a new array consistent; until its end a failed disk may lose data",
    "--assume-clean": "mdadm option that skips the initial resync: only for arrays that are removed after the tests",
    "bitmap": "records which regions are being written, so that a crash needs a resync of these only",
    "write hole": "a crash during a write, with a member missing, can damage data that was not being written",
    "su, sw": "stripe geometry for mkfs.xfs: chunk size, and number of data disks",
    "journal": "records changes before they are made, so that a crash leaves nothing half done",
    "initramfs": "the small system that boots first; it must contain the array's entry",
    "mdadm.conf": "list of arrays assembled at boot; fstab: list of file systems mounted at boot",
    "mail alerts": "mdadm's mails about failed disks (MAILADDR); mail to root stays on this machine (`mail` reads it)",
    "mode": "permissions of a folder in three or four digits, as for chmod",
    "LVM, LUKS": "LVM: volumes that can be split and grown later; LUKS: encryption with a passphrase",
    "fio": "the benchmark program: generates the load and measures it",
    "precondition": "writing a whole disk twice before the tests: flash is slower once it was full",
    "recipe": "a benchmark: its tests, on which arrays, how often",
    "setup": "one configuration: level, layout, chunk and file system",
    "pass": "every setup once, in random order; several passes separate differences from noise",
    "sequential": "in order, as when copying a film; random: scattered, as databases and VMs do",
    "queue depth": "outstanding requests, iodepth x numjobs; QD32: 32 of them",
    "page cache": "memory that caches reads and writes; direct I/O bypasses it, buffered I/O uses it",
    "IOPS": "requests per second; used for small requests, MB/s for large ones",
    "latency": "time from submitting a request to its completion",
    "busiest CPU": "utilization of the busiest core over a whole test; the CPU is a suspect from 85 %",
    "p99": "99 % of requests finish within this time",
    "percentile": "that share of requests finished within this time; the 50th (p50) is the median",
    "as expected": "within measurement uncertainty (single run: -12.9 to +14.9 %)",
    "expected": "modelled from the one-disk results (docs/theory.md); ~: partly from typical values",
    "one disk": "the first disk measured alone; all at once: every disk at the same time, no array",
    "baseline": "the disks without an array, measured first: one alone, then all at once",
    "ramp": "start of a test that is not counted, a second or more",
    "throttling": "writeback throttling: limits buffered writes if read latency exceeds wbt_lat_usec (us; 0 = off)",
    "gain": "array / one disk; gain per disk: gain / number of disks",
    "times over": "bytes written / capacity of all disks: wear of flash",
    "kept": "the array remains after the run, empty and ready; removed: taken apart, its disks left blank",
    "elsewhere": "belongs to another practice machine; its state is unknown here",
    "unreadable": "plan or journal cannot be read; its array may still exist",
    "interrupted": "the run's process died, e.g. by a power cut; its results are kept, and it can be resumed",
}
