"""What is said of a check and of a replacement, by how it ended and what md counted."""

import msgspec
import pytest

from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.plan.model import Plan
from raidtui.core.run import events, kept
from raidtui.core.run.state import RunState, fold_all
from tests.builders.care import cared_for, seen, serial
from tests.builders.journals import started
from tests.runs.rig import plan_of

BEGUN = started("r")
FINISHED = events.RunEnded(at_s=9.0, outcome="finished")
STOPPED = events.RunEnded(at_s=9.0, outcome="stopped", reason="stopped on request")


def counted(sectors: int, final: bool = True) -> events.MismatchesCounted:
    return events.MismatchesCounted(at_s=5.0, sectors=sectors, final=final)


def check(level: str = "raid5") -> Plan:
    array, disks = cared_for(seen(level))
    return plans.check(array, disks, "machine", Limits())


@pytest.mark.parametrize(
    "level, told, said, unsaid",
    [
        ("raid5", [counted(0), FINISHED], ["read completely: no mismatches."], ["SMART"]),
        ("raid5", [counted(8, final=False), counted(0), FINISHED], ["no mismatches (count before: 8)"], []),
        ("raid5", [counted(128), FINISHED], ["(65536 bytes) mismatch", "mismatches are an error"], ["not an error"]),
        ("raid1", [counted(128), FINISHED], ["128 sectors", "not an error by themselves"], ["Parity mismatches"]),
        ("raid5", [STOPPED], ["check incomplete"], ["no mismatches", "SMART"]),
        ("raid5", [counted(0, final=False), FINISHED], ["check incomplete"], ["no mismatches"]),
    ],
)
def test_what_a_check_found(level: str, told: list[events.AnyEvent], said: list[str], unsaid: list[str]) -> None:
    words = " ".join(kept.sentences(check(level), fold_all([BEGUN, *told])))
    assert all(one in words for one in said) and not any(one in words for one in unsaid)


def test_what_came_of_a_replacement() -> None:
    array, disks = cared_for(seen())
    how = plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, Limits())
    plan = plans.replace(array, how, "machine")
    done = kept.sentences(plan, fold_all([BEGUN, FINISHED]))
    assert "ST4000 Z6579315 is in sync in /dev/md127, replacing ST4000 Z6448243." in done
    assert "replacement incomplete" in kept.sentences(plan, fold_all([BEGUN, STOPPED]))[0]
    spare = plans.replace(array, msgspec.structs.replace(how, waits=False), "machine")
    assert "is a spare of" in kept.sentences(spare, fold_all([BEGUN, FINISHED]))[0]


def test_how_far_it_is() -> None:
    progress = events.SyncProgress(at_s=2.0, action="check", done_bytes=50, total_bytes=200, bytes_per_s=1.0)
    assert kept.progress_words(check(), fold_all([BEGUN, progress])) == "check 25 %"
    assert kept.progress_words(check(), fold_all([BEGUN, counted(0), FINISHED])).endswith("no mismatches")
    assert kept.progress_words(check(), fold_all([BEGUN, STOPPED])) == "stopped on request"
    assert "by itself" in kept.progress_words(check(), RunState())
    assert kept.sentences(plan_of(), RunState()) == ()
