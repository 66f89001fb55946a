"""What chunks and other choices are good for, in a few plain words each."""

CHUNKS = {
    "16KiB": "many small requests, each to one disk",
    "64KiB": "databases, many users at once",
    "128KiB": "mixed work",
    "256KiB": "mixed work, larger files",
    "512KiB": "mdadm's default; right for most",
    "1MiB": "large files, read and written in a row",
    "2MiB": "very large files, few readers",
}

BITMAPS = {
    "internal": "after a crash only what was being written is synced again",
    "none": "a little faster writing; after a crash all is synced again",
}

AFTER_THE_TESTS = {
    "teardown": "the array is taken apart, the disks are left blank",
    "keep": "the array stands, empty and unmounted",
}

AFTER_BRIEF = {"teardown": "taken apart", "keep": "kept"}

PERMANENT = {
    "": "known at no boot: the report says how, by hand",
    "yes": "in mdadm.conf, initramfs and fstab; `undo` takes it out",
}

BOOT_NAMES = {"mount_owner": "Folder's owner", "mount_mode": "Folder's mode", "mailaddr": "Alarms go to"}
BOOT_HINTS = {
    "mount_owner": "root; or type a USER, or USER:GROUP",
    "mount_mode": "0755; or type three or four octal digits, as 2775",
    "mailaddr": "as mdadm.conf has it; or type root, or an address",
}

FIRST_SYNC = {
    "": "skipped where the array is taken apart, waited for where it stays",
    "wait": "measure when redundancy is complete: honest figures, may take hours",
    "skip": "--assume-clean: only for arrays that are thrown away",
}

PRECONDITION = {
    "recipe": "as the recipe has it: most measure flash as it is",
    "yes": "written twice before: flash slows once full; hours, wear",
}

REPEATS = {
    None: "one setup once; two in 5 blocks, four and more in 3",
    1: "a first look: tells apart what differs by 15 % and more",
    3: "in three blocks: tells four setups and more apart",
    5: "in five blocks: tells two setups apart; to be published",
}
