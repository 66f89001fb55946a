"""What brings ZFS' pools back at boot on this machine: systemd's units, and the cache file. Reads only."""

from pathlib import Path
from shlex import quote

from raidtui.core.arrays.pools import LIST, Pool, listed, status_argv, with_status
from raidtui.core.raid import zfs
from raidtui.system import process

_QUERY_S = 30.0


def units_off() -> tuple[str, ...]:
    """The units that import and mount pools at boot, and are not enabled here."""
    return tuple(unit for unit in zfs.UNITS if not _is_enabled(unit))


def why_by_scan(own: str = "") -> str:
    """Why no pool may come into a cache file here, in a sentence; "" where one may. `own`: the pool that is to.

    Beside a cache file boot does not look for pools that are not in it.
    """
    cache = Path(zfs.CACHE_FILE)
    if (cache.exists() and cache.stat().st_size) or not _is_enabled(zfs.SCAN_UNIT):
        return ""
    if not (others := sorted(set(imported()) - {own})):
        return ""
    return (
        f"permanent: boot finds {', '.join(others)} by a scan ({zfs.SCAN_UNIT}), and would not beside a cache file;"
        f" give them one first: zpool set cachefile= {quote(others[0])}"
    )


def imported() -> dict[str, str]:
    """The pools that are imported, name -> GUID; none where ZFS is not there, or does not answer."""
    try:
        listed = process.run(zfs.IMPORTED, timeout_s=_QUERY_S)
    except process.ProcessError:
        return {}
    return zfs.imported(listed.stdout) if listed.returncode == 0 else {}


def read() -> tuple[Pool, ...]:
    """The pools that are imported, each with what `zpool status` says of it; none where ZFS is not loaded."""
    if not Path("/sys/module/zfs").is_dir():
        return ()
    try:
        return tuple(_with_status(pool) for pool in listed(process.run(LIST, timeout_s=_QUERY_S).stdout))
    except process.ProcessError:
        return ()


def _with_status(pool: Pool) -> Pool:
    return with_status(pool, process.run(status_argv(pool.name), timeout_s=_QUERY_S).stdout)


def _is_enabled(unit: str) -> bool:
    try:
        return process.run(("systemctl", "is-enabled", unit), timeout_s=_QUERY_S).returncode == 0
    except process.ProcessError:
        return False
