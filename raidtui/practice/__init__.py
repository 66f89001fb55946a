"""Practice disks: a throwaway kernel with real md on disks of its own, out of reach of the machine's.

`refusal()` says why it cannot run here, `boot()` runs a command in it. Needs User-Mode Linux; knows nothing of RAID.
"""

from raidtui.practice.errors import BootError, PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import Rack, RackError
from raidtui.practice.refusal import refusal

__all__ = ["BootError", "PracticeError", "Rack", "RackError", "boot", "refusal"]
