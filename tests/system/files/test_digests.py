"""Checksums of files."""

from pathlib import Path

from raidtui.system.files.digests import digests

_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4, of "abc"


def test_checksums_are_by_path_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "fio").mkdir()
    (tmp_path / "fio/one.json").write_bytes(b"abc")
    assert digests(tmp_path, ["fio/one.json"]) == {"fio/one.json": _OF_ABC}
