"""States in which a proof read the array back: what was out, what was read, how it ended."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable, Text
from raidtui.core.plan.model import Plan
from raidtui.core.proof.pattern import REQUEST_BYTES, ProofState
from raidtui.core.report.context import RunContext
from raidtui.core.run.proof import ProofResult, cut_words, differing, result
from raidtui.core.run.state import RunState
from raidtui.core.units import format_bytes, format_rate

NOT_PROVED = "none: data not read back (recipe proof)"


def proof(run: RunContext) -> Iterator[Block]:
    proved = result(run.plan, run.state)
    if proved is None:
        return
    yield Heading("Proof")
    yield Text(f"{format_bytes(proved.plan.written_bytes)} of the array, written by this run, read back in each state:")
    yield PageTable(("State", "Disks out", "Read", "Rate", "Result"), rows(run), 5)
    yield Bullets([differing(event, run.plan) for event in proved.differed])


def rows(run: RunContext) -> list[Sequence[str]]:
    """By state: words, serials of the disks that are out, bytes read, rate, result; none of a plan without proof."""
    proved = result(run.plan, run.state)
    states = enumerate(proved.plan.states, 1) if proved else ()
    return [_row(run, number, state, proved) for number, state in states if proved]


def _row(run: RunContext, number: int, state: ProofState, proved: ProofResult) -> Sequence[str]:
    trials = [trial for trial in run.plan.trials if trial.state == number]
    reads = [measured.read for trial in trials if (measured := run.state.measured(trial.id)) and measured.read]
    read_bytes, took_s = sum(read.io_bytes for read in reads), sum(read.io_bytes / read.bytes_per_s for read in reads)
    out = ", ".join(run.plan.members[index].serial or run.plan.members[index].id for index in state.out)
    ended = "0 blocks differ" if state in proved.verified else "not verified"
    if any(event.state == state.words for event in proved.differed):
        ended = "DIFFERS"
    if proved.plan.witness and number == len(proved.plan.states):
        found = proved.cut.found if proved.cut else 0
        if not (found and state in proved.verified) and ended != "DIFFERS":
            ended = "copies not asked" if found else cut_words(proved)
        return state.words, "none", format_bytes(found * REQUEST_BYTES) if found else "", "", ended
    rate = format_rate(read_bytes / took_s) if took_s else ""
    return state.words, out or "none", format_bytes(read_bytes) if reads else "", rate, ended


def line(plan: Plan, state: RunState) -> str:
    """For the commissioning page: states and date, or that the array is not proved."""
    proved = result(plan, state)
    if proved is None or not proved.verified:
        return NOT_PROVED
    day = f"{datetime.fromtimestamp(proved.ended_at_s, UTC):%Y-%m-%d}"
    share = "" if proved.plan.share >= 1 else f" ({100 * proved.plan.share:g} % of the array)"
    words = f"{format_bytes(proved.plan.written_bytes)} written{share}, verified in {len(proved.verified)}"
    differs = "DIFFERS" if proved.differed else "0 blocks differ"
    return f"{words} of {len(proved.plan.states)} states, {differs}, {day}"


def covered(plan: Plan, state: RunState) -> str:
    """States in which all copies and parity were compared, and the power cut; "" if there were none."""
    proved = result(plan, state)
    if proved is None or not proved.verified:
        return ""
    checked = sum(one.checked for one in proved.verified)
    compared = [f"all copies and parity in {checked} states"] if checked else []
    cut = [f"power cut: {cut_words(proved)}"] if proved.plan.witness and proved.cut else []
    return "; ".join((*compared, *cut))
