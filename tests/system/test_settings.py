"""Settings by their paths: files of the kernel's, and the write cache of an NVMe disk, which is no file."""

from pathlib import Path

import pytest

from raidtui.core.plan.steps import nvme_cache
from raidtui.system.hardware.nvme import NvmeCache
from raidtui.system.settings import KernelFile, settings_at


def test_a_file_is_read_and_written_and_one_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    (tmp_path / "wbt_lat_usec").write_text("2000\n")
    setting = KernelFile(tmp_path / "wbt_lat_usec")
    assert setting.read().strip() == "2000" and setting.shared_with() == ()
    setting.write("0")
    assert setting.read() == "0" and str(setting) == str(tmp_path / "wbt_lat_usec")
    assert KernelFile(tmp_path / "none").read() == ""
    with pytest.raises(OSError, match="none"):
        KernelFile(tmp_path / "none" / "deep").write("0")


def test_a_path_leads_to_files_of_the_kernels_alone_or_to_a_cache(tmp_path: Path) -> None:
    (tmp_path / "cache_type").touch()
    assert settings_at(f"{tmp_path}/cache_type") == []
    assert [str(setting) for setting in settings_at("/proc/sys/kernel/osrel*")] == ["/proc/sys/kernel/osrelease"]
    (cache,) = settings_at(nvme_cache("nvme0n1"))
    assert isinstance(cache, NvmeCache) and "nvme0n1" in str(cache)
