"""Thresholds such as `seq_read.gain < 5`: parsing, known names with units. Values are in `core.answer.acceptance`."""

import math
import operator
import re
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from raidtui.core.text import brief

EVERY_TEST = "*"
Way = Literal["read", "write"]
DIRECTIONS: tuple[Way, ...] = ("read", "write")
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_THRESHOLD = re.compile(r"\s*(?P<name>[^\s<>=!]+)\s*(?P<operator><=|>=|==|!=|<|>)\s*(?P<limit>\S+)\s*")
_CLOSE, _MOST_NAMED = 3, 12


class Named(msgspec.Struct, frozen=True):
    """`unit`: "" for a ratio or count."""

    unit: str
    words: str


OF_TESTS: dict[str, Named] = {
    "gain": Named("", "the array over one disk alone"),
    "efficiency": Named("", "the gain over the number of disks, 0 to 1"),
    "efficiency_slowest": Named("", "the same over the slowest disk, where each was measured alone"),
    "deviation": Named("", "array / expected - 1: -0.2 is 20 % below"),
    "mbps": Named("MB/s", "the array, 10^6 bytes a second"),
    "iops": Named("IOPS", "the array"),
    "one_disk_mbps": Named("MB/s", "the first disk alone"),
    "one_disk_iops": Named("IOPS", "the first disk alone"),
    "all_at_once_mbps": Named("MB/s", "the sum of all disks, measured at once"),
    "all_at_once_iops": Named("IOPS", "the sum of all disks, measured at once"),
    "mean_ms": Named("ms", "the array's mean latency"),
    "p50_us": Named("µs", "the array's p50 latency"),
    "p99_us": Named("µs", "the array's p99 latency"),
    "max_ms": Named("ms", "the array's max latency"),
    "disk_operations": Named("", "disk I/Os per request, of a random test"),
    "spread": Named("", "largest less smallest of the repetitions, over their median"),
    "repetitions": Named("", "number of runs of the array's test"),
}
OF_RUNS: dict[str, Named] = {
    "slow_disks": Named("", "disks that are slow in two tests at least"),
    "unsure_disks": Named("", "disks that may be slow, inconclusive"),
    "failed_tests": Named("", "measurements that failed"),
    "missing_tests": Named("", "planned tests without a result, failed ones too"),
    "below_theory": Named("", "results significantly below expected"),
    "beyond_disks": Named("", "setups faster than their disks can be: not valid"),
    "warnings": Named("", "warnings of the run"),
    "mismatch_sectors": Named("", "sectors of 512 bytes that md's last check of the run counted as unequal"),
    "damaged_lines": Named("", "lines of the journal that cannot be read"),
}


class BadThreshold(ValueError):
    """One sentence: error and correct form."""


class Expect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run fails if threshold `fail_if` holds. `why`: reason."""

    fail_if: str
    why: str = ""


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """Fails if `name operator limit` holds. `job`: test, family, `*`: all, "": the run. `direction` "": each."""

    name: str
    operator: str
    limit: float
    job: str = ""
    direction: Way | None = None

    @property
    def value_name(self) -> str:
        return ".".join(part for part in (self.job, self.direction, self.name) if part)

    @property
    def text(self) -> str:
        return f"{self.value_name} {self.operator} {self.limit:.15g}"

    @property
    def unit(self) -> str:
        return (OF_TESTS if self.job else OF_RUNS)[self.name].unit

    def exceeded(self, value: float) -> bool:
        return OPERATORS[self.operator](value, self.limit)

    def is_of(self, job: str, family: str, direction: Way) -> bool:
        return self.job in (EVERY_TEST, job, family) and self.direction in (None, direction)


def parse(text: str) -> Threshold:
    match = _THRESHOLD.fullmatch(text)
    if match is None:
        raise BadThreshold(
            f"{brief(repr(text))} is no threshold: write NAME < NUMBER (or <=, >, >=, ==, !=), as in"
            " `seq_read.gain < 5` or `slow_disks > 0`"
        )
    try:
        limit = float(match["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise BadThreshold(f"{brief(repr(text))}: {brief(repr(match['limit']))} is no number")
    *names_before, name = match["name"].split(".")
    if not names_before:
        if name not in OF_RUNS:
            raise BadThreshold(_unknown(text, name, [*OF_RUNS, *(f"{EVERY_TEST}.{figure}" for figure in OF_TESTS)]))
        return Threshold(name=name, operator=match["operator"], limit=limit)
    job, *inner = names_before
    if name not in OF_TESTS:
        raise BadThreshold(_unknown(text, name, list(OF_TESTS)))
    direction = next((way_named for way_named in DIRECTIONS if inner == [way_named]), None)
    if inner and direction is None:
        raise BadThreshold(f"{brief(repr(text))}: between a test and its value write `read`, `write` or nothing")
    if not job:
        raise BadThreshold(f"{brief(repr(text))}: the test's name is missing before the first point")
    return Threshold(name=name, operator=match["operator"], limit=limit, job=job, direction=direction)


def check_jobs(thresholds: Iterable[Threshold], jobs: Iterable[str]) -> None:
    jobs_known = list(dict.fromkeys(jobs))
    for threshold in thresholds:
        if threshold.job not in ("", EVERY_TEST, *jobs_known):
            raise BadThreshold(_unknown(threshold.text, threshold.job, jobs_known))


def _unknown(text: str, name: str, jobs_known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, jobs_known, _CLOSE)
    hint = f"did you mean {' or '.join(close)}" if close else f"there are {', '.join(jobs_known[:_MOST_NAMED])}"
    and_more = "" if close or len(jobs_known) <= _MOST_NAMED else " and more"
    return (
        f"{brief(repr(text))}: unknown name {brief(repr(name))}; {hint}{and_more} (`raidtui check --names` lists all)"
    )
