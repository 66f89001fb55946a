"""What is going to be measured in lines: each test with what it asks, and sums that are the plan's."""

import pytest
from rich.cells import cell_len

from raidtui import recipes
from raidtui.core.plan.model import Plan
from raidtui.core.units import Units
from raidtui.ui.draft import Draft, answers
from raidtui.ui.render.review_lines import trial_lines
from tests.ui.machines import RecordedServices, rack
from tests.ui.pages import texts


def planned(name: str) -> Plan:
    services = RecordedServices(rack(6))
    builds = "recipe" if recipes.load(name).sweeps else "chosen"
    draft = Draft(disks=tuple(disk.id for disk in rack(6)), recipe=name, level="6", builds=builds)  # type: ignore[arg-type]
    return services.plan(answers(draft), services.scan())


@pytest.mark.parametrize("name", ["quick", "burn-in", "raid5-many-readers", "qd-x-jobs"])
def test_it_fits_every_width_and_counts_each_trial_once(name: str) -> None:
    recipe, plan = recipes.load(name), planned(name)
    for width in (60, 78, 156):
        lines = trial_lines(recipe, plan, Units.DECIMAL, width)
        assert all(sum(cell_len(text) for text, _ in line) <= width for line in lines)
    counts = [int(line[2][0].split()[0]) for line in lines if len(line) == 3]
    assert sum(counts) == len(plan.trials) and len(counts) == len([job for job in recipe.job if not job.uses])


def test_a_test_says_what_it_asks_where_it_is_done_and_what_it_costs() -> None:
    text = texts(trial_lines(recipes.load("quick"), planned("quick"),
            Units.DECIMAL, 78))  # fmt: skip
    at = next(number for number, line in enumerate(text) if line.startswith("Sequential write "))
    assert "one disk, all, array" in text[at] and text[at].split()[-5:-3] == ["3", "18"] and "GB" in text[at]
    assert text[at + 1] == "  seq write, 1 MiB, 1 job, QD32, direct, 5 s"
    assert any(line.startswith("Writes ") for line in text)


def test_before_there_is_a_plan_the_recipes_words_stand_alone() -> None:
    text = texts(trial_lines(recipes.load("quick"), None, Units.DECIMAL, 78))
    assert text[0] == "Quick look" and not any(line.startswith("test ") for line in text)
