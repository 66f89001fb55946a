"""The row of cuts on ZFS: the plug is pulled while a pool is made and in a test on one, beside somebody else's pool."""

from collections.abc import Callable
from pathlib import Path

from raidtui.core.disks.disk import Standing
from raidtui.core.plan.model import Target
from raidtui.core.run import events
from raidtui.core.units import MB, MIB
from tests.server import plug, rack, runs
from tests.server.machine import Broken, Server
from tests.server.row import Row

_BESIDE = "zpool create -o cachefile=none tank {path} && cp -r /usr/share/doc /tank && zpool export tank && sync"
_AT_CREATION = plug.Moment(folder=f"{runs.ROOT}/*", name="journal.jsonl", text='"role":"create-pool"', delay_s=1.0)
_TEST: Target = "filesystem"


def _cut(server: Server, out: Path) -> str:
    (disk,) = runs.of_kind(server, "sata")
    server.run(_BESIDE.format(path=disk.path))
    before = server.digest("sata1")
    (disk,) = runs.of_kind(server, "sata")
    if disk.verdict.standing is not Standing.REFUSE or "ZFS" not in disk.verdict.reason:
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


_RACK = (*rack.rack(640 * MIB, nvme=4, bytes_per_s=20 * MB, iops=300), rack.Disk("sata", 1, 128 * MIB))
ROWS: tuple[Row, ...] = (Row(name="zfs-cut", disks=_RACK, act=_cut, zfs=True),)
