"""The role on three servers over ssh: rows of whole lab servers, of which one at a time is switched on.

With a folder in RACK_OUT all is kept there, and rows that are ok there are not run again. In each row but the last a
server is switched on, with what its row before left on its disks. What is measured is emulated: of the figures only
that the slow disk is slow says anything.
"""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from raidtui.core.fleet.fleet import Fleet
from raidtui.core.units import MB, MIB, format_duration
from tests.ansible.plays import Failed, Plays, changes, need
from tests.endurance import table
from tests.server import plug, rack, runs
from tests.server.image import image
from tests.server.machine import REPOSITORY, Broken, Server

_SIZE = 128 * MIB
_HELD, _SLOW = {"bytes_per_s": 20 * MB}, {"bytes_per_s": 12 * MB}
_MEMBERS = rack.rack(_SIZE, sas=3, **_HELD)
_MORE = tuple(rack.Disk("sas", number, _SIZE, **_HELD) for number in range(4, 12))
_WITH_SLOW = (_MEMBERS[0], rack.Disk("sas", 2, _SIZE, **_SLOW), _MEMBERS[2])
_OTHERS = tuple(rack.Disk("sas", number, _SIZE, **_HELD) for number in range(21, 24))
_FIRST, _SECOND, _THIRD = "rack1", "rack2", "rack3"
_RACK: Mapping[str, tuple[rack.Disk, ...]] = {_FIRST: _MEMBERS + _MORE, _SECOND: _WITH_SLOW, _THIRD: _MEMBERS}
_READ = {"ioengine": "libaio", "direct": True, "bs": "1m", "iodepth": 4, "rw": "read", "size": "32m"}
_RECIPE = {
    "title": "Rack",
    "summary": "Seconds of reading.",
    "baseline": "each-member",
    "job": [{"name": "read", "fio": _READ | {"time_based": True, "runtime": "3s"}}],
}
_ANSWERS = {
    "disks": {"count": 3, "standing": "ok"},
    "recipe": "rack",
    "setup": {"level": "5", "filesystem": "ext4", "first_sync": "wait"},
    "after": "keep",
}
_CUT = plug.Moment(folder=f"{runs.ROOT}/*", name="journal.jsonl", text='"trial":"s2-read"', delay_s=2.0)  # of the array
_PATIENT = "-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ServerAliveInterval=30"


class Rack:
    """The servers' folders, and the plays on them, in a folder that outlives rows."""

    def __init__(self, out: Path, programs: Path, collections: Path) -> None:
        self.out, self.collected = out, out / "collected"
        self.plays = Plays(out / "plays", programs, collections)
        self._answers = out / "plays/array.toml"
        self._answers.parent.mkdir(parents=True, exist_ok=True)
        self._answers.write_text(tomli_w.dumps(_ANSWERS))
        self._image = image()

    @contextmanager
    def on(self, name: str, disks: tuple[rack.Disk, ...] = (), folder: str = "") -> Iterator[Server]:
        """A server of this name, switched on; a copy of it has other disks, in another folder."""
        server = Server(name, self.out / (folder or name), self._image, disks or _RACK[name])
        try:
            server.boot()
            server.write("/root/.config/raidtui/recipes/rack.toml", tomli_w.dumps(_RECIPE))
            self._reached(server)
            yield server
            server.power_down()
        finally:
            server.cut()

    def _reached(self, server: Server) -> None:
        """The inventory, with this server alone."""
        by = {
            "ansible_host": "127.0.0.1",
            "ansible_port": server.port,
            "ansible_user": "root",
            "ansible_ssh_private_key_file": str(server.key),
            "ansible_ssh_common_args": _PATIENT,
            "ansible_timeout": 300,
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        role = {
            "commission_arrays": [{"name": "store", "answers": str(self._answers)}],
            "commission_controller_executable": str(REPOSITORY / ".venv/bin/raidtui"),
            "commission_collected": str(self.collected),
            "commission_report": str(self.out / "fleet"),
            "commission_poll_s": 5,
        }
        self.plays.inventory({server.name: by, "localhost": local}, role)

    def play(self, server: Server, status: int = 0) -> str:
        return self.plays.play("--limit", server.name, status=status)

    def code(self, name: str) -> str:
        return (self.collected / f"plans/{name}/store.txt").read_text().split()[-1]

    def stops(self, server: Server, disks: tuple[rack.Disk, ...]) -> None:
        """Without a code the role plans, and stops; nothing on any disk is changed."""
        before = _digests(server, disks)
        said = self.play(server, status=2)
        need("the confirmation code" in said or "not approved" in said, said)
        need(_digests(server, disks) == before, f"a disk of {server.name} was changed without a code")

    def approved(self, server: Server) -> None:
        """What a person does who has read the plan."""
        self.plays.decided(server.name, commission_confirm={"store": self.code(server.name)})

    def run(self, name: str) -> Path:
        """The run of a host that was collected."""
        folders = sorted((self.collected / f"runs/{name}").iterdir())
        need(len(folders) == 1 and (folders[0] / "report.md").exists(), f"collected of {name}: {folders}")
        return folders[0]


def _digests(server: Server, disks: tuple[rack.Disk, ...]) -> dict[str, str]:
    return {disk.name: server.digest(disk.name) for disk in disks}


def _three_disks_and_then_eight_more(lab: Rack) -> str:
    with lab.on(_FIRST) as server:
        seen = runs.disks(server)
        names = " ".join(seen[disk.serial(_FIRST)].name for disk in _MORE)
        server.run(f"for name in {names}; do echo 1 > /sys/block/$name/device/delete; done")
        lab.stops(server, _MEMBERS)
        lab.approved(server)
        built = changes(lab.play(server), _FIRST)
        run, uuid = lab.run(_FIRST), server.run("mdadm --detail --scan")
        again = changes(lab.play(server), _FIRST)
        server.run("for host in /sys/class/scsi_host/host*/scan; do echo '- - -' > $host; done; udevadm settle")
        there = runs.disks(server)
        need(all(there[disk.serial(_FIRST)].verdict.standing == "ok" for disk in _MORE), "the eight are not free")
        before = _digests(server, _MORE)
        more = changes(lab.play(server), _FIRST)
        need(_digests(server, _MORE) == before, "one of the eight free disks was changed")
        need(server.run("mdadm --detail --scan") == uuid and lab.run(_FIRST) == run, "another array, or another run")
        need((built > 0, again, more) == (True, 0, 0), f"tasks that changed something: {built}, {again}, {more}")
    return (
        f"stopped without a code, no disk changed; built, measured, collected: {run.name}; a second play changed=0,"
        " with eight more free disks changed=0, those as before"
    )


def _one_disk_slow(lab: Rack) -> str:
    with lab.on(_SECOND) as server:
        lab.stops(server, _WITH_SLOW)
        lab.approved(server)
        lab.play(server)
    return f"stopped without a code, no disk changed; built, measured, collected: {lab.run(_SECOND).name}"


def _the_code_on_a_clone(lab: Rack) -> str:
    """Of the first server, by name and machine-id; its disks are others."""
    with lab.on(_FIRST, _OTHERS, "clone") as server:
        before = _digests(server, _OTHERS)
        said = lab.play(server, status=2)
        need("is not this plan" in said, said)
        need(_digests(server, _OTHERS) == before, "a disk of the clone was changed")
        need(not server.run("raidtui runs --json | grep -c standing", ok=(0, 1)).strip("0\n"), "the clone has a run")
    return "refused: the code is not this plan's; no disk changed, no run"


def _plug_pulled_in_the_middle(lab: Rack) -> str:
    with lab.on(_THIRD) as server:
        lab.stops(server, _MEMBERS)
        lab.approved(server)
        with lab.plays.begin("--limit", _THIRD) as play:
            with server.cut_at(_CUT):
                pass
            took_s = server.boot()
            refused = " ".join(play.ended(status=2).split())
        (run,) = (runs.Run(server, name) for name in server.run(f"ls {runs.ROOT}").split())
        need(f"raidtui resume {run.name} --erase raidtui-" in refused, refused)
        before = len(run.journal())
        lab.play(server, status=2)  # nor does another play
        need(len(run.journal()) == before, "a play went on with a run whose array is to be kept")
        run.resume()
        lab.play(server)
        measured = run.trials_ended()
        need(set(measured) == {trial.id for trial in run.plan.trials}, f"measured: {measured}")
        need(lab.run(_THIRD).name == run.name, "another run was collected")
        starts = sum(type(event).__name__ == "WorkerStarted" for event in run.journal())
    return (
        f"pulled in a test, up again after {format_duration(took_s)}; two plays refused to go on with {run.name}, a"
        f" person did; it had {starts} workers, and is collected"
    )


def _the_slow_disk_by_name(lab: Rack) -> str:
    fleet = msgspec.json.decode((lab.out / "fleet.json").read_bytes(), type=Fleet)
    (experiment,) = fleet.experiments
    need(sorted(run.host for run in experiment.runs) == sorted(_RACK), f"hosts: {experiment.runs}")
    slow = [(disk.host, disk.disk.serial) for disk in experiment.screened.disks]
    need(slow == [(_SECOND, _WITH_SLOW[1].serial(_SECOND))], f"slow: {experiment.screened}")
    return f"three hosts, {fleet.disks} disks; slow: {slow[0][1]} of {slow[0][0]}"


ROWS: tuple[Callable[[Rack], str], ...] = (
    _three_disks_and_then_eight_more,
    _plug_pulled_in_the_middle,
    _one_disk_slow,
    _the_slow_disk_by_name,
    _the_code_on_a_clone,
)


def rows(out: Path, programs: Path, collections: Path) -> int:
    """Status 1 where a row is not ok; the next ones stand on it."""
    lab, results = Rack(out, programs, collections), out / "rows.jsonl"
    done = {row["row"] for row in table.read(results) if row["verdict"] == table.GOOD}
    for row in ROWS:
        name, began_s = row.__name__.strip("_").replace("_", " "), time.monotonic()
        if name in done:
            continue
        try:
            seen, verdict = row(lab), table.GOOD
        except (Failed, Broken) as failed:
            seen, verdict = str(failed), "differs"
        told: dict[str, Any] = {"row": name, "took": format_duration(time.monotonic() - began_s)}
        told |= {"seen": seen, "verdict": verdict}
        table.add(results, told)
        print(json.dumps(told), file=sys.stderr, flush=True)
        if verdict != table.GOOD:
            return 1
    for folder in (*_RACK, "clone"):
        shutil.rmtree(out / folder, ignore_errors=True)
    print(table.markdown(table.read(results)))
    return 0
