"""Self-tests of all members: started, followed, aborted on a stop. One that fails before a write ends the run."""

import time

from raidtui.core.plan.model import self_tests_after
from raidtui.core.plan.steps import SELF_TESTS, Wait
from raidtui.core.run import events
from raidtui.core.run.events import SelfTestResult
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import StepFailed, Stopped

_LOOK_S = 5.0
_UNTOLD_S = 60.0  # without a word, as virtual disks are
_SILENT_S = 600.0  # without a step forward, at least; a long test tells its tenths alone, a SAS disk's nothing


def follow(context: StageContext, step: Wait) -> None:
    """In parallel. StepFailed, after all ended, if one failed before anything was erased; a disk without such a test is
    reported and skipped.
    """
    length, after = SELF_TESTS[step.condition], self_tests_after(context.plan, context.number)
    names = {member.id: context.members.disk(member).name for member in context.plan.members}
    results = {}
    running = []
    try:
        for identity, name in names.items():
            if why_not := context.host.begin_self_test(name, length):
                results[identity] = SelfTestResult(words=f"no {length} test: {why_not}")
            else:
                running.append(identity)
        _await(context, names, running, results, step)
    finally:
        for identity in running:  # the run was stopped, or they came to nothing
            context.host.end_self_test(names[identity])
    ended = events.SelfTestsEnded(
        at_s=time.time(),
        stage=context.number,
        length=length,
        after=after,
        disks={identity: results[identity] for identity in names},
    )
    context.journal.add(ended)
    failed = [identity for identity, result in results.items() if result.passed is False]
    if failed and not after:
        titles = ", ".join(context.members.title(names[identity]) for identity in failed)
        raise StepFailed(f"the {length} self-test of {titles} found it bad; choose another disk. Nothing was erased")
    for identity, result in ended.disks.items():
        if result.passed is not True:
            context.waiter.warn(f"{context.members.title(names[identity])}: {result.words}")


def _await(
    context: StageContext,
    names: dict[str, str],
    running: list[str],
    results: dict[str, SelfTestResult],
    step: Wait,
) -> None:
    """Fills `results` until none is `running`. One without progress is given up. A long one that was never seen to run
    passed nothing: a drive may accept it, do nothing, and show the result of an older one.
    """
    needs_sight, seen = SELF_TESTS[step.condition] == "long", set[str]()
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
            seen |= {identity} if status and status.runs else set()
            told_s = step.estimate_s * (0.5 if status and status.left_percent is not None else 3.0)
            silent_s = max(_SILENT_S, told_s)
            if status and not status.runs and status.passed and needs_sight and identity not in seen:
                results[identity] = SelfTestResult(words=f"no long test was seen to run; last result: {status.result}")
            elif status and not status.runs:
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
