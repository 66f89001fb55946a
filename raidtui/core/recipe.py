"""An experiment as data: jobs, and what they are compared with. Pure: a document in, a Recipe out."""

import re
from typing import Any, Literal

import msgspec

Baseline = Literal["none", "first-member", "each-member"]
FioOptions = dict[str, str | int | float | bool]


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fio job: every option under fio's own name. `title` is what a person reads in a table."""

    name: str
    fio: FioOptions
    title: str = ""


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """fio options that a variant lays over every job's own."""

    fio: FioOptions = {}


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recipe. `baseline` says which members are measured alone; unless it is `none` all are also measured at once."""

    title: str
    job: tuple[Job, ...]
    summary: str = ""
    baseline: Baseline = "none"
    variant: dict[str, Variant] = {}


class RecipeError(ValueError):
    """One clear sentence: which recipe, the path of the bad key, what is accepted."""


def parse(document: dict[str, Any], source: str) -> Recipe:
    """A recipe from a decoded TOML document; RecipeError names `source` and the path of a bad key."""
    try:
        recipe = msgspec.convert(document, Recipe)
    except msgspec.ValidationError as error:
        raise RecipeError(f"{source}: {error}") from error
    names = [job.name for job in recipe.job]
    if not names or len(set(names)) != len(names):
        raise RecipeError(f"{source}: every recipe has at least one [[job]], each with a name of its own")
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise RecipeError(f"{source}: a job cannot be called {name!r}; use letters, digits, _ and -")
    return recipe


def jobs(recipe: Recipe, variant: str = "", overrides: dict[str, dict[str, Any]] | None = None) -> tuple[Job, ...]:
    """The recipe's jobs with the variant's and the answers' options laid over them, in the recipe's order."""
    if variant and variant not in recipe.variant:
        known = ", ".join(recipe.variant) or "none"
        raise RecipeError(f"variant {variant!r} is not one of this recipe's: {known}")
    shared = recipe.variant[variant].fio if variant else {}
    own = overrides or {}
    unknown = set(own) - {job.name for job in recipe.job}
    if unknown:
        known = ", ".join(job.name for job in recipe.job)
        raise RecipeError(f"job.{sorted(unknown)[0]} is no job of this recipe; its jobs are {known}")
    return tuple(msgspec.structs.replace(job, fio={**job.fio, **shared, **own.get(job.name, {})}) for job in recipe.job)
