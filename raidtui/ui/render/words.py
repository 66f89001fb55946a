"""What chunks and other choices are good for, in a few plain words each."""

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
KEPT_NAMES = ("array_name", "label")
MOUNT_NAMES = ("mount_point", "mount_owner", "mount_mode", "mount_options")
BOOT_HINTS = {
    "mount_point": f"{MOUNTED_AT}, or another folder",
    "mount_owner": "root, or USER[:GROUP]",
    "mount_mode": "0755: owner writes; 2775: group too",
    "mount_options": "none; noatime,commit=30: beside defaults,nofail",
    "array_name": "raidtui-XXXXXXXX; store: /dev/md/store",
    "label": "none; 16 bytes of ext4, 12 of xfs",
    "mailaddr": "as in mdadm.conf; or root, or an address",
}
MOUNT_GUARD = {
    "": "programs write into the folder while it is not mounted",
    "immutable": "chattr +i on the folder, if the run makes it",
}


def boot_hint(key: str, monitor: Monitor) -> str:
    """What holds where nothing is typed, and what could be typed; `monitor` as it is now."""
    if key == "mailaddr" and monitor.no_sendmail:
        return f"{monitor.mailaddr or 'nobody'} (no mail program installed); or root"
    if key == "mailaddr" and monitor.running is not None:
        return f"{monitor.mailaddr or 'nobody'} (mdadm.conf); or root, or an address"
    return BOOT_HINTS[key]


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
