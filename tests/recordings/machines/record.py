"""Makes the recordings in this folder: run as root in a kernel whose disks may be erased (the practice kernel's).

    python -m tests.recordings.machines.record FOLDER NAME...

What belongs to the place of recording (host name, machine id, mounts that are no disk's) is left out.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

from msgspec.structs import replace

from raidtui.core.disks.machine import Machine, encode
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import (
    array,
    clear,
    command,
    create,
    ext4,
    mapped,
    mounted,
    partition,
    settle,
    stop,
    swapped,
    volume,
)
from tests.torture import luns


def without_place(machine: Machine) -> Machine:
    """The same machine without what tells where it stood; mount points of its disks are put below /."""
    of_disks = {device.devnum for device in machine.devices}
    sources = {link for device in machine.devices for link in (device.path, *device.links)}
    mounts = tuple(
        replace(mount, mountpoint="/" + Path(mount.mountpoint).name)
        for mount in machine.mounts
        if mount.devnum in of_disks or mount.source in sources
    )
    return replace(machine, host="server", machine_id="", mounts=mounts, swaps=machine.swaps, program_mount="/")


def look(folder: Path, name: str) -> None:
    settle()
    start_s = time.monotonic()
    machine = read_machine()
    print(f"{name}: {time.monotonic() - start_s:.2f} s, {len(machine.devices)} devices", flush=True)
    (folder / f"{name}.json").write_bytes(encode(without_place(machine)))


def rack(folder: Path) -> None:
    """All disks as they came, named by how many they are."""
    words = {6: "six", 3: "three", 2: "two"}
    count = len(list(Path("/sys/block").glob("sd*")))
    look(folder, f"rack-of-{words.get(count, count)}")


def in_use(folder: Path) -> None:
    """Six disks: blank; ext4 mounted from a partition; swap; a volume group; a running array on two."""
    place = Path(mkdtemp())
    partition("/dev/sdb", "100M", "+")
    ext4("/dev/sdb2", "home")
    partition("/dev/sdc", "+")
    partition("/dev/sdd", "+")
    with mounted("/dev/sdb2", place / "home"), swapped("/dev/sdc1"), volume("tank", "/dev/sdd1"):
        ext4("/dev/tank/home", "tank")
        with (
            mounted("/dev/tank/home", place / "tank"),
            array("/dev/md7", "1", "/dev/sde", "/dev/sdf"),
        ):
            look(folder, "in-use")
            dumps(folder, place)
    clear("/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde", "/dev/sdf")


def dumps(folder: Path, place: Path) -> None:
    """What other tools print of the same moment, as they print it; only the place of the mount points is cut out."""
    listed = command("lsblk", "-J", "-O", "-b").replace(f"{place}/", "/").replace(str(place), "/")
    (folder / "in-use.lsblk.json").write_text(listed)
    database = command("udevadm", "info", "--export-db").split("\n\n")
    # nine of ten records are not of disks; the folders of the practice kernel among them
    kept = [record for record in database if "/virtual/bdi/" not in record and "/tty/" not in record]
    (folder / "in-use.udevadm.txt").write_text("\n\n".join(kept))


def left_behind(folder: Path) -> None:
    """Six disks that nobody uses and that are not blank: file system, table, stopped array, volume, data, blank."""
    ext4("/dev/sda", "backup")
    partition("/dev/sdb", "100M", "+")
    ext4("/dev/sdb1", "boot")
    partition("/dev/sdc", "+")
    create("/dev/md7", "1", "/dev/sdc1", "missing")
    stop("/dev/md7", "/dev/sdc")
    command("pvcreate", "--yes", "/dev/sdd")
    subprocess.run(
        ("dd", "if=/dev/urandom", "of=/dev/sde", "bs=1M", "count=8", "conv=fsync"),
        check=True,
        stderr=subprocess.DEVNULL,
    )
    look(folder, "left-behind")
    clear("/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde")


def stopped(folder: Path) -> None:
    """Six disks: a RAID5 of three, stopped; btrfs over two; one blank."""
    create("/dev/md7", "5", "/dev/sda", "/dev/sdb", "/dev/sdc")
    stop("/dev/md7", "/dev/sda", "/dev/sdb", "/dev/sdc")
    command("mkfs.btrfs", "--quiet", "--force", "/dev/sdd", "/dev/sde")
    look(folder, "stopped-array")
    clear("/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde")


def stacked(folder: Path) -> None:
    """A volume on an array, a multipath map, an open encrypted volume."""
    with array("/dev/md7", "1", "/dev/sda", "/dev/sdb"), volume("deep", "/dev/md7"):
        ext4("/dev/deep/home")
        place = Path(mkdtemp())
        with (
            mounted("/dev/deep/home", place / "srv"),
            mapped("mpatha", "mpath-360000000000000001", "/dev/sdc"),
            mapped("secret", "CRYPT-LUKS2-0000-secret", "/dev/sdd"),
        ):
            look(folder, "stacked")
    clear("/dev/sda", "/dev/sdb")


def arrays(folder: Path) -> None:
    """Six disks: a RAID5 with a failed member; a mirror that is being rebuilt; half a mirror that was not started."""
    create("/dev/md7", "1", "/dev/sdf", "/dev/sde")
    stop("/dev/md7", "/dev/sde", "/dev/sdf")
    clear("/dev/sde")
    subprocess.run(("mdadm", "--incremental", "/dev/sdf"), check=False)
    create("/dev/md5", "5", "/dev/sda", "/dev/sdb", "/dev/sdc")
    command("mdadm", "--fail", "/dev/md5", "/dev/sdb")
    create("/dev/md1", "1", "/dev/sdd", "missing")
    slowly = Path("/sys/block/md1/md/sync_speed_max")
    slowly.write_text("2000\n")
    command("mdadm", "--add", "/dev/md1", "/dev/sde")
    while not Path("/sys/block/md1/md/sync_speed").read_text().strip().isdigit():
        time.sleep(0.1)
    look(folder, "arrays")
    slowly.write_text("system\n")
    for node in ("/dev/md5", "/dev/md1", "/dev/md7", "/dev/md127"):
        subprocess.run(("mdadm", "--stop", node), check=False)
    clear(*(f"/dev/sd{letter}" for letter in "abcdef"))


def two_paths(folder: Path) -> None:
    """Six LUNs, the first paths sda to sdf, the second ones sdg to sdl, and nothing in use but by the second paths.

    /boot; a file system on a partition; a volume group; a running array; a multipath map without the second path, which
    is mounted; nothing at all.
    """
    place, size_bytes = Path(mkdtemp()), 32 << 20
    with ExitStack() as made:
        stores = []
        for number in range(6):
            file = place / f"{number}.img"
            file.write_bytes(b"")
            os.truncate(file, size_bytes)
            control = f"fd_dev_name={file},fd_dev_size={size_bytes}"
            stores.append(made.enter_context(luns.store("fileio", f"0000000{number}", control)))
        for store in stores:
            made.enter_context(luns.path(store))
        wait_for("/dev/sdf")
        command("pvcreate", "--yes", "/dev/sdc")
        for number, store in enumerate(stores):
            made.enter_context(luns.path(store, 2))
            wait_for(f"/dev/sd{chr(ord('g') + number)}")
        partition("/dev/sdh", "+")
        for node in ("/dev/sdg", "/dev/sdh1", "/dev/sdk"):
            ext4(node)
        create("/dev/md7", "1", "/dev/sdj", "missing")
        made.callback(stop, "/dev/md7", "/dev/sdj")
        map_uuid = Path("/sys/block/sde/device/wwid").read_text().strip().replace("naa.", "mpath-3")
        for state in (
            mounted("/dev/sdg", place / "boot"),
            mounted("/dev/sdh1", place / "home"),
            mapped("tank-home", "LVM-0000", "/dev/sdi"),
            mounted("/dev/sdk", place / "srv"),
            mapped("mpatha", map_uuid, "/dev/sde"),
        ):
            made.enter_context(state)
        look(folder, "two-paths")


def wait_for(node: str) -> None:
    """A disk of this name has come, and udev knows it."""
    end_s = time.monotonic() + 20
    while not Path(node).is_block_device():
        assert time.monotonic() < end_s, f"no {node}"
        time.sleep(0.1)
    settle()


MACHINES: dict[str, Callable[[Path], None]] = {
    "rack": rack,
    "in-use": in_use,
    "left-behind": left_behind,
    "stopped": stopped,
    "stacked": stacked,
    "two-paths": two_paths,
    "arrays": arrays,
}

if __name__ == "__main__":
    for machine_name in sys.argv[2:] or list(MACHINES):
        MACHINES[machine_name](Path(sys.argv[1]))
