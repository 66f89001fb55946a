"""A throwaway User-Mode Linux with real md, isolated from this machine: `refusal()`: why not; `boot()`."""

from raidtui.practice.errors import BootError, PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import Rack, RackError
from raidtui.practice.refusal import refusal

__all__ = ["BootError", "PracticeError", "Rack", "RackError", "boot", "refusal"]
