"""A run of raidtui's in a lab server, by its own commands: planned, begun, followed by its journal, gone on with."""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import tomli_w

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.disks.disk import Disk
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import slots, validate
from raidtui.core.plan.model import Target
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory
from tests.endurance.windows import Seen
from tests.server.machine import Broken, Server
from tests.server.rack import Kind

ROOT = Path("/var/lib/raidtui/runs")  # root's, in the server
INITRAMFS_S = 3600.0  # of a command that makes it again
ANSWERS = "/root/answers.toml"


def disks(server: Server) -> dict[str, Disk]:
    """What `raidtui disks --json` tells, by serial number."""
    told = msgspec.json.decode(server.raidtui("disks", "--json"))["disks"]
    return {disk.serial: disk for disk in msgspec.convert(told, list[Disk])}


def of_kind(server: Server, kind: Kind) -> list[Disk]:
    """The server's disks of a kind as raidtui sees them, in the rack's order. Raises Broken where it misses one."""
    return by_kind(server, disks(server))[kind]


def by_kind(server: Server, seen: dict[str, Disk]) -> dict[Kind, list[Disk]]:
    """The disks of each kind among those seen, in the rack's order. Raises Broken where one is missing."""
    serials = {disk.serial(server.name): disk.kind for disk in server.disks}
    if missed := [serial for serial in serials if serial not in seen]:
        raise Broken(f"`raidtui disks` misses {', '.join(missed)}; it has {', '.join(seen)}")
    return {kind: [seen[serial] for serial in serials if serials[serial] == kind] for kind in get_args(Kind)}


def status(server: Server) -> tuple[int, tuple[Array, ...]]:
    """The exit status of `raidtui status`, and the arrays of which it tells."""
    *told, code = server.run("raidtui status --json; code=$?; echo; echo $code").splitlines()
    return int(code), msgspec.json.decode("\n".join(told), type=ArraysStatus).arrays


def plan(server: Server, answers: dict[str, Any], *options: str) -> str:
    """What `raidtui plan` prints of these answers."""
    server.write(ANSWERS, tomli_w.dumps(answers))
    return server.raidtui("plan", ANSWERS, *options)


def begin(server: Server, answers: dict[str, Any]) -> "Run":
    """Plan, confirm, start; it goes on by itself."""
    printed = plan(server, answers)
    (line,) = (line for line in printed.splitlines() if line.startswith("    raidtui run "))
    return Run(server, server.raidtui(*shlex.split(line)[1:], "--detach").strip())


def _seen(lines: str) -> Iterator[Seen]:
    """The events of whole lines; ValueError where one cannot be read."""
    for event in journal_lines.read(lines.encode())[0]:
        if isinstance(event, events.Damaged):
            raise ValueError(f"a line cannot be read: {event}")
        yield event


class Run:
    """The run `name` in a server."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name, self.path = server, name, ROOT / name
        self.plan = validate.decode(server.run(f"cat {self.path / directory.PLAN}").encode())

    def follow(self, past: int = 0) -> Iterator[Seen]:
        """Its events as they come, but for the first `past` ones, without an end of their own."""
        for line in self.server.lines(f"tail -n +{past + 1} -F {self.path / directory.JOURNAL} 2>/dev/null"):
            yield from _seen(f"{line}\n")

    def to_trial(self, target: Target) -> str:
        """Wait until a test of such a target goes on; its id. Raises Broken where the run ends before."""
        wanted = {trial.id for trial in self.plan.trials if trial.target == target}
        for event in self.follow():
            if isinstance(event, events.TrialStarted) and event.trial in wanted:
                return event.trial
            if isinstance(event, events.RunEnded):
                break
        raise Broken(f"{self.name} came to no test of the {target}")

    def to_step(self, role: str, times: int = 1) -> None:
        """Wait until a step for this has been begun so many times. Raises Broken where the run ends before."""
        for event in self.follow():
            times -= isinstance(event, events.StepStarted) and event.role == role
            if not times:
                return
            if isinstance(event, events.RunEnded):
                break
        raise Broken(f"{self.name} came to no {role}")

    def to_end(self, past: int = 0) -> None:
        """Wait until it has ended and its worker has left: the report is written after the last event.

        `past`: of its first events, before it was gone on with. Raises Broken where it did not finish, or could not
        clear all away.
        """
        pid = 0
        for event in self.follow(past):
            if isinstance(event, events.WorkerStarted):
                pid = event.pid
            if isinstance(event, events.RunEnded):
                if event.outcome != "finished" or event.left:
                    raise Broken(f"{self.name} {event.outcome}: {event.reason} {'; '.join(event.left)}")
                self.server.run(f"tail --pid={pid} -f /dev/null")
                return

    def resume(self) -> None:
        """Go on with it where it was cut off, and wait until it has ended."""
        past = len(self.journal())
        names = [*(member.id for member in self.plan.members), *self._built()]  # asked for in another boot
        named = [word for name in names for word in ("--erase", name)]
        self.server.raidtui("resume", self.name, "--confirm", self.plan.code, *named, "--detach", timeout_s=INITRAMFS_S)
        self.to_end(past)

    def clean(self) -> None:
        """Clear away what it left; its code is typed, what it built is named."""
        named = " ".join(f"--erase {name}" for name in self._built())
        self.server.run(f"echo {self.plan.code} | raidtui clean {self.name} {named}")

    def _built(self) -> tuple[str, ...]:
        return slots.names(slots.filled(self.plan).stages, self.name)

    def clean_used(self) -> None:
        """The same of a kept file system, on a layer, that somebody wrote to: refused, until it is wiped by hand."""
        layer = next(layer for stage in slots.filled(self.plan).stages if (layer := stage.layer))
        by_hand = f"wipefs --all /dev/{layer.node}"
        named = " ".join(f"--erase {name}" for name in self._built())
        told = self.server.run(f"echo {self.plan.code} | raidtui clean {self.name} {named} 2>&1", ok=(3,))
        if "which this run did not write" not in told or f"`{by_hand}`" not in told:
            raise Broken(f"`raidtui clean` of what holds a file was not refused, or without the remedy: {told}")
        self.server.run(by_hand)
        self.clean()

    def undo(self) -> None:
        """Take back what made its array permanent; its code is typed."""
        self.server.run(f"echo {self.plan.code} | raidtui undo {self.name}", timeout_s=INITRAMFS_S)

    def word(self) -> str:
        """What `raidtui runs` calls it."""
        told = msgspec.json.decode(self.server.raidtui("runs", "--json"))["runs"]
        return next((str(one["standing"]) for one in told if one["run"] == self.name), "not there")

    def journal(self) -> list[Seen]:
        """All of it as it is now. Raises Broken where a line of it cannot be read."""
        text = self.server.run(f"cat {self.path / directory.JOURNAL}")
        try:
            return list(_seen(text))
        except ValueError as error:
            raise Broken(f"the journal of {self.name}: {error}") from error

    def trials_ended(self) -> Counter[str]:
        """How often each trial has been measured."""
        return Counter(event.trial for event in self.journal() if isinstance(event, events.TrialEnded))

    def measurements(self) -> list[Measurement]:
        report = msgspec.json.decode(self.server.raidtui("report", self.name, "--json"))
        return msgspec.convert(report["measurements"], list[Measurement])

    def wrong(self) -> list[str]:
        """The trials that ended without a good figure, with fio's words."""
        return [f"{one.name} is {one.status}: {one.error}" for one in self.measurements() if one.status != "ok"]
