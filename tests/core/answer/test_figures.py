"""One setup, or none: gains, what disks do at once, the queue that is enough, passes of a burn-in."""

from typing import Any

import msgspec
import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.fio.measurement import Direction
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.raid.purposes import Workload
from raidtui.core.results.analysis import compare
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.units import GB, MIB
from tests.builders import sweeps
from tests.builders.answers import answered


def test_gain_is_told_with_the_articles_by_ratio() -> None:
    found = answered("raid0-gain", 4, lambda stage, trial: 100.0 if trial.target == "member" else 400.0)
    assert "Sequential 4M write 400 MB/s, 4.0 times one disk" in found.sentences[0]
    assert (
        "has sequential 4M read 23 times one disk, here 4.0 times one disk; sequential 4M write and random 4K read"
        " differ, too" in found.sentences[0]
    )
    gain = next(one for one in found.conclusions if one.kind == "gain" and one.test == "Sequential 4M read")
    assert round(gain.published or 0.0, 3) == round(4644.3 / 205.0, 3)


@pytest.mark.parametrize(
    ("use", "begins"),
    [
        (None, "Sequential write 400 MB/s, 4.0 times one disk"),
        (Workload.BACKUP, "For a backup space counts more than speed: "),
        (Workload.MEDIA, "For media files long reads count most: sequential read 400 MB/s, 4.0 times one disk"),
        (Workload.DATABASES, "For a database small writes count most: random 4K write 400 IOPS, 4.0 times one disk"),
    ],
)
def test_the_answer_begins_with_what_counts_for_the_purpose(use: Workload | None, begins: str) -> None:
    found = answered(
        "quick", 4, lambda stage, trial: 100.0 if trial.target == "member" else 400.0, use=use, setup=Setup(level="5")
    )
    assert found.sentences[0].startswith(begins), found.sentences
    usable = [one for one in found.sentences if "are usable" in one]
    assert len(usable) == 1 and (usable[0] == found.sentences[0]) == (use is Workload.BACKUP)


def test_what_counts_is_not_promised_where_it_has_no_figure() -> None:
    made = sweeps.plan("quick", 4, use=Workload.DATABASES, setup=Setup(level="5"))
    state = sweeps.state(made, lambda stage, trial: 100.0 if trial.target == "member" else 400.0)
    lacking = {trial.id for trial in made.trials if trial.job == "rand_write"}
    state = msgspec.structs.replace(state, trials=tuple(one for one in state.trials if one.trial not in lacking))
    found = answer(made, state, compare(made, state))
    assert not any("count most" in sentence for sentence in found.sentences)
    assert any("andom 4K read 400 IOPS" in sentence for sentence in found.sentences)


def test_disks_that_share_something_are_told_by_the_test_that_shows_it() -> None:
    def shared(stage: Stage, trial: Trial) -> float:
        return 100.0 if trial.target == "member" else 450.0 if trial.rw == "read" else 600.0

    found = answered("disk-baseline", 6, shared)
    said = " ".join(found.sentences)
    assert "all at once they reach 75 % of so many times one disk in sequential read" in said.replace(
        "All at", "all at"
    )


def test_disks_that_share_nothing_do_all_at_once_what_each_does() -> None:
    found = answered("disk-baseline", 6, lambda stage, trial: 100.0 if trial.target == "member" else 600.0)
    assert "All at once they do what each does alone, as far as these runs can tell." in found.sentences


def test_the_queue_that_is_enough_is_the_shortest_within_3_percent() -> None:
    def grows(stage: Stage, trial: Trial) -> float:
        return 10.0 * min(64, (trial.iodepth or 1) * (trial.numjobs or 1))

    found = answered("qd-x-jobs", 4, grows, 1, setup=Setup(level="0"))
    assert "at most 64" in found.sentences[0]
    assert "within 3 % of it from a queue of 64 on" in found.sentences[0]


def burnt_in(read_bytes: int, disks: int = 3, **given: Any) -> tuple[Plan, RunState]:
    """A burn-in of which so many bytes were read back in each pass."""
    made = sweeps.plan("burn-in", disks, **given)
    state = sweeps.state(made, lambda stage, trial: 100.0)
    read = Direction(iops=1.0, bytes_per_s=1e6, io_bytes=read_bytes)
    told = [
        events.TrialEnded(at_s=9e9, trial=trial.id, measurement=msgspec.structs.replace(measured, read=read))
        for trial in made.trials
        if (measured := state.measured(trial.id))
    ]
    return made, fold_all(told, state)


@pytest.mark.parametrize(
    ("read_bytes", "given", "said"),
    [
        (3 * (1000 * GB - MIB), {}, "Every disk gave back what was written to it: 1 of 1 passes, 99.9 % of each disk"),
        (3 * (1000 * GB), {"repeat": 3}, "Every disk gave back what was written to it: 3 of 3 passes, 100 % of each"),
        (
            600_000_000,
            {"setup": Setup(level="5", filesystem="xfs")},
            "Each test file gave back what was written to it: 1 of 1 passes, 0.03 % of the array verified.",
        ),
        (0, {}, "0 of 1 passes ended with every block as it was written."),
    ],
)
def test_a_burn_in_says_how_many_passes_gave_back_what_was_written_and_of_how_much(
    read_bytes: int, given: dict[str, Any], said: str
) -> None:
    made, state = burnt_in(read_bytes, **given)
    assert answer(made, state, compare(made, state)).sentences[0].startswith(said)


def test_what_a_burn_in_found_stands_though_no_figure_can_be_relied_on() -> None:
    made, state = burnt_in(3 * (1000 * GB - MIB))
    found = answer(made, state, msgspec.structs.replace(compare(made, state), rows=()))
    assert found.sentences[0].startswith("Every disk gave back what was written to it: 1 of 1 passes")
