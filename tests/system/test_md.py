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
