"""The rows of cuts while data moves: in a rebuild, and in a reshape."""

import shlex
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.model import ArrayPlan
from raidtui.core.run import events
from raidtui.core.units import MB, MIB
from tests.server import permanent, rack, runs
from tests.server.machine import Broken, Server
from tests.server.permanent import FOLDER
from tests.server.row import Row

_MEMBER, _SPEED = 384 * MIB, 8 * MB  # two of them are room enough for xfs
_OLD, _NEW = 1, 3  # of the SAS disks: by index
_RACK = rack.rack(_MEMBER, sas=4, bytes_per_s=_SPEED)
_MOVED = 1 / 8  # of the way, when the plug is pulled


def _cut_rebuild(server: Server, out: Path) -> str:
    """A member is gone, `replace` builds another in, the plug is pulled; after the boot it is gone on with."""
    run, _, written, disks = _kept(server, "ext4")
    old, new = disks[_OLD], disks[_NEW]
    server.run(f"echo 1 > /sys/block/{old.name}/device/delete && touch {FOLDER}/written-without-it && sync")
    replace = shlex.join(("raidtui", "replace", run.name, old.serial, new.serial))
    code = server.run(replace).split()[-1]
    replacing = runs.Run(server, server.run(f"{replace} --confirm {code} --detach").strip())
    done = next(
        event.done_bytes / event.total_bytes
        for event in replacing.follow()
        if isinstance(event, events.SyncProgress) and event.done_bytes > _MOVED * event.total_bytes
    )
    server.cut()
    server.without(_RACK[_OLD].name)  # there again it would be taken back by its bitmap, and the run end by that
    took_s = server.boot()
    server.take(str(replacing.path), out / "cut-off")
    if (word := replacing.word()) != "cut off":
        raise Broken(f"after the cut `raidtui runs` calls {replacing.name} {word}")
    _need_intact(server, written, "after the boot")
    replacing.resume()
    server.take(str(replacing.path), out / "run")
    ended, arrays = runs.status(server)
    roles = {member.disk.serial: member.role for member in arrays[0].members if member.disk}
    wanted = {disk.serial: "in sync" for disk in disks if disk is not old}
    if (arrays[0].health, roles, ended) != ("clean", wanted, 0):
        raise Broken(f"at the end {arrays[0].node} is {arrays[0].health} on {roles}, status {ended}")
    _need_intact(server, written, "at the end")
    return f"cut at {100 * done:.0f} % of the rebuild, up after {took_s:.0f} s; resumed: in sync; the file intact twice"


def _cut_reshape(server: Server, out: Path) -> str:
    """RAID 5 of 3, on it xfs, grows to 4, the plug is pulled; after the boot md goes on, and `resume` follows it."""
    run, array, written, disks = _kept(server, "xfs")
    grow = shlex.join(("raidtui", "grow", run.name, disks[_NEW].serial))
    code = server.run(grow).split()[-1]
    growing = runs.Run(server, server.run(f"{grow} --confirm {code} --detach").strip())
    done = next(
        event.done_bytes / event.total_bytes
        for event in growing.follow()
        if isinstance(event, events.SyncProgress) and event.done_bytes > _MOVED * event.total_bytes
    )
    server.cut()
    took_s = server.boot()
    back = server.run(f"cat /proc/mdstat; mdadm --detail /dev/md/{array.name}")
    out.mkdir(parents=True, exist_ok=True)
    (out / "after-the-boot").write_text(back)
    _need_intact(server, written, "after the boot")
    said = ", ".join(one.kind for one in runs.status(server)[1][0].conditions)
    if (word := growing.word()) != "cut off":
        raise Broken(f"after the cut `raidtui runs` calls {growing.name} {word}")
    growing.resume()
    server.take(str(growing.path), out / "run")
    _need_intact(server, written, "at the end")
    ended, (standing,) = runs.status(server)
    if (standing.slots, standing.health, ended) != (4, "clean", 0):
        raise Broken(f"at the end it has {standing.slots} members, is {standing.health}, status {ended}")
    room_bytes = int(server.run(f"findmnt --noheadings --bytes --output SIZE {FOLDER}"))
    if room_bytes < 0.85 * 3 * _MEMBER:  # of 4, one of parity
        raise Broken(f"at the end its file system has {room_bytes} bytes")
    server.run(f"umount {FOLDER} && xfs_repair -n /dev/disk/by-uuid/{permanent.built(run.plan)[1].uuid}")
    seen = f"cut at {100 * done:.0f} % of the reshape, up after {took_s:.0f} s ({said})"
    return f"{seen}; resumed: grown; the file intact twice"


def _kept(server: Server, filesystem: str) -> tuple[runs.Run, ArrayPlan, str, list[Disk]]:
    """A RAID 5 of three SAS disks that is there at each boot, with a file; its run, its plan, the file's digest."""
    disks, setup = runs.of_kind(server, "sas"), {"level": "5", "filesystem": filesystem}
    run = runs.begin(server, permanent.answers(server, disks[:3], setup=setup, permanent=True))
    run.to_end()
    return run, permanent.built(run.plan)[0], permanent.filled(server, FOLDER), disks


def _need_intact(server: Server, written: str, when: str) -> None:
    if permanent.digest(server, FOLDER) != written:
        raise Broken(f"{when} the file in {FOLDER} is another")


ROWS = (
    Row(name="cut-rebuild", disks=_RACK, act=_cut_rebuild),
    Row(name="cut-reshape", disks=_RACK, act=_cut_reshape),
)
