"""The figures that a recipe's source published, found for one row of ours. Knows units, and nothing of measurements."""

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.recipe import Published, published_key
from raidtui.core.units import MB, MIB


class Source(msgspec.Struct, frozen=True):
    """What was published of one cell and one job, by metric; figures of disks are a tuple, one a disk."""

    metrics: dict[str, float | tuple[float, ...]]

    def value(self, kind: Kind, direction: DirectionName) -> float | None:
        """The figure that a row is judged by: bytes/s of a sequential job, IOPS of a random one."""
        scales = {"mbps": MB, "mibps": MIB} if kind == "sequential" else {"iops": 1}
        for metric, scale in scales.items():
            for name in (f"{direction}_{metric}", metric):
                figure = self.metrics.get(name)
                if isinstance(figure, float | int):
                    return figure * scale
        return None

    def number(self, metric: str, direction: DirectionName) -> float | None:
        """Another figure in the unit of its name: mean_ms, p50_us, p99_us."""
        figure = self.metrics.get(f"{direction}_{metric}", self.metrics.get(metric))
        return figure if isinstance(figure, float | int) else None

    @property
    def disks_bytes_per_s(self) -> tuple[float, ...]:
        """What each disk did, as far as it was published."""
        rates = self.metrics.get("disks_mibps", ())
        return tuple(mib_per_s * MIB for mib_per_s in rates) if isinstance(rates, tuple) else ()


def published(figures: Published, setup: Setup | None, job: str) -> Source:
    """What `figures` say of this job on this setup; None: on a single disk."""
    metrics = {}
    for key, value in figures.items():
        figure = published_key(key)
        if figure.job == job and _cell_fits(figure.where, figure.cell, setup):
            metrics[figure.metric] = value
    return Source(metrics)


def published_ratio(figures: Published, job: str, setup: Setup, base: Setup) -> float | None:
    """What this setup did over that base in the source, where it gave no more than this ratio."""
    for key, value in figures.items():
        figure = published_key(key)
        values = [(field, *value.split("/")) for field, value in figure.cell]
        cells_fit = all((str(getattr(setup, field)), str(getattr(base, field))) == (of_setup, (of_setup, *of_base)[-1])
                   for field, of_setup, *of_base in values)  # fmt: skip
        if (figure.job, figure.metric) == (job, "ratio") and cells_fit and isinstance(value, float | int):
            return value
    return None


def source_disks(figures: Published) -> int | None:
    """Of how many disks the source's arrays were, where it gives each disk's figures."""
    counts = {len(value) for value in figures.values() if isinstance(value, tuple)}
    return counts.pop() if len(counts) == 1 else None


def _cell_fits(where: str, cell: tuple[tuple[str, str], ...], setup: Setup | None) -> bool:
    if where in ("single", "array"):
        return (where == "single") == (setup is None)
    return setup is not None and all(str(getattr(setup, field)) == value for field, value in cell)
