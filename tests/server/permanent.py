"""A small array that a run keeps in a lab server: its answers, where it is mounted, what is on it, what boots it."""

from collections.abc import Sequence
from typing import Any

import tomli_w

from raidtui.core.boot import entries
from raidtui.core.disks.disk import Disk
from raidtui.core.plan import slots
from raidtui.core.plan.model import ArrayPlan, FilesystemPlan, Plan
from tests.server.boot_files import FSTAB, MDADM_CONF
from tests.server.machine import Broken, Server

FOLDER = entries.MOUNTED_AT  # where it is mounted unless its answers say something else
_RECIPES = "/root/.config/raidtui/recipes"
_JOB = {"ioengine": "libaio", "direct": True, "bs": "1m", "rw": "write", "size": "16m", "time_based": True}
_RECIPE = {
    "title": "Brief",
    "summary": "A second of writing.",
    "job": [{"name": "write", "fio": _JOB | {"runtime": "1s"}}],
}


def answers(server: Server, disks: Sequence[Disk], **others: Any) -> dict[str, Any]:
    """A RAID 5 with ext4 that stays, of these disks, measured as shortly as can be."""
    server.write(f"{_RECIPES}/brief.toml", tomli_w.dumps(_RECIPE))
    setup = {"level": "5", "filesystem": "ext4"}
    return {"disks": [disk.id for disk in disks], "recipe": "brief", "setup": setup, "after": "keep", **others}


def built(plan: Plan) -> tuple[ArrayPlan, FilesystemPlan]:
    """What a run by such answers makes, with the UUIDs that were drawn for it."""
    stage = next(stage for stage in slots.filled(plan).stages if stage.array)
    assert stage.array and stage.filesystem
    return stage.array, stage.filesystem


def boot_contents(server: Server) -> dict[str, bytes]:
    """The files by which it boots, as they are now."""
    return {path: server.run(f"cat {path}").encode() for path in (MDADM_CONF, FSTAB)}


def node(server: Server) -> str:
    """What is mounted at FOLDER, by the array's own name. Raises Broken where it has none."""
    return server.run(
        f"mounted=$(findmnt --noheadings --output SOURCE --mountpoint {FOLDER}) || {{ cat /proc/mdstat; exit 1; }};"
        ' for name in /dev/md/raidtui-*; do [ "$(readlink -f "$name")" = "$mounted" ] && echo "$name" && exit; done;'
        " exit 1"
    ).strip()


def filled(server: Server, folder: str) -> str:
    """Write a file there, to be on the disks; its digest."""
    server.run(f"head -c 20M /dev/urandom > {folder}/file && sync {folder}/file")
    return digest(server, folder)


def digest(server: Server, folder: str) -> str:
    """Of that file, as it is read from the disks."""
    return server.run(f"sync; echo 3 > /proc/sys/vm/drop_caches; sha256sum {folder}/file").split()[0]


def refused(server: Server, command: str, because: str) -> None:
    """Raises Broken where a command is not refused for safety with this reason."""
    told = server.run(f"{command} 2>&1 </dev/null", ok=(3,))
    if because not in told:
        raise Broken(f"`{command}` was refused, but not as it {because!r}: {told}")
