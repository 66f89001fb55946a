"""RAID 60 of 2 × 4: members pulled or failed in its groups, a whole group lost, kills, a power cut."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.runs import directory
from raidtui.system import md
from tests.torture import faults_boots
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import GROUPED, Stand, command


def _plan(stand: Stand, *, seconds: float = 2.0) -> Plan:
    disks = range(GROUPED)
    return stand.plan("6", groups=2, disks=disks, skip_sync=False, jobs=("write", "read"), seconds=seconds)


def _group(attempt: Attempt, number: int) -> str:
    array = slots.filled(directory.read_plan(attempt.path)).stages[-1].array
    assert array
    return f"/dev/{md.find(array.groups[number].uuid)}"


@contextmanager
def pulled(stand: Stand) -> Iterator[Attempt]:
    disk = stand.disk(1)
    attempt = stand.begin("measuring", _plan(stand), disk)
    stand.delete(disk)
    try:
        yield attempt
    finally:
        stand.rescan()


@contextmanager
def failed(members: Sequence[int], stand: Stand) -> Iterator[Attempt]:
    """`mdadm --fail` of these, by index, each in its group."""
    attempt = stand.begin("measuring", _plan(stand), stand.disk(members[0]))
    for index in members:
        command("mdadm", _group(attempt, index // 4), "--fail", stand.disk(index).path, ok=False)
    yield attempt


@contextmanager
def killed(moment: str, stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin(moment, _plan(stand))
    attempt.signal(9)
    yield attempt


def fall(moment: str, stand: Stand) -> None:
    faults_boots.fall_of(stand.start(_plan(stand)), moment)


ROWS = (
    Row(
        name="groups-pulled-measuring",
        fault="a member of a group is pulled out",
        when="measuring",
        outcome="failed",
        says=("{disk}", "has lost"),
        act=pulled,
        then="clean",
        lab="groups",
    ),
    Row(
        name="groups-both-degraded",
        fault="mdadm --fail of a member of each group from outside",
        when="measuring",
        outcome="finished",
        says=("{disk}", "has lost"),
        act=partial(failed, (1, 5)),
        lab="groups",
    ),
    Row(
        name="groups-one-lost",
        fault="mdadm --fail of all but one member of a group",
        when="measuring",
        outcome="failed",
        says=("{disk}", "has lost"),
        act=partial(failed, (1, 2, 3)),
        lab="groups",
    ),
    *(
        Row(
            name=f"groups-sigkill-{moment.replace(' ', '-')}",
            fault="the worker of groups gets SIGKILL",
            when=moment,
            outcome="interrupted",
            act=partial(killed, moment),
            then="clean",
            lab="groups",
        )
        for moment in ("create", "initial resync", "measuring", "teardown")
    ),
    Row(
        name="groups-reboot-initial-resync",
        fault="the power fails under groups, the machine boots again",
        when="initial resync",
        outcome="interrupted",
        act=faults_boots.up_again,
        then="clean",
        lab="groups-reboot",
        fall=partial(fall, "initial resync"),
    ),
)
