"""What a trial that builds nothing costs beside its measuring: 40 reads of a device by raidtui, and by bench-fio.

The same grid of queue depths and jobs, a second each, in a practice kernel. `.venv/packages` has fio-plot, of which
bench-fio is a part.
"""

import tempfile
from pathlib import Path

import tomli_w

from tests.bench import practice
from tests.bench.process import used
from tests.bench.starts import pairs
from tests.bench.table import Row

_DEPTHS, _JOBS = (1, 2, 4, 8, 16, 32, 64, 128), (1, 2, 4, 8, 16)
_PAIRS, _BUDGET = 5, 1.15
_BENCH_FIO = Path(__file__).parents[2] / ".venv/packages/bin/bench-fio"
_RACK = ("-n", "1", "-s", "256")
_TARGET = "/dev/sda"
_READ = {"ioengine": "libaio", "direct": True, "rw": "randread", "bs": "4k", "size": "100%", "norandommap": True}
_RECIPE = {
    "title": "A grid of reads",
    "summary": "Forty reads of a second, by depth and jobs.",
    "existing": True,
    "job": [
        {
            "name": "read",
            "vary": {"iodepth": _DEPTHS, "numjobs": _JOBS},
            "fio": _READ | {"time_based": True, "runtime": "1s", "group_reporting": True},
        }
    ],
}


def trials() -> Row:
    """From the start of a process to its end."""
    figure = f"{len(_DEPTHS) * len(_JOBS)} trials without an array build"
    return practice.row(figure, "bench-fio, the same grid", "tests.bench.trials", _RACK, _BUDGET)


def _raidtui(folder: Path) -> float:
    recipes = Path("~/.config/raidtui/recipes").expanduser()  # the guest's own, which vanishes with it
    recipes.mkdir(parents=True, exist_ok=True)
    (recipes / "grid.toml").write_text(tomli_w.dumps(_RECIPE))
    return practice.run_s(folder, {"target": _TARGET, "recipe": "grid"})


def _bench_fio() -> float:
    with tempfile.TemporaryDirectory() as results:
        grid = ("--iodepth", *map(str, _DEPTHS), "--numjobs", *map(str, _JOBS), "--runtime", "1")
        device = ("--target", _TARGET, "--type", "device", "--mode", "randread", "--block-size", "4k")
        return used((_BENCH_FIO, *device, *grid, "--output", results)).wall_s


def main() -> None:
    """In the practice kernel."""
    with tempfile.TemporaryDirectory() as folder:
        practice.tell(*pairs(lambda: _raidtui(Path(folder)), _bench_fio, _PAIRS))


if __name__ == "__main__":
    main()
