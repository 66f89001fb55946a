"""ZFS pools at boot: systemd units, cache file. Read-only."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from raidtui.core.arrays.pools import LIST, Pool, listed, status_argv, with_status
from raidtui.core.raid import zfs
from raidtui.core.text import clean
from raidtui.system import process

_QUERY_S = 30.0
_MODULE = Path("/sys/module/zfs")


def is_loaded() -> bool:
    return _MODULE.is_dir()


def units_off() -> tuple[str, ...]:
    """Units that import and mount pools, not enabled here."""
    return tuple(unit for unit in zfs.UNITS if not _is_enabled(unit))


def why_by_scan(own: str = "") -> str:
    """A sentence, or "": beside a cache file boot does not search for other pools. `own`: the pool to enter."""
    cache = Path(zfs.CACHE_FILE)
    if (cache.exists() and cache.stat().st_size) or not _is_enabled(zfs.SCAN_UNIT):
        return ""
    if not (others := sorted(set(imported()) - {own})):
        return ""
    return (
        f"`permanent`: boot finds {', '.join(others)} by a scan ({zfs.SCAN_UNIT}), and would not with a cache file;"
        f" add them to it first: zpool set cachefile= {quote(others[0])}"
    )


def imported() -> dict[str, str]:
    """Name -> GUID; {} without ZFS or answer."""
    try:
        listed = process.run(zfs.IMPORTED, timeout_s=_QUERY_S)
    except process.ProcessError:
        return {}
    return zfs.imported(listed.stdout) if listed.returncode == 0 else {}


def read() -> tuple[tuple[Pool, ...] | None, tuple[str, ...]]:
    """With `zpool status`; what was not read, in words. () if ZFS is not loaded; None without answer."""
    if not is_loaded():
        return (), ()
    try:
        plain = tuple(listed(_asked(LIST)))
    except process.ProcessError as error:
        return None, (f"ZFS pools: {error}",)
    pools, not_read = [], []
    for pool in plain:  # of one that hangs the others are told all the same
        try:
            pools.append(with_status(pool, _asked(status_argv(pool.name))))
        except process.ProcessError as error:
            pools.append(pool)
            not_read.append(f"disks, errors and scrubs of the pool {pool.name}: {error}")
    return tuple(pools), tuple(not_read)


def _asked(argv: Sequence[str]) -> str:
    done = process.run(argv, timeout_s=_QUERY_S)
    if done.returncode != 0:
        raise process.ProcessError(f"{' '.join(argv)} failed ({done.returncode}): {clean(done.stderr.strip())}")
    return done.stdout


def _is_enabled(unit: str) -> bool:
    try:
        return process.run(("systemctl", "is-enabled", unit), timeout_s=_QUERY_S).returncode == 0
    except process.ProcessError:
        return False
