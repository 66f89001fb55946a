"""The part of a report that tells which tests were measured with other settings of the disks than before the run."""

from collections.abc import Mapping, Sequence

from raidtui.core.plan.model import Plan, Trial
from raidtui.core.report.tables import bullets, escape
from raidtui.core.run import queues
from raidtui.core.run.state import RunState

_ON = {"member": "one disk", "members": "all disks at once", "existing": "what stands"}
_MOST_NAMED = 4  # tests, one by one


def disk_settings(plan: Plan, state: RunState) -> list[str]:
    """A line for each value that differs from the one before the run, and the disks that had it in the same tests."""
    trials = {trial_state.trial: trial_state for trial_state in state.trials}
    measured_trials = [trial for name in trials if (trial := plan.trial(name))]
    before_run = queues.before_run(plan, state)
    lines: dict[tuple[str, str], list[str]] = {}  # disks and value -> the tests
    for kind in dict.fromkeys(map(_kind, measured_trials)):
        tests_of_kind = [trial.id for trial in measured_trials if _kind(trial) == kind]
        alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # value, tests -> disks
        for disk in dict.fromkeys(disk for name in tests_of_kind for disk in trials[name].queues):
            for value, tests_with in _other_settings(
                before_run.get(disk, {}), {name: trials[name].queues.get(disk, {}) for name in tests_of_kind}
            ):
                alike.setdefault((value, tests_with), []).append(disk)
        for (value, tests_with), disks in alike.items():
            lines.setdefault((_disks(plan, disks), value), []).append(_tests(kind, tests_of_kind, tests_with))
    lines_shown = [f"{disks}: {value}: {'; '.join(tests)}" for (disks, value), tests in lines.items()]
    return (
        ["Measured with other settings of the disks than before the run:", bullets(lines_shown)] if lines_shown else []
    )


def _other_settings(
    before_run: Mapping[str, str], during: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """One disk's values that are not those before the run, in words, and the tests that were measured with each."""
    tests_by_value: dict[str, list[str]] = {}
    for test, settings in during.items():
        for name, value in settings.items():
            told_twice = name == "caching" and settings.get("write cache") == value
            if (old := before_run.get(name)) not in (None, value) and not told_twice:
                tests_by_value.setdefault(f"{name} {escape(value)}, {escape(old)} before the run", []).append(test)
    return [(value, tuple(tests)) for value, tests in tests_by_value.items()]


def _disks(plan: Plan, disks: Sequence[str]) -> str:
    """Their serial numbers, or that it is all of them."""
    if len(disks) > 1 and len(disks) == len(plan.disks):
        return f"all {len(disks)} disks"
    serials = {member.id: member.serial or member.id for member in plan.disks}
    return ", ".join(escape(serials.get(disk, disk)) for disk in disks)


def _kind(trial: Trial) -> str:
    return f"{trial.title} on {_ON.get(trial.target, 'arrays')}"


def _tests(kind: str, tests_of_kind: Sequence[str], tests: Sequence[str]) -> str:
    """Tests of one kind: all of them, or which."""
    if len(tests) == len(tests_of_kind):
        return escape(kind)
    named = f": {', '.join(map(escape, tests))}" if len(tests) <= _MOST_NAMED else ""
    return f"{escape(kind)} ({len(tests)} of {len(tests_of_kind)} tests{named})"
