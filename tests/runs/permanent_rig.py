"""A rig on which an array can be made permanent."""

from pathlib import Path

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.state import RunState
from raidtui.runs import stages
from raidtui.runs.waiting import Ended
from tests.builders.journals import started
from tests.runs.rig import Argv, Rig, plan_permanent

CONF, FSTAB = "/etc/mdadm/mdadm.conf", "/etc/fstab"
PLAN = plan_permanent(mount_owner="1000:8", mount_mode="2775")
BEFORE = {CONF: b"HOMEHOST <system>\n", FSTAB: b"proc /proc proc"}


class Permanent(Rig):
    """A machine on which an array can be put together, mounted and found again; every program does what it should."""

    def __init__(self, folder: Path, plan: Plan = PLAN) -> None:
        super().__init__(folder, plan)
        self.boot_files = dict(BEFORE)
        self.build()
        self.fails = ""  # program and first word of one that fails
        builds = self.answer

        def answer(argv: Argv) -> Ended:
            if self.fails and " ".join(argv).startswith(self.fails):
                return Ended(1, "it does not want to")
            if argv[:2] == ("mdadm", "--assemble"):
                self.array = "md127"
            if argv[0] in ("mount", "umount") and argv[-1] == "/srv/array":
                self.mounted, self.geometry = argv[0] == "mount", self.found if argv[0] == "mount" else ""
            if argv[0] == "mkdir":
                self.folders[argv[-1]] = 7
            if argv[0] == "rmdir":
                del self.folders[argv[-1]]
            return builds(argv)

        self.answer = answer

    @property
    def uuid(self) -> str:
        made = self.plan.stages[-2].filesystem
        assert made
        return made.uuid

    @property
    def found(self) -> str:
        """What findmnt says of it."""
        return f"{self.uuid} /dev/md127\n"

    def to_be_made(self) -> RunState:
        """The journal of a worker that died right after the array was to be kept."""
        number = self.plan.kept_stage
        assert number is not None
        array = self.plan.stages[number].array
        assert array
        self.array, self.stands_on = "md127", tuple(one.name for one in self.seen.devices)
        self.superblocks = {one.path: array.uuid for one in self.seen.devices}
        self.journal.add(started())
        self.journal.add(events.StageStarted(at_s=1, stage=number))
        for trial in self.plan.trials:
            ok = Measurement(name=trial.id, status="ok")
            self.journal.add(events.TrialEnded(at_s=2, trial=trial.id, measurement=ok))
        self.journal.add(events.StageEnded(at_s=3, stage=number, kept=True))
        return self.journal.state

    def settle(self) -> stages.Outcome:
        return stages.settle(self.plan, self.executor, self.journal.state)

    def undo(self) -> stages.Outcome:
        return stages.undo_permanence(self.plan, self.executor, self.journal.state)
