"""RAID 60 of 2 × 4: members pulled or failed in its groups, a whole group lost, kills, a power cut."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState
from raidtui.runs import directory, launch
from raidtui.system import md
from tests.torture import faults_boots, faults_copies, faults_proof, invariants
from tests.torture.attempt import Attempt, Missed, as_typed
from tests.torture.matrix import Row
from tests.torture.stand import GROUPED, Stand, command, settle

_RUN_S = 600  # of one run of many, as a row's limit is of one


def _plan(stand: Stand, *, seconds: float = 2.0, skip_sync: bool = False) -> Plan:
    disks = range(GROUPED)
    return stand.plan("6", groups=2, disks=disks, skip_sync=skip_sync, jobs=("write", "read"), seconds=seconds)


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


@contextmanager
def killed_at_each(undoing: bool, stand: Stand) -> Iterator[Attempt]:
    """One run a command, of building or of taking apart, each cleared away; the last run comes to its end. A command
    that is over before it is seen is missed: at least three of four are struck.
    """
    plan, struck, number = _plan(stand, seconds=0.2, skip_sync=True), [], 0
    while True:
        signal.alarm(_RUN_S)
        attempt = stand.start(plan)
        try:
            state = attempt.reach(partial(_is_at, number, undoing))
        except Missed:
            break
        assert state.step
        attempt.signal(9)
        struck.append(state.step.what)
        print(f"killed at “{struck[-1]}”", file=sys.stderr, flush=True)
        number = _commands(attempt.end(), undoing)
        as_typed(partial(launch.clean, attempt.path))
        settle()
        if left := [*invariants.nothing_built(attempt), *invariants.members_blank(stand.nodes())]:
            raise AssertionError(f"killed at “{struck[-1]}”: {left}")
    assert number >= 12 and len(struck) >= 0.75 * number, (len(struck), number)
    yield attempt


def _is_at(number: int, undoing: bool, plan: Plan, state: RunState) -> bool:
    return state.step is not None and _commands(state, undoing) > number


def _commands(state: RunState, undoing: bool) -> int:
    return sum(step.undoing == undoing for step in state.steps)


def fall(moment: str, stand: Stand) -> None:
    faults_boots.fall_of(stand.start(_plan(stand)), moment)


def _proof(stand: Stand) -> Plan:
    return faults_proof.plan_of(stand, "6", range(GROUPED), groups=2)


@contextmanager
def flipped(verified: int, role: str, stand: Stand) -> Iterator[Attempt]:
    """A bit of the third disk of the second group, behind the array's back."""
    disk = stand.disk(6)
    attempt = stand.start(_proof(stand), disk)
    attempt.reach(f"proof, {verified} verified, {role}")
    faults_proof.flip_bit(attempt, disk, 6)
    yield attempt


def fall_proving(stand: Stand) -> None:
    """In a rebuild of both groups the power fails."""
    faults_boots.fall_of(stand.start(_proof(stand)), "proof, 3 verified, sync-finished")


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
    *(
        Row(
            name=f"groups-sigkill-each-command-of-{name}",
            fault="the worker of groups gets SIGKILL, in a run of its own at each command",
            when=name,
            outcome="finished",
            act=partial(killed_at_each, undoing),
            lab="groups",
            rows_long=4,
        )
        for name, undoing in (("build", False), ("teardown", True))
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
    faults_proof.killed("groups", "RAID 60, 2 × 4,", _proof, ((0, "fill"), *faults_proof.OF_TWO), "", "groups"),
    Row(
        name="groups-proof-flips",
        fault="a bit of a member of the second group flips while the array is healthy",
        when="before the first disk of each is out",
        outcome="failed",
        says=("1 disk out per group: 1 bit flipped at array byte", ", group 2 byte", "{disk}"),
        act=partial(flipped, 1, "fill"),
        then="clean",
        lab="groups",
    ),
    Row(
        name="groups-proof-flips-rebuilt",
        fault="a bit of a member of the second group flips after the rebuild",
        when="before the check",
        outcome="failed",
        says=("rebuilt: the check of group 2 counted 8 sectors", "1 bit flipped", ", group 2 byte", "{disk}"),
        act=partial(flipped, 3, "check-ended"),
        then="clean",
        lab="groups",
    ),
    Row(
        name="groups-proof-zeros",
        fault="zeros on each member of RAID 50 in turn that is there, each found and named; then all is as before",
        when="1 disk out per group",
        outcome="finished",
        act=partial(faults_copies.in_turn, "5", 6, (1,), groups=2),
        lab="groups",
    ),
    Row(
        name="groups-proof-reboot",
        fault="the power fails, the machine boots again",
        when="a proof's rebuild of two groups",
        outcome="interrupted",
        act=faults_boots.up_again,
        then="resume",
        lab="groups-reboot",
        fall=fall_proving,
    ),
)
