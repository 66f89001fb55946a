"""md arrays: node by UUID, state, superblocks."""

import mmap
import os
import re
from contextlib import suppress
from pathlib import Path

from raidtui.core.arrays import superblock as superblocks
from raidtui.core.arrays.array import WRITE_MOSTLY, Sync, sync_of
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks import machine
from raidtui.core.text import clean
from raidtui.system import block
from raidtui.system.process import ProcessError, run

_SUPERBLOCK_AT = 4096  # version 1.2
_TIMEOUT_S = 10.0


def find(uuid: str) -> str | None:
    """Kernel name (md127) by UUID (mdadm's notation), whatever its node."""
    for entry in sorted(Path("/sys/block").glob("md*")):
        try:
            uuids = {superblock(block.node_of(slave.name)) for slave in (entry / "slaves").iterdir()}
        except OSError:  # somebody's array that went away meanwhile
            continue
        if uuids - {None} == {uuid}:
            return entry.name
    return None


def has_linear() -> bool:
    """In the kernel or as a module; loads nothing."""
    with suppress(OSError):
        if "[linear]" in Path("/proc/mdstat").read_text():
            return True
    try:
        return run(("modprobe", "--dry-run", "--quiet", "md-linear"), _TIMEOUT_S).returncode == 0
    except ProcessError:
        return False


def named(name: str) -> str | None:
    """Kernel name of /dev/md/`name`, or None."""
    node = Path("/dev/md") / name
    return node.resolve().name if node.exists() else None


def slaves(name: str) -> tuple[str, ...]:
    links = Path(f"/sys/block/{name}/slaves").glob("*")  # of a disk that was pulled the link leads nowhere
    return tuple(sorted(link.name.replace("!", "/") for link in links if link.exists()))


# What decides how an array does, as the kernel's files of it; of each member, those below `dev-NAME`.
_OF_ARRAYS = (
    "array_state", "level", "layout", "chunk_size", "raid_disks", "metadata_version", "uuid", "degraded",
    "sync_action", "sync_completed", "sync_speed", "last_sync_action", "mismatch_cnt", "resync_start",
    "reshape_position", "consistency_policy", "bitmap/location", "component_size", "logical_block_size",
)  # fmt: skip
_OF_MEMBERS = ("state", "slot", "errors", "offset", "bad_blocks", "unacknowledged_bad_blocks")


def attributes(folder: Path) -> dict[str, str]:
    """Path below a block device's sysfs folder -> text; {} if no array. Opens no disk."""
    array = folder / "md"
    try:
        members = sorted(entry for entry in array.iterdir() if entry.name.startswith("dev-"))
    except OSError:
        return {}
    files = [array / file for file in _OF_ARRAYS] + [member / file for member in members for file in _OF_MEMBERS]
    # block lists have one entry a line: joined
    return {
        str(file.relative_to(folder)): text for file in files if (text := clean(" ".join(block.text(file).split())))
    }


def superblock(device: str) -> str | None:
    """UUID (byte 16 of md superblock 1.2); None if there is none."""
    page = _page(device)
    uuid = page[16:32].hex()
    return ":".join(uuid[i : i + 8] for i in range(0, 32, 8)) if superblocks.superblock_of(page) else None


def superblock_record(device: str) -> Superblock | None:
    """Of version 1.2, from the disk; None if there is none."""
    return superblocks.superblock_of(_page(device))


def _page(device: str) -> bytes:
    """4 KiB from byte 4096 on; b"" if unreadable."""
    try:
        disk = os.open(device, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)  # md writes past the page cache
    except OSError:
        return b""
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        try:
            return page[: os.preadv(disk, [page], _SUPERBLOCK_AT)]
        except OSError:
            return b""
        finally:
            os.close(disk)


def sync(name: str) -> Sync | None:
    action, completed, speed = (
        block.text(f"/sys/block/{name}/md/{file}") for file in ("sync_action", "sync_completed", "sync_speed")
    )
    return sync_of(action, completed, speed)


def is_dead(name: str) -> bool:
    return block.text(f"/sys/block/{name}/md/array_state") in ("", "clear", "inactive", "broken")


def rebuilt_bytes(name: str, mdstat: str | None = None) -> int | None:
    """Per member, or None. /proc/mdstat (md.c: status_resync): `sync_completed` moves every 10 s or so."""
    mdstat_text = block.text("/proc/mdstat") if mdstat is None else mdstat
    _, _, own_lines = f"\n{mdstat_text}".partition(f"\n{name} : ")
    recovery = re.search(r"recovery\s*=\s*[\d.]+% \((\d+)/\d+\)", own_lines.partition("\nmd")[0])
    return int(recovery[1]) * 1024 if recovery else None


def checked_bytes(name: str) -> int | None:
    """Position of a check in the units of its total (RAID 10: of the array); None without one. As `rebuilt_bytes`:
    `sync_completed` moves by a sixteenth at a time.
    """
    _, _, own_lines = f"\n{block.text('/proc/mdstat')}".partition(f"\n{name} : ")
    check = re.search(r"check\s*=\s*[\d.]+% \((\d+)/\d+\)", own_lines.partition("\nmd")[0])
    return int(check[1]) * 1024 if check else None


def lacking(name: str) -> int:
    """Missing members; 0 during a rebuild."""
    count = block.text(f"/sys/block/{name}/md/degraded")
    return int(count) if count.isdecimal() and sync(name) is None else 0


def building(name: str) -> set[str]:
    """Members to be rebuilt, by kernel name. On slow disks the kernel idles before."""
    return _in_state(name, "spare")


def working(name: str) -> set[str]:
    """Members neither failed nor being rebuilt, by kernel name."""
    return _in_state(name, "in_sync")


def write_mostly(name: str) -> set[str]:
    return _in_state(name, WRITE_MOSTLY)


def _in_state(name: str, word: str) -> set[str]:
    """Members with this word of the kernel's in their state."""
    members = Path(f"/sys/block/{name}/md").glob("dev-*")
    return {
        member.name.removeprefix("dev-").replace("!", "/")
        for member in members
        if word in block.text(member / "state").split(",")
    }


def read_errors(name: str) -> dict[str, int]:
    """Member -> unreadable sectors rewritten from others (`corrected_errors`)."""
    members = Path(f"/sys/block/{name}/md").glob("dev-*")
    return {
        member.name.removeprefix("dev-").replace("!", "/"): int(block.text(member / "errors") or 0)
        for member in members
    }


def threads(name: str) -> dict[str, float]:
    """Own threads ("md127_raid5") -> CPU seconds. Workers of `group_thread_cnt` are shared: not counted."""
    cpu_s = {}
    for process in Path("/proc").glob("[0-9]*"):
        command = block.text(process / "comm")
        if command.startswith(f"{name}_") and (words := block.process_words(process)):
            cpu_s[command] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")  # proc(5): utime, stime
    return cpu_s


def settings(name: str) -> dict[str, str]:
    """Performance settings outside of the superblock; recorded only."""
    names = ("stripe_cache_size", "group_thread_cnt", "sync_speed_min", "sync_speed_max")
    by_setting = {key: block.text(f"/sys/block/{name}/md/{key}") for key in names}
    by_setting["read_ahead_kb"] = block.text(f"/sys/block/{name}/queue/read_ahead_kb")
    throttled = {block.text(queue) for queue in Path(f"/sys/block/{name}/slaves").glob("*/queue/wbt_lat_usec")}
    by_setting["wbt_lat_usec"] = "/".join(sorted(throttled - {""}))
    return {key: value for key, value in by_setting.items() if value}


def data_offset_bytes(name: str, member: str) -> int:
    return int(block.text(f"/sys/block/{name}/md/dev-{machine.sysfs_name(member)}/offset") or 0) * 512
