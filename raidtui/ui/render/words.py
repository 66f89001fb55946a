"""What layouts, chunks and file systems are good for, in a few plain words each."""

LAYOUTS = {
    "left-symmetric": "parity moves to the left; best for reading in a row",
    "left-asymmetric": "parity moves to the left, data counts from the first disk",
    "right-symmetric": "parity moves to the right",
    "right-asymmetric": "parity moves to the right, data counts from the first disk",
    "parity-first": "all parity on the first disk, as RAID 4 turned round",
    "parity-last": "all parity on the last disk, as RAID 4",
    "ddf-zero-restart": "as hardware controllers with DDF lay it out",
    "ddf-N-restart": "as hardware controllers with DDF lay it out",
    "ddf-N-continue": "as hardware controllers with DDF lay it out",
    "left-symmetric-6": "a RAID 5 with the second parity on one disk of its own",
    "left-asymmetric-6": "a RAID 5 with the second parity on one disk of its own",
    "right-symmetric-6": "a RAID 5 with the second parity on one disk of its own",
    "right-asymmetric-6": "a RAID 5 with the second parity on one disk of its own",
    "parity-first-6": "a RAID 5 with the second parity on one disk of its own",
    "n2": "2 copies side by side: the usual choice",
    "n3": "3 copies side by side: any 2 disks may fail",
    "o2": "2 copies in neighbouring stripes: reads a little faster",
    "o3": "3 copies in neighbouring stripes: any 2 disks may fail",
    "f2": "2 copies far apart: reads like RAID 0, writes slower",
    "f3": "3 copies far apart: reads like RAID 0, any 2 disks may fail",
}

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

FILESYSTEMS = {
    "none": "measure the bare array: nothing between fio and md",
    "xfs": "large files and many writers; cannot shrink",
    "ext4": "the usual one; grows and shrinks",
    "ext2": "no journal: for measuring what a journal costs",
    "btrfs": "checksums and snapshots",
}

AFTER = {
    "teardown": "the array is taken apart, the disks are left blank",
    "keep": "the array stands, empty and unmounted",
}

FIRST_SYNC = {
    "wait": "measure when redundancy is complete: honest figures, may take hours",
    "skip": "--assume-clean: only for arrays that are thrown away",
}

REPEATS = {
    1: "once: a first look",
    3: "three times: shows how far figures scatter",
    5: "five times: for figures that are published",
}
