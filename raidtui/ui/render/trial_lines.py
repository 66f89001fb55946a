"""What is going to be measured, in lines: the recipe's words, each test with what it asks, its time and bytes. Pure."""

from collections.abc import Sequence
from itertools import groupby

from raidtui.core.plan import summary
from raidtui.core.plan.model import Plan, Target, Trial
from raidtui.core.plan.recipe import Recipe
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.render.cells import Line, fit, wrap

_TIMES, _TIME, _BYTES = 6, 13, 10
_LEAST_ON, _MOST_ON = 14, 32  # of the column of what is measured; where it has less, it is left out
_ON: dict[Target, str] = {
    "member": "one disk",
    "members": "all",
    "array": "array",
    "filesystem": "file system",
    "existing": "existing",
}


def trial_lines(recipe: Recipe, plan: Plan | None, units: Units, width: int) -> list[Line]:
    """All that the recipe does; time and bytes of each test where there is a plan."""
    lines: list[Line] = [((recipe.title, "head"),), *_wrapped(recipe.summary, width)]
    if plan is not None:
        lines += [(), *_table(recipe, plan.trials, units, width)]
        lines += [(), (("Total", "head"),)]
        lines += [line for text in summary.cost(plan) for line in _wrapped(text[:1].upper() + text[1:], width)]
    lines += [(), (("Tests", "head"),)]
    return lines + [line for text in summary.doing(recipe) for line in _wrapped(text, width)]


def _table(recipe: Recipe, trials: Sequence[Trial], units: Units, width: int) -> list[Line]:
    jobs = {job.name: job for job in recipe.job}
    tests = {name: list(group) for name, group in groupby(sorted(trials, key=_job_of), key=_job_of) if name in jobs}
    figures_wide = _TIMES + _TIME + _BYTES
    title = min(width - figures_wide, 2 + max((len(jobs[name].title or name) for name in tests), default=4))
    room = width - title - figures_wide
    on_wide = min(room, _MOST_ON) if room >= _LEAST_ON else 0
    heading = f"{fit('test', title)}{fit('on', on_wide)}{fit('times', _TIMES, right=True)}"
    heading += f"{fit('time', _TIME, right=True)}{fit('written', _BYTES, right=True)}"
    lines: list[Line] = [((heading, "dim"),)]
    for name in (name for name in jobs if name in tests):
        own_test, job = tests[name], jobs[name]
        on = ", ".join(dict.fromkeys(_ON[trial.target] for trial in own_test))
        figures = f"{fit(str(len(own_test)), _TIMES, right=True)}"
        figures += fit(format_duration(sum(trial.expected_s for trial in own_test)), _TIME, right=True)
        figures += fit(format_bytes(sum(trial.written_bytes for trial in own_test), units), _BYTES, right=True)
        lines.append(((fit(job.title or name, title), "strong"), (fit(on, on_wide), "dim"), (figures, "")))
        lines += [((f"  {text}", "dim"),) for text in wrap(summary.asks_words(job), width - 2)]
    return lines


def _job_of(trial: Trial) -> str:
    return trial.family or trial.recipe_job


def _wrapped(text: str, width: int) -> list[Line]:
    """A text over as many lines as it takes; how far it is indented it stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return [((indent + line, ""),) for line in wrap(text, max(20, width - len(indent)))]
