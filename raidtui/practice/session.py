"""`raidtui practice`: the wizard in the practice kernel; without terminal a run and its report.

Practice without terminal: recipe `quick` on RAID 5 of all disks; report on stdout, the rest on stderr.
"""

import sys

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.report.markdown import markdown
from raidtui.core.units import parse_bytes, parse_bytes_per_s
from raidtui.practice.errors import PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import Rack
from raidtui.runs import directory, launch
from raidtui.runs.directory import practice_folder
from raidtui.runs.follow import Follower
from raidtui.runs.planning import HELD_TO, plan_here
from raidtui.runs.progress import watch
from raidtui.system.discovery import read_machine


def run(*, disks: int, disk_size: str, disk_speed: str, disk_iops: int, full_screen: bool) -> int:
    """Exit status; 1 with one sentence if impossible. ValueError for a bad size or speed."""
    rack = Rack(
        disks=disks,
        disk_size_bytes=parse_bytes(disk_size),
        bytes_per_s=0 if disk_speed == "0" else parse_bytes_per_s(disk_speed),
        iops=disk_iops,
    )
    module_inside = "raidtui" if full_screen else "raidtui.practice.session"
    try:  # in the folder that outlives the kernel: what the wizard writes is written there
        argv = ("env", "--chdir=/var/lib/raidtui", sys.executable, "-P", "-m", module_inside)
        status = boot(
            rack,
            argv,
            practice_folder(),
            environment={"RAIDTUI_PRACTICE_RESULTS": str(practice_folder()), **_speed_environment(rack)},
        )
    except PracticeError as error:
        print(f"raidtui: {error}", file=sys.stderr)
        return 1
    print(f"Practice runs, reports and answer files: {practice_folder()}", file=sys.stderr)
    print("List: `raidtui runs`; print one: `raidtui report RUN`", file=sys.stderr)
    return status


def _speed_environment(rack: Rack) -> dict[str, str]:
    if not rack.bytes_per_s:
        return {}
    return {HELD_TO: f"{rack.bytes_per_s} {rack.small_iops}"}


_LEVELS = {1: "jbod", 2: "1"}  # by the number of disks; RAID 5 from three on


def main() -> int:
    """0 if the run finished."""
    free = tuple(disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK)
    level = _LEVELS.get(len(free), "5")
    plan = plan_here(Answers(disks=free, setup=Setup(level=level, filesystem="none" if level == "jbod" else "xfs")))
    view = watch(Follower(launch.start(plan, directory.runs_root())), lambda line: print(line, file=sys.stderr))
    print(markdown(view.plan, view.state), end="")
    return 0 if view.state.outcome == "finished" else 1


if __name__ == "__main__":
    sys.exit(main())
