"""Results of a sweep: each test by itself, its setups under each other by what tells them apart."""

from pathlib import Path

from raidtui.core.units import Units
from raidtui.runs.follow import View
from raidtui.ui.results_lines import results_lines
from tests.core import sweeps


def test_every_setup_of_a_sweep_is_named_in_each_test() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    view = View(made, sweeps.state(made, lambda *_: 100.0), (), (), False)
    text = "\n".join(
        "".join(words for words, _ in line) for line in results_lines(view, str(Path("r.md")), Units.DECIMAL, 80)
    )
    for name in ("RAID 0 4KiB", "RAID 6 1MiB", "RAID 10 n2 64KiB", "Random 4K read, IOPS", "and 33 more setups"):
        assert name in text, text
    assert all(len(line) <= 80 for line in text.splitlines())
