"""How a script switches the write cache of an NVMe disk: which disks hang on a controller, and nothing without one."""

import subprocess
from pathlib import Path

from raidtui.core.script.nvme import FUNCTIONS


def bash(lines: str) -> subprocess.CompletedProcess[str]:
    script = f"set -euo pipefail\ndeclare -A old=()\nmembers=()\n{FUNCTIONS}\n{lines}"
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)


def test_namespaces_are_disks_by_each_of_their_paths(tmp_path: Path) -> None:
    for entry in ("nvme0n1", "nvme0c1n2", "hwmon0"):
        (tmp_path / entry).mkdir()
    assert sorted(bash(f"nvme_disks {tmp_path}").stdout.split()) == ["nvme0n1", "nvme0n2"]


def test_the_cache_of_a_disk_without_a_controller_is_left_alone() -> None:
    done = bash("nvme_setting nvme/nvme99n9/volatile-write-cache 'write through'; echo ${#old[@]}")
    assert done.returncode == 0 and done.stdout == "0\n"
    assert "nvme99n9 hangs on 0 NVMe controllers" in done.stderr
