"""Charts as SVG: well-formed whatever the names are, inside their frame, roles apart by colour and by pattern."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.page.blocks import Bar, Bars
from raidtui.core.page.svg import file_name, svg

SPACE = "{http://www.w3.org/2000/svg}"
FOUR = Bars(
    "t", (Bar("a", 1.0, "1", "one"), Bar("b", 3.0, "3", "all"), Bar("c", 2.0, "2"), Bar("d", 3.0, "3", "theory"))
)


def test_four_roles_have_four_colours_and_four_looks() -> None:
    root = ElementTree.fromstring(svg(FOUR))
    rects = [one for one in root.findall(f"{SPACE}rect") if one.get("stroke")]
    assert {(one.get("stroke"), one.get("fill")) for one in rects} == {
        ("#52627a", "url(#one)"), ("#6b3fc4", "url(#all)"), ("#067046", "#067046"),
    }  # fmt: skip
    assert {one.get("stroke") for one in root.findall(f"{SPACE}line")} == {"#756000"}
    assert [one.text for one in root.findall(f"{SPACE}text")][-4:] == [
        "one disk", "all disks at once", "the array", "theory",
    ]  # fmt: skip


@given(st.lists(st.tuples(st.text(max_size=80), st.none() | st.floats(0, 1e15)), max_size=12))
def test_any_names_and_values_are_a_document_and_no_bar_leaves_it(named: list[tuple[str, float | None]]) -> None:
    root = ElementTree.fromstring(svg(Bars("<&>", tuple(Bar(name, value, name) for name, value in named))))
    wide = float(root.get("width") or 0)
    _, *bars = root.findall(f"{SPACE}rect")
    assert len(bars) == len(named)
    assert all(float(one.get("x") or 0) + float(one.get("width") or 0) <= wide for one in bars)


def test_no_two_charts_share_a_file() -> None:
    taken: list[str] = []
    for title in ("Random 4K read, IOPS", "Random 4K read; IOPS", "../..", "é"):
        taken.append(file_name(title, taken))
    assert taken == ["random-4k-read-iops.svg", "random-4k-read-iops-2.svg", "chart.svg", "chart-2.svg"]
