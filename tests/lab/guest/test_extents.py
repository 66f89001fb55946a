"""Where a file lies, against the device itself: what stands at the address that FIEMAP gives is what was written."""

import subprocess
from pathlib import Path

import pytest

from raidtui.system.files.extents import extents

RACK = dict(disks=1, size_mib=320, mbps=0)


@pytest.mark.parametrize("program", [("mkfs.ext4", "-q", "-F"), ("mkfs.xfs", "-q", "-f")])
def test_the_bytes_of_a_file_stand_where_its_extents_say(program: tuple[str, ...], tmp_path: Path) -> None:
    device = Path("/dev/sda")
    subprocess.run([*program, str(device)], check=True, capture_output=True)
    subprocess.run(["mount", str(device), str(tmp_path)], check=True)
    try:
        file = tmp_path / "test"
        file.write_bytes(b"".join(number.to_bytes(8, "big") * 512 for number in range(256)))
        found = extents(file)
        subprocess.run(["sync"], check=True)
        assert sum(one.length_bytes for one in found) == file.stat().st_size
        with device.open("rb") as disk:
            for one in found:
                disk.seek(one.on_device_bytes)
                assert int.from_bytes(disk.read(8), "big") == one.in_file_bytes // 4096
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
        subprocess.run(["wipefs", "-aq", str(device)], check=True)
