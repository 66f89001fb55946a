"""What is run in lab servers: a table. Each row has a server of its own, with the disks that it names.

A row returns what was seen, in one sentence for its table; it raises Broken where that is not as it should be.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.machine import BusKind
from raidtui.core.hardware import nvme
from raidtui.core.plan.steps import nvme_cache
from raidtui.core.run import disk_changes, events
from raidtui.core.script.render import NVME
from raidtui.core.units import MB, MIB
from tests.server import rack, rows_cuts, rows_groups, rows_kept, rows_moving, rows_proof, rows_zfs, runs
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
            if as_it_is != _SEEN[kind] or disk.emulator != "QEMU" or disk.verdict.standing is not Usability.OK:
                wrong.append(f"{disk.name} ({kind}) is {as_it_is}, {disk.emulator}, {disk.verdict}")
    root = [disk for disk in all_seen.values() if disk.name == "vda"]
    wrong += [f"the root is {disk.verdict}" for disk in root if disk.verdict.standing is not Usability.REFUSE]
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
        answer = next(line for line in report.splitlines() if line.startswith("## "))
        if "EMULATED" not in answer:
            raise Broken(f"the report's answer is headed: {answer}")
        return f"{len(run.measurements())} tests, each with a figure, once; the members blank; {out / 'run'}"

    return act


_CACHE = "nvme get-feature {path} --feature-id=6"
_BY_HAND = """declare -A old
name() {{ basename "$(readlink --canonicalize-existing "$1")"; }}
{functions}
members=({members})
nvme_setting nvme/{first}/volatile-write-cache 'write through' >&2
nvme get-feature /dev/{first} --feature-id=6
nvme_set nvme/{first}/volatile-write-cache "${{old[nvme/{first}/volatile-write-cache]}}" >&2
members=({others})
nvme_setting nvme/{first}/volatile-write-cache 'write through' 2>&1
nvme get-feature /dev/{first} --feature-id=6
"""


def _caches(server: Server, out: Path) -> str:
    """Then a write test with the disks' own write caches off: each is journalled, off during it, and on again after."""
    seen = _measured({"recipe": "quick", "setup": {"level": "5"}})(server, out)
    disks = runs.of_kind(server, "nvme")
    axes = [{"level": ["10"], "layout": ["n2"], "chunk": ["64KiB"], "filesystem": ["xfs"]}]
    answers = {"recipe": "levels-random-4k", "axes": axes, "jobs": ["rand_write"], "repeat": 1, "fio": _SHORT}
    run = runs.begin(server, {"disks": [disk.id for disk in disks], **answers})
    run.to_end()
    server.take(str(run.path), out / "caches")
    journal = run.journal()
    paths = [event.path for event in journal if isinstance(event, events.SettingChanged)]
    changes = {(event.old, event.new) for event in journal if isinstance(event, events.SettingChanged)}
    restored = [event.path for event in journal if isinstance(event, events.SettingRestored)]
    warned = [event.text for event in journal if isinstance(event, events.Warned)]
    told = [settings for event in journal if isinstance(event, events.QueuesRead) for settings in event.disks.values()]
    caches = {settings.get(disk_changes.CACHE, "") for settings in told}
    now = [server.run(_CACHE.format(path=disk.path)).strip() for disk in disks]
    wrong = run.wrong() + _not_blank(server) + [text for text in warned if "cache" in text]
    if not paths or set(paths) != {nvme_cache(f"{{member:{number}}}") for number in range(len(disks))}:
        wrong.append(f"changed were {paths}")
    if changes != {(nvme.ON, nvme.OFF)} or sorted(restored) != sorted(paths):
        wrong.append(f"the changes were {changes}, put back {restored}")
    if {nvme.write_cache(text) for text in now} != {nvme.ON} or nvme.OFF not in caches:
        wrong.append(f"in the tests the caches were {caches}, after them {now}")
    if wrong := wrong + _caches_by_hand(server, [disk.name for disk in disks]):
        raise Broken("; ".join(wrong))
    return f"{seen}; {len(paths)} write caches off in a write test, on after it ({now[0]}), by a script's functions too"


def _caches_by_hand(server: Server, names: list[str]) -> list[str]:
    """What a script's functions for it do otherwise than they should: one that is the plan's, one that is not."""
    members = [" ".join(f"/dev/{name}" for name in some) for some in (names, names[1:])]
    first, others = members
    server.write("/root/caches.sh", _BY_HAND.format(functions=NVME, members=first, others=others, first=names[0]))
    off, left_alone, on = server.run("bash -eu /root/caches.sh").strip().splitlines()
    as_it_should = (nvme.write_cache(off), nvme.write_cache(on)) == (nvme.OFF, nvme.ON)
    return [] if as_it_should and "left alone" in left_alone else [f"by hand: {off}; {left_alone}; {on}"]


def _recorded(recipe: str) -> Row:
    """A recipe by the answers of its recorded report."""
    return Row(name=recipe, disks=rack.rack(512 * MIB, **_NVME), act=_measured(_answers(recipe)))


def _answers(name: str) -> dict[str, Any]:
    """The answers of a recorded report."""
    return tomllib.loads((RECORDED / f"{name}.toml").read_text())


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
        act=_caches,
        core=True,
    ),
    Row(name="cut", disks=rack.rack(512 * MIB, **_NVME, sata=1), act=_cut, core=True),
    *rows_kept.ROWS,
    *rows_groups.ROWS,
    *rows_cuts.ROWS,
    *rows_moving.ROWS,
    *rows_proof.ROWS,
    *rows_zfs.ROWS,
    Row(name="zfs", disks=rack.rack(640 * MIB, **_NVME), act=_measured(_answers("jbod-vs-raid0-zfs")), zfs=True),
    _recorded("nvme-array"),
    _recorded("flash-steady-state"),
)
