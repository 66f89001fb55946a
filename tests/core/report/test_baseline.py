"""Each disk alone against all at once: the parallel check."""

import msgspec
import pytest

from raidtui.core.page.markdown import markdown
from raidtui.core.plan.model import Plan
from raidtui.core.report.context import RunContext
from raidtui.core.report.results import baseline
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from tests.builders import handmade
from tests.builders.compared import row


def said(plan: Plan, state: RunState) -> str:
    return markdown(baseline(RunContext(plan, state)))


@pytest.mark.parametrize("rates, told", [((276, 280), False), ((272, 272), True), ((240, 275), False)])
def test_the_parallel_check_is_3_percent_and_more_than_chance(rates: tuple[int, int], told: bool) -> None:
    """3 times 94.5 are 283.5: 97 % are 275; with repetitions of 240 and 275 nobody knows."""
    plan = handmade.plan(repeat=2, each=True)
    odd = {}
    for number, rate in enumerate(rates):
        trial = plan.trial("members-seq_read" + ("-2" if number else ""))
        assert trial
        own = handmade.disks(plan, trial, rate)
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read, "disks": own}
    state = handmade.state(plan, **odd)
    flags = row(compare(plan, state), "seq_read").flags
    assert any("of the sum of the disks alone: shared limit" in flag for flag in flags) is told
    assert ("all disks at once reach" in said(plan, state)) is told


@pytest.mark.parametrize("under_array, is_limit", [(245, True), (230, True), (290, False)])
def test_what_the_disks_did_under_the_array_they_can_do_together(under_array: int, is_limit: bool) -> None:
    """A test that was held up for once looks like a limit; nothing that is shared let less through than later."""
    plan = handmade.plan(repeat=2, each=True)
    odd = {}
    for trial, rate in [
        (plan.trial(f"{part}-seq_read{number}"), rate)
        for part, rate in (("members", 240), ("filesystem", under_array))
        for number in ("", "-2")
    ]:
        assert trial
        odd[trial.id.replace("-", "_")] = {
            "read": handmade.measurement(trial, rate).read,
            "disks": handmade.disks(plan, trial, rate),
        }
    state = handmade.state(plan, **odd)
    flags = " ".join(row(compare(plan, state), "seq_read").flags)
    told = "without a shared limit: in another test they read 290 MB/s together, here 240"
    assert (": shared limit" in flags, told in flags) == (is_limit, not is_limit)
    reported = said(plan, state)
    assert (": shared limit" in reported, told in reported) == (is_limit, not is_limit)


def test_a_slow_disk_among_others_is_no_shared_limit() -> None:
    """Two of three did all that they do alone: in the row and in the table alike."""
    plan = handmade.plan(repeat=2, each=True)
    odd = {}
    for trial in (plan.trial("members-seq_read"), plan.trial("members-seq_read-2")):
        assert trial
        odd[trial.id.replace("-", "_")] = {
            "read": handmade.measurement(trial, 245).read,
            "disks": handmade.disks(plan, trial, 283.5, {2: 0.6}),
        }
    state = handmade.state(plan, **odd)
    assert "all disks at once reach" not in " ".join(row(compare(plan, state), "seq_read").flags)
    assert "86.4" in said(plan, state)
    assert "all disks at once reach" not in said(plan, state)


def test_all_at_once_is_the_rate_that_rows_have_of_it() -> None:
    """Of whole seconds, where the kernel counted them: fio counts its last stragglers, too."""
    plan = handmade.plan(each=True)
    trial = plan.trial("members-rand_read")
    assert trial
    read = handmade.measurement(trial, 300).read
    assert read
    state = handmade.state(plan, members_rand_read={"read": msgspec.structs.replace(read, counted_iops=288.0)})
    assert row(compare(plan, state), "rand_read").all_at_once.value == 288.0
    lines = said(plan, state).splitlines()
    assert any("288.0" in line for line in lines if line.startswith("| All at once  "))


def test_all_at_once_that_the_disks_did_not_move_is_said_to_be_too_high() -> None:
    plan = handmade.plan(each=True)
    trial = plan.trial("members-seq_read")
    assert trial
    for moved, is_said in ((280.0, False), (200.0, True)):
        disks = handmade.disks(plan, trial, moved)
        state = handmade.state(plan, members_seq_read={"read": handmade.measurement(trial, 280).read, "disks": disks})
        assert ("may be too high" in said(plan, state)) is is_said
