"""An experiment as data: axes, jobs, and what they are compared with. Pure: a document in, a Recipe out."""

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
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, given_fields
from raidtui.core.text import Unseen, brief, check_texts
from raidtui.core.threshold import BadThreshold, Expect

Baseline = Literal["none", "first-member", "each-member"]
# What a recipe is run to find out; how each is answered is `results.answer`'s.
Question = Literal[
    "gain", "layouts", "levels", "alignment", "chunk", "disks", "queue", "standing", "integrity",
    "places", "failed", "rebuild", "load", "steady", "settings",
]  # fmt: skip
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
    """fio options that a variant lays over every job's own, then over single jobs'. `repeat` as in a recipe."""

    summary: str = ""
    repeat: Repeat = 0
    fio: FioOptions = {}
    job: dict[str, FioOptions] = {}


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence that holds while nobody gives any of these fields of a setup or options of fio another value."""

    text: str
    holds_with: tuple[str, ...] = ()


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recipe. `baseline` says which members are measured alone; unless it is `none` all are also measured at once.
    `baseline_depths`: of a random job the first member is also measured alone with fewer requests at it, at two depths
    or three, so that theory knows what a disk does whose queue is short.
    `precondition`: what is measured is written twice before, so that flash is measured as it will be, not as new.

    Without `axes` it has one cell: the setup that the person chose. Several tables of axes are several sweeps in one.
    `source` is the work that it is after (title, author, year), `link` where that stands.
    `published` are the source's figures, `WHERE.JOB.METRIC`; `notes` what the source does not say, and other sentences
    for the report: a text, or a Note where another value would make it false. `existing`: it measures what stands
    already, the `target` of the answers, and builds nothing.
    `repeat`: how often each setup is built and measured; 0: by the number of setups (`blocks.usual`), once in rounds.
    `scratch`: what it does to its arrays is for arrays that are thrown away: none is kept.
    `rounds`: all jobs again and again, at most so often, until the job `steady` is in steady state (SNIA); 0: none.
    `health`: the disks are asked for what SMART counts before the first trial of a setup and after its last.
    `question` is the kind of answer that its report begins with; without one it follows from what was built.
    `expect`: thresholds that `raidtui check` holds its runs against.
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
    """One clear sentence: which recipe, the path of the bad key, what is accepted."""


class Library(msgspec.Struct, frozen=True):
    """All recipes by name, the default first, and of each that cannot be read a sentence that says why."""

    recipes: dict[str, Recipe]
    broken: tuple[str, ...] = ()


class PublishedFigure(msgspec.Struct, frozen=True):
    """A published key, read: `where` is "single", "array", or pairs of a setup's field and value."""

    where: str
    cell: tuple[tuple[str, str], ...]
    job: str
    metric: str


def parse(document: dict[str, Any], source: str) -> Recipe:
    """A recipe from a decoded TOML document; RecipeError names `source` and the path of a bad key."""
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
        threshold.check_jobs(expected, [*names, *sorted(_families(recipe))])
    except BadThreshold as error:
        raise RecipeError(f"{source}: expect: {error}") from error
    return recipe


def _check_shares(recipe: Recipe, source: str) -> None:
    """A job that offers a share of another's rate comes after it, and that one is no such job itself."""
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
    """`WHERE.JOB.METRIC` in its parts; ValueError with one sentence."""
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
) -> tuple[Job, ...]:
    """The recipe's jobs with the variant's and the answers' options laid over them, in the recipe's order.

    `names_chosen` are those that are wanted, by their own names or their families'; all of them where it is empty.
    PlanRefused for a variant, a job or options that the recipe does not have.
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

    def options(job: Job) -> FioOptions:
        own_options = {**(everywhere or {}), **_of(job_overrides, job)}
        varied = _varied(job)
        if clash := sorted(set(own_options) & set(varied)):
            instead = "name the jobs that are wanted in `jobs` instead"
            raise PlanRefused(f"{clash[0]} is what {job.family} varies; {instead}", f"job.{job.name}", where="")
        return {**job.fio, **changes.fio, **_of(changes.job, job), **own_options, **varied}

    jobs_chosen = [job for job in _expanded(recipe) if not names_chosen or {job.name, job.family} & set(names_chosen)]
    if lost := next(
        (job for job in jobs_chosen if job.share_of and job.share_of not in {job.name for job in jobs_chosen}), None
    ):
        raise PlanRefused(f"{lost.name} offers a share of what {brief(lost.share_of)} does: name that one, too", "jobs")
    return tuple(msgspec.structs.replace(job, fio=options(job)) for job in jobs_chosen)


def notes(recipe: Recipe, answers: Answers) -> tuple[str, ...]:
    """Those of its notes that hold with these answers and their variant."""
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
    """How often each of so many setups is built and measured where the answers do not say."""
    if recipe.rounds:
        return 1
    repeat = recipe.variant[variant].repeat if variant else 0
    return repeat or recipe.repeat or blocks.usual(setups)


def _varied(job: Job) -> FioOptions:
    """The options that one job of a family has its own values of."""
    return {option: values[0] for option, values in job.vary.items()}


def _expanded(recipe: Recipe) -> tuple[Job, ...]:
    """Its jobs, one for each combination of what they vary; `vary` then holds the one value of each."""
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
    """What one job of a family has of an option, in its title."""
    option_form = _VARIED_OPTIONS.get(option)
    return option_form.format(value) if option_form else f"{option} {value}"


def _of(changes: dict[str, FioOptions], job: Job) -> FioOptions:
    """What is laid over this job: what is over its family, then over it alone."""
    return {**changes.get(job.family, {}), **changes.get(job.name, {})}


def _names(recipe: Recipe) -> list[str]:
    return [job.name for job in _expanded(recipe)]


def _families(recipe: Recipe) -> set[str]:
    return {job.name for job in recipe.job if job.vary}


def _known_names(names: list[str]) -> str:
    return f"its jobs are {', '.join(names[:_MOST_NAMED])}" + (" and so on" if len(names) > _MOST_NAMED else "")
