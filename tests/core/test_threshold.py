"""Thresholds as they are typed: read, and the nearest names where one is unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core import threshold
from raidtui.core.threshold import OF_RUNS, OF_TESTS, OPERATORS, BadThreshold, Threshold


@pytest.mark.parametrize(
    "text, read",
    [
        ("slow_disks > 0", Threshold(name="slow_disks", operator=">", limit=0)),
        ("seq_read.gain<5", Threshold(job="seq_read", name="gain", operator="<", limit=5)),
        (" *.mbps <= 1e3 ", Threshold(job="*", name="mbps", operator="<=", limit=1000)),
        ("a-b.write.p99_us >= -1.5", Threshold(job="a-b", direction="write", name="p99_us", operator=">=", limit=-1.5)),
    ],
)
def test_what_is_typed_is_read(text: str, read: Threshold) -> None:
    assert threshold.parse(text) == read
    assert threshold.parse(read.text) == read


@pytest.mark.parametrize(
    "text, says",
    [
        ("slow_disks", "is no threshold: write NAME < NUMBER"),
        ("slow_disks = 0", "is no threshold"),
        ("slow_disks > many", "'many' is no number"),
        ("slow_disks > nan", "'nan' is no number"),
        ("slow_disks > inf", "'inf' is no number"),
        ("slow_disk > 0", "did you mean slow_disks"),
        ("qqqq > 0", "there are slow_disks, "),
        ("a.gian < 1", "did you mean gain"),
        ("a.b.gain < 1", "between a test and its value write `read`, `write`"),
        (".gain < 1", "the test's name is missing"),
    ],
)
def test_what_is_none_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(BadThreshold) as refused:
        threshold.parse(text)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_a_test_that_there_is_not_is_named_with_the_nearest() -> None:
    asked = [threshold.parse("seq_raed.gain < 1")]
    with pytest.raises(BadThreshold, match="'seq_raed'; did you mean seq_read"):
        threshold.check_jobs(asked, ["seq_read", "rand_write"])
    threshold.check_jobs([threshold.parse(text) for text in ("*.gain < 1", "slow_disks > 0", "a.gain < 1")], ["a"])


@given(st.sampled_from(sorted(OPERATORS)), st.floats(-1e15, 1e15), st.floats(allow_nan=False))
def test_any_number_is_judged_as_python_compares(operator: str, limit: float, value: float) -> None:
    exact = float(f"{limit:.15g}")
    read = threshold.parse(f"x.gain {operator} {exact!r}")
    assert read.exceeded(value) is OPERATORS[operator](value, exact)


def test_names_are_words_that_can_be_typed() -> None:
    for name in (*OF_RUNS, *(f"x.{name}" for name in OF_TESTS)):
        assert threshold.parse(f"{name} < 1").value_name == name


def test_a_row_is_judged_by_its_name_its_family_or_every_test() -> None:
    of = [threshold.parse(text) for text in ("j-4k.gain < 1", "j.gain < 1", "*.gain < 1", "j.read.gain < 1")]
    assert [one.is_of("j-4k", "j", "write") for one in of] == [True, True, True, False]
    assert not threshold.parse("other.gain < 1").is_of("j-4k", "j", "read")
