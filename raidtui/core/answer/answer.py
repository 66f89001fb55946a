"""The answer to a run's question, for a person who reads nothing else: 2 to 5 sentences, and the values they are of.

First what stands against the run as a whole, then what was found, against one disk, theory and the article, then how
sure that is, and the one next step. Knows conclusions; takes no figure from anywhere else.
"""

from collections.abc import Callable, Sequence
from itertools import chain

import msgspec

from raidtui.core.answer import conclusions, wording
from raidtui.core.answer.article import beside_article
from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.answer.faults import doubts, faults, measured
from raidtui.core.answer.next_step import Next, next_step
from raidtui.core.answer.questions import QUESTIONS, AnswerKind, main_parts, question_of
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, compare, test_title
from raidtui.core.results.differences import ASSUMED_SPREAD, OF_ONE_RUN
from raidtui.core.results.published import source_disks
from raidtui.core.run import care
from raidtui.core.run.state import RunState

MOST_SENTENCES = 5
_SHORT_S = 10.0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`sentences` as they are read, the next step the last of them, and the `tables` below; `conclusions` are what
    they are made of."""

    kind: AnswerKind
    question: str
    sentences: tuple[str, ...]
    tables: tuple[Table, ...]
    next: Next
    conclusions: tuple[Conclusion, ...]


def of_run(plan: Plan, state: RunState) -> Answer | dict[str, tuple[str, ...]]:
    """What a program is told of a run: its answer; of the care of an array the sentences of what came of it."""
    sentences = care.sentences(plan, state)
    return {"sentences": sentences} if sentences else answer(plan, state, compare(plan, state))


def answer(plan: Plan, state: RunState, comparison: Comparison) -> Answer:
    """The answer of a run, finished or not."""
    facts = AnswerFacts(plan, state, comparison)
    question = question_of(plan, comparison)
    against = [*faults(plan, state, comparison), *facts.beyond_disks.values()]
    emulated, trouble = (
        _trouble([conclusion for conclusion in against if (conclusion.kind == "emulated") is of_emulation])
        for of_emulation in (True, False)
    )
    main = main_parts(question, facts) if facts.rows or not QUESTIONS[question].figures else []
    theory = _theory(facts)
    if len({row.stage for row in facts.rows}) == 1:  # each test says already how far from theory it is
        main, theory = _with_limits(facts, main), msgspec.structs.replace(theory, sentence="")
    answered = [conclusion for part in main for conclusion in part.conclusions]
    certainty = _certainty(facts, answered)
    step = next_step(facts, against, [*answered, *theory.conclusions])
    no_figure = [] if main else [AnswerPart(_no_figure(facts))]
    # What is least missed goes first where there are too many: where the bytes go, then the tail of what was found.
    unsure = doubts(facts)
    certainties = AnswerPart(
        _side_by_side(
            *(_DOUBT_WORDS[conclusion.kind](conclusion) for conclusion in unsure), theory.sentence, certainty.sentence
        )
    )
    room = MOST_SENTENCES - 1 - bool(trouble.sentence) - bool(certainties.sentence)
    shown_parts = _most_telling([part_shown for part_shown in main if part_shown.sentence], room)
    with_article = _beside_article(shown_parts, beside_article(_source(plan), answered), len(shown_parts) < room)
    parts = [emulated, trouble, *with_article, *no_figure, certainties]
    return Answer(
        kind=question,
        question=QUESTIONS[question].words,
        sentences=(*(wording.sentence(part.sentence) for part in parts if part.sentence), step.words),
        tables=tuple(part.table for part in main if part.table),
        next=step,
        conclusions=tuple(
            conclusion
            for part in (emulated, trouble, *main, AnswerPart("", tuple(unsure)), theory, certainty)
            for conclusion in part.conclusions
        ),
    )


def _no_figure(facts: AnswerFacts) -> str:
    """Why nothing can be answered; what was measured is not denied."""
    if facts.ranking.doubted:
        return "No figure can be relied on"
    targets = {
        trial.target
        for trial in facts.plan.trials
        if (measurement := facts.state.measured(trial.id)) and measurement.status == "ok"
    }
    if not targets:
        return "No test has a figure"
    if targets <= {"member", "members"}:
        return "Only the disks by themselves were measured: no test of an array has a figure"
    return "None of its figures answers the question"


def _source(plan: Plan) -> str:
    """The recipe's source, and of how many disks it is, where that is another number."""
    disks = source_disks(plan.published)
    return f"{plan.source}; {disks} disks" if plan.source and disks and disks != len(plan.disks) else plan.source


def _side_by_side(*sentences: str) -> str:
    return " ".join(wording.sentence(sentence) for sentence in sentences if sentence)


def _beside_article(first_parts: Sequence[AnswerPart], article: str, room: bool) -> list[AnswerPart]:
    """What the source has, behind the first of these, for that is the answer."""
    if not article or not first_parts:
        return list(first_parts)
    if room:
        return [first_parts[0], AnswerPart(article), *first_parts[1:]]
    return [
        msgspec.structs.replace(first_parts[0], sentence=_side_by_side(first_parts[0].sentence, article)),
        *first_parts[1:],
    ]


def _most_telling(parts: Sequence[AnswerPart], room: int) -> list[AnswerPart]:
    """So many of them, in their order; where the bytes go gives way first, unless they count most."""
    kept_parts = list(parts)
    while len(kept_parts) > room:
        bytes_only = next(
            (part for part in kept_parts[1:] if any(conclusion.kind == "capacity" for conclusion in part.conclusions)),
            None,
        )
        kept_parts.remove(bytes_only or kept_parts[-1])
    return kept_parts


def _counted_of_all(counted: Conclusion) -> str:
    return f"{counted.figure:.0f} of {counted.base_figure:.0f}"


_FAULT_WORDS: dict[str, Callable[[Conclusion], str]] = {
    "emulated": lambda conclusion: (
        f"{'the' if conclusion.figure == conclusion.base_figure else _counted_of_all(conclusion)} disks are emulated"
        f" ({conclusion.subject}), which takes processor time: this run says nothing about the speed of real ones"
    ),
    "not whole": lambda conclusion: (
        f"this run {'is ' if conclusion.subject.startswith('going') else ''}{conclusion.subject}"
        f"{' before its end' if not conclusion.subject.startswith('going') else ''}:"
        f" {_counted_of_all(conclusion)} tests have a figure"
    ),
    "failed": lambda conclusion: (
        f"{_counted_of_all(conclusion)} tests failed and {'has' if conclusion.figure == 1 else 'have'} no figure"
        f" ({conclusion.subject}{'' if conclusion.figure == 1 else ', …'})"
    ),
    "errors": lambda conclusion: "; ".join(conclusion.evidence),
    "damaged": lambda conclusion: (
        f"{conclusion.figure:.0f} lines of its journal cannot be read, and what they told is missing"
    ),
    "resumed": lambda conclusion: "it was resumed after a reboot: figures of two boots stand side by side",
    "disturbed": lambda conclusion: "; ".join(conclusion.evidence),
    "limit": lambda conclusion: (
        f"all disks at once did less than one alone, {wording.both(conclusion, 'instead of')} in"
        f" {wording.lower(conclusion.test)}: {'; '.join(conclusion.evidence)}"
    ),
    "slow disk": lambda conclusion: (
        f"disk {conclusion.subject} is slow: {wording.figure(conclusion.figure, conclusion.unit)} in"
        f" {wording.lower(conclusion.test)}, the median"
        f" does {wording.figure(conclusion.base_figure, conclusion.unit)}"
    ),
    "beyond": lambda conclusion: (
        f"{conclusion.subject or 'the array'} gave"
        f" {wording.figure(conclusion.figure, conclusion.unit)}{f' ({conclusion.where})' if conclusion.where else ''}"
        f" in {wording.lower(conclusion.test)}, but {conclusion.base}"
        f" {wording.figure(conclusion.base_figure, conclusion.unit)}"
        f": {f'{conclusion.evidence[0]}, so not all of it is theirs' if conclusion.evidence else 'do not trust it'}"
    ),
    "unsure disk": lambda conclusion: f"whether disk {conclusion.subject} is slow nobody can tell from these tests",
}


_DOUBT_WORDS: dict[str, Callable[[Conclusion], str]] = {
    "contradicted": lambda conclusion: (
        f"{_counted_of_all(conclusion)} figures {'is' if conclusion.figure == 1 else 'are'} in doubt,"
        f" for rate and latency contradict each other by over 10 %: {'most ' if conclusion.figure != 1 else ''}"
        f"{wording.lower(conclusion.test)}"
        f"{f' on {conclusion.subject}' if conclusion.subject else ''}"
        f"{f' ({conclusion.evidence[0]})' if conclusion.evidence else ''}"
        f"; {'it has' if conclusion.figure == 1 else 'they have'} no rank, and what is said of"
        f" {'it' if conclusion.figure == 1 else 'them'} holds by both"
    ),
    "drift": lambda conclusion: (
        f"{wording.lower(conclusion.test)} drifts by {wording.percent(conclusion.ratio or 1.0)} over"
        f" {conclusion.runs} blocks: verdicts"
        " compare within a block, medians do not"
    ),
    "unequal": lambda conclusion: (
        f"the disks differ in size ({wording.pair(conclusion.figure, 'to', conclusion.base_figure, 'bytes')}): the ends"
        " of the larger ones lie in RAID 0 on fewer disks, in other levels in none"
    ),
    "buffered": lambda conclusion: "requests went through the page cache, which takes part in every figure",
}


def _trouble(against: Sequence[Conclusion]) -> AnswerPart:
    """All of it in one sentence, the worst first."""
    words = [
        _FAULT_WORDS[conclusion.kind](conclusion)
        for conclusion in against
        if conclusion.kind not in ("unsure disk", "beyond")
    ]
    beyond_disks = sorted(
        (conclusion for conclusion in against if conclusion.kind == "beyond"), key=lambda worst: -(worst.ratio or 1.0)
    )
    words += [_FAULT_WORDS[conclusion.kind](conclusion) for conclusion in beyond_disks[:1]]
    other_subjects = list(
        dict.fromkeys(conclusion.subject or wording.lower(conclusion.test) for conclusion in beyond_disks[1:])
    )
    words += [f"so it is with {wording.listed(other_subjects)}"] if other_subjects else []
    return AnswerPart("; ".join(words[:3]), tuple(against))


_OTHERS = "whether another level does better on these disks, the question Compare levels (Levels, in short) measures"
_UNSEEN = {False: "no counter shows why", True: "no counter shows why, causes are only suspected"}


def _with_limits(facts: AnswerFacts, parts: Sequence[AnswerPart]) -> list[AnswerPart]:
    """Behind the sentence of each test that is below theory what a counter shows of its limit; once, where the level
    was taken for a purpose, that others may do better."""
    limited_parts, are_others_named = [], facts.plan.answers.use is None
    for part in parts:
        below_theory = [conclusion for conclusion in part.conclusions if conclusion.verdict == "below theory"]
        limits = {
            conclusion.test: conclusions.limits(facts.plan, facts.state, _row(facts, conclusion))
            for conclusion in below_theory
        }
        unseen = {
            conclusion.test: _UNSEEN[bool(_row(facts, conclusion).causes.suspects)] for conclusion in below_theory
        }
        words = [
            f"{test}: {'; '.join(map(_limit_words, limits_of_test)) or unseen[test]}"
            for test, limits_of_test in limits.items()
        ]
        if below_theory and not are_others_named:
            words.append(_OTHERS)
            are_others_named = True
        limited = (*part.conclusions, *chain.from_iterable(limits.values()))
        told = _side_by_side(part.sentence, *words) if words else part.sentence
        limited_parts.append(msgspec.structs.replace(part, sentence=told, conclusions=limited))
    return limited_parts


def _row(facts: AnswerFacts, conclusion: Conclusion) -> ResultRow:
    return next(row for row in facts.rows if (row.setup, test_title(row)) == (conclusion.subject, conclusion.test))


def _limit_words(limit: Conclusion) -> str:
    return "; ".join(limit.evidence)


def _theory(facts: AnswerFacts) -> AnswerPart:
    """How far all figures are from theory; of the furthest, what a counter shows of its limit."""
    theories = conclusions.theories(facts.rows)
    off_theory = [conclusion for conclusion in theories if conclusion.verdict in ("below theory", "above theory")]
    if not theories:
        return AnswerPart("")
    if not off_theory:
        all_as_theory = all(conclusion.verdict == "as theory" for conclusion in theories)
        closeness = "as theory says, within 5 %" if all_as_theory else "near theory, as far as these runs can tell"
        all_figures = (
            f"all {len(theories)} figures that theory has are"
            if len(theories) > 1
            else "the one figure that theory has is"
        )
        return AnswerPart(f"{all_figures} {closeness}", tuple(theories))
    worst = min(off_theory, key=lambda distant: min(distant.ratio or 1.0, 1 / (distant.ratio or 1.0)))
    row = _row(facts, worst)
    limits = conclusions.limits(facts.plan, facts.state, row) if worst.verdict == "below theory" else []
    name = facts.names.get(row.stage, row.setup)
    worst_figure = f"{wording.lower(worst.test)} on {name} ({wording.percent(worst.ratio or 1.0)})"
    several = len(off_theory) > 1
    words = f"{len(off_theory)} of {len(theories)} figures {'are' if several else 'is'} off theory by more than chance"
    words += f", most {worst_figure}" if several else f": {worst_figure}"
    shown = f"{words}: {'; '.join(map(_limit_words, limits))}" if limits else words
    return AnswerPart(shown, (*theories, *limits))


def _certainty(facts: AnswerFacts, answered: Sequence[Conclusion]) -> AnswerPart:
    """How often and how long each test ran, and from which difference on that tells anything."""
    runs = measured(facts.plan, facts.state, facts.comparison)
    if runs is None or runs.figure is None:
        return AnswerPart("")
    seconds = f"{runs.figure:.0f} s"
    short = " (short)" if runs.figure < _SHORT_S else ""
    queues = {row.iodepth * row.numjobs for row in facts.rows if row.iodepth and row.numjobs}
    queue = f" with {wording.between(queues)} in flight" if queues else ""
    if runs.runs < 2:
        return AnswerPart(f"each test ran once, for {seconds}{short}{queue}: {_assumed(answered)}", (runs,))
    spread = ""
    if runs.low is not None and runs.high is not None:
        low, high = (f"{100 * share:.1f}" for share in (runs.low, runs.high))
        spread = f" (standard deviation of a run, by test: {low if low == high else f'{low} to {high}'} %)"
    shares = "; shares are of these medians" if any(conclusion.base_figure for conclusion in answered) else ""
    return AnswerPart(f"figures are medians of {runs.runs} runs of {seconds}{short}{queue}{spread}{shares}", (runs,))


def _assumed(answered: Sequence[Conclusion]) -> str:
    """What single runs cannot tell: where setups are compared, by the intervals of their differences."""
    compared = [conclusion for conclusion in answered if conclusion.kind in ("rank", "effect") and conclusion.verdict]
    if compared and all(conclusion.certainty == "interval" for conclusion in compared):
        return "how the disks differ among themselves says what may be chance"
    widths = [
        conclusion.high / conclusion.ratio - 1
        for conclusion in compared
        if conclusion.certainty == "single run" and conclusion.high and conclusion.ratio and not conclusion.by_latency
    ]
    more = max(widths, default=OF_ONE_RUN)
    assumed = f"single figures are assumed to have a standard deviation of {100 * ASSUMED_SPREAD:.0f} % from run to run"
    if more > 1.01 * OF_ONE_RUN:
        assumed += "; the more pairs are compared, the larger may chance be in one"
    return f"up to {100 * (1 - 1 / (1 + more)):.1f} % less or {100 * more:.1f} % more may be chance ({assumed})"
