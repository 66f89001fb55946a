"""Self-tests of all members: started, followed, aborted on a stop. A failed one ends the run."""

import time

from raidtui.core.plan.steps import SELF_TESTS, Wait
from raidtui.core.run import events
from raidtui.core.run.events import SelfTestResult
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import StepFailed, Stopped

_LOOK_S = 5.0
_UNTOLD_S = 60.0  # without a word, as virtual disks are
_SILENT_S = 600.0  # without a step forward, at least; a long test tells its tenths alone


def follow(context: StageContext, step: Wait) -> None:
    """In parallel. StepFailed, after all ended, if one failed; a disk without such a test is reported and skipped."""
    length = SELF_TESTS[step.condition]
    names = {member.id: context.members.disk(member).name for member in context.plan.members}
    results: dict[str, SelfTestResult] = {}
    running: list[str] = []
    try:
        for identity, name in names.items():
            if why_not := context.host.begin_self_test(name, length):
                results[identity] = SelfTestResult(words=f"no {length} test: {why_not}")
            else:
                running.append(identity)
        _await(context, names, running, results, max(_SILENT_S, step.estimate_s / 2))
    finally:
        for identity in running:  # the run was stopped, or they came to nothing
            context.host.end_self_test(names[identity])
    context.journal.add(events.SelfTestsEnded(at_s=time.time(), stage=context.number, length=length, disks=results))
    failed = [context.members.title(names[identity]) for identity, result in results.items() if result.passed is False]
    if failed:
        raise StepFailed(
            f"the {length} self-test of {', '.join(failed)} found it bad; choose another disk. Nothing was erased"
        )
    for identity, result in results.items():
        if result.passed is None:
            context.waiter.warn(f"{context.members.title(names[identity])}: {result.words}")


def _await(
    context: StageContext,
    names: dict[str, str],
    running: list[str],
    results: dict[str, SelfTestResult],
    silent_s: float,
) -> None:
    """Fills `results` until none is `running`. One without progress is given up."""
    now_s = context.host.clock.monotonic
    moved_s = dict.fromkeys(running, now_s())
    left_percent: dict[str, int | None] = {}
    while running:
        context.waiter.pause(_LOOK_S)
        if context.waiter.stopping():
            raise Stopped
        statuses = context.host.self_tests(names[identity] for identity in running)
        for identity in tuple(running):
            status, why_not = statuses.get(names[identity]), ""
            if status and not status.runs:
                results[identity] = SelfTestResult(passed=status.passed, words=status.result)
            elif status and left_percent.get(identity) != status.left_percent:
                moved_s[identity], left_percent[identity] = now_s(), status.left_percent
            elif status is None and now_s() - moved_s[identity] > _UNTOLD_S:
                why_not = "it began a self-test and tells nothing of it"
            elif now_s() - moved_s[identity] > silent_s:
                why_not = f"its self-test told no step forward for {silent_s / 60:.0f} min, and was ended"
            if why_not:
                results[identity] = SelfTestResult(words=why_not)
                context.host.end_self_test(names[identity])
            if identity in results:
                running.remove(identity)
