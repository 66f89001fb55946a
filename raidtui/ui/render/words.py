"""What chunks and other choices are good for, in a few plain words each."""

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.lines import FOLDER

CHUNKS = {
    "16KiB": "short stripes; what is larger than 16 KiB is cut up",
    "64KiB": "short stripes; with parity, written whole more often",
    "128KiB": "requests of up to 128 KiB stay on one disk, if aligned",
    "256KiB": "requests of up to 256 KiB stay on one disk, if aligned",
    "512KiB": "mdadm's default; right for most, databases too",
    "1MiB": "long requests stay on one disk: many streams at once",
    "2MiB": "the same, for very large files",
}

BITMAPS = {
    "internal": ("write-intent bitmap", "only what was being written is synced again"),
    "none": ("nothing", "a little faster writing; all is synced again"),
    "ppl": (
        "partial parity log",
        "closes the write hole, too (?: what that is); slower",
    ),
    "journal": (
        "journal",
        "as the bitmap; the last disk takes all writes first",
    ),
}

AFTER_THE_TESTS = {
    "teardown": "what was built is cleared away, the disks left blank",
    "keep": "the array stays, ready for use",
}

AFTER_BRIEF = {"teardown": "cleared away", "keep": "kept"}

MEMBERS = {
    "disks": "all of each: a new disk must be at least as large",
    "partitions": "a new disk may later be slightly smaller than these",
}

BETWEEN = {
    "": "nothing between the two",
    "lvm": "a volume of all of the array: can be cut, grown later",
    "luks": "you type its passphrase during the run; lost, so is all",
}

PERMANENT = {
    "": "not mounted by itself; the report has the lines to type",
    "yes": "in mdadm.conf, initramfs, fstab; `raidtui undo` takes it out",
}
PERMANENT_IN_PRACTICE = "to see it done: on the practice machine, gone when you quit"

BOOT_NAMES = {
    "mount_point": "Mounted at",
    "mount_owner": "Folder's owner",
    "mount_mode": "Folder's mode",
    "mailaddr": "Alarms go to",
}
_BOOT_HINTS = {
    "mount_point": f"{FOLDER}; or type another folder",
    "mount_owner": "root alone writes; or USER[:GROUP] who writes",
    "mount_mode": "0755: its owner writes; 2775: its group, too",
    "mailaddr": "by mdadm.conf, or nobody; type root, or an address",
}


def boot_hint(key: str, monitor: Monitor) -> str:
    """What holds where nothing is typed, and what could be typed; `monitor` as it is now."""
    if key == "mailaddr" and monitor.no_sendmail:
        return f"{monitor.mailaddr or 'nobody'}, and no mail program is here; or type root"
    if key == "mailaddr" and monitor.running is not None:
        return f"{monitor.mailaddr or 'nobody'}, by mdadm.conf; or type root, or an address"
    return _BOOT_HINTS[key]


USUAL_SYNC = {
    "keep": "here the same as wait, as the array stays",
    "teardown": "here the same as skip, as the array is cleared away",
}
FIRST_SYNC = {
    "wait": "measure when redundancy is complete: honest, may take hours",
    "skip": "--assume-clean: only for arrays that are thrown away",
}

SELF_TESTS = {
    "": "no test; SMART's counts are judged where smartctl is there",
    "short": "about 2 min, before anything is erased",
    "long": "each disk reads all of itself: hours on large ones",
}

PRECONDITION = {
    "recipe": "as the question has it: most measure flash as it is",
    "yes": "written twice before: flash slows once full; hours, wear",
}

USUAL_REPEATS = "one setup once; two in 5 blocks, four and more in 3"
REPEATS = {
    1: "enough for one setup; of two, less than 15 % may be chance",
    3: "for four setups and more, judged together",
    5: "for two or three setups: fewer figures may be chance",
}
