"""In which unit a report shows the figures of a kind of test: its name, and how much of the figure is one of it."""

from raidtui.core.fio.job import Kind
from raidtui.core.units import MB

SCALES: dict[Kind, tuple[str, float]] = {"sequential": ("MB/s", MB), "random": ("IOPS", 1.0)}
