"""The rack: which practice disks there are and how fast. Values only; knows nothing of how a kernel gets them."""

from dataclasses import dataclass, field

MIB = 1 << 20
# scsi_debug aborts what is beyond 192 commands of all its disks together. Of one disk at most 16 are under way, so that
# a kernel on one CPU can do what six disks do at once.
_MOST_COMMANDS, _IN_FLIGHT = 192, 16
_COMMANDS_PER_S = 100  # each takes a tick of the kernel's clock, where its disks are held to a speed
_SMALL_BYTES = 4096
_KERNEL_MIB = 1024  # the guest's kernel, Python, and what is written to its tmpfs


class RackError(ValueError):
    """The rack cannot be built; the text says what to change."""


@dataclass(frozen=True)
class Rack:
    """`disks` SCSI disks of `disk_size_bytes` each; 0 for a rate or for memory means not limited, or as needed.

    `disk_size_bytes` is one size for all, or a tuple with one for each disk in turn. Every disk is held to
    `bytes_per_s` each way, and to `iops` in all: as a spindle, one command at a time. The disks' content lies in the
    guest's memory, so `memory_bytes` grows with them.
    """

    disks: int = 6
    disk_size_bytes: int | tuple[int, ...] = 512 * MIB
    bytes_per_s: int = 0
    iops: int = 0
    memory_bytes: int = field(default=0)

    def __post_init__(self) -> None:
        if not 0 <= self.disks <= 128:
            raise RackError(f"--disks {self.disks}: must be 0 to 128")
        if len(self.sizes_bytes) != self.disks:
            raise RackError(
                f"{len(self.sizes_bytes)} sizes for {self.disks} practice disks: give one for all, or one per disk"
            )
        for size_bytes in self.sizes_bytes:
            if size_bytes < 8 * MIB or size_bytes % MIB:
                raise RackError(f"practice disk of {size_bytes} bytes: must be a multiple of 1 MiB, at least 8MiB")
        if self.unequal and self.iops:
            raise RackError("practice disks with an IOPS limit must have equal sizes: give one size, or no IOPS limit")
        if self.bytes_per_s < 0 or self.iops < 0 or self.memory_bytes < 0:
            raise RackError("practice disks: speed, IOPS and memory must not be negative (0: no limit)")
        if self.memory_bytes and self.memory_bytes < self.needed_bytes(with_content=False):
            raise RackError(
                f"the practice kernel needs at least {self.needed_bytes(with_content=False) // MIB} MiB of memory"
            )

    @property
    def sizes_bytes(self) -> tuple[int, ...]:
        """The size of each disk."""
        size = self.disk_size_bytes
        return size if isinstance(size, tuple) else (size,) * self.disks

    @property
    def queue_depth(self) -> int:
        """How many commands each disk takes at once."""
        return 1 if self.iops else min(_IN_FLIGHT, _MOST_COMMANDS // max(1, self.disks))

    @property
    def small_iops(self) -> int:
        """Requests of 4 KiB a second that each disk can do at most, if it is held to a speed."""
        return self.iops or min(self.bytes_per_s // _SMALL_BYTES, self.queue_depth * _COMMANDS_PER_S)

    @property
    def unequal(self) -> bool:
        return len(set(self.sizes_bytes)) > 1

    def needed_bytes(self, *, with_content: bool) -> int:
        """Memory for the kernel; `with_content`: and for full disks (not when they are files, see `boot`)."""
        content_bytes = sum(self.sizes_bytes) if with_content else 0
        return content_bytes + (_KERNEL_MIB if with_content else 256) * MIB
