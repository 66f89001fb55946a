"""Where a path of a plan leads: to a file of the kernel's, or to the write cache of an NVMe disk."""

from pathlib import Path

from raidtui.system.hardware.nvme import NvmeCache
from raidtui.system.settings import KernelFile, settings_at


def test_the_write_cache_of_an_nvme_disk_is_no_file() -> None:
    (cache,) = settings_at("nvme/nvme0n1/volatile-write-cache")
    assert isinstance(cache, NvmeCache) and str(cache) == "the volatile write cache of nvme0n1"


def test_a_file_of_the_kernels_is_read_by_its_pattern() -> None:
    (setting,) = settings_at("/proc/sys/kernel/ost*pe")
    assert (str(setting), setting.read(), setting.shared_with()) == ("/proc/sys/kernel/ostype", "Linux", ())


def test_what_is_not_there_or_leads_elsewhere_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    assert settings_at(f"{tmp_path}/file") == settings_at("/sys/block/no-such-disk/queue/scheduler") == []


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "setting"
    file.write_text("old\n")
    setting = KernelFile(file)
    setting.write("new")
    assert setting.read() == "new" and KernelFile(tmp_path / "gone").read() == ""
