"""How far a proof went, and what is said of a difference."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import ProofAnswers
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.proof.witnessed import CopiesAsked
from raidtui.core.run import events
from raidtui.core.run.events import AnyEvent, BlocksDiffered
from raidtui.core.run.proof import continuation, continued_at, cut_words, differing, out_now, result, why_not_resumed
from raidtui.core.run.state import RunState
from tests.builders.proofs import BEGUN, DEGRADED, HEALTHY, ended, plan, step, told


def count(at_s: float, sectors: int) -> list[AnyEvent]:
    return [events.MismatchesCounted(at_s=at_s, sectors=sectors, final=True)]


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


def test_a_complete_array_is_verified_only_after_its_own_check() -> None:
    assert verified(told(*BEGUN, ended(4.0, "s1-verify-1"))) == []
    assert verified(told(*BEGUN, count(3.5, 8), ended(4.0, "s1-verify-1"))) == []
    assert verified(told(*BEGUN, ended(4.0, "s1-verify-1"), count(6.0, 0))) == []
    rebuilt = [*ended(10.0, "s1-verify-3a"), *ended(12.0, "s1-verify-3b")]
    assert len(verified(told(*BEGUN, HEALTHY, DEGRADED, rebuilt))) == 2  # that of the healthy array is no check of it
    assert len(verified(told(*BEGUN, HEALTHY, DEGRADED, count(9.5, 0), rebuilt))) == 3


def test_what_an_earlier_array_gave_back_does_not_count() -> None:
    assert verified(told(*BEGUN, HEALTHY, step(9.0, "create"), step(10.0, "fill"))) == []


def test_a_difference_counts_at_any_clock() -> None:
    differed = BlocksDiffered(at_s=0.5, stage=0, state="healthy", blocks=(BLOCK,))  # the clock was set back
    proved = result(plan(), told(*BEGUN, HEALTHY, [differed]))
    assert proved and proved.differed == (differed,) and not proved.holds


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
    counted = "rebuilt: the check counted 8 sectors whose copies or parity disagree, the first: 1 bit flipped at array"
    assert said(block, mismatches=8).startswith(counted)
    among = replace(block, member="", member_bytes=None, bits=0, kind="copies that differ")
    among = replace(among, among=tuple(one.id for one in plan().members[:2]))
    titles = ", ".join(f"{one.model} {one.serial}" for one in plan().members[:2])
    assert said(among) == f"rebuilt: copies that differ at array byte 1052672, on {titles}"
    once = BlockDiffers(request_bytes=1048576, offset_bytes=5, count_bytes=1, again=False)
    assert said(once) == "rebuilt: byte 1048581 differed once, not when read again"


CUT = ProofAnswers(cut="witness", witness="/dev/ttyS0")
TRIALS = ("s1-verify-1", *(f"s1-verify-{state}{part}" for state in (2, 3, 4, 5) for part in "ab"))
CHECKED = {"s1-verify-1", "s1-verify-3a", "s1-verify-5a"}
VERIFIED = (
    *BEGUN,
    *([*(count(4.0 + at, 0) if trial in CHECKED else ()), *ended(4.0 + at, trial)] for at, trial in enumerate(TRIALS)),
)
BEGAN = events.PowerCutAwaited(at_s=31.0, tag="0123456789abcdef", boot_id="first")
WRITING: list[AnyEvent] = [events.StepStarted(at_s=30.0, stage=0, what="", line="", role="power-cut"), BEGAN]
STOPPED: list[AnyEvent] = [*WRITING, events.StepEnded(at_s=32.0, what="", error="stopped")]


def answered(number: int, found: int = 0, why_not: str | None = None) -> list[AnyEvent]:
    """`why_not`: copies were asked for (""), or were not."""
    copies = None if why_not is None else CopiesAsked(copies=1, stripes=9, why_not=why_not)
    asked = events.PowerCutAnswered(at_s=40.0, acknowledged=number, copies=copies)
    return [*WRITING, asked, events.PowerCutAnswered(at_s=40.0, acknowledged=number, found=found)]


@pytest.mark.parametrize(
    "since, boot, number, says",
    [
        (WRITING, "second", 7, ""),
        (WRITING, "second", 0, ""),
        (WRITING, "second", None, 'power was cut? `raidtui resume --acknowledged "01234567 NUMBER"`'),
        (WRITING, "first", None, ""),  # it was killed: they begin anew
        (WRITING, "first", 7, "power was not cut while it wrote"),
        (STOPPED, "second", 7, "power was not cut while it wrote"),
        (STOPPED, "second", None, ""),
        (STOPPED, "first", 0, ""),
        (answered(7), "second", None, ""),
        (answered(7), "second", 7, "no power cut is due"),
        ([], "second", 7, "no power cut is due"),
        ([], "second", 0, "no power cut is due"),
        ([], "second", None, ""),
        (WRITING, "second", "again", ""),
        (answered(7), "second", "again", "no power cut is due"),
    ],
)
def test_a_power_cut_needs_its_witness(since: list[AnyEvent], boot: str, number: int | str | None, says: str) -> None:
    given = number if isinstance(number, int) else None
    reason = why_not_resumed(plan(proof=CUT), told(*VERIFIED, since), boot, given, again=number == "again")
    assert reason.startswith(says) and bool(reason) == bool(says)


@pytest.mark.parametrize(
    "since, states, uncut",
    [
        (WRITING, 5, False),
        (answered(7), 5, False),
        (answered(7, 7), 5, False),
        (answered(7, 7, "md began its resync first"), 5, False),
        (answered(7, 7, ""), 6, False),
        (answered(0), 5, True),
    ],
)
def test_a_power_cut_is_verified_once_its_writes_are(since: list[AnyEvent], states: int, uncut: bool) -> None:
    made, state = plan(proof=CUT), told(*VERIFIED, since)
    proved = result(made, state)
    assert proved and (len(proved.verified), proved.uncut, proved.holds) == (states, uncut, states == 6)
    index = continued_at(made, state)
    assert index is not None and getattr(made.stages[0].steps[index], "condition", "") == "power-cut"


@pytest.mark.parametrize(
    "asked, words",
    [
        (None, "7 acknowledged writes"),
        (CopiesAsked(copies=2), "7 acknowledged writes on 2 copies each"),
        (
            CopiesAsked(copies=1, stripes=9, left_out=2),
            "7 acknowledged writes, parity of 9 stripes (2 left out)",
        ),
        (
            CopiesAsked(why_not="md began its resync first"),
            "7 acknowledged writes, copies not asked (md began its resync first)",
        ),
    ],
)
def test_what_a_power_cut_covered(asked: CopiesAsked | None, words: str) -> None:
    proved = result(plan(proof=CUT), told(*VERIFIED, answered(7, 7)))
    assert proved and proved.cut
    proved = replace(proved, cut=replace(proved.cut, copies=asked))
    assert cut_words(proved) == words


def test_what_is_left_of_a_proof_with_a_power_cut() -> None:
    made = plan(proof=CUT)
    words = continuation(made, told(*VERIFIED, WRITING))
    assert words == "Its array stays; the proof continues with state 6 of 6: power cut."
    assert continuation(made, told(*VERIFIED, answered(0))).endswith("the rest of the run is done.")


def test_a_lost_write_is_named_with_its_number() -> None:
    block = replace(BLOCK, number=48213)
    event = BlocksDiffered(at_s=1.0, stage=0, state="power cut", blocks=(block,), count=12)
    assert differing(event, plan()).startswith("power cut, 12 blocks, the first, acknowledged write 48213: ")
