"""The rows of an array that stays: permanent and back after a cut, undone beside others' lines, a member of it pulled
and replaced, built by the script.
"""

import shlex
from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Array, Grade
from raidtui.core.plan import validate
from raidtui.core.plan.model import ArrayPlan
from raidtui.core.raid import containers
from raidtui.core.run import events
from raidtui.core.units import MIB
from tests.builders.keyboard import Keyboard
from tests.server import permanent, rack, runs
from tests.server.boot_files import FSTAB, MDADM_CONF
from tests.server.machine import Broken, Server
from tests.server.permanent import FOLDER
from tests.server.row import Act, Row

_LINUX_RAID = "a19d880f-05fc-4d3b-a006-743f0f84911e"  # the type of a partition
_LVM_DISKS = 4  # a stripe of three chunks: what LVM takes by itself is no multiple of it
_TYPED = "correct horse battery staple"  # the passphrase
_UNITS = "ls /etc/systemd/system /etc/systemd/system/multi-user.target.wants /etc/udev/rules.d"
_PAGES = 1024  # of the stripe cache
_CONTENT = f"cd {FOLDER} && find doc -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum"


def _keep(filesystem: str, mount: str) -> Act:
    """A RAID 6 over two buses with a spare, made permanent by raidtui alone, the plug pulled, booted, and undone."""

    def act(server: Server, out: Path) -> str:
        disks = [*runs.of_kind(server, "sas"), *runs.of_kind(server, "sata")]
        before, units = permanent.boot_contents(server), server.run(_UNITS)
        setup = {"level": "6", "filesystem": filesystem, "spares": 1, "stripe_cache_size": _PAGES}
        given = permanent.answers(server, disks, permanent=True) | {
            "setup": setup,
            "mount": mount,
            "self_test": "short",
        }
        run = runs.begin(server, given)
        run.to_end()
        tested = _self_tested(server, run)
        array, _ = permanent.built(run.plan)
        server.run(f"cp -r /usr/share/doc {FOLDER} && sync")
        written, node, stood = server.run(_CONTENT), permanent.node(server), _members(server, array)
        if list(stood.values()).count("spare") != 1 or stood[disks[-1].serial] != "spare":
            raise Broken(f"{node} stands on {stood}")
        server.cut()
        took_s = server.boot()
        server.take(str(run.path), out / "run")
        if (back := permanent.node(server)) != node or server.run(_CONTENT) != written:
            raise Broken(f"{FOLDER} was on {node}, is on {back}, or its files are others")
        if (stands := _members(server, array)) != stood:
            raise Broken(f"{node} stood on {stood}, and stands on {stands}")
        _ruled(server, array)
        run.undo()
        if (now := permanent.boot_contents(server)) != before or server.run(_UNITS) != units:
            raise Broken(f"after `raidtui undo` the files of boot are {now}, and {server.run(_UNITS)}")
        seen = f"cut, and after {took_s:.0f} s of boot {node} at {FOLDER} ({filesystem}, {mount})"
        kept_words = f"on the same {len(stands)} disks, one of them the spare; every file intact; undone byte for byte"
        return f"{tested}; {seen} {kept_words}"

    return act


def _self_tested(server: Server, run: runs.Run) -> str:
    """What came of the disks' own tests: QEMU's SATA disks have them, its SAS disks none."""
    passed = [
        result.passed
        for event in run.journal()
        if isinstance(event, events.SelfTestsEnded)
        for result in event.disks.values()
    ]
    if passed.count(True) < len(runs.of_kind(server, "sata")) or False in passed:
        raise Broken(f"the self-tests ended as {passed}")
    return f"{passed.count(True)} of {len(passed)} disks passed their own test"


def _ruled(server: Server, array: ArrayPlan) -> None:
    """Raises Broken where the udev rules are not in force: QEMU's SATA disks have no ERC, so that they get time."""
    sata, sas = (runs.of_kind(server, kind) for kind in ("sata", "sas"))
    waits = {disk.id: server.run(f"cat /sys/block/{disk.name}/device/timeout").strip() for disk in (*sata, *sas)}
    pages = server.run(f"cat /sys/block/$(basename $(readlink -f /dev/md/{array.name}))/md/stripe_cache_size").strip()
    if {waits[disk.id] for disk in sata} != {"180"} or "180" in {waits[disk.id] for disk in sas}:
        raise Broken(f"the time-outs of SATA {[disk.id for disk in sata]} and SAS are {waits}")
    if pages != str(_PAGES):
        raise Broken(f"the stripe cache has {pages} pages, {_PAGES} were to last")


def _members(server: Server, array: ArrayPlan) -> dict[str, str]:
    """By the serial number of each disk in the array: its role. Raises Broken where it is not clean, or unknown."""
    _, arrays = runs.status(server)
    (stands,) = (one for one in arrays if one.uuid == array.uuid)
    if stands.health != "clean":
        raise Broken(f"{stands.node} is {stands.health}")
    return {member.disk.serial: member.role for member in stands.members if member.disk}


def _keep_partitions(server: Server, out: Path) -> str:
    """The same of a partition on each disk, the plug pulled, booted."""
    disks = [*runs.of_kind(server, "sas"), *runs.of_kind(server, "sata")]
    setup = {"level": "6", "filesystem": "ext4", "members": "partitions"}
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": setup})
    run.to_end()
    array, _ = permanent.built(run.plan)
    written, node, stood = permanent.filled(server, FOLDER), permanent.node(server), _standing_on(server, array)
    server.cut()
    took_s = server.boot()
    server.take(str(run.path), out / "run")
    if (back := permanent.node(server)) != node or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{FOLDER} was on {node}, is on {back}, or its file is another")
    if (stands := _standing_on(server, array)) != stood:
        raise Broken(f"{node} stood on {stood}, and stands on {stands}")
    seen = f"cut, and after {took_s:.0f} s of boot {node} at {FOLDER}"
    return f"{seen}, clean, on the same {len(stands)} partitions; the file intact"


def _keep_lvm(server: Server, out: Path) -> str:
    """With LVM between array and file system: the plug pulled, booted, undone, and cleared away to blank disks."""
    disks = runs.of_kind(server, "sas")
    before = permanent.boot_contents(server)
    setup = {"level": "5", "chunk": "64KiB", "filesystem": "xfs", "between": "lvm"}
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": setup})
    run.to_end()
    array, _ = permanent.built(run.plan)
    written, stood = permanent.filled(server, FOLDER), _members(server, array)
    volume = _volume(server, array)
    server.cut()
    took_s = server.boot()
    server.take(str(run.path), out / "run")
    if _volume(server, array) != volume or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{volume} is {_volume(server, array)} now, or its file is another")
    if (stands := _members(server, array)) != stood:
        raise Broken(f"the array stood on {stood}, and stands on {stands}")
    ensured = msgspec.json.decode(server.raidtui("ensure", runs.ANSWERS))
    run.undo()
    if (now := permanent.boot_contents(server)) != before:
        raise Broken(f"after `raidtui undo` the files of boot are {now}")
    run.clean_used()
    if left := server.run(f"pvs --noheadings; wipefs --no-act {shlex.join(disk.path for disk in disks)}").strip():
        raise Broken(f"after `raidtui clean` there is {left}")
    if ensured["changed"] or ensured["refused"] or ensured["uuid"] != array.uuid:
        raise Broken(f"`raidtui ensure` says {ensured}")
    seen = (
        f"cut, and after {took_s:.0f} s of boot {volume} at {FOLDER}, clean, the file intact; `ensure` changes nothing"
    )
    return f"{seen}; undone byte for byte, and cleared away to {len(disks)} blank disks"


def _keep_luks(server: Server, out: Path) -> str:
    """With LUKS between array and file system, its passphrase typed over ssh: the plug pulled, booted with nobody
    there, opened by what crypttab says, undone, and cleared away to blank disks.
    """
    disks = [*runs.of_kind(server, "sas"), *runs.of_kind(server, "sata")]
    before = permanent.boot_contents(server), _crypttab(server)
    setup = {"level": "5", "chunk": "64KiB", "filesystem": "xfs", "between": "luks"}
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": setup})
    array, filesystem = permanent.built(run.plan)
    name = containers.mapped(array.name)
    run.to_step("encrypt")
    new = (("Type 'yes' in capital letters", "YES"), ("Enter passphrase", _TYPED), ("Verify passphrase", _TYPED))
    _typed(server, f"raidtui passphrase {run.name}", *new, ("Enter passphrase", _TYPED))
    run.to_step("unlock", times=2)
    _typed(server, f"raidtui passphrase {run.name}", ("Enter passphrase", _TYPED))
    run.to_end()
    written, stood = permanent.filled(server, FOLDER), _members(server, array)
    server.cut()
    took_s = server.boot()
    server.take(str(run.path), out / "run")
    if server.run(f"ls /dev/mapper; findmnt --noheadings --mountpoint {FOLDER}", ok=(0, 1)).split() != ["control"]:
        raise Broken("it is open, or mounted, and nobody has typed anything")
    if (stands := _members(server, array)) != stood:
        raise Broken(f"the array stood on {stood}, and stands on {stands}")
    unit = f"systemd-cryptsetup@$(systemd-escape {name}).service"
    _typed(server, f"systemctl start {unit}", ("enter passphrase", _TYPED))
    server.run(f"systemctl start $(systemd-escape --path --suffix=mount {FOLDER})")  # udev may have begun it already
    source = server.run(f"findmnt --noheadings --output SOURCE,UUID --mountpoint {FOLDER}").split()
    if source != [f"/dev/mapper/{name}", filesystem.uuid] or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{FOLDER} is {source}, or its file is another")
    ensured = msgspec.json.decode(server.raidtui("ensure", runs.ANSWERS))
    run.undo()
    if (now := (permanent.boot_contents(server), _crypttab(server))) != before:
        raise Broken(f"after `raidtui undo` the files of boot are {now}")
    run.clean_used()
    left = server.run(f"ls /dev/mapper; wipefs --no-act {shlex.join(disk.path for disk in disks)}").split()
    if left != ["control"]:
        raise Broken(f"after `raidtui clean` there is {left}")
    if ensured["changed"] or ensured["refused"] or ensured["uuid"] != array.uuid:
        raise Broken(f"`raidtui ensure` says {ensured}")
    seen = f"cut, and up after {took_s:.0f} s with nobody there; opened by {unit}, {FOLDER} clean, the file intact"
    return f"{seen}; `ensure` changes nothing; undone byte for byte, and cleared away to {len(disks)} blank disks"


def _crypttab(server: Server) -> str:
    return server.run("cat /etc/crypttab || echo none")


def _typed(server: Server, command: str, *dialog: tuple[str, str]) -> None:
    """A command on a terminal, and a person at it."""
    keyboard = Keyboard(server.terminal(command), patience_s=1800.0).answer(dialog)
    if status := keyboard.ended():
        raise Broken(f"`{command}`: exit status {status}: {keyboard.said}")


def _volume(server: Server, array: ArrayPlan) -> str:
    """What is mounted at FOLDER, and where its data begin. Raises Broken where that is no volume of the array's own
    group, or no whole stripe.
    """
    mounted = server.run(f"findmnt --noheadings --output SOURCE --mountpoint {FOLDER}").strip()
    fields = "vg_name,pe_start,pv_name"
    told = server.run(f"pvs --noheadings --nosuffix --units b --options {fields}").split()
    group, start, device = told if len(told) == 3 else ("", "1", "")
    stripe_bytes = (array.chunk_bytes or 0) * (_LVM_DISKS - 1)
    whole = int(start) % stripe_bytes == 0
    same = server.run(f"readlink -f /dev/{group}/data {mounted} {device} /dev/md/{array.name}").split()
    if not whole or group != array.name or len(same) != 4 or same[0] != same[1] or same[2] != same[3]:
        raise Broken(f"{FOLDER} is {mounted}, and pvs says {told}: {same}")
    return f"{group}/data from byte {start} on"


def _standing_on(server: Server, array: ArrayPlan) -> dict[str, str]:
    """By the serial number of each disk in the array: the number, type and UUID of its partition there.

    Raises Broken where `raidtui status` does not find the array clean, or a member is no first partition for an array.
    """
    _, arrays = runs.status(server)
    (stands,) = (one for one in arrays if one.uuid == array.uuid)
    devices = {member.disk.serial: member.device for member in stands.members if member.disk}
    if stands.health != "clean" or len(devices) != len(array.tables):
        raise Broken(f"{stands.node} is {stands.health} on {devices}")
    ask = "udevadm info --query=property"
    lines = {serial: server.run(f"{ask} --name={device}").splitlines() for serial, device in devices.items()}
    told = {serial: dict(line.split("=", 1) for line in properties) for serial, properties in lines.items()}
    partitions = {
        serial: " ".join(properties.get(f"ID_PART_ENTRY_{what}", "-") for what in ("NUMBER", "TYPE", "UUID"))
        for serial, properties in told.items()
    }
    if not all(words.startswith(f"1 {_LINUX_RAID} ") for words in partitions.values()):
        raise Broken(f"{stands.node} stands on {partitions}")
    return partitions


_FIRST_LINE = b"# somebody's own, above\n"
_LAST_LINES = {
    MDADM_CONF: b"ARRAY /dev/md/others UUID=00000000:11111111:22222222:33333333\n",
    FSTAB: b"tmpfs /srv/others tmpfs noauto 0 0\n",
}


def _undo_beside_others(server: Server, out: Path) -> str:
    """Others write above and below the run's lines; `undo` takes out its own alone, of the initramfs, too."""
    before = permanent.boot_contents(server)
    run = runs.begin(server, permanent.answers(server, runs.of_kind(server, "sas"), permanent=True))
    run.to_end()
    server.take(str(run.path), out / "run")
    with_lines = permanent.boot_contents(server)
    for path, last in _LAST_LINES.items():
        server.write(path, (_FIRST_LINE + with_lines[path] + last).decode())
    shown = server.run(f"echo no | raidtui undo {run.name} 2>&1", ok=(3,))
    if wrong := [line.decode() for line in (_FIRST_LINE, *_LAST_LINES.values()) if f"\n  -{line.decode()}" in shown]:
        raise Broken(f"`raidtui undo` would take out others' lines: {wrong}")
    run.undo()
    expected = {path: _FIRST_LINE + before[path] + last for path, last in _LAST_LINES.items()}
    if (now := permanent.boot_contents(server)) != expected:
        raise Broken(f"after `raidtui undo` the files of boot are {now}, not {expected}")
    array, _ = permanent.built(run.plan)
    unpack = "unmkinitramfs /boot/initrd.img-$(uname -r) /tmp/image"
    in_image = server.run(f"{unpack} && cat $(find /tmp/image -path '*{MDADM_CONF}')")
    if array.uuid in in_image or _LAST_LINES[MDADM_CONF].decode() not in in_image:
        raise Broken(f"the initramfs was not made again: its mdadm.conf is {in_image}")
    if array.uuid not in server.run("mdadm --detail --scan") or server.run(f"findmnt {FOLDER}", ok=(1,)):
        raise Broken(f"after `raidtui undo` the array {array.uuid} does not stand, or is mounted")
    return "lines above and below the run's stay, in mdadm.conf and fstab; its own are gone, from the initramfs, too"


_MEMBER, _SMALL = 128 * MIB, 64 * MIB
_OLD, _NEW, _TOO_SMALL, _IN_USE = 1, 3, 4, 5  # of the SAS disks: by index
_REPLACING = (*rack.rack(_MEMBER, sas=4), rack.Disk("sas", 5, _SMALL), rack.Disk("sas", 6, _MEMBER))


def _member_pulled(server: Server, out: Path) -> str:
    """A member is taken out while the array is in use; wrong disks are refused, the right one is built in."""
    disks = runs.of_kind(server, "sas")
    run = runs.begin(server, permanent.answers(server, disks[:3]))
    run.to_end()
    array, filesystem = permanent.built(run.plan)
    server.run(f"mkdir -p {FOLDER} && mount UUID={filesystem.uuid} {FOLDER}")
    written = permanent.filled(server, FOLDER)
    used = disks[_IN_USE]
    server.run(f"mkfs.ext4 -q -F {used.path} && mount -o ro {used.path} /mnt && sync")
    untouched = ("sas5", "sas6")
    before = {name: server.digest(name) for name in untouched}

    old = disks[_OLD]
    server.run(f"echo 1 > /sys/block/{old.name}/device/delete")
    told = [f"pulled {_status(server, 3, array.uuid)}"]
    server.run(f"touch {FOLDER}/written-without-it && sync")
    told.append(f"after a write {_status(server, 3, array.uuid)}")
    replace = shlex.join(("raidtui", "replace", run.name, old.serial))
    for disk, because in ((disks[_TOO_SMALL], "is too small"), (used, "cannot be used"), (disks[0], "is a disk of")):
        permanent.refused(server, f"{replace} {disk.serial}", because)
    if {name: server.digest(name) for name in untouched} != before:
        raise Broken("a disk that was refused was written to")
    new = disks[_NEW].serial
    code = server.run(f"{replace} {new}").split()[-1]
    report = server.run(f"{replace} {new} --confirm {code}")
    if f"{new} is in sync" not in report:
        raise Broken(f"the report says: {report}")
    told.append(f"rebuilt {_status(server, 0, array.uuid)}")
    if permanent.digest(server, FOLDER) != written:
        raise Broken(f"the file in {FOLDER} is another")

    server.power_down()
    server.boot()  # the old disk is there again, with the array's superblock
    told.append(f"booted with the old disk back {_status(server, 1, array.uuid)}")
    server.run(f"mount UUID={filesystem.uuid} {FOLDER}")
    if permanent.digest(server, FOLDER) != written:
        raise Broken(f"after a boot with the old disk the file in {FOLDER} is another")
    server.run(f"umount {FOLDER} && fsck.ext4 -fn UUID={filesystem.uuid}")
    return f"status: {'; '.join(told)}; refused with 3: too small, mounted, a member; the file intact"


def _status(server: Server, code: int, uuid: str) -> str:
    """What `raidtui status` tells of this array, in its conditions' names. Raises Broken where it ends otherwise."""
    ended, arrays = runs.status(server)
    told = [_conditions(array) for array in arrays if array.uuid == uuid]
    if ended != code or len(told) != 1:
        raise Broken(f"`raidtui status` ended with {ended}, not {code}: {told}")
    return f"{ended} {told[0]}"


def _conditions(array: Array) -> str:
    """Those that want something done."""
    return ", ".join(one.kind for one in array.conditions if one.grade is not Grade.GOOD) or "good"


def _script_twice(server: Server, out: Path) -> str:
    """The script of a plan builds its array in a server where no run ever was; a second time it changes nothing."""
    before = permanent.boot_contents(server)
    disks = runs.of_kind(server, "sas")
    given = permanent.answers(server, disks, permanent=True)
    plan = validate.decode(runs.plan(server, given, "--json").encode())
    server.run(f"mkdir -m 700 /root/results && raidtui plan {runs.ANSWERS} --script > /root/results/build.sh")
    server.take("/root/results", out)
    command = f"cd /root/results && echo {plan.code} | bash build.sh"
    (out / "output").write_text(server.run(f"{command} 2>&1", timeout_s=runs.INITRAMFS_S))
    stands = _standing(server)
    wanted = next(stage.array for stage in plan.stages if stage.array)
    (array,) = runs.status(server)[1]
    members = [member.disk.id for member in array.members if member.disk]
    seen = (array.level, array.chunk_bytes, array.size_bytes, members, array.health)
    if seen != (wanted.level, wanted.chunk_bytes, wanted.capacity.array_bytes, list(given["disks"]), "clean"):
        raise Broken(f"the plan has {wanted} of {given['disks']}, and there is {seen}")
    written = permanent.filled(server, FOLDER)
    again = server.run(f"{command} 2>&1")
    if (now := _standing(server)) != stands:
        raise Broken(f"after the second time there is {now}, before {stands}")
    if permanent.digest(server, FOLDER) != written:
        raise Broken("after the second time the file is another")
    contents = permanent.boot_contents(server)
    if not all(contents[path].startswith(old) and contents[path] != old for path, old in before.items()):
        raise Broken(f"the files of boot are {contents}")
    end = again.splitlines()[-1]
    return f"RAID {array.level} of {len(members)}: chunk, size, order as planned, at {FOLDER}; again: “{end}”"


def _standing(server: Server) -> str:
    """The arrays, file systems, mounts and files of boot of a server, as text."""
    return server.run(
        "mdadm --detail --scan; blkid | sort; findmnt --noheadings --list --output TARGET,SOURCE,FSTYPE --real;"
        f" sha256sum {MDADM_CONF} {FSTAB} /boot/*"
    )


ROWS = (
    Row(name="keep", disks=rack.rack(512 * MIB, sas=4, sata=3), act=_keep("ext4", "fstab"), core=True),
    Row(name="keep-mount-unit", disks=rack.rack(512 * MIB, sas=4, sata=3), act=_keep("xfs", "unit")),
    Row(name="keep-partitions", disks=rack.rack(_MEMBER, sas=3, sata=3), act=_keep_partitions),
    Row(name="keep-lvm", disks=rack.rack(512 * MIB, sas=_LVM_DISKS), act=_keep_lvm),
    Row(name="keep-luks", disks=rack.rack(512 * MIB, sas=2, sata=2), act=_keep_luks),
    Row(name="member-pulled", disks=_REPLACING, act=_member_pulled),
    Row(name="undo-foreign-line", disks=rack.rack(_MEMBER, sas=3), act=_undo_beside_others),
    Row(name="script-twice", disks=rack.rack(_MEMBER, sas=3), act=_script_twice),
)
