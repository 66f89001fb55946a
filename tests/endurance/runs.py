"""A headless run in the practice kernel, by raidtui's own commands: begun, followed by its journal, struck, resumed."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import slots
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory
from raidtui.runs.removal.decision import Consent
from raidtui.runs.status import status_of_run
from raidtui.system import block
from tests.endurance.machine import members_of
from tests.endurance.windows import WINDOWS, Seen, Watcher, Way, where
from tests.torture.invariants import no_orphan
from tests.torture.stand import settle

RECIPE = Path(__file__).parent / "endurance.toml"
_RAID5 = {"level": "5", "filesystem": "ext4", "stripe_cache_size": 512}
KINDS: dict[str, dict[str, Any]] = {
    "one setup": {"setup": _RAID5},
    "two arrays": {"setup": _RAID5, "axes": {"chunk": ["64KiB", "512KiB"]}},
    "one array for two": {"setup": {"level": "5", "stripe_cache_size": 512}, "axes": {"filesystem": ["ext4", "none"]}},
    "separate disks": {"setup": {"level": "jbod", "filesystem": "ext4"}},
}
_POLL_S = 0.005
_LIMIT_S = 180.0

Strike = Callable[[int], None]


class Missed(Exception):
    """The run did not come to where the blow was aimed at; or a command did not do what it should."""


def command(*arguments: str) -> str:
    """What a command of raidtui's prints; Missed where it fails."""
    argv = (sys.executable, "-m", "raidtui", *arguments)
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:]
        raise Missed(f"raidtui {' '.join(arguments)}: exit status {done.returncode}: {said}")
    return done.stdout


def answers(path: Path, kind: str) -> Path:
    """An answers file for the endurance recipe, which is laid where a person's own recipes lie."""
    own = Path.home() / ".config/raidtui/recipes"
    own.mkdir(parents=True, exist_ok=True)
    (own / RECIPE.name).write_bytes(RECIPE.read_bytes())
    path.write_text(tomli_w.dumps({"disks": members_of(), "recipe": RECIPE.stem, **KINDS[kind]}))
    return path


def begin(path: Path) -> "Run":
    """Plan, confirm, start; it goes on by itself."""
    (line,) = (line for line in command("plan", str(path)).splitlines() if line.startswith("    raidtui run "))
    return Run(command(*shlex.split(line)[1:], "--detach").strip())


def worker_alive(started: events.WorkerStarted) -> bool:
    return started.boot_id == block.boot_id() and block.start_ticks(started.pid) == started.start_ticks


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


class Run:
    """The run `name`, from its journal's beginning; `journal` is what of it has been read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = directory.runs_root() / name
        self.plan = directory.read_plan(self.path)
        self.journal: list[Seen] = []
        self._end = 0

    def follow(self) -> Iterator[Seen]:
        """The events that have come since the last time."""
        file = self.path / directory.JOURNAL
        if file.exists() and file.stat().st_size > self._end:
            with file.open("rb") as lines:
                lines.seek(self._end)
                found, length = journal_lines.read(lines.read())
            self._end += length
            told = [event for event in found if not isinstance(event, events.Damaged)]
            self.journal += told
            yield from told

    @property
    def worker(self) -> events.WorkerStarted | None:
        started = [event for event in self.journal if isinstance(event, events.WorkerStarted)]
        return started[-1] if started else None

    def go_on(self, way: Way) -> subprocess.Popen[bytes] | None:
        """Put another worker to it, in a process of its own; None where the first one is at it."""
        if way == "run":
            return None
        plan = slots.filled(directory.read_plan(self.path))  # an array that a kill left half made has to be named
        agreed = Consent(code=plan.code, typed=True, arrays=slots.names(plan.stages, self.path.name))
        argv = (sys.executable, "-m", "raidtui.runs.worker", f"--{way}", str(self.path), *agreed.argv)
        with (self.path / directory.LOG).open("ab") as log:
            return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def take(self, name: str, delay_s: float, way: Way, strike: Strike) -> str:
        """Go on with it, and strike its worker so long after this window opens; what the worker was at.

        Missed if it does not open.
        """
        window, watcher = WINDOWS[name], Watcher()
        last = self.worker if way != "run" else None
        going = self.go_on(way)
        end_s = time.monotonic() + _LIMIT_S
        struck_s = 0.0
        while not struck_s:
            for event in self.follow():
                if watcher.opens(window, event) and not struck_s:
                    struck_s = event.at_s + delay_s
            started = self.worker
            ended = started is not None and started != last and not worker_alive(started)
            if not struck_s and (ended or time.monotonic() > end_s):
                raise Missed(f"{name} did not come: {self.where(time.time())}")
            time.sleep(_POLL_S)
        time.sleep(max(0.0, struck_s - time.time()))
        assert self.worker
        at_s = time.time()
        strike(self.worker.pid)
        while worker_alive(self.worker):
            time.sleep(_POLL_S)
        if going is not None:
            going.wait(timeout=_LIMIT_S)
        list(self.follow())
        return self.where(at_s)

    def where(self, at_s: float | None) -> str:
        return where(self.journal, at_s)

    def cut_off(self) -> str:
        """What is amiss after a blow: orphans, or that `raidtui runs` does not call the run cut off."""
        wrong = no_orphan()
        if (word := status_of_run(self.path).word) != "cut off":
            wrong.append(f"`raidtui runs` calls it {word}")
        return "; ".join(wrong)

    def finish(self) -> str:
        """Resume it and leave it in peace; what of its trials is not as it should be, "" for nothing."""
        named = [word for member in self.plan.members for word in ("--erase", member.id)]  # asked for in another boot
        report = command("resume", self.name, "--confirm", self.plan.code, *named)
        return "; ".join(self._wrong(report))

    def wait(self) -> None:
        """Until its worker has gone."""
        end_s = time.monotonic() + _LIMIT_S
        while (started := self.worker) is None or worker_alive(started):
            list(self.follow())
            if time.monotonic() > end_s:
                raise Missed(f"it did not end: {self.where(time.time())}")
            time.sleep(0.05)
        list(self.follow())

    def _wrong(self, report: str) -> Iterator[str]:
        list(self.follow())
        ended = self.journal[-1]
        if not isinstance(ended, events.RunEnded) or ended.outcome != "finished" or ended.left:
            yield f"it has not finished: {ended}"
        planned = [trial.id for trial in self.plan.trials]
        report_json = msgspec.json.decode(command("report", self.name, "--json"))
        told = msgspec.convert(report_json["measurements"], list[Measurement])
        if [one.name for one in told] != planned:
            yield f"the report has {[one.name for one in told]}"
        yield from (f"{one.name} is {one.status}: {one.error}" for one in told if one.status != "ok")
        measured = Counter(event.trial for event in self.journal if isinstance(event, events.TrialEnded))
        yield from (f"{trial} was measured {measured[trial]} times" for trial in planned if measured[trial] != 1)
        if (self.path / directory.REPORT).read_text() != report:
            yield "report.md is not what `raidtui resume` printed"
        settle()
