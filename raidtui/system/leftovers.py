"""Which disks hold nothing but what a run of ours wrote: remembered below /run, for this boot only.

The proof is the kernel's: the same diskseq (no other disk has it in this boot), and not a sector written since the run
let go. What it does not count (SCSI and NVMe passthrough, another host of the same LUN) would show in the sampled
blocks: they have to be the same, too. What cannot be proved counts as unknown data.
"""

from pathlib import Path

from raidtui.core.disks import machine
from raidtui.system import block, signatures

FOLDER = Path("/run/raidtui/left")
_SECTORS_WRITTEN = 6  # of /sys/block/*/stat (kernel's Documentation/block/stat.rst)


def remember(name: str) -> None:
    """The disk with this kernel name was cleared away by a run just now."""
    if state := _state(name, signatures.sample(name)):
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        (FOLDER / state[0]).write_text(state[1])


def untouched(name: str, sample: str) -> bool:
    """Has nobody written to this disk since a run cleared it away? `sample`: the digest of its blocks as read now."""
    state = _state(name, sample)
    return state is not None and block.text(FOLDER / state[0]) == state[1]


def _state(name: str, sample: str) -> tuple[str, str] | None:
    """Its diskseq; the sectors written to it and its sample. None where the kernel does not tell or does not count."""
    name = machine.sysfs_name(name)
    diskseq = block.text(f"/sys/block/{name}/diskseq")
    words = block.text(f"/sys/block/{name}/stat").split()
    counted = block.text(f"/sys/block/{name}/queue/iostats") == "1" and len(words) > _SECTORS_WRITTEN
    writes_counted = diskseq and sample and counted and words[_SECTORS_WRITTEN] != "0"
    return (diskseq, f"{words[_SECTORS_WRITTEN]} {sample}") if writes_counted else None
