"""An experiment as data: axes, jobs, published figures. Pure: a document in, a Recipe out."""

import math
import re
from collections.abc import Sequence
from itertools import product
from typing import Annotated, Any, Literal

import msgspec

from raidtui.core import threshold
from raidtui.core.document import misfit
from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import FioOptions, Job
from raidtui.core.plan import blocks
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, SelfTest, given_fields
from raidtui.core.raid.purposes import Workload
from raidtui.core.text import Unseen, brief, check_texts
from raidtui.core.threshold import BadThreshold, Expect

Baseline = Literal["none", "first-member", "each-member"]
# What a recipe is run to find out; how each is answered is `results.answer`'s.
Question = Literal[
    "gain", "layouts", "levels", "alignment", "chunk", "disks", "queue", "standing", "integrity",
    "places", "failed", "rebuild", "load", "steady", "settings", "proof",
]  # fmt: skip
# A part of a new array's device that is tested before its mkfs, beside the test on a file -> the end of its job's name.
Bare = Literal["", "start", "end"]
BARE_NAMES: dict[Bare, str] = {"start": "bare", "end": "inner"}
Repeat = Annotated[int, msgspec.Meta(ge=0, le=blocks.MOST)]
Published = dict[str, float | tuple[float, ...]]
# single.JOB.METRIC, array.JOB.METRIC, or the cell's own values: "level=0 filesystem=xfs.JOB.METRIC"; of a source that
# has only what one value makes of another, "chunk=128KiB partition_start_sectors=128/63.JOB.ratio"
_PUBLISHED = re.compile(r"(?P<where>single|array|(?:\w+=[\w/-]+ ?)+)\.(?P<job>[\w-]+)\.(?P<metric>\w+)")
METRICS = {
    "iops": "IOPS",
    "mbps": "MB/s",
    "mibps": "MiB/s",
    "mean_ms": "mean latency, ms",
    "p50_us": "median latency, µs",
    "p99_us": "p99 latency, µs",
}
# A metric may name its direction, for jobs that have two; `disks_mibps` is a list, one figure a disk.
_MOST_NAMED = 12
_VARIED_OPTIONS = {"offset": "from {}", "rate_iops": "at {}"}  # in a title; other options by their name
ROUNDS = 5  # SNIA's window
_MOST_ROUNDS = 100
_MOST_JOBS = 1000  # that a recipe's `vary` may make
_METRIC_NAMES = {f"{prefix}{metric}" for prefix in ("", "read_", "write_") for metric in METRICS} | {
    "disks_mibps",
    "ratio",
}


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """fio options over every job, then over single jobs. `repeat` as in a recipe."""

    summary: str = ""
    repeat: Repeat = 0
    fio: FioOptions = {}
    job: dict[str, FioOptions] = {}


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shown only while none of these setup fields or fio options has another value."""

    text: str
    holds_with: tuple[str, ...] = ()


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`axes`: none: one cell, the selected setup; several tables: several sweeps. `baseline`: members measured alone;
    unless `none` all are also measured at once. `baseline_depths`: random jobs also on the first member at two or three
    lower queue depths, for the model. `precondition`: everything is written twice before: flash in steady use.

    `source`: author, title, year; `link`: its URL; `published`: its figures, `WHERE.JOB.METRIC`; `notes`: sentences for
    the report. `existing`: measures the answers' `target`, builds nothing. `repeat`: 0: by number of setups
    (`blocks.usual`), once in rounds. `scratch`: its arrays are never kept. `rounds`: all jobs up to so often, until job
    `steady` is in steady state (SNIA); 0: none. `health`: SMART before the first and after the last trial of a setup.
    `self_test`: the disks' own test, before anything is erased and after the last trial, unless the answers name one.
    `question`: of the answer; unset: by what was built. `expect`: thresholds of `raidtui check`.
    """

    title: str
    job: tuple[Job, ...]
    question: Question | None = None
    summary: str = ""
    source: str = ""
    link: str = ""
    notes: tuple[str | Note, ...] = ()
    min_disks: int = 1
    existing: bool = False
    health: bool = False
    self_test: SelfTest | Literal[""] = ""
    baseline: Baseline = "none"
    baseline_depths: bool = False
    precondition: bool = False
    repeat: Repeat = 0
    scratch: bool = False
    rounds: int = 0
    steady: str = ""
    axes: Axes | tuple[Axes, ...] = ()
    variant: dict[str, Variant] = {}
    published: Published = {}
    expect: tuple[Expect, ...] = ()

    @property
    def sweeps(self) -> tuple[Axes, ...]:
        return (self.axes,) if isinstance(self.axes, Axes) else self.axes


class RecipeError(ValueError):
    """One sentence: recipe, path of the bad key, accepted values."""


class Library(msgspec.Struct, frozen=True):
    """Recipes by name, the default first; for each unreadable one a sentence."""

    recipes: dict[str, Recipe]
    broken: tuple[str, ...] = ()


class PublishedFigure(msgspec.Struct, frozen=True):
    """A published key: `where` is "single", "array", or (field, value) pairs of a setup."""

    where: str
    cell: tuple[tuple[str, str], ...]
    job: str
    metric: str


def parse(document: dict[str, Any], source: str) -> Recipe:
    """RecipeError names `source` and the path of a bad key."""
    if reason := misfit(document, Recipe):
        raise RecipeError(f"{source}: {reason}")
    try:
        check_texts(document)
        recipe = msgspec.convert(document, Recipe)
    except (msgspec.ValidationError, Unseen) as error:
        raise RecipeError(f"{source}: {brief(error)}") from error
    if math.prod(len(values) for job in recipe.job for values in job.vary.values()) > _MOST_JOBS:
        raise RecipeError(f"{source}: `vary` makes more than {_MOST_JOBS} jobs; give fewer values")
    if wrong := next((job.name for job in recipe.job if job.family or not all(job.vary.values())), ""):
        raise RecipeError(f"{source}: job {wrong}: `vary` wants values for each option, and `family` is not given")
    names = _names(recipe)
    if not names or len(set(names)) != len(names):
        raise RecipeError(f"{source}: every recipe has at least one [[job]], each with a name of its own")
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise RecipeError(
                f"{source}: a job cannot be called {brief(repr(name))}; use up to 64 letters, digits, _ and -"
            )
    for job in _expanded(recipe):
        try:
            fio_job.check(msgspec.structs.replace(job, fio=job.fio | _varied(job)))
        except ValueError as error:
            raise RecipeError(f"{source}: {error}") from error
    if strange := {use for job in recipe.job for use in job.uses} - set(Workload):
        raise RecipeError(f"{source}: `uses`: {brief(min(strange))} is no purpose; choose of {', '.join(Workload)}")
    _check_shares(recipe, source)
    axes_and_options = fio_job.OPTIONS.union(Axes.__struct_fields__)
    for note in recipe.notes:
        if isinstance(note, Note) and (unknown := set(note.holds_with) - axes_and_options):
            raise RecipeError(f"{source}: notes: {brief(min(unknown))} is no field of [axes] and no option of fio's")
    if (recipe.rounds or recipe.steady) and not (ROUNDS <= recipe.rounds <= _MOST_ROUNDS and recipe.steady in names):
        raise RecipeError(
            f"{source}: `rounds` are {ROUNDS} to {_MOST_ROUNDS}, and `steady` the job by which they end;"
            f" {_known_names(names)}"
        )
    for label, variant in recipe.variant.items():
        if unknown := set(variant.job) - set(names) - _families(recipe):
            raise RecipeError(f"{source}: variant.{label}.job.{min(unknown)} is no job; {_known_names(names)}")
    for key, figures in recipe.published.items():
        if not all(map(math.isfinite, figures if isinstance(figures, tuple) else (figures,))):
            raise RecipeError(f"{source}: published.{brief(repr(key))} is no figure that can be measured")
        try:
            published = published_key(key)
        except ValueError as error:
            raise RecipeError(f"{source}: {brief(error)}") from error
        if published.job not in names:
            raise RecipeError(
                f"{source}: published.{brief(repr(key))}: {published.job} is no job; {_known_names(names)}"
            )
    try:
        expected = [threshold.parse(expect.fail_if) for expect in recipe.expect]
        bare = [f"{name}-{end}" for name in names for end in BARE_NAMES.values()]
        threshold.check_jobs(expected, [*names, *sorted(_families(recipe)), *bare])
    except BadThreshold as error:
        raise RecipeError(f"{source}: expect: {error}") from error
    return recipe


def _check_shares(recipe: Recipe, source: str) -> None:
    """A job with a share of another's rate follows that job, which has none itself."""
    flat_out: set[str] = set()
    for job in recipe.job:
        if job.share_of and job.share_of not in flat_out:
            references = ", ".join(sorted(flat_out)) or "none"
            raise RecipeError(
                f"{source}: job {job.name}: share_of = {brief(repr(job.share_of))} is no earlier job with unlimited"
                f" load; available: {references}"
            )
        if not job.share_of and not job.vary:
            flat_out.add(job.name)


def published_key(key: str) -> PublishedFigure:
    """Parses `WHERE.JOB.METRIC`; ValueError with one sentence."""
    match = _PUBLISHED.fullmatch(key)
    pairs = tuple(tuple(word.split("=", 1)) for word in (match["where"].split() if match else []) if "=" in word)
    wrong = next((field for field, _ in pairs if field not in Axes.__struct_fields__), None)
    if match is None or wrong is not None or match["metric"] not in _METRIC_NAMES:
        metrics = ", ".join(METRICS)
        raise ValueError(
            f"published.{brief(repr(key))}: write WHERE.JOB.METRIC, WHERE being single, array or fields of a setup"
            f" (level=0 filesystem=xfs), METRIC one of {metrics}, with read_ or write_ before it if need be"
        )
    return PublishedFigure(match["where"], pairs, match["job"], match["metric"])


def jobs(
    recipe: Recipe,
    variant: str = "",
    overrides: dict[str, dict[str, Any]] | None = None,
    everywhere: FioOptions | None = None,
    names_chosen: Sequence[str] = (),
    use: str | None = None,
) -> tuple[Job, ...]:
    """In the recipe's order, with the variant's and the answers' options. `names_chosen`: jobs or families (empty:
    all). PlanRefused for an unknown variant, job or option.
    """
    if variant and variant not in recipe.variant:
        variants = ", ".join(recipe.variant) or "none"
        sentence = f"variant {brief(repr(variant))} is not one of this recipe's: {variants}"
        raise PlanRefused(sentence, "variant", where="")
    changes = recipe.variant[variant] if variant else Variant()
    job_overrides = overrides or {}
    jobs_and_families = {*_names(recipe), *_families(recipe)}
    for field, where, names in (("job", "job.", set(job_overrides)), ("jobs", "jobs: ", set(names_chosen))):
        if unknown := names - jobs_and_families:
            sentence = f"{where}{brief(min(unknown))} is no job of this recipe; {_known_names(_names(recipe))}"
            raise PlanRefused(sentence, field, where="")

    def with_options(job: Job) -> Job:
        own_options = {**(everywhere or {}), **_of(job_overrides, job)}
        varied = _varied(job)
        if clash := sorted(set(own_options) & set(varied)):
            instead = "name the jobs that are wanted in `jobs` instead"
            raise PlanRefused(f"{clash[0]} is what {job.family} varies; {instead}", f"job.{job.name}", where="")
        changed = {**changes.fio, **_of(changes.job, job), **own_options, **varied}
        level_s = 0 if "runtime" in changed else job.level_s  # that time is kept
        return msgspec.structs.replace(job, fio=job.fio | changed, level_s=level_s)

    named = set(names_chosen)
    jobs_chosen = [
        job
        for job in _expanded(recipe)
        if ({job.name, job.family} & named if named else not job.uses or use in job.uses)
    ]
    if lost := next(
        (job for job in jobs_chosen if job.share_of and job.share_of not in {job.name for job in jobs_chosen}), None
    ):
        raise PlanRefused(f"{lost.name} offers a share of what {brief(lost.share_of)} does: name that one, too", "jobs")
    return tuple(with_options(job) for job in jobs_chosen)


def notes(recipe: Recipe, answers: Answers) -> tuple[str, ...]:
    changes = recipe.variant.get(answers.variant, Variant())
    axes = (answers.axes,) if isinstance(answers.axes, Axes) else answers.axes
    options = {*changes.fio, *answers.fio}.union(*changes.job.values(), *answers.job.values())
    options_given = options.union(given_fields(answers.setup), *map(given_fields, axes))
    return tuple(
        note_text(note) for note in recipe.notes if isinstance(note, str) or options_given.isdisjoint(note.holds_with)
    )


def note_text(note: str | Note) -> str:
    return note if isinstance(note, str) else note.text


def repetitions(recipe: Recipe, variant: str, setups: int) -> int:
    if recipe.rounds:
        return 1
    repeat = recipe.variant[variant].repeat if variant else 0
    return repeat or recipe.repeat or blocks.usual(setups)


def _varied(job: Job) -> FioOptions:
    return {option: values[0] for option, values in job.vary.items()}


def _expanded(recipe: Recipe) -> tuple[Job, ...]:
    """One job per combination of `vary`, which then holds single values."""
    return tuple(
        msgspec.structs.replace(
            job,
            name="-".join((job.name, *(f"{k}{v}".replace("%", "") for k, v in zip(job.vary, values, strict=True)))),
            title=", ".join((job.title or job.name, *map(_value_words, job.vary, values))),
            family=job.name if values else "",
            vary={option: (value,) for option, value in zip(job.vary, values, strict=True)},
        )
        for job in recipe.job
        for values in product(*job.vary.values())
    )


def _value_words(option: str, value: int | str) -> str:
    option_form = _VARIED_OPTIONS.get(option)
    return option_form.format(value) if option_form else f"{option} {value}"


def _of(changes: dict[str, FioOptions], job: Job) -> FioOptions:
    return {**changes.get(job.family, {}), **changes.get(job.name, {})}


def _names(recipe: Recipe) -> list[str]:
    return [job.name for job in _expanded(recipe)]


def _families(recipe: Recipe) -> set[str]:
    return {job.name for job in recipe.job if job.vary}


def _known_names(names: list[str]) -> str:
    return f"its jobs are {', '.join(names[:_MOST_NAMED])}" + (" and so on" if len(names) > _MOST_NAMED else "")
