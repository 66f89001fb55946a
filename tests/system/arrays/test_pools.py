"""What brings pools back at boot, as systemctl and zpool tell it."""

from pathlib import Path

import pytest

from raidtui.core.arrays.pools import LIST, status_argv
from raidtui.core.raid import zfs
from raidtui.system import process
from raidtui.system.arrays import pool_units
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
    assert pool_units.units_off() == ENABLED[:1]


def test_without_systemctl_none_is_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(argv: tuple[str, ...], timeout_s: float) -> Done:
        raise process.ProcessError("systemctl: not there")

    monkeypatch.setattr(process, "run", missing)
    assert pool_units.units_off() == zfs.UNITS and pool_units.imported() == {}


@pytest.mark.parametrize(
    "enabled, listed, cached, named",
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
    reason = pool_units.why_by_scan("ours")
    assert (f"zpool set cachefile= {named}" in reason) if named else not reason


LISTED = "tank\t7\tONLINE\t100\t10\t-\nthin\t8\tSUSPENDED\t100\t10\t-\n"
STATUS = "config:\n\n\t/dev/sda1  ONLINE  0 0 0\n"


def test_of_a_pool_that_hangs_the_others_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        if argv == status_argv("thin"):
            raise process.ProcessError("zpool did not end in 30 s.")
        return Done(0, LISTED if argv == LIST else STATUS, "")

    monkeypatch.setattr(pool_units, "_MODULE", tmp_path)
    monkeypatch.setattr(process, "run", run)
    here, not_read = pool_units.read()
    assert here and [(pool.name, pool.health, len(pool.devices)) for pool in here] == [
        ("tank", "ONLINE", 1),
        ("thin", "SUSPENDED", 0),
    ]
    assert not_read == ("disks, errors and scrubs of the pool thin: zpool did not end in 30 s.",)


def test_where_zfs_does_not_answer_that_is_said_and_no_pool_is_called_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pool_units, "_MODULE", tmp_path)
    monkeypatch.setattr(process, "run", lambda argv, timeout_s: Done(1, "", "permission denied\n"))
    here, not_read = pool_units.read()
    assert here is None and not_read[0].endswith("failed (1): permission denied")
    monkeypatch.setattr(pool_units, "_MODULE", tmp_path / "not-loaded")
    assert pool_units.read() == ((), ())
