"""How far a proof went, and what is said of a difference."""

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import Direction, Measurement, Status
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.run import events
from raidtui.core.run.events import AnyEvent, BlocksDiffered
from raidtui.core.run.proof import continuation, continued_at, differing, out_now, result
from raidtui.core.run.state import RunState, fold_all
from tests.builders.machines import device, machine

SEEN = machine(*(device(name) for name in ("sda", "sdb", "sdc")))
STARTED = events.WorkerStarted(at_s=1.0, schema=1, run="run", boot_id="b", pid=1, start_ticks=1)


def plan(recipe: str = "proof") -> Plan:
    disks = disks_of(SEEN)
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"), recipe=recipe)
    return planner.make(answers, recipes.load(recipe), disks, "machine")


def step(at_s: float, role: str, *, undoing: bool = False) -> list[AnyEvent]:
    begun = events.StepStarted(at_s=at_s, stage=0, what=role, line=role, role=role, undoing=undoing)
    return [begun, events.StepEnded(at_s=at_s, what=role)]


def ended(at_s: float, trial: str, status: Status = "ok") -> list[AnyEvent]:
    read = Direction(iops=1.0, bytes_per_s=1.0, io_bytes=1 << 40)
    measurement = Measurement(name=trial, status=status, rw="read", read=read)
    return [
        events.TrialStarted(at_s=at_s, trial=trial, expected_s=1.0),
        events.TrialEnded(at_s=at_s + 1, trial=trial, measurement=measurement),
    ]


def told(*groups: list[AnyEvent]) -> RunState:
    return fold_all([STARTED, *(event for group in groups for event in group)])


BEGUN = (step(2.0, "create"), step(3.0, "fill"))
HEALTHY = ended(4.0, "s1-verify-1")
DEGRADED = [*ended(6.0, "s1-verify-2a"), *ended(8.0, "s1-verify-2b")]


def verified(state: RunState) -> list[str]:
    proved = result(plan(), state)
    assert proved
    return [one.words for one in proved.verified]


def test_a_state_is_verified_once_all_its_tests_are() -> None:
    assert verified(told()) == verified(told(*BEGUN)) == []
    assert verified(told(*BEGUN, HEALTHY)) == ["healthy"]
    assert verified(told(*BEGUN, HEALTHY, DEGRADED[:2])) == ["healthy"]
    assert verified(told(*BEGUN, HEALTHY, DEGRADED)) == ["healthy", "1 disk out"]
    assert verified(told(*BEGUN, HEALTHY, ended(5.0, "s1-verify-1", "failed"))) == []


def test_what_an_earlier_array_gave_back_does_not_count() -> None:
    assert verified(told(*BEGUN, HEALTHY, step(9.0, "create"), step(10.0, "fill"))) == []


def test_when_the_last_state_was_verified() -> None:
    proved = result(plan(), told(*BEGUN, HEALTHY, DEGRADED))
    assert proved and (proved.ended_at_s, proved.holds) == (9.0, False)


def test_a_proof_that_was_begun_is_continued_behind_its_last_state() -> None:
    made = plan()
    steps, proof = made.stages[0].steps, made.stages[0].proof
    assert proof and continued_at(made, told(step(2.0, "create"))) is None
    assert continued_at(made, told(*BEGUN)) == proof.first
    index = continued_at(made, told(*BEGUN, HEALTHY))
    assert index is not None and getattr(steps[index - 1], "trial", "") == "s1-verify-1"
    assert continuation(made, told(*BEGUN, HEALTHY)) == (
        "Its array stays; the proof continues with state 2 of 5: 1 disk out."
    )


def test_an_array_that_is_being_removed_does_not_stay() -> None:
    assert continued_at(plan(), told(*BEGUN, HEALTHY, step(9.0, "wipe", undoing=True))) is None
    assert continuation(plan(), told(*BEGUN, HEALTHY, step(9.0, "wipe", undoing=True))) == ""


def test_a_disk_that_is_out_on_purpose_is_so_while_its_state_is_written_and_read() -> None:
    made = plan()

    def out(role: str) -> set[int]:
        begun = events.StepStarted(at_s=9.0, stage=0, what=role, line=role, role=role)
        return set(out_now(made, told(*BEGUN, HEALTHY, [begun])))

    assert out("fill") == out("measure") == {0} and out("sync-finished") == set()
    assert out_now(made, told(*BEGUN)) == frozenset()


def test_a_plan_without_proof_has_no_result() -> None:
    assert result(plan("quick"), told(*BEGUN)) is None
    assert continued_at(plan("quick"), told(*BEGUN)) is None


BLOCK = BlockDiffers(
    request_bytes=1048576,
    offset_bytes=4096,
    count_bytes=1,
    array_bytes=1052672,
    member="wwn-0x50000000000000736461",
    member_bytes=9000,
    expected="11",
    found="15",
    kind="single bits differ",
    bits=1,
)


def said(*blocks: BlockDiffers, mismatches: int = 0) -> str:
    event = BlocksDiffered(at_s=1.0, stage=0, state="rebuilt", blocks=blocks, mismatches=mismatches)
    return differing(event, plan())


def test_the_sentence_of_a_difference() -> None:
    member = plan().members[0]
    block = BlockDiffers(**{name: getattr(BLOCK, name) for name in BLOCK.__struct_fields__} | {"member": member.id})
    where = f"array byte 1052672, {member.model} {member.serial} byte 9000"
    assert said(block) == f"rebuilt: 1 bit flipped at {where} (expected 11, found 15)"
    assert said(block, block).startswith("rebuilt, 2 blocks, the first: 1 bit flipped at array byte")
    assert said(mismatches=8) == "rebuilt: the check counted 8 sectors whose copies or parity disagree"
    once = BlockDiffers(request_bytes=1048576, offset_bytes=5, count_bytes=1, again=False)
    assert said(once) == "rebuilt: byte 1048581 differed once, not when read again"
