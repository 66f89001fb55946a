"""What an array's sync thread does, from the kernel's three files of it (Documentation/admin-guide/md.rst)."""

import msgspec

_SECTOR_BYTES = 512
_PENDING = "pending"  # its thread does not run yet


class Sync(msgspec.Struct, frozen=True):
    """`action` as the kernel says it ("recover", "resync", "check" …), bytes a member; `waits`: why it does nothing."""

    action: str
    done_bytes: int
    total_bytes: int
    bytes_per_s: float
    waits: str = ""

    @property
    def words(self) -> str:
        return f"{self.action}, {self.waits}" if self.waits else self.action

    @property
    def is_pending(self) -> bool:
        """Has it not begun? In an array that is read-only until it is written to it does not by itself."""
        return self.waits == _PENDING

    @property
    def left_s(self) -> float | None:
        """How long it takes yet at the speed of now; None where it waits or does not tell."""
        left_bytes = self.total_bytes - self.done_bytes
        return left_bytes / self.bytes_per_s if self.bytes_per_s > 0 and left_bytes >= 0 else None


def sync_of(action: str, completed: str, speed: str) -> Sync | None:
    """From `sync_action`, `sync_completed` (sectors "done / total", or a word) and `sync_speed` (KiB/s of a member).

    None where no sync goes on or waits.
    """
    if action in ("", "idle", "frozen"):
        return None
    done_sectors, _, total = completed.partition(" / ")
    if not (is_number(done_sectors) and is_number(total)):  # DELAYED and PENDING are words here
        return Sync(action, 0, 0, 0.0, _PENDING if done_sectors in ("", "none") else done_sectors)
    return Sync(
        action,
        int(done_sectors) * _SECTOR_BYTES,
        int(total) * _SECTOR_BYTES,
        int(speed) * 1024.0 if is_number(speed) else 0.0,  # "none" when it waits
    )


def is_number(text: str) -> bool:
    """Is it a count as the kernel writes it, of 64 bits at most?"""
    return text.isascii() and text.isdigit() and len(text) < 20
