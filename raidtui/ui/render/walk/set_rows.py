"""Sets of tests as a table with time and bytes; the run's time as one bar; what is measured on which target. Pure."""

import math
from collections.abc import Sequence
from itertools import groupby

import msgspec

from raidtui.core.plan import estimate
from raidtui.core.plan.model import Plan, Target, Trial
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.summary import axes_words
from raidtui.core.units import Units, format_bytes, format_duration, format_round
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, of_terminal, wrap
from raidtui.ui.render.parts import bar, join

_MARKS, _TESTS, _TIME, _BYTES = 3, 6, 13, 11
_FIXED = _MARKS + _TESTS + _TIME + _BYTES + 1
_MOST_BAR = 40
_BRIEFEST_S = 30.0  # at which the logarithmic bar begins
_TARGETS: dict[Target, str] = {
    "member": "one disk", "members": "all disks", "array": "array", "filesystem": "array", "existing": "existing",
}  # fmt: skip
_CELL, _HEADING, _ASKED, _LEAST_TITLE, _MOST_TITLE = 11, 14, 10, 17, 30


class SetOfTests(msgspec.Struct, frozen=True):
    """A recipe and what it would be: `problem` why it cannot; neither plan nor problem while it is being estimated."""

    name: str
    recipe: Recipe
    plan: Plan | None = None
    problem: str = ""
    chosen: bool = False
    proposed: bool = False


def tests_bytes(plan: Plan) -> int:
    """By tests; of a proof with all that it writes and rebuilds."""
    proofs = sum(stage.written_bytes - stage.sync_bytes for stage in plan.stages if stage.proof)
    return proofs or sum(trial.written_bytes for trial in plan.trials)


def sets_sheet(sets: Sequence[SetOfTests], units: Units, width: int) -> Sheet:
    """One line a set: tests, the time until all is done, as on Review, and the bytes that the tests write."""
    title = min(34, max((len(one.recipe.title) for one in sets), default=8) + 2)
    of_bar = min(_MOST_BAR, max(0, width - _FIXED - title))
    heads = [("", _MARKS, False), ("", title, False)]
    heads += [("tests", _TESTS, True), ("", of_bar + 1, False), ("until done", _TIME, True), ("written", _BYTES, True)]
    heading = join((fit(text, wide, right), "dim") for text, wide, right in heads)
    longest = max((one.plan.estimate_s for one in sets if one.plan), default=1.0)
    return Sheet(heading, tuple(_row(one, title, of_bar, longest, units) for one in sets))


def _row(one: SetOfTests, title: int, of_bar: int, longest: float, units: Units) -> Row:
    glyphs, strong = of_terminal(), "*strong" if one.chosen else ""
    signs = ("▸" if one.chosen else " ") + (glyphs.proposed if one.proposed else " ") + " "
    cells: list[Piece] = [(signs, "accent"), (fit(one.recipe.title, title), strong)]
    if one.plan is None:
        words = one.problem.partition(";")[0] if one.problem else "estimating"
        return Row((join((*cells, (fit(words, _FIXED + of_bar - _MARKS), "dim"))),), possible=not one.problem)
    seconds = one.plan.estimate_s
    share = math.log(max(1.0, seconds / _BRIEFEST_S) + 1) / math.log(max(1.0, longest / _BRIEFEST_S) + 1)
    cells += [(fit(str(len(one.plan.trials)), _TESTS, right=True) + " ", strong)]
    cells += bar(share, of_bar, "r4")
    written = format_bytes(tests_bytes(one.plan), units)
    cells += [(fit(format_duration(seconds), _TIME, right=True), strong), (fit(written, _BYTES, right=True), strong)]
    return Row((join(cells),))


def time_lines(plan: Plan, units: Units, width: int) -> list[Line]:
    """Building, initial resync and tests as one bar; bytes by resync and by tests."""
    times = estimate.whole(plan)
    tests, synced_s = times["trial"] + times["fill"], times["sync"]
    parts = (
        ("build", "all", sum(times.values()) - tests - synced_s),
        ("initial resync", "mirror", synced_s),
        ("tests", "read", tests),
    )
    named = [part for part in parts if part[2] > 0]
    total = sum(seconds for _, _, seconds in named) or 1.0
    least = [len(f" {name} ") for name, _, _ in named]
    room = max(0, width - sum(least) - len(named))
    pieces: list[Piece] = []
    for (name, role, seconds), wide in zip(named, least, strict=True):
        text = f" {name} {format_duration(seconds)} "
        cells = wide + round(room * seconds / total)
        text = text if len(text) <= cells else f" {name} "
        pieces += [(fit(text, cells), f"on/{role}" if of_terminal().grounds else "!"), (" ", "")]
    synced = sum(stage.sync_bytes for stage in plan.stages)
    sums: list[Piece] = [(format_duration(plan.estimate_s), "*strong"), (" in all   ", "dim")]
    sums += [(format_bytes(tests_bytes(plan), units), "*strong"), (" written by tests", "dim")]
    sums += [("   ", ""), (format_bytes(synced, units), "*strong"), (" by the initial resync", "dim")] if synced else []
    return [join(pieces), join(sums)]


def arrays_lines(recipe: Recipe, width: int) -> list[Line]:
    """What the recipe itself builds; nothing where the array is chosen."""
    if not recipe.sweeps:
        return []
    texts = [text for axes in recipe.sweeps for text in wrap(axes_words(axes), width)]
    return [(("Arrays, set by the recipe", "*accent"),), *(((text, ""),) for text in texts), ()]


def matrix_lines(recipe: Recipe, plan: Plan, width: int) -> list[Line]:
    """Each test on each target: seconds, and how often if more than once. Of a proof its states, each with its time."""
    proofs = [(stage, stage.proof) for stage in plan.stages if stage.proof]
    if proofs:
        (stage, proof), *_ = proofs
        times = [sum(one.expected_s for one in stage.trials if one.state == at + 1) for at in range(len(proof.states))]
        return [
            (
                (fit(f"Verify: {state.words}", _MOST_TITLE), "*strong"),
                (format_duration(seconds) if state.spans else "by a person", "dim"),
            )
            for state, seconds in zip(proof.states, times, strict=True)
        ]
    jobs = {job.name: job for job in recipe.job}
    tests = {
        name: list(group) for name, group in groupby(sorted(plan.trials, key=_job_of), key=_job_of) if name in jobs
    }
    targets = list(dict.fromkeys(_TARGETS[trial.target] for trial in plan.trials))
    asked = _ASKED if width >= _CELL * len(targets) + _LEAST_TITLE + _ASKED else 0
    title = max(10, min(_MOST_TITLE, width - _CELL * len(targets) - asked))
    lines: list[Line] = [((" " * (title + asked), ""), *((fit(target, _CELL), "dim") for target in targets))]
    for name in (name for name in jobs if name in tests):
        pieces: list[Piece] = [(fit(jobs[name].title or name, title), "*strong")]
        pieces.append((fit(_asks(tests[name][-1]), asked), "dim"))
        for target in targets:
            pieces += _cell([trial for trial in tests[name] if _TARGETS[trial.target] == target])
        lines.append(join(pieces))
    return lines


def _asks(trial: Trial) -> str:
    """Block size and queue depth of the last target."""
    size = format_round(trial.bs_bytes).replace(" KiB", "K").replace(" MiB", "M") if trial.bs_bytes else ""
    depth = (trial.iodepth or 1) * (trial.numjobs or 1)
    of_disk = f" ({trial.disk_queue}/disk)" if trial.disk_queue else ""
    return f"{size} QD{depth}{of_disk}".strip()


def _cell(trials: Sequence[Trial]) -> tuple[Piece, Piece]:
    if not trials:
        return (fit("–", _CELL - 1), "dim"), (" ", "")
    seconds = trials[0].runtime_s
    text = f" {seconds:g} s" if seconds else " by size"
    text += f" × {len(trials)}" if len(trials) > 1 else ""
    ramp = "w5" if "write" in trials[0].rw else "r5"
    return (fit(text, _CELL - 1), f"on/{ramp}" if of_terminal().grounds else "!"), (" ", "")


def _job_of(trial: Trial) -> str:
    return trial.family or trial.recipe_job


def chosen_lines(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    """(heading, what is taken, what that means): the meaning below where it does not fit beside."""
    lines: list[Line] = []
    for heading, taken, meaning in rows:
        is_beside = _HEADING + len(taken) + 2 + len(meaning) <= width
        name = fit(taken, min(len(taken), width - _HEADING))
        beside = f"  {meaning}" if is_beside and meaning else ""
        lines.append(((fit(heading, _HEADING), "dim"), (name, "*strong"), (beside, "dim")))
        if not is_beside:
            lines += [((" " * _HEADING + text, "dim"),) for text in wrap(meaning, width - _HEADING)]
    return lines
