"""Sets of tests as a table with time and bytes; the run's time as one bar; what is measured on which target. Pure."""

import math
from collections.abc import Sequence

import msgspec

from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Target, Trial
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.summary import axes_words
from raidtui.core.units import Units, format_bytes, format_duration, format_round
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, fit_right, wrap, wrapped
from raidtui.ui.render.parts import bar, join, signs, split_bar, swatch
from raidtui.ui.render.review_lines import tests_of

_MARKS, _TESTS, _TIME, _BYTES = 3, 6, 13, 11
_FIXED = _MARKS + _TESTS + _TIME + _BYTES + 1
_MOST_BAR = 40
_BRIEFEST_S, _SCALE = 30.0, "log scale"  # at which the logarithmic bar begins
_TARGETS: dict[Target, str] = {
    "member": "1 disk", "members": "all", "array": "array", "filesystem": "array", "existing": "existing",
}  # fmt: skip
_BOX, _BOX_TESTS, _BOX_TIME, _BOX_BYTES = 4, 5, 12, 9
_CELL, _EACH, _HEADING, _LEAST_TITLE, _MOST_TITLE = 7, 8, 14, 17, 30


class SetOfTests(msgspec.Struct, frozen=True):
    """A recipe and what it would be: `problem` why it cannot; neither plan nor problem while it is being estimated."""

    name: str
    recipe: Recipe
    plan: Plan | None = None
    problem: str = ""
    chosen: bool = False
    proposed: bool = False


def sets_sheet(sets: Sequence[SetOfTests], units: Units, width: int) -> Sheet:
    """One line a set: tests, the time until all is done and the bytes that are written, as on Review."""
    title = min(34, max((len(one.recipe.title) for one in sets), default=8) + 2)
    of_bar = min(_MOST_BAR, max(0, width - _FIXED - title)) if len(sets) > 1 else 0
    of_bar = of_bar if of_bar > len(_SCALE) else 0
    heads = " " * (_MARKS + title) + fit_right("tests", _TESTS) + fit(f" {_SCALE}" if of_bar else "", of_bar + 1)
    heads += fit_right("until done", _TIME) + fit_right("written", _BYTES)
    longest = max((one.plan.estimate_s for one in sets if one.plan), default=1.0)
    return Sheet(((heads, "dim"),), tuple(_row(one, title, of_bar, longest, units) for one in sets))


def _row(one: SetOfTests, title: int, of_bar: int, longest: float, units: Units) -> Row:
    strong = "*strong" if one.chosen else ""
    cells = [signs(one.chosen, one.proposed), (fit(one.recipe.title, title), strong)]
    if one.plan is None:
        words = one.problem.partition(";")[0] if one.problem else "estimating"
        return Row((join((*cells, (fit(words, _FIXED + of_bar - _MARKS), "dim"))),), possible=not one.problem)
    seconds = one.plan.estimate_s
    share = math.log(max(1.0, seconds / _BRIEFEST_S) + 1) / math.log(max(1.0, longest / _BRIEFEST_S) + 1)
    cells += [(fit_right(str(len(one.plan.trials)), _TESTS) + " ", strong)]
    cells += bar(share, of_bar, "r4")
    written = format_bytes(one.plan.written_bytes, units)
    cells += [(fit_right(format_duration(seconds), _TIME), strong), (fit_right(written, _BYTES), strong)]
    return Row((join(cells),))


def time_lines(plan: Plan, units: Units, width: int) -> list[Line]:
    """Building, initial resync and tests as one bar, each with its time."""
    times = estimate.whole(plan)
    tests, synced_s = times["trial"] + times["fill"], times["sync"]
    parts = (
        ("build", "parity", sum(times.values()) - tests - synced_s),
        ("resync", "mirror", synced_s),
        ("tests", "data", tests),
    )
    named = [part for part in parts if part[2] > 0]
    total = sum(seconds for _, _, seconds in named) or 1.0
    drawn = split_bar([(seconds / total, role) for _, role, seconds in named], width)
    sums: list[Piece] = []
    for name, role, seconds in named:
        synced = format_bytes(sum(stage.sync_bytes for stage in plan.stages), units)
        words = f" (writes {synced})   " if name == "resync" else "   "
        sums += [swatch(role), (f" {name} ", "dim"), (format_duration(seconds), "*strong"), (words, "dim")]
    return [join(drawn), join(sums)]


def arrays_lines(recipe: Recipe, ticked: Sequence[Axes], width: int) -> list[Line]:
    """What the recipe itself builds, or what was ticked in its place; nothing where the array is chosen."""
    tables = ticked or recipe.sweeps
    if not tables:
        return []
    lines = [line for axes in tables for line in wrapped(axes_words(axes), width)]
    by = "as ticked" if ticked else "set by the recipe"
    return [((f"Arrays, {by}", "*accent"),), *lines, ()]


class TickBox(msgspec.Struct, frozen=True):
    """A level or chunk. `costs`: tests, time, bytes, once they are known; `problem`: why it cannot be built here."""

    name: str
    ticked: bool
    costs: tuple[int, float, int] | None = None
    problem: str = ""


def boxes_sheet(boxes: Sequence[TickBox], units: Units, width: int) -> Sheet:
    """One line a box; a narrow list leaves out its tests."""
    name = max(len(one.name) for one in boxes)
    tests = _BOX_TESTS if width >= _BOX + name + _BOX_TESTS + _BOX_TIME + _BOX_BYTES else 0
    columns = (("tests", tests), ("time", _BOX_TIME), ("written", _BOX_BYTES))
    heads = [(" " * (_BOX + name), ""), *((fit_right(text, wide), "dim") for text, wide in columns)]
    rows = []
    for one in boxes:
        look = "dim" if one.problem else "strong" if one.ticked else ""
        box = ("[x] ", "accent") if one.ticked else ("[ ] ", "dim")
        cells: list[Piece] = [box, (fit(one.name, name), look)]
        if one.problem:
            cells.append((fit(f" {one.problem.partition(';')[0]}", max(1, width - _BOX - name)), "dim"))
        elif one.costs:
            count, seconds, written = one.costs
            texts = (str(count), format_duration(seconds), format_bytes(written, units))
            cells += [(fit_right(text, wide), look) for text, (_, wide) in zip(texts, columns, strict=True)]
        rows.append(Row((join(cells),), possible=not one.problem))
    return Sheet(join(heads), tuple(rows))


def matrix_lines(recipe: Recipe, plan: Plan, width: int) -> list[Line]:
    """Each test: seconds, its targets, how often if more than once. Of a proof its states, each with its time."""
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
    tests = tests_of(recipe, plan.trials)
    targets = list(dict.fromkeys(_TARGETS[trial.target] for trial in plan.trials))
    wide = {target: max(_CELL, len(target) + 2) for target in targets}
    fixed = sum(wide.values()) + _EACH
    asked = max((len(_asks(own)) for _, own in tests), default=0) + 2
    asked = asked if width >= fixed + _LEAST_TITLE + asked else 0
    title = max(10, min(_MOST_TITLE, width - fixed - asked))
    heads = [(" " * (title + asked), ""), (fit("each", _EACH), "dim")]
    lines = [join((*heads, *((fit(target, wide[target]), "dim") for target in targets)))]
    for job, own in tests:
        pieces = [(fit(job.title or job.name, title), "*strong"), (fit(_asks(own), asked), "dim")]
        pieces.append((fit(_lasts(own), _EACH), ""))
        for target in targets:
            often = sum(_TARGETS[trial.target] == target for trial in own)
            pieces.append(
                (fit(f"● {often}×" if often > 1 else "●" if often else "–", wide[target]), "" if often else "dim")
            )
        lines.append(join(pieces))
    return lines


def _asks(trials: Sequence[Trial]) -> str:
    """Block size and queue depth of the last target."""
    trial = trials[-1]
    size = format_round(trial.bs_bytes).replace(" KiB", "K").replace(" MiB", "M") if trial.bs_bytes else ""
    depth = (trial.iodepth or 1) * (trial.numjobs or 1)
    return f"{size} QD{depth}".strip()


def _lasts(trials: Sequence[Trial]) -> str:
    seconds = sorted({trial.runtime_s or 0.0 for trial in trials})
    return " to ".join(f"{one:g}" for one in (seconds[0], *seconds[1:][-1:])) + " s" if seconds[0] else "by size"


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
