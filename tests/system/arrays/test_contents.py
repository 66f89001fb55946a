"""Names in a root folder: an empty lost+found is mkfs' own, one with contents is somebody's."""

from pathlib import Path

from raidtui.system.arrays import contents


def test_a_lost_and_found_with_contents_is_told(tmp_path: Path) -> None:
    (tmp_path / contents.FOUND).mkdir()
    (tmp_path / "raidtui.fio").touch()
    assert contents.root_names(tmp_path) == [contents.FOUND, "raidtui.fio"]
    (tmp_path / contents.FOUND / "#12").touch()
    assert contents.root_names(tmp_path) == [contents.FOUND, contents.IN_FOUND, "raidtui.fio"]
