"""`raidtui practice`: boots the practice kernel with the wizard in it; without a terminal, a run to its report."""

import sys

from raidtui.core.units import parse_bytes, parse_bytes_per_s
from raidtui.practice.errors import PracticeError
from raidtui.practice.kernel import boot
from raidtui.practice.rack import Rack
from raidtui.runs.directory import practice_folder
from raidtui.runs.disks.known_speeds import HELD_TO


def run(*, disks: int, disk_size: str, disk_speed: str, disk_iops: int, full_screen: bool) -> int:
    """The exit status of what ran in there; 1 with one sentence where practice disks cannot be had.

    `disk_size` and `disk_speed` as a person writes them; ValueError with one sentence where they cannot be.
    """
    speed = 0 if disk_speed == "0" else parse_bytes_per_s(disk_speed)
    rack = Rack(disks=disks, disk_size_bytes=parse_bytes(disk_size), bytes_per_s=speed, iops=disk_iops)
    if full_screen:
        print("Starting the practice kernel (about 10 s) …", file=sys.stderr)
    module_inside = "raidtui" if full_screen else "raidtui.practice.headless"
    try:  # in the folder that outlives the kernel: what the wizard writes is written there
        argv = ("env", "--chdir=/var/lib/raidtui", sys.executable, "-P", "-m", module_inside)
        told = {"RAIDTUI_PRACTICE_RESULTS": str(practice_folder()), **_speed_told(rack)}
        status = boot(rack, argv, practice_folder(), environment=told)
    except PracticeError as error:
        print(f"raidtui: {error}", file=sys.stderr)
        return 1
    print(f"Practice runs, reports and answer files: {practice_folder()}", file=sys.stderr)
    print("List: `raidtui runs`; print one: `raidtui report RUN`", file=sys.stderr)
    return status


def _speed_told(rack: Rack) -> dict[str, str]:
    """What each disk is held to, for the wizard's estimates (`runs.disks.known_speeds`)."""
    if not rack.bytes_per_s:
        return {}
    return {HELD_TO: f"{rack.bytes_per_s} {rack.small_iops}"}
