"""ZFS pools: argument lists and output of zpool and zfs, capacity; starts nothing. A pool is known by its GUID, drawn
by `zpool create`; until that is read, by its name, unique to the run.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from raidtui.core.text import brief
from raidtui.core.units import GIB, KIB, MIB

KIND = "zfs"
SIGNATURE = "zfs_member"  # of a disk or partition, as blkid calls it
ASHIFT = 12
SECTOR_BYTES = 1 << ASHIFT
RECORD_BYTES = 128 * KIB  # OpenZFS' own
MOST_RECORD_BYTES = MIB  # of OpenZFS 2.1 without its module's option
PARTITION_TYPE = "6A898CC3-1DD2-11B2-99A6-080020736631"
MODULE = "zfs-module"  # among the programs: the kernel's module, loaded
PROGRAMS = ("zpool", "zfs", "zdb", "sfdisk")
FUZZ_BYTES = 16 * MIB  # by which disks of mirrors and raidz may differ, or `zpool create` asks for -f
UNITS = ("zfs-import-cache.service", "zfs-import.target", "zfs-mount.service", "zfs.target")  # that boot needs
SCAN_UNIT = "zfs-import-scan.service"  # in the place of the first, where there is no cache file
CACHE_FILE = "/etc/zfs/zpool.cache"
NOWHERE = "legacy"
_READ_BACK = ("recordsize", "compression", "atime", "primarycache", "sync", "logbias", "checksum")
_MOST_NAME = 64
_POOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*", re.ASCII)
_NOT_NAMES = re.compile(r"mirror|raidz|draid|spare|log$|cache$|special$|dedup$|c[0-9]|raidtui-")
_LABEL_BYTES: int = 4 * MIB + 512 * KIB  # two labels and room to boot at the start, two labels at the end
_LEAST_DEVICE_BYTES: int = 64 * MIB
_METASLAB_SHIFT, _LEAST_METASLAB_SHIFT, _MOST_METASLAB_SHIFT = 29, 24, 34
_FEWEST_METASLABS, _USUAL_METASLABS = 16, 200
_SLOP_SHARE = 32
_LEAST_SLOP_BYTES: int = 128 * MIB
_MOST_SLOP_BYTES: int = 128 * GIB  # spa_misc.c: spa_get_slop_space
_LABEL = re.compile(
    r"^\s+name: '(?P<pool>.*)'\n(?P<between>(?:(?!\s+name: ).*\n)*?)\s+pool_guid: (?P<guid>\d{1,20})$", re.MULTILINE
)
_DESTROYED = re.compile(r"^\s+state: 2$", re.MULTILINE)  # POOL_STATE_DESTROYED

NOTES = (
    "A ZFS pool is measured with ashift=12, compression=off, atime=off and primarycache=metadata: its cache keeps no"
    " data of files, as else memory would be measured. Each read fetches a whole record (recordsize).",
    "OpenZFS before 2.3 accepts direct I/O and ignores it: writes are taken into memory, and reach the disks with the"
    " next transaction group. sync=standard: what asks for it is written to the pool's own intent log (ZIL) first.",
)
ESTIMATED = (
    "ZFS' capacity is estimated, raidz' padding and what ZFS keeps for itself too. `zfs list` is read back; it counts"
    " all of a raidz as if it were written in records of 128 KiB."
)


KEPT_NOTE = (
    "The pool that stays is made anew after all tests, with ZFS' usual settings: compression=on, primarycache=all,"
    " atime={atime}. None of what a measurement needs stays on it."
)
AT_BOOT_NOTE = (
    "`permanent`: ZFS imports and mounts the pool at boot, by its cache file and its mountpoint; nothing is written"
    " into fstab. Enabled here for that: {units}."
)


class Properties(msgspec.Struct, frozen=True):
    """At creation: `of_pool`: pool properties, `of_files`: file-system properties."""

    of_pool: Mapping[str, str]
    of_files: Mapping[str, str]


MEASURED = Properties({"failmode": "continue"}, {"compression": "off", "atime": "off", "primarycache": "metadata"})


def kept(*, atime: bool = True) -> Properties:
    """ZFS' defaults; compression is on by default only from OpenZFS 2.2."""
    return Properties({}, {"compression": "on"} | ({} if atime else {"atime": "off"}))


def why_not_name(name: str) -> str:
    """Half a sentence; "" if valid (zpoolconcepts(7), zpool-create(8))."""
    if len(name) > _MOST_NAME or not _POOL_NAME.fullmatch(name):
        return f"{brief(repr(name))} is no name of a pool; take letters, digits, - _ . and begin with a letter"
    if _NOT_NAMES.match(name):
        return f"{brief(repr(name))} begins with a word that ZFS, or raidtui, has for something else; choose another"
    return ""


def pool_name(digits: str) -> str:
    """From the first digits of the drawn UUID."""
    return f"raidtui-{digits}"


class Label(msgspec.Struct, frozen=True):
    """A member's label. `is_destroyed`: plain `zpool import` ignores it."""

    pool: str
    guid: str
    is_destroyed: bool = False


def create_argv(
    name: str, profile: str, devices: Sequence[str], record_bytes: int, how: Properties = MEASURED, *, each: int
) -> tuple[str, ...]:
    """Never forced. No cache file: not imported at boot; mounted by mount(8) alone. `each`: devices of a vdev."""
    of_pool = {"ashift": str(ASHIFT), "cachefile": "none", **how.of_pool}
    of_files = {**how.of_files, "recordsize": str(record_bytes)}
    pairs = [("-o", of_pool), ("-O", of_files)]
    options = [word for option, words in pairs for key, value in words.items() for word in (option, f"{key}={value}")]
    return ("zpool", "create", *options, "-m", NOWHERE, name, *vdevs(profile, devices, each))


def vdevs(profile: str, devices: Sequence[str], each: int) -> tuple[str, ...]:
    """As `zpool create` takes them. ValueError if devices are left over."""
    if len(devices) % each:
        raise ValueError(f"{len(devices)} devices do not divide into vdevs of {each}")
    parts = (devices[start : start + each] for start in range(0, len(devices), each))
    kind = () if profile == "stripe" else (profile,)
    return tuple(word for part in parts for word in (*kind, *part))


def import_argv(guid: str, devices: Sequence[str]) -> tuple[str, ...]:
    """By GUID on these devices only, under their names; not mounted. Cached: imported at boot."""
    return ("zpool", "import", "-N", *(word for device in devices for word in ("-d", device)), guid)


def place_argv(name: str, folder: str) -> tuple[str, ...]:
    """Mount point, now and at each boot; "": none."""
    return ("zfs", "set", f"mountpoint={folder or NOWHERE}", name)


MOUNTED = ("findmnt", "--noheadings", "--raw", "--types", KIND, "--output", "SOURCE,TARGET")
CACHED = ("zdb", "-C", "-U", CACHE_FILE)
HEALTH = ("zpool", "list", "-H", "-o", "health")
ONLINE = "ONLINE"

# each before the name of a pool
PLACED = ("zfs", "get", "-H", "-o", "value", "mountpoint")
PLACE_SOURCES = ("zfs", "get", "-H", "-r", "-t", "filesystem", "-o", "name,source", "mountpoint")  # for all in it, too
DEVICES = ("zpool", "status", "-P", "-L")
DATASETS = ("zfs", "list", "-H", "-r", "-t", "all", "-o", "name")  # of a run's pool there is one
SPACE = ("zfs", "list", "-H", "-p", "-o", "used,available")
SETTINGS = ("zfs", "get", "-H", "-p", "-o", "property,value", ",".join(_READ_BACK))
POOL_SETTINGS = ("zpool", "get", "-H", "-p", "-o", "property,value", "ashift,cachefile,failmode")


IMPORTED = ("zpool", "list", "-H", "-o", "name,guid")


def imported(printed: str) -> dict[str, str]:
    rows = (line.split("\t") for line in printed.splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


def devices(printed: str) -> tuple[str, ...]:
    words = (line.split()[0] for line in printed.splitlines() if line.strip())
    return tuple(word for word in words if word.startswith("/dev/"))


def space(printed: str) -> tuple[int, int]:
    """Used, available bytes; ValueError if missing."""
    used, available = printed.split()
    return int(used), int(available)


def settings(printed: str) -> dict[str, str]:
    """Property -> value, from `zfs get` or `zpool get`."""
    rows = (line.split("\t") for line in printed.splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


def labels_argv(device: str) -> tuple[str, ...]:
    """Exit status 0, or 2 if there is no label."""
    return ("zdb", "-l", device)


def labels(printed: str) -> frozenset[Label]:
    """From both ends of the device; empty if none."""
    return frozenset(
        Label(label["pool"], label["guid"], bool(_DESTROYED.search(label["between"])))
        for label in _LABEL.finditer(printed)
    )


def raidz_share(disks: int, parity: int, record_bytes: int) -> float:
    """In full records: parity, padding to a multiple of parity + 1 sectors (vdev_raidz.c: vdev_raidz_asize)."""
    sectors = max(1, record_bytes // SECTOR_BYTES)
    rows = -(-sectors // (disks - parity))
    allocated = sectors + rows * parity
    return sectors / (-(-allocated // (parity + 1)) * (parity + 1))


def data_bytes(partition_bytes: int) -> int:
    """Bytes of a member behind its labels; ValueError if ZFS would refuse it."""
    if partition_bytes < _LEAST_DEVICE_BYTES:
        raise ValueError("ZFS takes no disk below 64 MiB; choose larger ones.")
    return partition_bytes - _LABEL_BYTES


def in_metaslabs(group_bytes: int) -> int:
    """Usable in whole metaslabs (vdev.c: vdev_metaslab_set_size), of a disk, mirror or raidz."""
    shift = _METASLAB_SHIFT
    if group_bytes >> shift < _FEWEST_METASLABS:
        shift = (group_bytes // _FEWEST_METASLABS).bit_length()
    elif group_bytes >> shift > _USUAL_METASLABS:
        shift = (group_bytes // _USUAL_METASLABS).bit_length()
    shift = min(max(shift, _LEAST_METASLAB_SHIFT), _MOST_METASLAB_SHIFT)
    return (group_bytes >> shift) * (1 << shift)


def slop_bytes(pool_bytes: int) -> int:
    """ZFS' reserve of a pool of so many bytes, so that it stays writable."""
    share = min(pool_bytes // _SLOP_SHARE, _MOST_SLOP_BYTES)
    return max(share, min(pool_bytes // 2, _LEAST_SLOP_BYTES))
