"""A chart of how hosts or disks lie: every value is in a column, the slow ones are marked and named."""

from xml.etree import ElementTree as xml

import pytest

from raidtui.core.page.blocks import Spread
from raidtui.core.page.html import histogram


def test_the_slow_ones_are_marked_and_named_and_the_axis_begins_at_0() -> None:
    values = (*[100.0 + number for number in range(40)], 60.0)
    root = histogram(Spread("Sequential read", "MB/s", values, (("node7", 60.0),), "hosts"))
    words = [element.text for element in root.iter("text")]
    assert "node7: 60" in words and "0" in words and "150 MB/s" in words and "median 119" in words
    boxes = [element for element in root.iter("rect") if element.get("class") == "slow"]
    assert len(boxes) == 2  # its column, and its line below
    title = root.find("title")
    assert title is not None and title.text and title.text.endswith("slow: node7")


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.001, 0.002), (1e12, 3e12), (5.0, 5.0, 0.0001)])
def test_any_values_lie_within_the_picture(values: tuple[float, ...]) -> None:
    root = histogram(Spread("x", "IOPS", values, (), "disks"))
    for box in root.iter("rect"):
        assert 0 <= float(box.get("x", "")) <= 360 and 0 <= float(box.get("y", "")) < 112
    assert xml.tostring(root)


def test_of_many_slow_ones_the_first_are_named_and_the_rest_counted() -> None:
    slow = tuple((f"n{number}", 1.0) for number in range(9))
    words = [element.text for element in histogram(Spread("x", "IOPS", (1.0, 2.0), slow, "hosts")).iter("text")]
    assert "n2: 1 and 6 more" in words and not any("n3" in (word or "") for word in words)
