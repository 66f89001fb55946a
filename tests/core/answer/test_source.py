"""Beside the source: about the same, or what is furthest from it, refuted with what was found here."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer.expected import by_geometry, published_over, source
from raidtui.core.answer.values import Effect, Gain, Over, Rank
from raidtui.core.results.analysis import compare
from tests.builders import sweeps

PLAN = replace(sweeps.plan("levels-sequential", 4), source="A Title, An Author, 2014")


def effect(here: float, there: float, low: float | None = None, high: float | None = None) -> Effect:
    return Effect(subject="sector 128", base="63", test="Writes", ratio=here, published=there, low=low, high=high)


@pytest.mark.parametrize(
    "overs, refuted",
    [
        ([effect(1.5, 1.4)], []),
        ([effect(1.03, 1.43, 0.9, 1.5)], []),  # it may be so
        ([effect(1.03, 1.43, 0.9, 1.1), effect(2.246, 1.055, 2.0, 2.5)], [1.055, 1.43]),  # the furthest first
        ([Rank(figure=378, base_figure=379, published=0.67)], [0.67]),
        ([Rank(ratio=0.8, published=0.61, geometry=0.75 * 1.5)], []),  # on four disks RAID 5 writes 3/4, on three 2/3
        ([effect(2.2, 1.05)] * 4, [1.05] * 4),
        ([*[effect(2.2, 1.05)] * 4, effect(1.0, 1.0)], [1.05] * 4),
        ([Gain(ratio=19.2, published=2.9)], [2.9]),
    ],
)
def test_refuted_is_what_is_neither_near_nor_within_the_interval(overs: list[Over], refuted: list[float]) -> None:
    found = source(PLAN, [*overs, effect(9.0, 0.0), Rank(published=2.0)])
    assert found and (found.name, found.disks) == (PLAN.source, 3)
    assert found.compared == tuple(overs)
    assert [over.published for over in found.refuted] == refuted


def test_without_a_source_or_a_figure_of_it_nothing_is_compared() -> None:
    assert source(PLAN, []) is source(PLAN, [Effect(ratio=1.0)]) is None
    assert source(replace(PLAN, source=""), [effect(1.5, 1.4)]) is None


def test_a_ratio_of_the_source_is_of_two_setups() -> None:
    """A row of fio's alone has none: nothing is asked of it."""
    rows = [row for row in compare(PLAN, sweeps.state(PLAN)).rows if row.cell]
    ratios = replace(PLAN, published={"seq_write/ratio": 2.0})
    first, bare = replace(rows[0], published=None), replace(rows[0], published=None, cell=None)
    assert [published_over(ratios, *pair) for pair in ((first, bare), (bare, first))] == [None, None]
    assert published_over(PLAN, replace(first, published=3.0), replace(bare, published=2.0)) == 1.5


def test_the_model_says_how_the_ratio_of_another_number_of_disks_differs() -> None:
    rows = compare(PLAN, sweeps.state(PLAN)).rows
    of_all = {row.cell.level: row for row in rows if row.cell and row.direction == "write" and row.disks == 4}
    bare, parity = of_all["0"], of_all["5"]
    assert by_geometry(PLAN, parity, bare) == pytest.approx((3 / 4) / (2 / 3))
    assert by_geometry(PLAN, bare, bare) == 1.0
