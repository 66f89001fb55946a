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

AFTER = {
    "teardown": "the array is taken apart, the disks are left blank",
    "keep": "the array stands, empty and unmounted",
}

AFTER_BRIEF = {"teardown": "taken apart", "keep": "kept"}

FIRST_SYNC = {
    "": "skipped with tear down, waited for with keep",
    "wait": "measure when redundancy is complete: honest figures, may take hours",
    "skip": "--assume-clean: only for arrays that are thrown away",
}

REPEATS = {
    None: "one setup once; several in blocks, each built anew and in another order: two 5 times, four or more 3 times",
    1: "once: a first look, that tells apart what differs by 15 % and more",
    3: "in three blocks: tells four setups and more apart",
    5: "in five blocks: tells two setups apart, and is for figures that are published",
}
