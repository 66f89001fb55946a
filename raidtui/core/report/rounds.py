"""The part of a report on rounds: how a job went from round to round, and whether it came to a steady state."""

from collections.abc import Sequence

from raidtui.core.report.charts import Bar, Bars, Block
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import escape, number
from raidtui.core.results.series.rounds import Rounds


def pages(series: Sequence[Rounds]) -> list[Block]:
    """Each job with a bar a round; nothing where there were no rounds."""
    blocks: list[Block] = []
    for rounds in series:
        unit, scale = SCALES[rounds.kind]
        drawn = tuple(
            Bar(f"round {index}", value, f"{number(value, scale)} {unit}" if value is not None else "no figure")
            for index, value in enumerate(rounds.figures, 1)
        )
        blocks += [f"## Round by round: {escape(rounds.title)}, {escape(rounds.setup)}", _sentence(rounds)]
        blocks.append(Bars(f"{rounds.title}, {rounds.setup}: round by round, {unit}", drawn))
    return blocks


def _sentence(rounds: Rounds) -> str:
    """How it ended; the figures elsewhere in the report are of its last five rounds."""
    rounds_done = f"{len(rounds.figures)} of at most {rounds.most_rounds} rounds"
    if rounds.steady is None:
        return f"{rounds_done}: too few to tell whether it is steady."
    words = escape(rounds.steady.words.replace("repetitions", "rounds"))
    return f"{rounds_done}: {words}. Tables show the median of the last five."
