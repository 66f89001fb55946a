"""The lines of the live screen."""

from raidtui.core.units import Units
from raidtui.ui.render.live_lines import trial_lines, without_what_is_cut
from tests.builders import sweeps


def test_the_live_screen_says_which_setup_is_measured() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    done = sweeps.state(plan, lambda stage, trial: 100.0)
    rows = ["".join(words for words, _ in line) for line in trial_lines(plan, done, 80, Units.DECIMAL)]
    said = [row for row in rows if "Random 4K write:" in row]
    assert len(said) == len({row[:50] for row in said}) > 1 and any(": RAID 5 " in row for row in said)


def test_what_would_be_cut_is_left_out_whole() -> None:
    line = ((" Run  ", "dim"), ("3 min, about 4 min left", ""), ("   Quick look", "dim"))
    assert without_what_is_cut(line, 42) == line
    assert without_what_is_cut(line, 41) == line[:2]
