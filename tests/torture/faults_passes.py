"""A disk that does not keep what burn-in writes in its second pass, though it says so: tcm_loop on a dm device.

The disk in the rack is a plain one until then: dm-linear is reloaded as dm-flakey, or with two of its pieces exchanged.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui import recipes
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.practice.rack import MIB
from raidtui.system import block
from raidtui.system.discovery import read_machine
from tests.torture import mapped
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import DISK_MIB, Stand

_SECTORS = DISK_MIB * MIB // 512
_PIECE = 4 * MIB // 512  # that is exchanged with the one behind it
_MBPS = 20
_WRITTEN_MIB = 32  # of the second pass when the disk changes: what is exchanged lies before that


def _exchanging(loop: str) -> str:
    first, second, rest = 2 * _PIECE, 3 * _PIECE, 4 * _PIECE
    return "\n".join((
        f"0 {first} linear {loop} 0",
        f"{first} {_PIECE} linear {loop} {second}",
        f"{second} {_PIECE} linear {loop} {first}",
        f"{rest} {_SECTORS - rest} linear {loop} {rest}",
    ))  # fmt: skip


def _plan(disk: Disk) -> Plan:
    """Two passes over one disk."""
    machine = read_machine()
    answers = Answers(disks=(disk.id,), recipe="burn-in", repeat=2, self_test="none")
    return make(answers, recipes.load("burn-in"), disks_of(machine), machine.machine_id)


@contextmanager
def in_the_second_pass(table: Callable[[str], str], stand: Stand) -> Iterator[Attempt]:
    """Burn-in of a disk that is another one once a part of its second pass is written."""
    with mapped.disk(stand, "forgets") as (disk, reload):
        number = block.text(f"/sys/block/{disk.name}/dev")
        for way in ("read", "write"):
            limit = Path(f"/run/blkio/blkio.throttle.{way}_bps_device")
            limit.write_text(f"{number} {_MBPS * 1_000_000}")
        attempt = stand.begin("second cell", _plan(disk), disk)
        _when_written(disk, _WRITTEN_MIB, attempt)
        reload(table)
        yield attempt


def _when_written(disk: Disk, mib: int, attempt: Attempt) -> None:
    """Once so much more has been written to the disk; its run must not end before."""
    stat = Path(f"/sys/block/{disk.name}/stat")
    begun = int(stat.read_text().split()[6])
    while int(stat.read_text().split()[6]) - begun < mib * MIB // 512:
        if attempt.look().ended:
            raise AssertionError("the second pass ended before its disk was another one")
        time.sleep(0.02)


ROWS = tuple(
    Row(
        name=f"burn-in-{name}",
        fault=f"in the second pass of a burn-in {fault}",
        when="measuring",
        outcome="finished",
        says=("FAILED", "{disk}", "gave back something else than was written, first at byte"),
        act=partial(in_the_second_pass, table),
    )
    for name, fault, table in (
        ("drops", "a disk drops what is written (dm-flakey)", mapped.dropping),
        ("moves", "a disk gives back blocks of another place (dm-linear)", _exchanging),
    )
)
