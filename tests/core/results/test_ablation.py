"""What an ablation tells: each effect with its interval, the cause that a change proved, or that there is none."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import Plan
from raidtui.core.report import series
from raidtui.core.report.markdown import markdown
from raidtui.core.results import ablation
from raidtui.core.results.analysis import compare
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade, sweeps
from tests.builders.ablations import PLAN, THEORY, measured
from tests.seeds import cases


def found(state: RunState) -> ablation.Ablation:
    (one,) = ablation.of_run(PLAN, state, compare(PLAN, state))
    return one


def test_the_suspect_that_holds_it_back_is_the_cause_with_its_interval_and_its_price() -> None:
    one = found(measured({"wbt": 0.30, "bitmap": 0.01}, base=0.7 * THEORY))
    assert [effect.suspect.key for effect in one.causes] == ["wbt"]
    effect = one.causes[0].throughput
    assert effect.low and effect.high and effect.low < 0.30 < effect.high and effect.high - effect.low < 0.12
    told = " ".join(series.sentences(one))
    assert "Cause: wbt" in told and "price: longer latency" in told
    assert "% vs expected" in told and "p99" in told


@pytest.mark.parametrize("spread", [0.02, 0.05])
def test_a_healthy_array_is_given_no_cause_20_times_of_20(spread: float) -> None:
    every = [found(measured({}, seed=seed, spread=spread)) for seed in range(cases(20, few=4))]
    assert {one.causes for one in every} == {()} and not any(one.slow for one in every)


def test_a_healthy_array_is_called_that() -> None:
    one = found(measured({}))
    assert any(text.startswith("Nothing to explain: as expected or above") for text in series.sentences(one))


def test_what_is_far_above_theory_is_not_called_expected() -> None:
    told = series.sentences(found(measured({}, base=1.5 * THEORY)))
    assert any(text.startswith("Above expected, cause unknown") for text in told)


def test_what_no_change_explains_is_called_that_and_says_what_to_try() -> None:
    told = series.sentences(found(measured({}, base=0.6 * THEORY)))
    assert any(text.startswith("Cause unknown: none of these changes is") for text in told)
    assert any(text.startswith("Next: ") for text in told)


def test_a_change_for_the_worse_is_no_cause() -> None:
    assert found(measured({"wbt": -0.3}, base=0.6 * THEORY)).causes == ()


def test_a_cause_that_explains_a_part_leaves_the_rest_unexplained() -> None:
    told = series.sentences(found(measured({"wbt": 0.3}, base=0.4 * THEORY)))
    assert any("% vs expected remain, explained by no single change" in text for text in told)
    told = series.sentences(found(measured({"wbt": 1.9}, base=0.4 * THEORY)))
    assert any("A cause" in text or "wbt" in text for text in told) and not any("are left" in text for text in told)


def test_a_disk_that_is_slow_in_both_tests_of_the_disks_is_named() -> None:
    state = measured({}, base=0.5 * THEORY, slow=2)
    member = PLAN.members[2].id

    trials = []
    for one in state.trials:
        if one.measurement and one.trial.endswith("members-rand_write"):
            disks = dict(one.measurement.disks)
            disks[member] = replace(disks[member], write_bytes_per_s=disks[member].write_bytes_per_s / 2)
            one = replace(one, measurement=replace(one.measurement, disks=disks))
        trials.append(one)
    told = series.sentences(found(replace(state, trials=tuple(trials))))
    assert any("Cause: disk 3 (DISK SER2) does 50 % of the other disks, alone" in text for text in told)


def test_the_report_begins_with_its_answer_and_then_tells_how() -> None:
    text = markdown(PLAN, measured({"wbt": 0.30}, base=0.7 * THEORY))
    assert text.index("\n## ") == text.index("\n## Answer\n") < text.index("\n## Explained")
    assert text.index("\n## Explained") < text.index("Cause: ") < text.index("\n## What was asked")
    assert "Without wbt" in text


def test_a_run_without_arms_has_none() -> None:
    plan = handmade.plan()
    assert ablation.of_run(plan, handmade.state(plan), compare(plan, handmade.state(plan))) == ()


def suspects_of(plan: Plan, trial: str, **detail: str) -> tuple[str, ...]:
    told = [replace(one, detail=detail) if isinstance(one, events.ArrayBuilt) else one
            for one in handmade.journal(plan)]  # fmt: skip
    found = plan.trial(trial)
    assert found
    return ablation.suspects_of(plan, fold_all(told), found)


def test_what_the_run_recorded_as_so_already_is_not_suspected() -> None:
    plan = handmade.plan()
    assert suspects_of(plan, "filesystem-rand_write", wbt_lat_usec="75000", stripe_cache_size="256")[1:] == (
        "stripe-cache", "wbt", "bitmap", "direct")  # fmt: skip
    assert "wbt" not in suspects_of(plan, "filesystem-rand_write", wbt_lat_usec="0", stripe_cache_size="256")
    assert "stripe-cache" not in suspects_of(plan, "filesystem-rand_write", stripe_cache_size="8192")
    assert suspects_of(plan, "member0-rand_write") == ("disks",)


def test_the_test_that_is_furthest_from_theory_is_taken_and_without_a_theory_a_name_is_asked_for() -> None:
    plan = handmade.plan()
    slow = handmade.measurement(plan.trial("filesystem-rand_read"), 30)  # type: ignore[arg-type]
    state = handmade.state(plan, filesystem_rand_read={"read": slow.read})
    furthest = ablation.most_deviating(compare(plan, state))
    assert furthest and furthest.job == "rand_read"
    assert ablation.answers_of(plan, state).jobs == ("rand_read",)
    with pytest.raises(ablation.NothingToExplain, match="a trial"):
        ablation.answers_of(plan, RunState())
    with pytest.raises(ValueError, match="the run has no trial 'moon'"):
        ablation.answers_of(plan, state, "moon")


def test_what_is_faster_than_theory_is_not_to_be_explained() -> None:
    told = series.sentences(found(measured({}, base=1.2 * THEORY)))
    assert told[-1].startswith("Nothing to explain") and not any("Cause unknown" in text for text in told)


@pytest.mark.parametrize("rw, suspects", [("randwrite", ("wbt",)), ("randread", ())])
def test_of_an_array_that_stands_only_what_can_be_changed_beneath_it_is_explained(
    rw: str, suspects: tuple[str, ...]
) -> None:
    plan = sweeps.plan("raid0-gain", 3)
    state = sweeps.state(plan)
    trial = next(trial for trial in plan.trials if trial.target == "array" and trial.rw == rw)
    if suspects:
        assert ablation.answers_of(plan, state, trial.id, "/mnt").explain == suspects
    else:
        with pytest.raises(ablation.NothingToExplain, match="can be changed while its array exists"):
            ablation.answers_of(plan, state, trial.id, "/dev/md127")


@pytest.mark.parametrize(
    "recipe, told", [("latency-at-load", "a share of another"), ("flash-steady-state", "many rounds")]
)
def test_a_test_that_hangs_on_others_is_not_explained_alone(recipe: str, told: str) -> None:
    made = sweeps.plan(recipe, 4, level="10")
    state = sweeps.state(made)
    trial = next(trial for trial in made.trials if trial.share_of or trial.rounds)
    with pytest.raises(ablation.NothingToExplain, match=told):
        ablation.answers_of(made, state, trial.id)
