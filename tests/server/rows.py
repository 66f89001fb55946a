"""What is run in lab servers: a table. Each row has a server of its own, with the disks that it names.

A row returns what was seen, in one sentence for its table; it raises Broken where that is not as it should be.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.disks.disk import Standing
from raidtui.core.disks.machine import BusKind
from raidtui.core.units import MB, MIB
from tests.server import rack, rows_cuts, rows_kept, runs
from tests.server.machine import Broken, Server
from tests.server.rack import Kind
from tests.server.row import Act, Row


class _Seen(msgspec.Struct, frozen=True):
    """How raidtui must see a disk of a kind."""

    transport: str
    model: str
    links: tuple[BusKind, ...]
    rotational: bool


_SEEN: dict[Kind, _Seen] = {
    "nvme": _Seen("nvme", "QEMU NVMe Ctrl", ("pcie", "pcie"), False),
    "sas": _Seen("scsi", "QEMU HARDDISK", ("pcie", "pcie"), True),
    "sata": _Seen("sata", "QEMU HARDDISK", ("sata",), True),
}


def _discovery(server: Server, out: Path) -> str:
    """Each disk as what it is, once and again after a reboot under the same identity; the root is refused."""
    first = _looked_at(server)
    server.power_down()
    server.boot()
    if (second := _looked_at(server)) != first:
        raise Broken(f"after a reboot the disks are {second}, before {first}")
    names = ", ".join(f"{len(identities)} {kind}" for kind, identities in first.items())
    return f"{names}: bus, link, model, emulator as they are, identities the same after a reboot; the root refused"


def _looked_at(server: Server) -> dict[Kind, list[str]]:
    """The identities of all disks by kind. Raises Broken where a disk is seen as something else."""
    all_seen = runs.disks(server)
    by_kind = runs.by_kind(server, all_seen)
    wrong: list[str] = []
    for kind, disks in by_kind.items():
        for disk in disks:
            links = tuple(bus.kind for bus in disk.buses)
            as_it_is = _Seen(disk.transport, disk.model, links, bool(disk.rotational))
            if as_it_is != _SEEN[kind] or disk.emulator != "QEMU" or disk.verdict.standing is not Standing.OK:
                wrong.append(f"{disk.name} ({kind}) is {as_it_is}, {disk.emulator}, {disk.verdict}")
    root = [disk for disk in all_seen.values() if disk.name == "vda"]
    wrong += [f"the root is {disk.verdict}" for disk in root if disk.verdict.standing is not Standing.REFUSE]
    if not root or wrong:
        raise Broken("; ".join(wrong) or "`raidtui disks` misses the root, vda")
    return {kind: [disk.id for disk in disks] for kind, disks in by_kind.items()}


def _measured(answers: dict[str, Any]) -> Act:
    """A run by these answers on all NVMe disks, to its end; its folder and report are kept."""

    def act(server: Server, out: Path) -> str:
        disks = runs.of_kind(server, "nvme")
        run = runs.begin(server, {"disks": [disk.id for disk in disks], **answers})
        run.to_end()
        server.take(str(run.path), out / "run")
        if wrong := run.wrong() + _not_blank(server):
            raise Broken("; ".join(wrong))
        report = (out / "run/report.md").read_text()
        first = next(line for line in report.splitlines() if line.startswith("- "))
        if "emulated" not in first:
            raise Broken(f"the report begins with: {first}")
        return f"{len(run.measurements())} tests, each with a figure, once; the members blank; {out / 'run'}"

    return act


def _recorded(recipe: str) -> Row:
    """A recipe by the answers of its recorded report."""
    answers = tomllib.loads((RECORDED / f"{recipe}.toml").read_text())
    return Row(name=recipe, disks=rack.rack(512 * MIB, **_NVME), act=_measured(answers))


def _not_blank(server: Server) -> list[str]:
    return [f"on {disk.name} is {disk.found}" for disk in runs.of_kind(server, "nvme") if disk.found != "blank"]


_BYSTANDER = "mkfs.ext4 -q -F {path} && mount {path} /mnt && cp -r /usr/share/doc /mnt && umount {path} && sync"
_DIGEST = "sha256sum {path}"
_SHORT = {"runtime": "3s", "ramp_time": 1}


def _cut(server: Server, out: Path) -> str:
    """The plug is pulled in a test of the array, twice: the run is gone on with, and cleared away."""
    (bystander,) = runs.of_kind(server, "sata")
    server.run(_BYSTANDER.format(path=bystander.path))
    before = server.run(_DIGEST.format(path=bystander.path))
    told = [_fall(server, out / "resumed", runs.Run.resume), _fall(server, out / "cleaned", runs.Run.clean)]
    (bystander,) = runs.of_kind(server, "sata")
    if (after := server.run(_DIGEST.format(path=bystander.path))).split()[0] != before.split()[0]:
        raise Broken(f"the bystander was {before}, is {after}")
    return f"{'; '.join(told)}; the bystander is as before"


def _fall(server: Server, out: Path, then: Callable[[runs.Run], None]) -> str:
    """A RAID 5 with ext4, the plug pulled in a test on it, and after the boot `then`."""
    disks = [disk.id for disk in runs.of_kind(server, "nvme")]
    setup = {"level": "5", "filesystem": "ext4"}
    run = runs.begin(server, {"disks": disks, "recipe": "quick", "setup": setup, "fio": _SHORT})
    struck = run.to_trial("filesystem")
    ended = run.trials_ended()
    server.cut()
    server.boot()
    if (word := run.word()) != "cut off":
        raise Broken(f"after the cut `raidtui runs` calls {run.name} {word}")
    if run.trials_ended() != ended:
        raise Broken(f"before the cut the journal had {ended}, after it {run.trials_ended()}")
    then(run)
    server.take(str(run.path), out)
    wrong = run.wrong() + _not_blank(server)
    after = run.trials_ended()
    wrong += [f"{name} was measured again" for name, times in ended.items() if after[name] != times]
    if then is runs.Run.resume and set(after) != {trial.id for trial in run.plan.trials}:
        wrong.append(f"of {len(run.plan.trials)} trials {len(after)} were measured")
    if wrong:
        raise Broken("; ".join(wrong))
    return f"cut in {struck} with {ended.total()} tests done, called cut off, {then.__name__}: members blank"


RECORDED = Path(__file__).parents[1] / "recordings/reports"
_NVME = {"nvme": 4, "bytes_per_s": 20 * MB, "iops": 300}

ROWS: tuple[Row, ...] = (
    Row(name="boot", disks=rack.rack(512 * MIB, nvme=2, sas=2, sata=2), act=_discovery, core=True),
    Row(
        name="quick-nvme",
        disks=rack.rack(512 * MIB, **_NVME),
        act=_measured({"recipe": "quick", "setup": {"level": "5"}}),
        core=True,
    ),
    Row(name="cut", disks=rack.rack(512 * MIB, **_NVME, sata=1), act=_cut, core=True),
    *rows_kept.ROWS,
    *rows_cuts.ROWS,
    _recorded("nvme-array"),
    _recorded("flash-steady-state"),
)
