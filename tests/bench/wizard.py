"""`raidtui` as a person starts it, on a recorded machine of 24 disks: only the look at the machine is replaced."""

from pathlib import Path

from raidtui.runs.status import RunStatus
from raidtui.ui import local
from raidtui.ui.services import Scan

MACHINE = Path(__file__).parents[1] / "recordings" / "machines" / "rack-of-24.json"


class RecordedMachine(local.LocalServices):
    """The recorded disks; no runs are going on."""

    def scan(self) -> Scan:
        from raidtui.core.disks.machine import decode
        from raidtui.core.disks.verdicts import disks_of

        machine = decode(MACHINE.read_bytes())
        return Scan(disks_of(machine), machine.host)

    def runs(self) -> tuple[RunStatus, ...]:
        return ()


if __name__ == "__main__":
    local.LocalServices = RecordedMachine  # type: ignore[misc]
    from raidtui.cli.app import main

    main()
