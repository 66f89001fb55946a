"""The one conclusion of levels: which leads in most tests, with its space and failures, and what the others give."""

import pytest

from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import alone, answered

IN_SHORT = {
    "0": (400.0, 400.0, 380.0, 400.0),
    "10": (200.0, 390.0, 190.0, 400.0),
    "5": (290.0, 300.0, 95.0, 300.0),
    "6": (120.0, 240.0, 60.0, 300.0),
}


@pytest.mark.parametrize(("rates", "conclusion"), [
    (IN_SHORT, "RAID 10 n2 leads or shares the lead in 3 of 4 tests: 2.00 of 4.00 TB usable, any 1 disk may fail;"
     " others give instead: RAID 5 (3.00 of 4.00 TB usable, leads in 1 test) and RAID 6 (any 2 disks may fail). Of"),
    (dict.fromkeys(IN_SHORT, (100.0,) * 4), "No level leads in these tests, so space and failures decide: "
     "RAID 10 n2 2.00 of 4.00 TB usable, any 1 disk may fail; RAID 5 3.00 of 4.00 TB usable, any 1 disk may fail;"
     " RAID 6 2.00 of 4.00 TB usable, any 2 disks may fail. Of what "),
])  # fmt: skip
def test_first_of_all_is_one_conclusion_with_space_failures_and_what_the_others_give(
    rates: dict[str, tuple[float, ...]], conclusion: str
) -> None:
    jobs = ("seq_write", "seq_read", "rand_write", "rand_read")

    def rate(stage: Stage, trial: Trial) -> float:
        return rates[stage.setup.level][jobs.index(trial.job)] if stage.setup else alone(trial)

    found = answered("levels-in-short", 4, rate)
    assert found.sentences[0].startswith(conclusion)
    told = {one.unit: one.figure for one in found.conclusions if one.subject == "RAID 6" and one.kind != "rank"}
    assert told["disks"] == 2 and 1.9e12 < (told["bytes"] or 0) < 2e12 and "trials" in told
