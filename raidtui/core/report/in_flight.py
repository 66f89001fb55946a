"""The line of a report that tells how many requests each test keeps in flight: no figure at random means much without.

Knows the trials of a plan on what was built; what a queue makes of a figure is theory's.
"""

from raidtui.core.plan.model import Plan, Trial
from raidtui.core.report.tables import escape


def in_flight(plan: Plan) -> list[str]:
    """Each test with its queue, jobs by depth; of tests that differ in little else the least and the most."""
    built = [trial for stage in plan.stages for trial in stage.trials if stage.setup is not None]
    tests: dict[str, dict[int, str]] = {}  # title -> queue -> how it is made up
    for trial in built or plan.trials:
        title = trial.title.partition(",")[0] if trial.family else trial.title
        if trial.iodepth and trial.numjobs:
            tests.setdefault(title, {}).setdefault(trial.iodepth * trial.numjobs, _made_up(trial))
    tests_in_flight = [f"{escape(title)} {_queues(queues)}" for title, queues in tests.items()]
    return [f"Requests in flight: {'; '.join(tests_in_flight)}."] if tests_in_flight else []


def _made_up(trial: Trial) -> str:
    jobs = f"{trial.numjobs} jobs" if (trial.numjobs or 1) > 1 else "one job"
    return f"{trial.iodepth * (trial.numjobs or 1)} ({jobs}, depth {trial.iodepth})" if trial.iodepth else ""


def _queues(queues: dict[int, str]) -> str:
    return next(iter(queues.values())) if len(queues) == 1 else f"{min(queues)} to {max(queues)}"
