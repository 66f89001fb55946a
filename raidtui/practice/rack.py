"""Practice disks: number, sizes, speeds. Values only."""

from dataclasses import dataclass, field

MIB = 1 << 20
# scsi_debug aborts what is beyond 192 commands of all its disks together. Of one disk at most 16 are under way, so that
# a kernel on one CPU can do what six disks do at once.
_MOST_COMMANDS, _IN_FLIGHT = 192, 16
_COMMANDS_PER_S = 100  # each takes a tick of the kernel's clock, where its disks are held to a speed
_SMALL_BYTES = 4096
_KERNEL_MIB = 1024  # the guest's kernel, Python, what is written to its tmpfs, and tests on six disks at once
_MORE_MIB = 48  # a fio process with 32 requests of 1 MiB


class RackError(ValueError):
    pass


@dataclass(frozen=True)
class Rack:
    """`disks` SCSI disks; 0 for a rate or memory: unlimited, as needed. `disk_size_bytes`: one for all, or per disk.
    Each is throttled to `bytes_per_s` per direction and `iops` in all, one command at a time. Content is in guest
    memory, so `memory_bytes` grows with it.
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
        size = self.disk_size_bytes
        return size if isinstance(size, tuple) else (size,) * self.disks

    @property
    def queue_depth(self) -> int:
        """Commands per disk."""
        return 1 if self.iops else min(_IN_FLIGHT, _MOST_COMMANDS // max(1, self.disks))

    @property
    def small_iops(self) -> int:
        """Maximum 4 KiB requests per second of a throttled disk."""
        return self.iops or min(self.bytes_per_s // _SMALL_BYTES, self.queue_depth * _COMMANDS_PER_S)

    @property
    def unequal(self) -> bool:
        return len(set(self.sizes_bytes)) > 1

    def needed_bytes(self, *, with_content: bool) -> int:
        """`with_content`: also for full disks (not for files, see `boot`)."""
        if not with_content:
            return 256 * MIB
        return sum(self.sizes_bytes) + (_KERNEL_MIB + _MORE_MIB * max(0, self.disks - 6)) * MIB
