"""Figures, ratios and the three-way verdict in words: the only place that has them."""

import pytest

from raidtui.core import units
from raidtui.core.answer import numbers, values
from raidtui.core.answer.values import Effect, Expected, Gain, Over, ParsedSetup, Rank, Verdict


def plain(text: str) -> str:
    """Its signs as a keyboard has them; `..` is the dash of a range."""
    return text.replace(units.MINUS, "-").replace(numbers.TIMES, "x").replace(numbers.DASH, "..")


def over(
    ratio: float, verdict: Verdict = "different", where: str = "", half: float = 0.0, single: bool = False
) -> Over:
    low, high = (ratio - half, ratio + half) if half else (None, None)
    return Effect(ratio=ratio, verdict=verdict, where=where, single_run=single, low=low, high=high)


@pytest.mark.parametrize(
    "overs, words",
    [
        ([over(1.01, "equal")], "equal (±3 %)"),
        ([over(1.01, "equal"), over(0.98, "equal")], "equal (±3 %)"),
        ([over(1.36)], "+36 %"),
        ([over(1.36, single=True)], "+36 %"),
        ([over(0.64)], "-36 %"),
        ([over(1.14), over(1.36)], "+14 to +36 %"),
        ([over(0.98), over(1.361), over(1.359)], "-2 to +36 %"),
        ([over(1.36), over(1.361)], "+36 %"),
        ([over(1.04, "n.s.")], "n.s. (+4 %)"),
        ([over(1.04, "n.s.", half=0.1)], "n.s. (+4 %, detects ≥ 14 %)"),
        ([over(0.96, "n.s.", half=0.1, single=True)], "n.s. (-4 %, detects ≥ 14 %)"),
        ([over(1.04, "n.s."), over(0.93, "n.s.")], "n.s. (max -7 %)"),
        ([over(1.04, "n.s.", half=0.2), over(1.01, "equal", half=0.01)], "n.s. (max +4 %, detects ≥ 24 %)"),
        ([over(1.36, where="RAID 5"), over(1.01, "equal")], "+36 % in 1 of 2 cases (RAID 5)"),
        ([over(1.36), over(1.01, "n.s.")], "+36 % in 1 of 2 cases"),
        ([over(1.36, where="a"), over(1.5, where="b"), over(1.0, "equal")], "+36 to +50 % in 2 of 3 cases"),
    ],
)
def test_a_difference_has_one_wording(overs: list[Over], words: str) -> None:
    assert plain(numbers.verdict(overs)) == words


def effect(figure: float, base: float, verdict: Verdict = "different", by_latency: float | None = None) -> Effect:
    return Effect(figure=figure, base_figure=base, unit="IOPS", verdict=verdict, by_latency=by_latency)


@pytest.mark.parametrize(
    "cell, words",
    [
        (values.PlainFigure(figure=45.4e6, unit="bytes/s"), "45.4"),
        (values.PlainFigure(figure=3689.5e6, unit="bytes/s"), "3690"),
        (values.PlainFigure(figure=211.2, unit="IOPS"), "211"),
        (values.PlainFigure(figure=1.78e9, unit="ns"), "1.78 s"),
        (values.PlainFigure(), ""),
        (Gain(figure=480.0, base_figure=20.0), "24x"),
        (Gain(ratio=0.09, published=3.46), "0.09x (published 3.5x)"),
        (Expected(ratio=0.54, closeness="below"), "-46 %"),
        (Expected(ratio=0.92, closeness="n.s."), "-8 % n.s."),
        (Rank(figure=300.0, unit="IOPS"), "300"),  # of the base itself
        (Rank(figure=300.0, base_figure=600.0, base="RAID 0", unit="IOPS"), "300 · 50 %"),
        (
            Rank(figure=2e8, base_figure=4e8, base="RAID 0", unit="bytes/s", published=0.61),
            "200 · 50 % (published 61 %)",
        ),
        (effect(286.0, 211.0), "286 vs 211 · +36 %"),  # of the two that are printed
        (effect(100.0, 100.0, "equal"), "100 vs 100 · 0 % (equal)"),
        (effect(104.0, 100.0, "n.s."), "104 vs 100 · +4 % n.s."),
        (effect(40.0, 80.0, by_latency=0.48), "40 vs 80 · -50 % or -52 % !"),
        (effect(40.0, 80.0, "n.s.", by_latency=0.502), "40 vs 80 · -50 % n.s. !"),
        (values.RebuildPace(figure=1e8, unit="bytes/s"), "100 MB/s · 2 h 46 min/TB"),
        (values.RebuildPace(figure=1e8, unit="bytes/s", little=True, below_min=True), "100 MB/s † ↓"),
    ],
)
def test_a_cell_has_its_number_and_a_mark_for_its_doubt(cell: ParsedSetup, words: str) -> None:
    assert plain(numbers.cell((cell,), "" if isinstance(cell, values.RebuildPace) else cell.unit, kept=False)) == words


def test_shares_of_a_base_are_what_is_left_and_several_are_one_span() -> None:
    one, other = effect(40.0, 80.0), effect(60.0, 80.0, "n.s.")
    assert numbers.cell((one,), "IOPS", kept=True) == "40 of 80 · 50 %"
    assert numbers.cell((one, other), "IOPS", kept=True) == numbers.verdict([one, other])
    assert numbers.cell((), "IOPS", kept=True) == ""


@pytest.mark.parametrize(
    "words, made",
    [
        *((numbers.percent(ratio), words) for ratio, words in ((1.36, "+36 %"), (0.5, "-50 %"), (1.0, "0 %"))),
        *((numbers.times(ratio), words) for ratio, words in ((24.2, "24x"), (9.96, "10x"), (3.04, "3.0x"))),
        (numbers.times(0.094), "0.09x"),
        *((numbers.figure(value, "IOPS"), words) for value, words in ((286.4, "286 IOPS"), (None, ""))),
        (numbers.figure(9.5e6, "bytes/s"), "9.50 MB/s"),
        (numbers.figure(2.1e6, "bytes"), "2.10 MB"),
        (numbers.figure(3.52e6, "ns"), "3.52 ms"),
        (numbers.figure(2.0, "disks"), "2 disks"),
        (numbers.figure(0.5, ""), "0.5"),
        (numbers.share(0.758), "76 %"),
        (numbers.share(None), "0 %"),
        (numbers.between("14 ms", "36 ms"), "14..36 ms"),
        (numbers.between("693 kB/s", "9.52 MB/s"), "693 kB/s..9.52 MB/s"),
        (numbers.between("4", "4"), "4"),
        (numbers.pair(194e6, 296e6, "ns"), "194 vs 296 ms"),
        (numbers.pair(1.91e9, 385e6, "ns"), "1.91 s vs 385 ms"),
        (numbers.named(["a", "b", "c"]), "a, b, c"),
        (numbers.named(list("abcde")), "a, b, c, 2 more"),
    ],
)
def test_a_ratio_and_two_values_in_words(words: str, made: str) -> None:
    assert plain(words) == made


def test_a_table_in_words_explains_the_marks_that_it_has() -> None:
    in_doubt = values.AnswerRow("RAID 5", ((effect(40.0, 80.0, "n.s.", 0.48),), ()))
    table = values.AnswerTable(
        (("Random read", "IOPS"), ("Sequential read", "bytes/s")), (in_doubt,), note="Of whole ones.", kept=True
    )
    assert numbers.cells(table) == (
        ["Setup", "Random read, IOPS", "Sequential read, MB/s"],
        [["RAID 5", "40 of 80 · 50 % or 48 % n.s. !", ""]],
    )
    assert numbers.note(table) == f"Of whole ones. {numbers.LEGEND['n.s.']} {numbers.LEGEND['!']}"
    paces = values.AnswerRow("RAID 5", ((values.RebuildPace(figure=1.0, little=True, below_min=True),),))
    slow = values.AnswerTable((("by itself", ""),), (paces,))
    assert numbers.note(slow) == f"{numbers.LEGEND['†']} {numbers.LEGEND['↓']}"
