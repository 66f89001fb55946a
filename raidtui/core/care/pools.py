"""Care of a ZFS pool as shell lines for a person; raidtui runs none of them. Pure."""

from collections.abc import Sequence
from shlex import quote

from raidtui.core.arrays.pools import NOT_IMPORTED, Pool
from raidtui.core.care.by_hand import ByHand

_WHY = "{name} is a ZFS pool, for which raidtui carries nothing out"
_GROWN_BY = (
    "# A further disk of a stripe, a further pair of mirrors (mirror NEW NEW), a further raidz like the first (raidz1",
    "# NEW NEW …): for good. One disk more in a raidz takes OpenZFS 2.3: zpool attach {name} raidz1-0 NEW",
    "zpool add -n {name} {kind}{new}  # shows what it would be; without -n it is done",
)
_GROWN_IN_PLACE = (
    "# Larger disks: each in turn by `zpool replace`, each time until it is rebuilt; once all of them are there:",
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
    return _by_hand(pool, grow_lines(pool.name, new, [one.device for one in pool.devices]))


def grow_lines(name: str, new: Sequence[str], devices: Sequence[str], kind: str = "") -> tuple[str, ...]:
    """`kind`: "mirror " or "raidz1 ", or ""."""
    name = quote(name)
    online = "\n".join(f"zpool online -e {name} {quote(device)}" for device in devices)
    fields = {"name": name, "new": " ".join(map(quote, new)), "online": online, "kind": kind}
    return tuple(line.format(**fields) for line in (_GROWN_BY if new else _GROWN_IN_PLACE))


def device_of(pool: Pool, old: str) -> str:
    names = ((one.device, {one.disk.serial, one.disk.id, one.disk.name} if one.disk else set()) for one in pool.devices)
    return next((device for device, of_disk in names if old in of_disk), old)


def _by_hand(pool: Pool, lines: tuple[str, ...]) -> ByHand:
    """Only the import if not imported: another pool may have the name."""
    if pool.health == NOT_IMPORTED:
        lines = (f"zpool import -N {pool.guid}  # it is not imported: nothing else can be done for it before",)
    return ByHand(pool.name, _WHY.format(name=pool.name), lines)
