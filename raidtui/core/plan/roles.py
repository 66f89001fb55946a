"""Purpose of steps, as values: nothing is parsed from a step's words or title."""

from typing import Literal

Condition = Literal[
    "sync-finished",
    "settled",
    "rebuild-began",
    "rebuild-alone",
    "check-ended",
    "rebuild-ended",
    "growth-ended",
    "power-cut",  # acknowledged writes go on until then
    "short-self-tests-ended",  # every disk's own, begun by the wait
    "long-self-tests-ended",
]
Question = Literal[
    "members-free",
    "array-built",
    "groups-built",  # are the arrays under a RAID 0 of one size?
    "pool-made",  # is the ZFS pool the run's own, and which GUID has it?
    "pools-start",  # does this machine's boot import pools, and mount them?
    "pool-came-back",  # is the pool whole, by the GUID that the run fixed?
    "pool-at-boot",  # is it in the file by which boot imports pools?
    "pool-forgotten",  # is it not in there any more?
    "geometry",
    "mounted",
    "volume-aligned",  # do the data of the volume begin at a whole stripe of the array?
    "container-aligned",  # and those of the LUKS container?
    "members-blank",
    "partitions-own",  # has each member the one partition that the run made, and nothing else?
    "target-same",
    "file-own",
    "health",
    "steady",
    "copies-agree",  # did the check that ended find all copies and parity equal?
    "acknowledged",  # is each write there that the witness of a power cut has?
    "array-kept",  # does the array that is cared for stand on its disks, and at rest?
    "place-free",  # may the file system be mounted at this folder?
    "initramfs-holds",  # is this file in it?
    "came-back",  # is the array whole, under its name?
    "boot-mounts",  # does findmnt take the line of fstab for this folder?
    "own-mounted",  # is it the run's file system that is mounted at this folder?
    "monitored",  # is anybody told when a disk fails?
    "kept-settings",  # has the kernel what the run's udev rules set?
]
CommandRole = Literal[
    "create",  # an array
    "stop",
    "fail",  # a member of the array
    "take-out",  # that one
    "add",  # it again, as a new one
    "replace",  # a member that works, by a copy on another
    "writable",  # the array, which md assembles read-only until somebody writes to it
    "check",  # all of the array, read and compared
    "idle",  # end that check
    "zero",  # a member's superblock
    "wipe",  # signatures, of members or (without any) of the array
    "reread",  # a member's partition table, as it is now
    "partition",  # the array, or a member
    "bitmap",  # of the array, taken away or made again
    "reshape",  # the array, over more members
    "grow-filesystem",  # to all of the array
    "pvcreate",  # on the array
    "vgcreate",
    "lvcreate",  # all of it
    "lvremove",
    "vgremove",
    "pvremove",
    "deactivate",  # the volume, so that the array can be stopped
    "activate",
    "lock",  # the open LUKS container
    "create-pool",  # of ZFS
    "destroy-pool",
    "clear-label",  # a member's four labels of ZFS
    "export-pool",
    "import-pool",  # by its GUID
    "place-pool",  # at its folder, by its own property; or nowhere
    "forget-pool",  # boot imports it no more
    "mkfs",
    "mount",
    "unmount",
    "fill",  # write what is to be read, before it is measured
    "measure",
    "record",  # in the file system, that it is kept
    "sync-caches",
    "make-file",
    "lengthen",  # that file
    "remove",  # a file of the run's own
    "assemble",  # the array, as boot does
    "initramfs",  # made again
    "reload",  # systemd's units
    "enable",  # a mount unit
    "disable",
    "udev-reload",  # its rules
    "udev-trigger",  # an event of the disks, for which udev applies its rules
    "header-backup",  # of LUKS, to a new file
    "test-mail",  # of the array, by mdadm to MAILADDR
    "make-folder",  # to mount at
    "remove-folder",
]
PersonRole = Literal[
    "encrypt",  # the array: a LUKS header on it
    "unlock",  # it
]
Role = (
    CommandRole | PersonRole | Condition | Question | Literal["set", "put-back", "edit", "take-out-lines", "set-owner"]
)
