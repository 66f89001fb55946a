"""The services of this machine: its disks, its runs. What the screens ask for, done by the layers below."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui import recipes
from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.run import progress
from raidtui.runs import directory
from raidtui.runs.status import RunStatus, all_statuses
from raidtui.ui import last_time
from raidtui.ui.draft import Draft
from raidtui.ui.services import DrivesTold, Feed, Recipes, Resumption, Scan

if TYPE_CHECKING:
    from raidtui.core.fleet.fleet import Fleet
    from raidtui.runs.removing import Removal
    from raidtui.ui.render.side_by_side_lines import SideBySide


class LocalServices:
    """This machine. Imports late: nothing here is needed for the first picture but the disks."""

    demo = ""

    def host(self) -> str:
        """What this machine calls itself."""
        return os.uname().nodename

    def settings(self) -> Configuration:
        """config.toml."""
        from raidtui import configuration
        from raidtui.system.new_file import behind_sudo

        person = behind_sudo()
        return configuration.read(person[0] if person else None)

    def scan(self) -> Scan:
        """The disks as they are now."""
        from raidtui.core.disks.verdicts import disks_of
        from raidtui.runs.kept_arrays import keeping_runs, unwell
        from raidtui.runs.locks import machine_here
        from raidtui.runs.planning import free_name, known_speeds
        from raidtui.system import versions
        from raidtui.system.arrays import monitors
        from raidtui.system.privilege import as_root

        machine = machine_here()
        disks = disks_of(machine)
        root = directory.runs_root()
        return Scan(
            disks,
            machine.machine_id or machine.host,
            keeping_runs(disks, root),
            last_time.recall(),
            known_speeds(disks, root),
            {disk.id: root / disk.run for disk in disks if disk.run and (root / disk.run).is_dir()},
            monitors.here(),
            unwell(machine, root),
            versions.has_rmapbt(),
            "" if machine.root else as_root(),
            free_name(),
        )

    def health(self) -> DrivesTold:
        """What smartctl tells of the drives; one that sleeps is left asleep."""
        from raidtui.core.hardware.pages import health_lines
        from raidtui.system.drives import examined

        drives, why_nothing = examined(())
        named = [drive for drive in drives if drive.id]
        lines = {drive.id: tuple(health_lines(drive.health, drive.judgement, drive.why_not)) for drive in named}
        return DrivesTold(lines, why_nothing)

    def recipes(self) -> Recipes:
        """The recipes that can be read, the person's own among them."""
        return tuple((name, recipe) for name, recipe in recipes.library().recipes.items() if not recipe.existing)

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        """The plan over the disks of the last look; the worker looks again before it erases."""
        from raidtui.runs.planning import plan_on
        from raidtui.ui.preview import with_measured_speed

        return plan_on(with_measured_speed(answers, scan), scan.disks, scan.machine_id)

    def obstacles(self, answers: Answers) -> tuple[str, ...]:
        """A sentence for each thing that is missing here."""
        from raidtui.core.raid.filesystems import filesystem
        from raidtui.system import doctor
        from raidtui.system.packages import how_to_install
        from raidtui.system.programs import which

        obstacles = [reason] if (reason := doctor.missing_for_run()) else []
        maker = filesystem(answers.setup.filesystem).program
        if maker and which(maker) is None:
            obstacles.append(f"{maker} is not installed: {how_to_install(maker)}.")
        return tuple(obstacles)

    def why_not_here(self, answers: Answers) -> dict[str, str]:
        """A name in use, a user who is not known, a folder that is full."""
        from raidtui.runs.planning import why_not_here

        return why_not_here(answers)

    def no_practice(self) -> str:
        """A jail is tried."""
        from raidtui.practice.refusal import reason

        return reason() or ""

    def start(self, plan: Plan) -> Path:
        """Starts the worker, which outlives this program."""
        from raidtui.runs import launch

        return launch.start(plan, directory.runs_root())

    def remember(self, draft: Draft) -> None:
        """In the person's own folder."""
        last_time.remember(draft)

    def stop(self, path: Path) -> None:
        """Asks the worker to stop and remove the array."""
        from raidtui.runs import launch

        if not launch.stop(path):
            raise ValueError(f"{path.name}: worker died; `raidtui clean {path.name}` removes its array")

    def type_passphrase(self, path: Path) -> None:
        """In a process of its own, as whoever types it in another terminal does."""
        print(progress.MANUAL_STEP_SOON, flush=True)
        ended = subprocess.run((sys.executable, "-P", "-m", "raidtui", "passphrase", path.name), check=False)
        if ended.returncode:  # what it said would be gone with this picture
            print("Press Enter to return.", end=" ", flush=True)
            sys.stdin.readline()

    def removal(self, path: Path) -> "Removal":
        """Looks at what an ended run kept or left."""
        from raidtui.runs import removing

        return removing.look(path)

    def remove(self, path: Path, agreed: "Removal") -> None:
        """Removes it."""
        from raidtui.runs import removing

        removing.remove(path, agreed)

    def resume(self, path: Path, *, erases: bool, named: tuple[str, ...] = ()) -> None:
        """Starts a worker that goes on with a run, which outlives this program."""
        from raidtui.runs import launch
        from raidtui.runs.removal.decision import Consent

        launch.resume(path, Consent(arrays=named), erases=erases)

    def keep(self, path: Path) -> None:
        """Leaves standing what a killed run built."""
        from raidtui.runs import launch

        launch.keep(path)

    def resumption(self, path: Path) -> Resumption:
        """Looks at a run that is not going on, and at its disks."""
        from raidtui.core.plan import confirmation
        from raidtui.core.run.proof import continued_on
        from raidtui.runs.journal import read_state

        plan = directory.read_plan(path)
        members = confirmation.as_now(plan.members, self.scan().disks)
        state = read_state(path / directory.JOURNAL)
        return Resumption(members, state.kept, continued_on(plan, state))

    def forget(self, path: Path) -> None:
        """Deletes a settled run's folder."""
        from raidtui.runs.forget import forget

        forget(path)

    def compare(self, first: Path, second: Path) -> "SideBySide":
        """Two runs, test by test."""
        from raidtui.core.results.comparison import of_run
        from raidtui.runs.journal import read_state
        from raidtui.ui.render.side_by_side_lines import side_by_side

        runs_compared = []
        for number, path in enumerate((first, second)):
            plan, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
            runs_compared.append((f"{path.name}, {plan.title}", of_run(plan, state, source=number)))
        return side_by_side(runs_compared[0][0], runs_compared[1][0], runs_compared[0][1], runs_compared[1][1])

    def fleet(self, folder: Path) -> "Fleet":
        """Runs of many hosts, collected below `folder`."""
        from raidtui.runs import collected

        return collected.fleet(folder)

    def runs(self) -> tuple[RunStatus, ...]:
        """All that build or measure."""
        return tuple(run_status for run_status in all_statuses(directory.runs_root()) if not run_status.cares)

    def feed(self, path: Path, *, live: bool = False) -> Feed:
        """Follows a run."""
        from raidtui.runs.follow import Viewer

        return Viewer(path, live=live)
