"""One figure of a file changed at a time: what comes out is the same figure, none at all, or one with a warning."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import FioResultError, parse
from raidtui.core.run import journal_lines
from raidtui.core.run.state import fold_all
from tests.broken.parsers import RECORDINGS, RUN

# Recordings of one job whose figures all come from one direction
NAMES = ("seq-read.json", "steady-state.json", "json-plus.json", "group-mixed.json", "shapes/fio-3.1.json")
ODD = (0, -1, 1, 1e300, 2**64, float("nan"), float("inf"), "1000", None, True, [1], {"a": 1})
TIMES = (0.1, 0.5, 1.1, 2, 10, 1000)
# what figures are made of; the rest of fio's result is not reported
USED = {"io_bytes", "bw_bytes", "iops", "runtime", "total_ios", "mean"}


def places(document: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for number, job in enumerate(document["jobs"]):
        for direction in ("read", "write"):
            for key, value in job[direction].items():
                if key in USED:
                    yield "jobs", number, direction, key
                elif key == "lat_ns" and value["mean"]:
                    yield "jobs", number, direction, key, "mean"


def changed(document: dict[str, Any], place: tuple[Any, ...], value: object) -> str:
    other = copy.deepcopy(document)
    inner: Any = other
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return json.dumps(other)


def at(document: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        document = document[step]
    return document


def figures(measurement: Measurement, direction: str) -> tuple[float | None, ...]:
    one = getattr(measurement, direction)
    return (one.iops, one.bytes_per_s, one.io_bytes, one.lat_mean_ns) if one else (None,) * 4


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_is_wrong_without_a_word(name: str) -> None:
    text = (RECORDINGS / "fio" / name).read_text()
    document = json.loads(text[text.index("{") :])
    (right,) = parse(text, "x")
    compared = 0
    for place in places(document):
        was = at(document, place)
        for value in (*ODD, *((was * times) for times in TIMES)):
            try:
                (measurement,) = parse(changed(document, place, value), "x")
            except FioResultError:
                continue
            if measurement.status != "ok" or set(measurement.warnings) - set(right.warnings):
                continue
            for said, true in zip(figures(measurement, place[2]), figures(right, place[2]), strict=True):
                # 10 % is what the share of submission in a latency may hide
                assert said is None or true is not None, (place, value)
                assert said is None or said == pytest.approx(true, rel=0.12), (place, value)
                compared += said is not None
    assert compared


def test_a_block_size_that_contradicts_the_bytes_is_none() -> None:
    text = (RECORDINGS / "fio" / "seq-read.json").read_text()
    assert parse(text, "x")[0].bs_bytes == 2**20
    assert parse(text.replace('"1M"', '"4k"').replace('"1m"', '"4k"'), "x")[0].bs_bytes is None


@pytest.mark.parametrize("key, value", [("99.000000", 1), ("1.000000", 10**12), ("50.000000", 10**15)])
def test_percentiles_that_fall_or_leave_the_range_are_warned_of(key: str, value: int) -> None:
    document = json.loads((RECORDINGS / "fio" / "seq-read.json").read_text())
    document["jobs"][0]["read"]["clat_ns"]["percentile"][key] = value
    (measurement,) = parse(json.dumps(document), "x")
    assert any("contradict" in warning for warning in measurement.warnings)


def test_a_journal_cut_at_every_byte_is_its_whole_lines() -> None:
    data = (RUN / "journal.jsonl").read_bytes()
    whole, end = journal_lines.read(data)
    assert end == len(data)
    lines = 0
    for cut in range(len(data) + 1):
        if data[:cut].endswith(b"\n"):
            lines += 1
            found, _ = journal_lines.read(data[:cut])
            assert found == whole[:lines]
            fold_all(found)
        else:  # the torn line alone: it must wait, whatever stands in it
            start = data.rfind(b"\n", 0, cut) + 1
            assert journal_lines.read(data[start:cut]) == ((), 0)


def test_a_journal_torn_and_gone_on_with_loses_one_line() -> None:
    """A worker that died in the middle of a line, and another that wrote on without cutting it off."""
    data = (RUN / "journal.jsonl").read_bytes()
    lines = data.splitlines(keepends=True)
    assert len(lines) > 100
    for number in range(1, len(lines)):
        torn = (
            b"".join(lines[:number]) + lines[number][: len(lines[number]) // 2] + b"\n" + b"".join(lines[number + 1 :])
        )
        found, end = journal_lines.read(torn)
        assert end == len(torn) and len(found) == len(lines)
        fold_all(found)
