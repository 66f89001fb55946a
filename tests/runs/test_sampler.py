"""The sample file and the window of a trial: marks and records together, none of an earlier worker's."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from raidtui.core.run import samples
from raidtui.core.run.samples import Counters, Sample
from raidtui.runs.sampler import Sampler
from tests.runs.rig import WrittenHost

DISK = "wwn-0x1"
RATE = 1_000_000


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return int(self.now_s * 1e9)

    def time_ns(self) -> int:
        return self.monotonic_ns()


class Kernel:
    """Counters of one disk that reads `RATE` bytes a second from `begin_s` to `end_s`."""

    def __init__(self, clock: Clock, begin_s: float, end_s: float) -> None:
        self._clock, self.begin_s, self._end_s, self.rate = clock, begin_s, end_s, RATE

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        read = round(self.rate * max(0.0, min(self._clock.now_s, self._end_s) - self.begin_s))
        return tuple(Counters(read, 0, read, 0, 0) if name else None for name in names)

    def close(self) -> None:
        """Nothing is open."""


class Waits:
    """A request is under way, and no read and no write ends."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.discards = 1

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        counters = Counters(0, 0, 0, 0, int(self._clock.now_s * 1000), discards=self.discards, flushes=0)
        return tuple(counters if name else None for name in names)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(folder: Path, clock: Clock, kernel: Kernel | None = None) -> Sampler:
    host = WrittenHost()
    host.clock = clock
    host.disk_counters = kernel or Kernel(clock, 1010.0, 1050.0)
    one = Sampler(folder / "samples.bin", (DISK,), host)
    one.names[DISK] = "sda"
    return one


def run_until(one: Sampler, clock: Clock, end_s: float) -> None:
    while clock.now_s < end_s:
        one.take()
        clock.now_s += 1


def rate(one: Sampler, start_s: float, end_s: float, lasting_s: float) -> float | None:
    found = one.rates(start_s, end_s, lasting_s)
    return found[DISK].read_bytes_per_s if found else None


def test_a_window_is_read_back_from_the_file_without_the_ends_where_nothing_moved(tmp_path: Path, clock: Clock) -> None:
    one = opened(tmp_path, clock)
    run_until(one, clock, 1060.0)
    assert rate(one, 1000.0, 1060.0, 40.0) == pytest.approx(RATE)
    assert rate(one, 1000.0, 1060.0, 50.0) == pytest.approx(RATE * 39 / 49, rel=0.01)  # ten idle seconds at its start


def test_of_a_short_trial_the_marks_are_the_window(tmp_path: Path, clock: Clock) -> None:
    one = opened(tmp_path, clock)
    run_until(one, clock, 1020.0)
    clock.now_s = 1020.25
    one.mark()
    clock.now_s = 1020.75
    one.mark()
    assert rate(one, 1020.25, 1020.75, 0.5) == pytest.approx(RATE)
    assert rate(one, 1020.3, 1020.75, 0.45) is None  # one reading is no window


def test_the_spread_is_of_the_windows_seconds_and_not_of_marks_beside_them(tmp_path: Path, clock: Clock) -> None:
    one = opened(tmp_path, clock)
    run_until(one, clock, 1040.0)
    clock.now_s = 1039.001
    one.mark()
    assert one.rates(1012.0, 1040.0, 25.0)[DISK].spread == pytest.approx(0.0, abs=1e-6)
    uneven = one.rates(1000.0, 1040.0, 40.0)[DISK].spread  # ten idle seconds among forty
    assert uneven and uneven == pytest.approx((0.25 / 0.75) ** 0.5, rel=0.05)


def test_a_long_window_has_its_step_from_the_first_to_the_last_ten_seconds(tmp_path: Path, clock: Clock) -> None:
    slower = Kernel(clock, 1000.0, 2000.0)
    one = opened(tmp_path, clock, slower)
    run_until(one, clock, 1021.0)
    assert one.rates_within(1000.0, 1021.0)[DISK].step is None  # 20 s have no ends
    slower.begin_s, slower.rate = 1010.5, RATE * 2  # so much was read by now; from here on twice as fast
    run_until(one, clock, 1042.0)
    assert one.rates_within(1000.0, 1042.0)[DISK].step == pytest.approx(1.0, abs=0.01)


def test_marks_and_records_stand_in_the_order_of_time(tmp_path: Path, clock: Clock) -> None:
    one = opened(tmp_path, clock)
    run_until(one, clock, 1020.0)
    one.mark()
    found = one._readings_within(1018.0, 1021.0)
    assert [taken_s for taken_s, _ in found] == [1018.0, 1019.0, 1020.0]
    assert isinstance(found[-1][1], Sample)


def test_an_earlier_workers_records_count_by_another_clock(tmp_path: Path, clock: Clock) -> None:
    run_until(opened(tmp_path, clock), clock, 1030.0)
    with (tmp_path / "samples.bin").open("ab") as file:
        file.write(b"torn")
    clock.now_s = 1015.0  # booted again
    later = opened(tmp_path, clock)
    run_until(later, clock, 1020.0)
    assert len(later._readings_within(0.0, 2000.0)) == 5
    header, start = samples.decode_header((tmp_path / "samples.bin").read_bytes())
    assert ((tmp_path / "samples.bin").stat().st_size - start) == 35 * header.record_bytes


class Hanging(Kernel):
    """A disk that answers until `end_s`, and from then on keeps requests waiting until `gone_s`."""

    def __init__(self, clock: Clock, begin_s: float, end_s: float, gone_s: float) -> None:
        super().__init__(clock, begin_s, end_s)
        self._gone_s = gone_s

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        busy_ms = round(1000 * min(self._clock.now_s, self._gone_s))
        found = super().read(names)
        return tuple(one and Counters(one.read_bytes, 0, one.reads, 0, busy_ms) for one in found)


def test_disks_are_silent_while_requests_wait_and_none_is_answered(tmp_path: Path, clock: Clock) -> None:
    one = opened(tmp_path, clock, Hanging(clock, 1000.0, 1010.0, 1060.0))
    silent = {}
    for now_s in range(1001, 1070):
        clock.now_s = now_s
        one.take()
        silent[now_s] = one.silent_s()
    assert silent[1010] == 0 and silent[1011] == 1 and silent[1060] == 50
    assert silent[1061] == 0  # nothing waits any more
    one.close()


def test_a_disk_that_discards_answers_and_one_that_does_nothing_more_has_fallen_silent(
    tmp_path: Path, clock: Clock
) -> None:
    """mkfs discards for minutes: reads and writes stand still, a request waits all the while."""
    host = WrittenHost()
    host.clock = clock
    host.disk_counters = waits = Waits(clock)
    one = Sampler(tmp_path / "samples.bin", (DISK,), host)
    one.names[DISK] = "sda"
    run_until(one, clock, clock.now_s + 5)
    assert one.silent_s() > 3
    waits.discards = 2
    one.take()
    assert one.silent_s() == 0


def test_within_a_window_whole_intervals_count_and_what_lies_across_its_ends_does_not(
    tmp_path: Path, clock: Clock
) -> None:
    """The disk works from 1010 to 1050: the seconds before the window are idle ones, and those after another one's."""
    one = opened(tmp_path, clock)
    run_until(one, clock, 1060.0)
    assert one.rates_within(1010.5, 1020.5)[DISK].read_bytes_per_s == pytest.approx(RATE)
    assert one.rates_within(1008.5, 1018.5)[DISK].read_bytes_per_s == pytest.approx(RATE * 7 / 8)
    assert one.rates_within(1040.5, 1051.5)[DISK].read_bytes_per_s == pytest.approx(RATE)  # threads end one by one
    too_few = one.rates_within(1048.5, 1051.5)  # to leave one out
    assert too_few[DISK].read_bytes_per_s == pytest.approx(RATE / 2)
    assert one.rates_within(1010.2, 1010.9) == {}
