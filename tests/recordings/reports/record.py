"""Makes the recorded reports of the five experiments, scaled down, on disks of the practice kernel.

    python -m raidtui.practice -n 6 -s 400 -b 94 -i 100 -o OUT -- python -m tests.recordings.reports.record RECIPE
    python -m tests.recordings.reports.kept RECIPE OUT/runs/RUN

Each recipe's overrides are the answers file beside this one, without its disks; RECIPE.md is the report that came of
it, and the first line of the answers names the disks it was made on. The second command keeps plan and journal of the
run, so that its report follows the program: without arguments it writes the reports of all that are kept again.
Those of NVMe disks are made in the lab's server, by the same answers, and kept in the same way:

    SERVER_OUT=OUT python -m tests.server nvme-array flash-steady-state
    python -m tests.recordings.reports.kept RECIPE OUT/RECIPE/run

`jbod-vs-raid0-zfs` is made there as well, by the row `zfs`.

Answers that name a recipe themselves are a proof of the model with it: `levels-94` of its sequential figures,
`random-100` of its random ones.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

import tomli_w

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.system.discovery import read_machine

_OUT = Path("/var/lib/raidtui")
_AT_ONCE = 192  # commands that scsi_debug takes from all its disks together; it aborts what is beyond


def record(recipe: str) -> None:
    """Run the recipe by its answers and leave the report in the results' folder."""
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK]
    for depth in Path("/sys/block").glob("sd*/device/queue_depth"):
        depth.write_text(str(min(int(depth.read_text()), _AT_ONCE // len(disks))))
    answers = tomllib.loads(Path(__file__).with_name(f"{recipe}.toml").read_text())
    path = Path("/run/answers.toml")
    path.write_text(tomli_w.dumps({"disks": disks, "recipe": recipe} | answers))
    raidtui = (sys.executable, "-m", "raidtui")
    said = subprocess.run((*raidtui, "plan", str(path)), check=True, capture_output=True, text=True).stdout
    print(*said.splitlines()[-12:], sep="\n", file=sys.stderr)
    run = (*raidtui, "run", str(path), "--confirm", said.split()[-1])
    done = subprocess.run(run, stdout=subprocess.PIPE, text=True)
    (_OUT / f"{recipe}.md").write_text(done.stdout)
    sys.exit(done.returncode)


if __name__ == "__main__":
    record(sys.argv[1])
