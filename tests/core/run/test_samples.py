"""The sample file: any window of any history is two records and a subtraction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.run.samples import (
    ABSENT,
    Counters,
    Header,
    Sample,
    decode,
    decode_header,
    encode,
    encode_header,
    rates,
    spreads,
    stalls,
    steps,
    times,
)

numbers = st.integers(min_value=0, max_value=ABSENT - 1)


@given(st.data())
def test_a_record_reads_back_as_written(data: st.DataObject) -> None:
    counters = st.none() | st.builds(Counters, *[numbers] * 5, *[st.none() | numbers] * 5)
    sample = data.draw(st.builds(Sample, numbers, numbers, st.lists(counters, max_size=30).map(tuple)))
    record = encode(sample)
    assert len(record) == Header(tuple(map(str, range(len(sample.counters))))).record_bytes
    assert decode(record) == sample


@pytest.mark.parametrize("schema", [1, 3])
def test_another_schema_is_one_sentence(schema: int) -> None:
    with pytest.raises(ValueError, match=f"the sample file is of schema {schema}, which this raidtui does not know"):
        decode_header(encode_header(Header(("wwn-0x1",), schema=schema)))


def test_the_header_names_the_slots() -> None:
    header = Header(("wwn-0x1", "array"), 1.0)
    data = encode_header(header) + b"\x00" * 16
    assert decode_header(data) == (header, len(data) - 16)


@pytest.mark.parametrize("data", [b"", b'{"slots": [', b"nonsense\n", b"{}\n"])
def test_a_torn_or_foreign_header_is_one_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="sample file"):
        decode_header(data)


def test_rates_are_the_difference_over_the_time_between() -> None:
    older = Sample(0, 1_000_000_000, (Counters(1000, 0, 1, 0, 100), None, Counters(500, 0, 0, 0, 0)))
    newer = Sample(0, 3_000_000_000, (Counters(2001000, 4000, 9, 9, 1100), Counters(1, 1, 1, 1, 1), None))
    disk, appeared, vanished = rates(older, newer)
    assert disk is not None
    assert (disk.read_bytes_per_s, disk.write_bytes_per_s, disk.util) == (1_000_000, 2000, 0.5)
    assert appeared is None and vanished is None


def test_counters_that_went_back_belong_to_another_device() -> None:
    older = Sample(0, 0, (Counters(1000, 0, 1, 0, 100),))
    assert rates(older, Sample(0, 10**9, (Counters(10, 0, 1, 0, 1),))) == (None,)


def moving(*bytes_: int) -> list[Sample]:
    """A reading a second of one disk that reads so many bytes in each."""
    sums = [sum(bytes_[:count]) for count in range(len(bytes_) + 1)]
    return [Sample(0, second * 10**9, (Counters(read, 0, 0, 0, 0),)) for second, read in enumerate(sums)]


@pytest.mark.parametrize(
    "moved, spread",
    [((100, 100, 100), 0.0), ((90, 110, 90, 110), 0.1), ((100, 100), None), ((0, 0, 0), None), ((), None)],
)
def test_the_spread_is_the_deviation_of_seconds_over_their_mean(moved: tuple[int, ...], spread: float | None) -> None:
    (found,) = spreads(moving(*moved))
    assert found == (spread if spread is None else pytest.approx(spread))


def test_a_disk_that_was_away_meanwhile_has_no_spread() -> None:
    readings = moving(100, 100, 100, 100)
    readings[2] = Sample(0, readings[2].monotonic_ns, (None,))
    assert spreads(readings) == (None,)


def working(*operations: int) -> list[Sample]:
    """A reading a second of one disk that does so many operations in each."""
    sums = [sum(operations[:count]) for count in range(len(operations) + 1)]
    return [Sample(0, second * 10**9, (Counters(0, 0, done, 0, 0),)) for second, done in enumerate(sums)]


@pytest.mark.parametrize(
    "operations, count",
    [((100, 100, 49, 100), 1), ((100, 0, 0, 100, 100), 2), ((100, 51, 100), 0), ((40, 0, 40, 40), 0), ((100, 0), 0)],
)
def test_a_stall_is_a_second_below_half_the_median_of_50_operations_or_more(
    operations: tuple[int, ...], count: int
) -> None:
    assert stalls(working(*operations)) == (count,)


def test_a_disk_that_was_away_meanwhile_has_no_stall() -> None:
    readings = working(100, 100, 0, 100)
    readings[2] = Sample(0, readings[2].monotonic_ns, (None,))
    assert stalls(readings) == (0,)


def test_times_are_as_iostat_has_them() -> None:
    before = Counters(0, 0, 100, 50, 0, read_ms=1000, write_ms=500, queue_ms=2**32 - 1000, discards=7, flushes=2)
    after = Counters(
        4096 * 400, 0, 500, 50, 900, read_ms=2600, write_ms=500, queue_ms=3000, discards=11, flushes=2
    )  # its time in queue has gone round
    (found,) = times(Sample(0, 0, (before,)), Sample(0, 2 * 10**9, (after,)))
    assert found is not None
    assert (found.rates.reads_per_s, found.rates.writes_per_s, found.rates.util) == (200, 0, 0.45)
    assert (found.read_await_ms, found.write_await_ms) == (4.0, None)  # no write has ended
    assert (found.queue, found.discards_per_s, found.flushes_per_s) == (2.0, 2.0, 0.0)


def test_of_a_file_of_the_first_schema_no_time_is_known() -> None:
    (found,) = times(Sample(0, 0, (Counters(0, 0, 0, 0, 0),)), Sample(0, 10**9, (Counters(4096, 0, 1, 0, 500),)))
    assert found is not None and found.rates.reads_per_s == 1
    assert (found.read_await_ms, found.queue, found.flushes_per_s) == (None, None, None)


def test_a_device_that_was_away_has_no_times() -> None:
    here = Counters(0, 0, 0, 0, 0)
    assert times(Sample(0, 0, (None, here)), Sample(0, 10**9, (here, None))) == (None, None)
    assert times(Sample(0, 5, (here,)), Sample(0, 5, (here,))) == (None,)


def test_a_step_is_what_the_last_seconds_give_over_the_first() -> None:
    def sample(second: int, moved: int) -> Sample:
        return Sample(0, second * 10**9, (Counters(moved, 0, moved // 4096, 0, second * 1000), None))

    first, last = (sample(0, 0), sample(10, 1_000_000)), (sample(20, 1_500_000), sample(30, 2_100_000))
    assert steps(first, last)[0] == pytest.approx(-0.4) and steps(first, last)[1] is None
    assert steps(last, (sample(40, 2_100_000), sample(50, 2_100_000))) == (-1.0, None)
    assert steps((sample(0, 0), sample(10, 0)), last) == (None, None)
