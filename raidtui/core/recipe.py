"""An experiment as data: axes, jobs, and what they are compared with. Pure: a document in, a Recipe out."""

import math
import re
from typing import Any, Literal

import msgspec

from raidtui.core.answers import Axes, FioOptions
from raidtui.core.brief import brief

Baseline = Literal["none", "first-member", "each-member"]
Files = Literal["one", "per-disk"]
Published = dict[str, float | tuple[float, ...]]
# single.JOB.METRIC, array.JOB.METRIC, or the cell's own values: "level=0 filesystem=xfs.JOB.METRIC"
_PUBLISHED = re.compile(r"(?P<where>single|array|(?:\w+=[\w-]+ ?)+)\.(?P<job>[\w-]+)\.(?P<metric>\w+)")
METRICS = {
    "iops": "IOPS",
    "mbps": "MB/s",
    "mibps": "MiB/s",
    "mean_ms": "mean latency, ms",
    "p50_us": "median latency, µs",
    "p99_us": "p99 latency, µs",
}
# A metric may name its direction, for jobs that have two; `disks_mibps` is a list, one figure a disk.
_METRIC_NAMES = {f"{way}{metric}" for way in ("", "read_", "write_") for metric in METRICS} | {"disks_mibps"}


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fio job: every option under fio's own name. `title` is what a person reads in a table.

    `files`: "per-disk" runs one fio job a member, each on a file (or, on separate disks, a disk) of its own.
    `write_cache` "off": the members' own caches are off while the job runs. `baseline` False: only on setups.
    """

    name: str
    fio: FioOptions
    title: str = ""
    drop_caches_before: bool = False
    write_cache: Literal["", "off"] = ""
    files: Files = "one"
    baseline: bool = True


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """fio options that a variant lays over every job's own, then over single jobs'."""

    summary: str = ""
    fio: FioOptions = {}
    job: dict[str, FioOptions] = {}


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recipe. `baseline` says which members are measured alone; unless it is `none` all are also measured at once.

    Without `axes` it has one cell: the setup that the person chose. Several tables of axes are several sweeps in one.
    `published` are the source's figures, `WHERE.JOB.METRIC`; `notes` what the source does not say, and other sentences
    for the report. `existing`: it measures what stands already, the `target` of the answers, and builds nothing.
    """

    title: str
    job: tuple[Job, ...]
    summary: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    min_disks: int = 1
    existing: bool = False
    baseline: Baseline = "none"
    axes: Axes | tuple[Axes, ...] = ()
    variant: dict[str, Variant] = {}
    published: Published = {}

    @property
    def sweeps(self) -> tuple[Axes, ...]:
        return (self.axes,) if isinstance(self.axes, Axes) else self.axes


class RecipeError(ValueError):
    """One clear sentence: which recipe, the path of the bad key, what is accepted."""


class Figure(msgspec.Struct, frozen=True):
    """A published key, read: `where` is "single", "array", or pairs of a setup's field and value."""

    where: str
    cell: tuple[tuple[str, str], ...]
    job: str
    metric: str


def parse(document: dict[str, Any], source: str) -> Recipe:
    """A recipe from a decoded TOML document; RecipeError names `source` and the path of a bad key."""
    try:
        recipe = msgspec.convert(document, Recipe)
    except msgspec.ValidationError as error:
        raise RecipeError(f"{source}: {brief(error)}") from error
    names = [job.name for job in recipe.job]
    if not names or len(set(names)) != len(names):
        raise RecipeError(f"{source}: every recipe has at least one [[job]], each with a name of its own")
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise RecipeError(
                f"{source}: a job cannot be called {brief(repr(name))}; use up to 64 letters, digits, _ and -"
            )
    for label, variant in recipe.variant.items():
        if unknown := set(variant.job) - set(names):
            raise RecipeError(f"{source}: variant.{label}.job.{min(unknown)} is no job; {_known(names)}")
    for key, figures in recipe.published.items():
        if not all(map(math.isfinite, figures if isinstance(figures, tuple) else (figures,))):
            raise RecipeError(f"{source}: published.{key!r} is no figure that can be measured")
        try:
            read = published_key(key)
        except ValueError as error:
            raise RecipeError(f"{source}: {brief(error)}") from error
        if read.job not in names:
            raise RecipeError(f"{source}: published.{key!r}: {read.job} is no job; {_known(names)}")
    return recipe


def published_key(key: str) -> Figure:
    """`WHERE.JOB.METRIC` in its parts; ValueError with one sentence."""
    match = _PUBLISHED.fullmatch(key)
    pairs = tuple(tuple(word.split("=", 1)) for word in (match["where"].split() if match else []) if "=" in word)
    wrong = next((field for field, _ in pairs if field not in Axes.__struct_fields__), None)
    if match is None or wrong is not None or match["metric"] not in _METRIC_NAMES:
        metrics = ", ".join(METRICS)
        raise ValueError(
            f"published.{key!r}: write WHERE.JOB.METRIC, WHERE being single, array or fields of a setup"
            f" (level=0 filesystem=xfs), METRIC one of {metrics}, with read_ or write_ before it if need be"
        )
    return Figure(match["where"], pairs, match["job"], match["metric"])


def jobs(
    recipe: Recipe,
    variant: str = "",
    overrides: dict[str, dict[str, Any]] | None = None,
    everywhere: FioOptions | None = None,
) -> tuple[Job, ...]:
    """The recipe's jobs with the variant's and the answers' options laid over them, in the recipe's order."""
    if variant and variant not in recipe.variant:
        known = ", ".join(recipe.variant) or "none"
        raise RecipeError(f"variant {variant!r} is not one of this recipe's: {known}")
    laid = recipe.variant[variant] if variant else Variant()
    own = overrides or {}
    names = [job.name for job in recipe.job]
    if unknown := set(own) - set(names):
        raise RecipeError(f"job.{min(unknown)} is no job of this recipe; {_known(names)}")
    return tuple(
        msgspec.structs.replace(
            job,
            fio={**job.fio, **laid.fio, **laid.job.get(job.name, {}), **(everywhere or {}), **own.get(job.name, {})},
        )
        for job in recipe.job
    )


def _known(names: list[str]) -> str:
    return f"its jobs are {', '.join(names)}"
