"""A written machine on which a proof runs, and whose worker may die at any command."""

import json
from pathlib import Path

from raidtui import recipes
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import After, Answers, ProofAnswers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs import stages
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended
from tests.runs.rig import BOOT, SEEN, Argv, Rig

RESULT = (Path(__file__).parents[2] / "recordings" / "fio" / "seq-read.json").read_text()


STARTED = events.WorkerStarted(at_s=1.0, schema=events.SCHEMA, run="run", boot_id=BOOT, pid=1, start_ticks=1)


class Killed(BaseException):
    """The worker is gone, in the middle of a command."""


def plan(after: After = "teardown", filesystem: str = "none", witness: str = "") -> Plan:
    disks = disks_of(SEEN)
    setup = Setup(level="5", filesystem=filesystem)
    proof = ProofAnswers(cut="witness", witness=witness) if witness else ProofAnswers()
    ids = tuple(disk.id for disk in disks)
    answers = Answers(disks=ids, setup=setup, recipe="proof", after=after, proof=proof)
    return planner.make(answers, recipes.load("proof"), disks, "machine")


class ProofRig(Rig):
    """A machine whose md does as it is told; `kill_at`: before that command, or after it, the worker dies."""

    def __init__(self, folder: Path, plan: Plan, seen: Machine = SEEN) -> None:
        super().__init__(folder, plan, seen)
        (folder / "fio").mkdir(exist_ok=True)
        self.build()
        self._built = self.answer
        self.answer = self._answer
        self.kill_at, self.late = -1, False
        self.mismatches, self.short_bytes = "0", 0
        for path in ("/proc/sys/vm/drop_caches", "/sys/block/md127/md/sync_min"):
            self.settings[path] = folder / Path(path).name
            self.settings[path].write_text("0")

    def _answer(self, argv: Argv) -> Ended:
        dies = argv[0] != "udevadm" and len(self.commands()) - 1 == self.kill_at
        if dies and not self.late:
            raise Killed
        ended = self._done(argv)
        if dies:
            raise Killed
        return ended

    def commands(self) -> list[Argv]:
        """Without udevadm's, which a look at the members adds once the last look is a second old."""
        return [argv for argv in self.given if argv[0] != "udevadm"]

    def _done(self, argv: Argv) -> Ended:
        name = argv[-1].removeprefix("/dev/")
        match argv[:2]:
            case ("mdadm", "--remove"):
                self.stands_on = tuple(one for one in self.slaves("md127") if one != name)
            case ("mdadm", "--add"):
                assert self.stands_on is not None and name not in self.stands_on
                array = self.plan.stages[-1].array
                assert array
                self.stands_on, self.superblocks[argv[-1]] = (*self.stands_on, name), array.uuid
            case ("mdadm", "--assemble"):
                assert self.array is None
                self.array = "md127"
            case ("fio", _):
                options = dict(word.removeprefix("--").partition("=")[::2] for word in argv)
                self._write_result(options["output"], int(options.get("io_size", options["size"])) - self.short_bytes)
        return self._built(argv)

    def _write_result(self, output: str, io_bytes: int) -> None:
        document = json.loads(RESULT)
        document["jobs"][0]["read"]["io_bytes"] = io_bytes
        (self.folder / output).write_text(json.dumps(document))

    def text(self, path: str | Path) -> str:
        if str(path).endswith("mismatch_cnt"):
            return self.mismatches
        return super().text(path)

    def after(self) -> "ProofRig":
        """The next worker, on the machine as it is now."""
        self.journal.close()
        self.sampler.close()
        self.given, self.kill_at = [], -1
        self.open()
        return self

    def go(self) -> Outcome:
        past = self.journal.state
        self.journal.add(STARTED)
        return stages.go(self.plan, self.executor, past)
