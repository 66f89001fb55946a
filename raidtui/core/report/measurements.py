"""Measurements of a run, or of fio's files from anywhere: as CSV, and as a table."""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable, Text
from raidtui.core.page.csv import csv
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import Plan
from raidtui.core.report.setups import POINTS
from raidtui.core.results.figure import percentiles
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, format_ms, format_number

_CSV_DIRECTION = (
    *("iops", "bytes_per_s", "io_bytes", "lat_mean_ns", "lat_p50_ns", "lat_p99_ns", "fio_iops", "lat_p99.9_ns"),
    *("lat_max_ns",),
)
_CSV_PLAIN = ("name", "status", "error", "fio_version", "rw", "bs_bytes", "iodepth", "numjobs", "runtime_ms")


def measurements(plan: Plan, state: RunState) -> list[Measurement]:
    """The newest measurement of each trial in the plan's order, with the setup that it was made on."""
    measured = []
    for stage in plan.stages:
        setup = msgspec.to_builtins(stage.setup) if stage.setup is not None else None
        for trial in stage.trials:
            measurement = state.measured(trial.id)
            if measurement is not None:
                measured.append(msgspec.structs.replace(measurement, setup=measurement.setup or setup))
    return measured


def measurements_csv(measured: Sequence[Measurement]) -> str:
    """One row a measurement; bytes, bytes/s and ns as in the JSON, empty where unknown; all percentiles that
    any has.
    """
    both = [rates for measurement in measured for rates in (measurement.read, measurement.write) if rates]
    points = sorted({point for rates in both for point in rates.lat_percentiles_ns or {}} - {*POINTS}, key=float)
    named = [f"{name}_{field}" for name in ("read", "write") for field in _CSV_DIRECTION]
    further = [f"{name}_lat_p{point}_ns" for name in ("read", "write") for point in points]
    rows = [
        [
            *(getattr(measurement, field) for field in _CSV_PLAIN),
            *((measurement.setup or {}).get(field) for field in FIELDS),
            " ".join(measurement.targets),
            *_direction_fields(measurement.read),
            *_direction_fields(measurement.write),
            "; ".join(measurement.warnings),
            *(_percentile(rates, point) for rates in (measurement.read, measurement.write) for point in points),
        ]
        for measurement in measured
    ]
    return csv([*_CSV_PLAIN, *FIELDS, "targets", *named, "warnings", *further], rows)


def _percentile(rates: Direction | None, point: str) -> float | None:
    return (rates.lat_percentiles_ns or {}).get(point) if rates else None


def _direction_fields(rates: Direction | None) -> list[object]:
    if rates is None:
        return [None] * len(_CSV_DIRECTION)
    p50, p99, p999 = (_percentile(rates, point) for point in POINTS)
    moved = [rates.iops, rates.bytes_per_s, rates.io_bytes, rates.lat_mean_ns, p50, p99]
    return [*moved, rates.fio_iops, p999, rates.lat_max_ns]


def of_measurements(measured: Sequence[Measurement]) -> Iterator[Block]:
    """A table of results that come from no run of ours: fio's files from anywhere."""
    heads = ["Result", "Status", "Pattern", "Block, bytes", "Queue", "Direction", "MB/s", "IOPS"]
    heads += ["Mean, ms", *(f"p{point}, ms" for point in POINTS), "Max, ms"]
    yield Heading("Results of fio", 1)
    yield Text("MB/s = 10^6 bytes/s.")
    yield PageTable(heads, [line for measurement in measured for line in _lines(measurement)], 3)
    notes = [
        f"{measurement.name}: {text}"
        for measurement in measured
        for text in (measurement.error, *measurement.warnings)
        if text
    ]
    yield Bullets(list(dict.fromkeys(notes)))


def _rates(result: Measurement) -> Iterator[tuple[str, Direction | None]]:
    yield from (("read", result.read), ("write", result.write), ("mixed", result.mixed))


def _lines(result: Measurement) -> list[list[str]]:
    queue = str(result.iodepth * result.numjobs) if result.iodepth and result.numjobs else ""
    status = result.status if result.status == "ok" else result.status.upper()
    about = [result.name, status, result.rw, str(result.bs_bytes or ""), queue]
    directions = [(name, rates) for name, rates in _rates(result) if rates]
    if result.status != "ok" or not directions:  # never a number that a reader could take for a result
        return [[*about, *[""] * 8]]
    return [[*about, name, *_figures(rates)] for name, rates in directions]


def _figures(rates: Direction) -> list[str]:
    percentiles_ns = percentiles(rates)
    latencies = (rates.lat_mean_ns, *(percentiles_ns.get(point) for point in POINTS), rates.lat_max_ns)
    return [format_number(rates.bytes_per_s, MB), format_number(rates.iops), *map(format_ms, latencies)]
