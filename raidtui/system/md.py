"""md arrays: which node carries a UUID, how it is doing, and whose superblock is on a disk."""

from pathlib import Path

import msgspec

from raidtui.system import block
from raidtui.system.process import run

_QUERY_S = 30.0


class Sync(msgspec.Struct, frozen=True):
    """What an array's sync thread does: `action` as the kernel says it ("recover", "resync" …), bytes a member."""

    action: str
    done_bytes: int
    total_bytes: int
    bytes_per_s: float


def export(*arguments: str) -> dict[str, str]:
    """mdadm's `--export` answers as pairs; empty where mdadm has nothing to say."""
    done = run(("mdadm", *arguments, "--export"), timeout_s=_QUERY_S)
    if done.returncode != 0:
        return {}
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def find(uuid: str) -> str | None:
    """The kernel name (md127) of the array with this UUID (mdadm's notation), whatever its node is called now."""
    for entry in sorted(Path("/sys/block").glob("md*")):
        if export("--detail", f"/dev/{entry.name}").get("MD_UUID") == uuid:
            return entry.name
    return None


def superblock(device: str) -> str | None:
    """The UUID of the array that this disk carries a superblock of; None where it carries none."""
    return export("--examine", device).get("MD_UUID")


def sync(name: str) -> Sync | None:
    """The sync that runs or waits on the array `name`; None when none does."""
    action = block.text(f"/sys/block/{name}/md/sync_action")
    if action in ("", "idle", "frozen"):
        return None
    done, _, total = block.text(f"/sys/block/{name}/md/sync_completed").partition(" / ")
    speed = block.text(f"/sys/block/{name}/md/sync_speed")  # KiB/s of each member; "none" when it waits
    whole = total.isdigit()
    return Sync(
        action if whole else f"{action}, {done or 'waiting'}",  # DELAYED and PENDING are words here
        int(done) * 512 if whole else 0,
        int(total) * 512 if whole else 0,
        int(speed) * 1024.0 if speed.isdigit() else 0.0,
    )


def settings(name: str) -> dict[str, str]:
    """What decides an array's speed and is not in its superblock: recorded, not changed."""
    names = ("stripe_cache_size", "group_thread_cnt", "sync_speed_min", "sync_speed_max", "array_state", "degraded")
    found = {key: block.text(f"/sys/block/{name}/md/{key}") for key in names}
    found["read_ahead_kb"] = block.text(f"/sys/block/{name}/queue/read_ahead_kb")
    return {key: value for key, value in found.items() if value}


def data_offset_bytes(name: str, member: str) -> int:
    """Where the array's data begin on the member with the kernel name `member`."""
    return int(block.text(f"/sys/block/{name}/md/dev-{member}/offset") or 0) * 512
