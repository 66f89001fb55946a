"""The rows of ZFS beside somebody else's pool: the plug pulled while one is made and in a test on one; a pool kept."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Grade
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.disks.disk import Usability
from raidtui.core.plan.model import Target
from raidtui.core.raid.capacity import capacity
from raidtui.core.run import events
from raidtui.core.units import MB, MIB
from tests.server import permanent, plug, rack, runs
from tests.server.machine import Broken, Server
from tests.server.row import Row

_BESIDE = "zpool create -o cachefile=none tank {path} && cp -r /usr/share/doc /tank && zpool export tank && sync"
_AT_CREATION = plug.Moment(folder=f"{runs.ROOT}/*", name="journal.jsonl", text='"role":"create-pool"', delay_s=1.0)
_TEST: Target = "filesystem"
_ESTIMATE = 0.005  # by which the size of a pool may differ, as that of four partitions does in tests/core/raid


def _cut(server: Server, out: Path) -> str:
    (disk,) = runs.of_kind(server, "sata")
    server.run(_BESIDE.format(path=disk.path))
    before = server.digest("sata1")
    (disk,) = runs.of_kind(server, "sata")
    if disk.verdict.standing is not Usability.REFUSE or "ZFS" not in disk.verdict.reason:
        raise Broken(f"the disk of an exported pool is {disk.verdict}")
    with server.cut_at(_AT_CREATION):
        made = _begun(server)
    told = [_gone_on(server, made, out / "created", runs.Run.clean)]
    tested = _begun(server)
    tested.to_trial(_TEST)
    server.cut()
    told.append(_gone_on(server, tested, out / "tested", runs.Run.resume))
    if server.digest("sata1") != before:
        raise Broken("the exported pool beside the members is not as it was")
    return f"{'; '.join(told)}; an exported pool beside them refused, and as before byte for byte"


def _begun(server: Server) -> runs.Run:
    """A run on a raidz1 of all NVMe disks."""
    disks = [disk.id for disk in runs.of_kind(server, "nvme")]
    fio = {"runtime": "3s", "ramp_time": 1}
    return runs.begin(server, {"disks": disks, "recipe": "quick", "setup": {"level": "zfs-raidz1"}, "fio": fio})


def _gone_on(server: Server, run: runs.Run, out: Path, then: Callable[[runs.Run], None]) -> str:
    """Boot, and `then`: its members are blank, no pool is there."""
    server.boot()
    if (word := run.word()) != "cut off":
        raise Broken(f"after the cut `raidtui runs` calls {run.name} {word}")
    journal = run.journal()
    last = next(event for event in reversed(journal) if isinstance(event, events.StepStarted))
    told = any(isinstance(event, events.PoolMade) for event in journal)
    labels = sorted({disk.found for disk in runs.of_kind(server, "nvme")})
    then(run)
    server.take(str(run.path), out)
    wrong = [f"on {disk.name} is {disk.found}" for disk in runs.of_kind(server, "nvme") if disk.found != "blank"]
    wrong += server.run("zpool list -H -o name").split()
    if then is runs.Run.resume:
        wrong += run.wrong() + sorted({trial.id for trial in run.plan.trials} - set(run.trials_ended()))
    if wrong:
        raise Broken("; ".join(wrong))
    guid = "its GUID journalled" if told else "its GUID not read yet"
    return f"cut at “{last.what}”, {guid}, on the disks {', '.join(labels)}; {then.__name__}: members blank, no pool"


_FOLDER, _POOL = "/srv/tank", "tank"
_HONEST = {"compression": "on", "primarycache": "all", "atime": "on", "recordsize": "131072", "mountpoint": _FOLDER}


def _keep(server: Server, out: Path) -> str:
    """A raidz1 that stays, made permanent by raidtui alone beside somebody's exported pool: the plug pulled, booted,
    undone, cleared away by its GUID.
    """
    (disk,) = runs.of_kind(server, "sata")
    server.run(_BESIDE.format(path=disk.path).replace("tank", "others"))
    before, files_before = server.digest("sata1"), permanent.boot_contents(server)
    disks = runs.of_kind(server, "nvme")
    given = permanent.answers(server, disks, permanent=True) | {
        "setup": {"level": "zfs-raidz1"},
        "pool_name": _POOL,
        "mount_point": _FOLDER,
        "mount_mode": "2775",
    }
    run = runs.begin(server, given)
    run.to_end()
    server.take(str(run.path), out / "run")
    server.run(f"mkdir -m 700 /root/results && cp {run.path}/build.sh {run.path}/commissioning.md /root/results")
    server.take("/root/results", out)
    guid = [event.guid for event in run.journal() if isinstance(event, events.PoolMade)][-1]
    _stands(server, guid)
    by_hand = server.raidtui("scrub", _POOL)
    if f"zpool scrub {_POOL}" not in by_hand or "carries nothing out" not in by_hand:
        raise Broken(f"`raidtui scrub {_POOL}` says {by_hand}")
    server.run(f"zpool scrub -w {_POOL}")
    written = permanent.filled(server, _FOLDER)
    server.cut()
    took_s = server.boot()
    _stands(server, guid)
    _is_good(server, run.name)
    if permanent.digest(server, _FOLDER) != written:
        raise Broken(f"the file at {_FOLDER} is another")
    permanent.refused(server, f"bash -c 'echo {run.plan.code} | raidtui clean {run.name}'", "undo")
    run.undo()
    if server.run(f"zpool list -H -o guid,cachefile {_POOL}").split() != [guid, "none"]:
        raise Broken(f"after `raidtui undo` the pool is {server.run('zpool list -o all')}")
    if (now := permanent.boot_contents(server)) != files_before or server.run(f"ls -d {_FOLDER}", ok=(2,)):
        raise Broken(f"after `raidtui undo` the files of boot are {now}, or {_FOLDER} is there")
    server.run(f"zfs create {_POOL}/home")
    permanent.refused(
        server, f"bash -c 'echo {run.plan.code} | raidtui clean {run.name}'", "which this run did not make"
    )
    server.run(f"zfs destroy {_POOL}/home")
    run.clean()
    paths = [disk.path for disk in runs.of_kind(server, "nvme")]
    wrong = server.run(f"wipefs --no-act {' '.join(paths)}").splitlines()
    wrong += server.run("zpool list -H -o name").split()
    if server.digest("sata1") != before:
        wrong.append("the exported pool beside the members is not as it was")
    if wrong:
        raise Broken("; ".join(wrong))
    zeroed = " ".join(f"dd if=/dev/zero of={path} bs=1M oflag=direct status=none &" for path in paths)
    server.run(f"({zeroed} wait) 2>/dev/null; udevadm settle")  # data without a signature are not blank, either
    end = _by_script(server, out)
    seen = f"{_POOL} ({guid}) exported and imported by it, at {_FOLDER}; cut, and after {took_s:.0f} s of boot ONLINE"
    cleared = "undone, and cleared by its GUID, no signature left; another's pool as before"
    return f"{seen} there, `raidtui status` good, the file intact; {cleared}; build.sh made it anew, again: “{end}”"


def _by_script(server: Server, out: Path) -> str:
    """The script of the hand-over makes the pool anew, of blank disks; a second time it changes nothing. Its words."""
    script = server.run("cat /root/results/build.sh")
    code = script.partition("Confirmation code ")[2].partition(".")[0]
    command = f"cd /root/results && echo {code} | bash build.sh 2>&1"
    (out / "output").write_text(server.run(command))
    guid = server.run(f"zpool list -H -o guid {_POOL}").strip()
    _stands(server, guid)
    written = permanent.filled(server, _FOLDER)
    again = server.run(command)
    _stands(server, guid)
    if permanent.digest(server, _FOLDER) != written:
        raise Broken("after the script's second time the file is another")
    return again.splitlines()[-1]


def _is_good(server: Server, run: str) -> None:
    """Raises Broken where `raidtui status` does not tell the run's pool as good."""
    *told, code = server.run("raidtui status --json; code=$?; echo; echo $code").splitlines()
    status = msgspec.json.decode("\n".join(told), type=ArraysStatus)
    pools = [(pool.name, pool.health, pool.grade, pool.run, pool.at_boot) for pool in status.pools]
    disks = [one.disk.serial for pool in status.pools for one in pool.devices if one.disk]
    if code != "0" or pools != [(_POOL, "ONLINE", Grade.GOOD, run, True)] or len(disks) != len(server.disks) - 1:
        words = server.run("raidtui status || :")
        raise Broken(f"`raidtui status` ended with {code}, and tells {pools} on {disks}: {words}")


def _stands(server: Server, guid: str) -> None:
    """Raises Broken where the pool is not whole, by this GUID, under names that outlive a boot, set as one that stays,
    mounted at its folder.
    """
    told = server.run(f"zpool list -H -o guid,health,cachefile {_POOL}").split()
    mounted = server.run(f"findmnt --noheadings --output SOURCE --mountpoint {_FOLDER}").strip()
    names = ",".join(_HONEST)
    settings = dict(
        line.split() for line in server.run(f"zfs get -H -p -o property,value {names} {_POOL}").splitlines()
    )
    devices = [line.split()[0] for line in server.run(f"zpool status -P {_POOL}").splitlines() if "/dev/" in line]
    mode = server.run(f"stat --format %a {_FOLDER}").strip()
    if told != [guid, "ONLINE", "-"] or mounted != _POOL or settings != _HONEST or mode != "2775":
        raise Broken(f"{_POOL} is {told}, {mounted} is mounted at {_FOLDER} ({mode}), it has {settings}")
    if not devices or not all(device.startswith("/dev/disk/by-id/nvme-QEMU") for device in devices):
        raise Broken(f"{_POOL} stands on {devices}")


_VDEVS = 2


def _groups(server: Server, out: Path) -> str:
    """Two raidz1 of three in one pool, measured, and one like it that stays: `zfs list` beside the promised size."""
    disks = runs.of_kind(server, "nvme")
    setup = {"level": "zfs-raidz1", "groups": _VDEVS}
    answers = {"disks": [disk.id for disk in disks], "recipe": "quick", "setup": setup, "fio": {"runtime": "3s"}}
    run = runs.begin(server, answers | {"after": "keep", "pool_name": _POOL})
    run.to_trial(_TEST)
    measured = _vdevs(server, server.run("zpool list -H -o name").strip())
    run.to_end()
    kept = _vdevs(server, _POOL)
    server.take(str(run.path), out / "run")
    promised = capacity("zfs-raidz1", [disk.size_bytes for disk in disks], groups=_VDEVS).array_bytes
    made = [event for event in run.journal() if isinstance(event, events.PoolMade)]
    listed = {size for event in made if (size := event.used_bytes + event.available_bytes)}
    run.clean()
    wrong = server.run(f"wipefs --no-act {' '.join(disk.path for disk in disks)}").splitlines()
    wrong += server.run("zpool list -H -o name").split() + run.wrong()
    if wrong or measured != kept or kept != [f"raidz1-{number}" for number in range(_VDEVS) for _ in range(3)]:
        raise Broken(f"its disks are in {measured}, then in {kept}; {'; '.join(wrong)}")
    if not listed or any(abs(size / promised - 1) > _ESTIMATE for size in listed):
        raise Broken(f"`zfs list` has {listed} bytes, and {promised} were promised")
    sizes = ", ".join(map(str, sorted(listed)))
    return f"{_VDEVS} raidz1 of 3: {sizes} bytes, promised {promised}; measured, kept, cleared: no signature, no pool"


def _vdevs(server: Server, pool: str) -> list[str]:
    """The vdev of each of its disks."""
    found, vdev = [], ""
    for line in server.run(f"zpool status -P -L {pool}").splitlines():
        word = (line.split() or [""])[0]
        vdev = word if word.startswith("raidz") else vdev
        found += [vdev] if word.startswith("/dev/") else []
    return found


_RACK = (*rack.rack(640 * MIB, nvme=4, bytes_per_s=20 * MB, iops=300), rack.Disk("sata", 1, 128 * MIB))
ROWS: tuple[Row, ...] = (
    Row(name="zfs-cut", disks=_RACK, act=_cut, zfs=True),
    Row(name="zfs-keep", disks=_RACK, act=_keep, zfs=True),
    Row(name="zfs-groups", disks=rack.rack(640 * MIB, nvme=6, bytes_per_s=20 * MB, iops=300), act=_groups, zfs=True),
)
