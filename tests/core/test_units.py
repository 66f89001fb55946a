"""What people type, and what they read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.units import (
    GB,
    GIB,
    KB,
    KIB,
    MB,
    MIB,
    TB,
    TIB,
    Units,
    both,
    format_bytes,
    format_duration,
    format_iops,
    format_latency,
    format_rate,
    parse_bytes,
    parse_bytes_per_s,
    parse_disks,
)


def test_a_unit_is_what_its_letters_say() -> None:
    assert (KB, MB, GB, TB) == (10**3, 10**6, 10**9, 10**12)
    assert (KIB, MIB, GIB, TIB) == (2**10, 2**20, 2**30, 2**40)


@pytest.mark.parametrize(
    "text, size_bytes",
    [
        ("1000204886016", 1_000_204_886_016),
        ("1.2TB", 1_200_000_000_000),
        ("0.1TB", 100_000_000_000),
        ("931GiB", 931 * 2**30),
        ("931.5 GiB", 1863 * 2**29),
        ("512KiB", 524_288),
        ("512KB", 512_000),
        ("0", 0),
        ("7b", 7),
    ],
)
def test_sizes_as_they_stand_on_labels_and_in_manuals(text: str, size_bytes: int) -> None:
    assert parse_bytes(text) == size_bytes


@pytest.mark.parametrize("text, kib", [("64K", 64), ("512k", 512), ("1M", 1024), ("4G", 4 * 1024**2)])
def test_a_bare_letter_is_binary_as_mdadm_takes_it(text: str, kib: int) -> None:
    assert parse_bytes(text) == kib * KIB


@pytest.mark.parametrize("text", ["", "TB", "-1", "1.2.3", "1e9", "1,2TB", "12 parsecs", "1TB x3", "٣TB", "1T\n2"])
def test_what_is_no_size_is_named_and_the_accepted_forms_with_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a size; write bytes .*1\.2TB") as caught:
        parse_bytes(text)
    assert repr(text) in str(caught.value)


@given(st.integers(0, 10**21))
def test_bytes_survive_being_written_down(size_bytes: int) -> None:
    assert parse_bytes(str(size_bytes)) == size_bytes


def test_disks_of_one_size_are_counted() -> None:
    assert parse_disks("1.2TB") == (1_200_000_000_000,)
    assert parse_disks("931GiBx3") == parse_disks("931GiB X 3") == (931 * 2**30,) * 3


@pytest.mark.parametrize("text", ["1TBx", "1TBx0", "1TBx-1", "1TBx2x3", "1TBx100000", "1TBx٣"])
def test_what_is_no_number_of_disks_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"not SIZExN; use e\.g\. 1\.2TBx24") as caught:
        parse_disks(text)
    assert repr(text) in str(caught.value)


def test_a_rate_is_a_size_a_second() -> None:
    assert parse_bytes_per_s("94MB/s") == parse_bytes_per_s("94 MB") == 94_000_000
    with pytest.raises(ValueError, match="'fast' is not a rate"):
        parse_bytes_per_s("fast")


@pytest.mark.parametrize(
    "size_bytes, decimal, binary",
    [
        (0, "0 B", "0 B"),
        (999, "999 B", "999 B"),
        (4 * 10**12, "4.00 TB", "3.64 TiB"),
        (28_800_000_000_000, "28.8 TB", "26.2 TiB"),
        (999_999_999, "1.00 GB", "954 MiB"),
        (524_288, "524 kB", "512 KiB"),
        (1020 * 2**30, "1.10 TB", "1020 GiB"),
    ],
)
def test_sizes_have_three_digits_in_either_family(size_bytes: int, decimal: str, binary: str) -> None:
    assert format_bytes(size_bytes, Units.DECIMAL) == decimal
    assert format_bytes(size_bytes, Units.BINARY) == binary


@given(st.integers(1, 10**20), st.sampled_from(Units))
def test_what_is_shown_is_within_half_a_digit_of_the_truth_and_can_be_typed(size_bytes: int, units: Units) -> None:
    assert parse_bytes(format_bytes(size_bytes, units)) == pytest.approx(size_bytes, abs=0.0051 * size_bytes + 1)


def test_both_families_side_by_side() -> None:
    assert both(28_800_000_000_000) == "28.8 TB = 26.2 TiB"


def test_the_key_that_switches_goes_there_and_back() -> None:
    assert Units.DECIMAL.other() is Units.BINARY
    assert Units.BINARY.other() is Units.DECIMAL


def test_rates() -> None:
    assert format_rate(94e6, Units.DECIMAL) == "94.0 MB/s"
    assert format_rate(94e6, Units.BINARY) == "89.6 MiB/s"
    assert format_rate(0.0) == "0 B/s"


@pytest.mark.parametrize(
    "iops, text",
    [(0, "0"), (7.34, "7.3"), (343, "343"), (99.97, "100"), (9120.4, "9120"), (12_345, "12.3k"), (1.25e6, "1.25M")],
)
def test_iops(iops: float, text: str) -> None:
    assert format_iops(iops) == text


@pytest.mark.parametrize(
    "latency_ns, text",
    [(850, "0.85 µs"), (12_300, "12.3 µs"), (999_999, "1.00 ms"), (4_560_000, "4.56 ms"), (1.2e9, "1.20 s")],
)
def test_latencies(latency_ns: float, text: str) -> None:
    assert format_latency(latency_ns) == text


@pytest.mark.parametrize(
    "duration_s, text",
    [
        (0, "0 s"),
        (0.44, "0.4 s"),
        (9.96, "10 s"),
        (45, "45 s"),
        (200, "3 min 20 s"),
        (3599.7, "1 h 00 min"),
        (7500, "2 h 05 min"),
        (276_000, "3 d 04 h"),
    ],
)
def test_durations(duration_s: float, text: str) -> None:
    assert format_duration(duration_s) == text
