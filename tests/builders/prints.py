"""What tools print, as they printed it: cut, but not a letter changed."""

# mke2fs 1.47.0: mkfs.ext4 -b 4096 -E stride=128,stripe_width=384 on a RAID5 of four, cut to its middle
DUMPE2FS = """\
dumpe2fs 1.47.0 (5-Feb-2023)
Filesystem volume name:   lab
Filesystem UUID:          11111111-2222-3333-4444-555555555555
Filesystem features:      has_journal ext_attr resize_inode dir_index filetype extent 64bit flex_bg sparse_super
Block count:              784896
Overhead clusters:        31006
First block:              0
Block size:               4096
Fragment size:            4096
Group descriptor size:    64
Reserved GDT blocks:      383
Blocks per group:         32768
Fragments per group:      32768
Inodes per group:         8176
Inode blocks per group:   511
RAID stride:              128
RAID stripe width:        384
Flex block group size:    16
Filesystem created:       Sat Nov 21 03:50:03 2026
Inode size:	          256
"""

# xfsprogs 6.1.0: mkfs.xfs -d su=524288,sw=3 -l su=32768 on the same array
XFS_INFO = """\
meta-data=/dev/md0               isize=512    agcount=8, agsize=98176 blks
         =                       sectsz=512   attr=2, projid32bit=1
         =                       crc=1        finobt=1, sparse=1, rmapbt=0
         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=0
data     =                       bsize=4096   blocks=784896, imaxpct=25
         =                       sunit=128    swidth=384 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
log      =internal log           bsize=4096   blocks=16384, version=2
         =                       sectsz=512   sunit=8 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
"""
XFS_INFO_NO_STRIPES = XFS_INFO.replace("sunit=128    swidth=384 blks", "sunit=0      swidth=0 blks")
