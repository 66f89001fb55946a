"""Disks that hold only a run's data, remembered in /run for this boot. Proof: same diskseq (unique in a boot), and no
sector written since. Uncounted writes (SCSI, NVMe passthrough, another host) would change the sampled blocks, which
must match too. Otherwise: unknown data.
"""

from pathlib import Path

from raidtui.core.disks import machine
from raidtui.system import block, signatures

FOLDER = Path("/run/raidtui/left")
_SECTORS_WRITTEN = 6  # of /sys/block/*/stat (kernel's Documentation/block/stat.rst)


def remember(name: str) -> None:
    if state := _state(name, signatures.sample(name)):
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        (FOLDER / state[0]).write_text(state[1])


def untouched(name: str, sample: str) -> bool:
    """Not written since a run's teardown. `sample`: digest of blocks read now."""
    state = _state(name, sample)
    return state is not None and block.text(FOLDER / state[0]) == state[1]


def _state(name: str, sample: str) -> tuple[str, str] | None:
    """diskseq; sectors written and sample. None if the kernel gives or counts none."""
    name = machine.sysfs_name(name)
    diskseq = block.text(f"/sys/block/{name}/diskseq")
    words = block.text(f"/sys/block/{name}/stat").split()
    counted = block.text(f"/sys/block/{name}/queue/iostats") == "1" and len(words) > _SECTORS_WRITTEN
    writes_counted = diskseq and sample and counted and words[_SECTORS_WRITTEN] != "0"
    return (diskseq, f"{words[_SECTORS_WRITTEN]} {sample}") if writes_counted else None
