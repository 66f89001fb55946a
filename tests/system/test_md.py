"""What md tells of an array: its own threads' time."""

import subprocess
from pathlib import Path

from raidtui.system import md


def test_the_cpu_time_of_an_arrays_own_threads_is_found_by_their_names(tmp_path: Path) -> None:
    program = tmp_path / "md9_raid5"
    program.symlink_to("/bin/bash")
    thread = subprocess.Popen([program, "-c", "while :; do :; done"])
    try:
        used = 0.0
        while used < 0.05:
            used = md.threads("md9").get("md9_raid5", 0.0)
        assert "md9_raid5" not in md.threads("md")
    finally:
        thread.kill()
        thread.wait()
    assert md.threads("md9") == {}


MDSTAT = """\
Personalities : [raid6] [raid5] [raid4] [raid10]
md126 : active raid5 sdh[2] sdg[1] sdf[0]
      1046528 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]

md127 : active raid10 sdd[4] sdc[2] sdb[1] sda[0]
      1044480 blocks super 1.2 512K chunks 2 near-copies [4/3] [UUU_]
      [====>................]  recovery = 22.5% (117632/522240) finish=0.3min speed=19605K/sec
      bitmap: 1/1 pages [4KB], 65536KB chunk

unused devices: <none>
"""


def test_how_far_a_rebuild_is_stands_in_mdstat() -> None:
    """To the kilobyte; another array's is not taken for it."""
    assert md.rebuilt_bytes("md127", MDSTAT) == 117632 * 1024
    assert md.rebuilt_bytes("md126", MDSTAT) is None and md.rebuilt_bytes("md12", MDSTAT) is None


def test_the_files_of_an_array_are_read_by_their_paths_and_cleaned(tmp_path: Path) -> None:
    (tmp_path / "md/dev-cciss!c0d0").mkdir(parents=True)
    (tmp_path / "md/dev-cciss!c0d0/state").write_text("in_sync\n")
    (tmp_path / "md/level").write_text("raid5\x1b[2J\n")
    (tmp_path / "md/unasked").write_text("x\n")
    assert md.attributes(tmp_path) == {"md/level": "raid5[2J", "md/dev-cciss!c0d0/state": "in_sync"}
    assert md.attributes(tmp_path / "md") == {}


def test_each_line_of_a_list_of_bad_blocks_stays_apart(tmp_path: Path) -> None:
    (tmp_path / "md/dev-sda").mkdir(parents=True)
    (tmp_path / "md/dev-sda/bad_blocks").write_text("2048 8\n9000 16\n")
    assert md.attributes(tmp_path) == {"md/dev-sda/bad_blocks": "2048 8 9000 16"}
