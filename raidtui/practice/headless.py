"""Practice without terminal: recipe `quick` on RAID 5 of all disks; report on stdout, the rest on stderr."""

import sys

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.report.markdown import markdown
from raidtui.runs import directory, launch
from raidtui.runs.follow import Follower
from raidtui.runs.planning import plan_here
from raidtui.runs.progress import watch
from raidtui.system.discovery import read_machine

_LEVELS = {1: "jbod", 2: "1"}  # by the number of disks; RAID 5 from three on


def main() -> int:
    """0 if the run finished."""
    free = tuple(disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK)
    level = _LEVELS.get(len(free), "5")
    filesystem = "none" if level == "jbod" else "xfs"
    plan = plan_here(Answers(disks=free, setup=Setup(level=level, filesystem=filesystem)))
    view = watch(Follower(launch.start(plan, directory.runs_root())), lambda line: print(line, file=sys.stderr))
    print(markdown(view.plan, view.state), end="")
    return 0 if view.state.outcome == "finished" else 1


if __name__ == "__main__":
    sys.exit(main())
