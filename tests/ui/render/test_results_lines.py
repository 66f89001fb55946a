"""Results of a sweep: each test by itself, its setups under each other by what tells them apart."""

import msgspec
import pytest

from raidtui.core.plan.answers import Axes, Setup
from tests.builders import handmade, sweeps
from tests.ui.pages import shown


def test_every_setup_of_a_sweep_is_named_in_each_test() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    text = "\n".join(shown(made, sweeps.state(made, lambda *_: 100.0), 80))
    for name in ("RAID 0 4KiB", "RAID 6 1MiB", "RAID 10 n2 64KiB", "Random 4K read, IOPS", "and 33 more setups"):
        assert name in text, text
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize(("setups", "further"), [(3, ""), (4, " and 1 more setup"), (5, " and 2 more setups")])
def test_further_setups_are_counted(setups: int, further: str) -> None:
    axes = (Axes(level=("0", "10", "5", "6", "1")[:setups]),)
    made = sweeps.plan("levels-in-short", 6, axes=axes)
    lines = shown(made, sweeps.state(made, lambda *_: 100.0), 80)
    assert [line for line in lines if " more setup" in line] == ([further] if further else [])


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_long_name_of_a_test_is_whole_in_its_table(width: int) -> None:
    plan = handmade.plan()
    trials = [msgspec.structs.replace(trial, title=f"{trial.title}, without write throttling") for trial in plan.trials]
    by_id = {trial.id: trial for trial in trials}
    stages = tuple(
        msgspec.structs.replace(stage, trials=tuple(by_id[trial.id] for trial in stage.trials)) for stage in plan.stages
    )
    plan = msgspec.structs.replace(plan, stages=stages)
    text = shown(plan, handmade.state(plan), width)
    table = text[text.index(" Sequential, MB/s") : text.index(" Random, IOPS")]
    assert not any("…" in line for line in table) and "throttling" in " ".join(table)


def test_what_stands_against_many_cells_is_said_once() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    lines = shown(made, sweeps.state(made, lambda *_: 100.0), 80)
    notes = lines[lines.index(" Notes") :]
    assert sum("the disks are many" in line for line in notes) <= 2  # of reads, and of writes
    assert " others, other values)" in " ".join(line.strip() for line in notes)
    assert any(line.startswith(" f: results test by test") for line in notes)


def test_a_slow_disk_and_repetitions_far_apart_are_on_the_screen() -> None:
    plan = handmade.plan(repeat=2)
    first = plan.trial("filesystem-seq_read")
    assert first
    odd = {"read": handmade.measurement(first, 140).read}
    text = " ".join(line.strip(" -") for line in shown(plan, handmade.state(plan, {1: 0.8}, filesystem_seq_read=odd)))
    assert "Slow disk: sdc (WDC WD5003ABYX WD-1)" in text
    assert "Sequential read: run-to-run SD 20 % (2 runs)" in text
    assert "all disks at once reach" not in text


def test_the_parallel_check_is_on_the_screen() -> None:
    plan = handmade.plan()
    together = plan.trial("members-seq_read")
    assert together
    own = handmade.disks(plan, together, 230)
    state = handmade.state(plan, members_seq_read={"read": handmade.measurement(together, 230).read, "disks": own})
    assert any("all disks at once reach 81 % of 3 times one" in line for line in shown(plan, state))


def test_what_holds_a_test_back_is_answered_before_what_was_tried_and_what_the_array_gives() -> None:
    plan = sweeps.plan("quick", 6, setup=Setup(level="5"), jobs=("rand_write",), explain=("wbt",), repeat=5)
    state = sweeps.state(
        plan,
        lambda stage, trial: 100.0 if stage.setup is None else (130.0 if trial.suspect else 100.0) + trial.repetition,
    )
    lines = shown(plan, state)
    places = [
        next(number for number, line in enumerate(lines) if words in line)
        for words in (
            "cause: wbt",
            "Explained: ",
            " Cause: wbt",
            " Random, IOPS",
        )
    ]
    assert places == sorted(places)
