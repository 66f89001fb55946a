"""The rows of groups: a RAID 60 over two buses that stays, without a group, and without a member of each group."""

from pathlib import Path

import msgspec

from raidtui.core.plan.model import ArrayPlan
from raidtui.core.units import MIB
from tests.server import permanent, rack, runs
from tests.server.machine import Broken, Server
from tests.server.permanent import FOLDER
from tests.server.row import Row

_SETUP = {"level": "6", "groups": 2, "chunk": "64KiB", "filesystem": "ext4"}
_MOUNTED = f"timeout 600 sh -c 'until findmnt --noheadings --mountpoint {FOLDER}; do sleep 1; done'"
_NEW = 4  # of the SAS disks, by index: no member


def _keep_groups(server: Server, out: Path) -> str:
    """Each group on a bus. The plug pulled; booted without a group, with all, without a disk of each; one replaced."""
    disks = [*runs.of_kind(server, "sas")[:_NEW], *runs.of_kind(server, "sata")]
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": _SETUP})
    run.to_end()
    array, _ = permanent.built(run.plan)
    written, node = permanent.filled(server, FOLDER), permanent.node(server)
    told = [f"built {_standing(server, array)}"]
    server.cut()
    told.append(f"cut, and after {server.boot():.0f} s {_back(server, array, node, written)}")
    everything = server.disks
    out.mkdir(parents=True, exist_ok=True)

    _booted_with(server, [disk for disk in everything if disk.kind != "sata"])
    (out / "without-a-group").write_text(said := server.run("raidtui status 2>&1", ok=(3,)))
    if server.run(f"findmnt {FOLDER}", ok=(1,)) or "--create" in said or "--run" in said:
        raise Broken(f"without a group {FOLDER} is mounted, or `raidtui status` says: {said}")
    if array.groups[1].name not in said:
        raise Broken(f"`raidtui status` does not name the group that is not there: {said}")
    _booted_with(server, everything)
    told.append(f"without a group not mounted, and named; with it again {_back(server, array, node, written)}")

    _booted_with(server, [disk for disk in everything if disk.name not in ("sas2", "sata2")])
    waiting = [one.node for one in runs.status(server)[1] if one.health == "inactive"]
    for node_here in waiting:  # as `raidtui status` says: Debian 12's initramfs gathers them, and nothing starts them
        server.run(f"mdadm --run {node_here}")
    server.run(f"udevadm settle; findmnt {FOLDER} || mount {FOLDER}")
    if permanent.digest(server, FOLDER) != written:
        raise Broken("without a disk of each group the file is another")
    (out / "without-a-disk-of-each").write_text(server.run("raidtui status 2>&1", ok=(3,)))
    told.append(f"without a disk of each {len(waiting)} groups inactive; by `mdadm --run` {_standing(server, array)}")

    first, new = array.groups[0].name, runs.of_kind(server, "sas")[_NEW - 1]  # the second is not there
    old = disks[1].serial
    code = server.run(f"raidtui replace {first} {old} {new.serial}").split()[-1]
    server.run(f"raidtui replace {first} {old} {new.serial} --confirm {code}")
    if permanent.digest(server, FOLDER) != written:
        raise Broken("after a disk was replaced the file is another")
    told.append(f"a disk of the first replaced, {_standing(server, array)}; the file intact")
    server.take(str(run.path), out / "run")
    return "; ".join(told)


def _keep_lvm(server: Server, out: Path) -> str:
    """A RAID 50 with LVM on it: the plug pulled, booted, undone, cleared away."""
    disks = [*runs.of_kind(server, "sas"), *runs.of_kind(server, "sata")]
    before, setup = permanent.boot_contents(server), {"level": "5", "groups": 2, "chunk": "64KiB", "filesystem": "xfs"}
    given = permanent.answers(server, disks, permanent=True) | {"setup": setup | {"between": "lvm"}}
    run = runs.begin(server, given)
    run.to_end()
    array, _ = permanent.built(run.plan)
    written = permanent.filled(server, FOLDER)
    server.cut()
    took_s = server.boot()
    server.take(str(run.path), out / "run")
    server.run(_MOUNTED)
    begins = int(server.run("pvs --noheadings --nosuffix --units b --options pe_start"))
    if begins % array.outer.chunk_bytes or permanent.digest(server, FOLDER) != written:
        raise Broken(f"LVM's data begin at {begins}, not at a chunk of the RAID 0, or the file is another")
    stands = _standing(server, array)
    ensured = msgspec.json.decode(server.raidtui("ensure", runs.ANSWERS))
    if ensured["changed"] or ensured["refused"] or ensured["uuid"] != array.uuid:
        raise Broken(f"`raidtui ensure` says {ensured}")
    run.undo()
    if (now := permanent.boot_contents(server)) != before:
        raise Broken(f"after `raidtui undo` the files of boot are {now}")
    run.clean_used()
    if left := server.run(f"pvs --noheadings; wipefs --no-act {' '.join(disk.path for disk in disks)}").strip():
        raise Broken(f"after `raidtui clean` there is {left}")
    seen = f"cut, and after {took_s:.0f} s of boot {stands}, LVM from byte {begins} on, the file intact"
    return f"{seen}; `ensure` changes nothing; undone byte for byte, cleared away"


def _shared_spare(server: Server, out: Path) -> str:
    """A disk of the group without a spare fails: `mdadm --monitor`, as Debian starts it, moves the other's there."""
    disks = [*runs.of_kind(server, "sas"), *runs.of_kind(server, "sata")]
    setup = {"level": "5", "groups": 2, "chunk": "64KiB", "filesystem": "ext4", "spares": 1}
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": setup})
    run.to_end()
    array, _ = permanent.built(run.plan)
    written = permanent.filled(server, FOLDER)
    server.power_down()
    server.boot()
    server.run(_MOUNTED)
    second, spare = array.groups[1], disks[-1]
    before, failing = _members(server, second.uuid), disks[second.members[0]]
    server.run(f"mdadm /dev/md/{second.name} --fail {failing.path}")
    wait = f'until [ "$(cat /sys/block/$(basename $(readlink -f /dev/md/{second.name}))/md/degraded)" = 0 ]'
    server.run(f"timeout 1200 sh -c '{wait}; do sleep 2; done'")
    server.take(str(run.path), out / "run")
    after = _members(server, second.uuid)
    if spare.serial in before or after.get(spare.serial) != "in sync" or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{second.name} stood on {before}, and stands on {after}, or the file is another")
    return f"{failing.serial} failed in {second.name}: the spare of {array.groups[0].name} is in its place, in sync"


def _members(server: Server, uuid: str) -> dict[str, str]:
    (array,) = (one for one in runs.status(server)[1] if one.uuid == uuid)
    return {member.disk.serial: member.role for member in array.members if member.disk}


def _booted_with(server: Server, disks: list[rack.Disk] | tuple[rack.Disk, ...]) -> None:
    server.power_down()
    server.disks = tuple(disks)
    server.boot()


def _standing(server: Server, array: ArrayPlan) -> str:
    """The health of the array, then of its groups, by `raidtui status`. Raises Broken where one is missing."""
    health = {one.uuid: one.health for one in runs.status(server)[1]}
    wanted = (array.uuid, *(group.uuid for group in array.groups))
    if missing := [uuid for uuid in wanted if uuid not in health]:
        raise Broken(f"`raidtui status` misses {missing}; it has {health}")
    return ", ".join(health[uuid] for uuid in wanted)


def _back(server: Server, array: ArrayPlan, node: str, written: str) -> str:
    """Raises Broken where the array, or what is on it, is not as it was."""
    server.run(_MOUNTED)
    stands = _standing(server, array)
    if stands != "clean, clean, clean" or permanent.node(server) != node or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{FOLDER} is on {permanent.node(server)}, {stands}, or its file is another")
    return f"{stands} at {FOLDER}, the file intact"


ROWS = (
    Row(name="keep-groups", disks=rack.rack(160 * MIB, sas=_NEW + 1, sata=4), act=_keep_groups),
    Row(name="keep-groups-lvm", disks=rack.rack(256 * MIB, sas=3, sata=3), act=_keep_lvm),
    Row(name="groups-spare", disks=rack.rack(160 * MIB, sas=4, sata=3), act=_shared_spare),
)
