"""Care of a ZFS pool as shell lines for a person; raidtui runs none of them. Pure."""

from collections.abc import Sequence
from shlex import quote

from raidtui.core.arrays.pools import NOT_IMPORTED, Pool
from raidtui.core.care.by_hand import ByHand

_WHY = "{name} is a ZFS pool: raidtui only prints the commands"
_GROWN_BY = (
    "# Adds a disk to a stripe, a mirror (mirror NEW NEW), or a raidz like the first (raidz1 NEW NEW …). Cannot be",
    "# undone. One more disk in a raidz needs OpenZFS 2.3: zpool attach {name} raidz1-0 NEW",
    "zpool add -n {name} {kind}{new}  # dry run; without -n it is done",
)
_GROWN_IN_PLACE = (
    "# Larger disks: `zpool replace` each in turn, and wait for its rebuild; after the last one:",
    "{online}",
)


def scrub(pool: Pool) -> ByHand:
    name = quote(pool.name)
    return _by_hand(pool, (f"zpool scrub {name}", f"zpool status {name}  # how far it is, what it found"))


def replace(pool: Pool, old: str, new: str) -> ByHand:
    """`old`: serial number, identity or node; `new`: node or link."""
    link = new if new.startswith("/") else f"/dev/disk/by-id/{new}"
    return _by_hand(pool, replace_lines(pool.name, device_of(pool, old), link))


def replace_lines(name: str, old: str, new: str) -> tuple[str, ...]:
    name, old, new = map(quote, (name, old, new))
    return (
        f"wipefs --no-act {new}  # must print nothing; a link below /dev/disk/by-id outlives a boot",
        f"zpool replace {name} {old} {new}",
        f"zpool status {name}  # until it is resilvered; the old disk is let go then",
    )


def grow(pool: Pool, new: Sequence[str]) -> ByHand:
    return _by_hand(pool, grow_lines(pool.name, new, [device.device for device in pool.devices]))


def grow_lines(name: str, new: Sequence[str], devices: Sequence[str], kind: str = "") -> tuple[str, ...]:
    """`kind`: "mirror " or "raidz1 ", or ""."""
    name = quote(name)
    online = "\n".join(f"zpool online -e {name} {quote(device)}" for device in devices)
    fields = {"name": name, "new": " ".join(map(quote, new)), "online": online, "kind": kind}
    return tuple(line.format(**fields) for line in (_GROWN_BY if new else _GROWN_IN_PLACE))


def device_of(pool: Pool, old: str) -> str:
    names = (
        (device.device, {device.disk.serial, device.disk.id, device.disk.name} if device.disk else set())
        for device in pool.devices
    )
    return next((device for device, of_disk in names if old in of_disk), old)


def _by_hand(pool: Pool, lines: tuple[str, ...]) -> ByHand:
    """Only the import if not imported: another pool may have the name."""
    if pool.health == NOT_IMPORTED:
        lines = (f"zpool import -N {pool.guid}  # it is not imported: nothing else can be done for it before",)
    return ByHand(pool.name, _WHY.format(name=pool.name), lines)
