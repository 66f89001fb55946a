"""What brings pools back at boot, as systemctl and zpool tell it."""

from pathlib import Path

import pytest

from raidtui.core.raid import zfs
from raidtui.system import process
from raidtui.system.arrays import pools
from raidtui.system.process import Done

ENABLED = (*zfs.UNITS, zfs.SCAN_UNIT)


def answering(enabled: tuple[str, ...], listed: str) -> object:
    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        if argv == zfs.IMPORTED:
            return Done(0, listed, "")
        return Done(0 if argv[-1] in enabled else 1, "", "")

    return run


def test_the_units_that_are_not_enabled_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "run", answering(ENABLED[1:], ""))
    assert pools.units_off() == ENABLED[:1]


def test_without_systemctl_none_is_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(argv: tuple[str, ...], timeout_s: float) -> Done:
        raise process.ProcessError("systemctl: not there")

    monkeypatch.setattr(process, "run", missing)
    assert pools.units_off() == zfs.UNITS and pools.imported() == {}


@pytest.mark.parametrize(
    ("enabled", "listed", "cached", "named"),
    [
        (ENABLED, "theirs\t7\n", b"", "theirs"),
        (ENABLED, "theirs\t7\nours\t8\n", b"", "theirs"),
        (ENABLED, "ours\t8\n", b"", ""),
        (ENABLED, "theirs\t7\n", b"some", ""),
        (zfs.UNITS, "theirs\t7\n", b"", ""),
    ],
)
def test_a_cache_file_must_not_hide_pools_that_boot_finds_by_a_scan(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, enabled: tuple[str, ...], listed: str, cached: bytes, named: str
) -> None:
    """Beside a cache file systemd starts no scan: a pool that is not in it would stay away."""
    cache = tmp_path / "zpool.cache"
    cache.write_bytes(cached)
    monkeypatch.setattr(zfs, "CACHE_FILE", str(cache))
    monkeypatch.setattr(process, "run", answering(enabled, listed))
    reason = pools.why_by_scan("ours")
    assert (f"zpool set cachefile= {named}" in reason) if named else not reason
