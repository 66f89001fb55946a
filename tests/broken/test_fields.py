"""Answers and recipes with every field wrong in turn: refused, and the field named, or planned; nothing else."""

import datetime
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.fio import job
from raidtui.core.plan import answers, recipe
from raidtui.core.plan.answers import Answers, AnswersError, Axes, Setup
from raidtui.core.plan.recipe import Recipe, RecipeError
from tests.broken.parsers import check_answers, check_recipe, is_clean, seed_answers
from tests.seeds import cases

WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**63, 10**400, 0.5, float("nan"), float("inf"), "", "x", "A" * 5000, "\x1b[2J", "\u202e"),
    *([], [1], ["x"], [[]], {}, {"a": 1}, {"a": {"b": [1]}}, datetime.date(1979, 5, 27), datetime.time(7)),
)


def document() -> dict[str, Any]:
    return tomllib.loads(seed_answers().decode())


def paths(kind: type[msgspec.Struct], *before: str) -> Iterator[tuple[str, ...]]:
    for field in msgspec.structs.fields(kind):
        yield (*before, field.encode_name)


def put(document: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    inner = document
    for step in path[:-1]:
        inner = inner.setdefault(step, {})
    inner[path[-1]] = value
    return document


FIELDS = (
    *paths(Answers),
    *paths(Setup, "setup"),
    *(("axes", field) for (field,) in paths(Axes)),
    ("fio", "bs"),
    ("job", "seq_read"),
    ("job", "seq_read", "runtime"),
    ("job", "seq_read", "iodepth"),
    ("job", "none"),
)


@pytest.mark.parametrize("path", FIELDS, ids=".".join)
def test_every_field_of_the_answers_wrong_in_turn(path: tuple[str, ...]) -> None:
    refused = 0
    for value in WRONG:
        given = document()
        if path[0] == "axes" and len(path) > 1:
            given["axes"] = {}
        try:
            read = answers.parse(put(given, path, value), "answers.toml")
        except AnswersError as error:
            refused += 1
            assert str(error).startswith("answers.toml: ") and is_clean(str(error)) and len(str(error)) < 600
            assert path[0] in str(error), str(error)
        else:
            check_answers(read)
    assert refused, "nothing is wrong for this field"


@pytest.mark.parametrize("table", [(), ("setup",), ("axes",)], ids=".".join)
def test_a_misspelt_key_is_named_with_its_table(table: tuple[str, ...]) -> None:
    given = document()
    given["axes"] = {}
    with pytest.raises(AnswersError, match="chnuk") as refused:
        answers.parse(put(given, (*table, "chnuk"), "64K"), "answers.toml")
    assert all(name in str(refused.value) for name in table)


def narrowed(whole: dict[str, Any]) -> dict[str, Any]:
    """With two values of each axis at most: what is wrong in two setups is wrong in 36."""
    sweeps = [whole["axes"]] if isinstance(whole["axes"], dict) else whole["axes"]
    return whole | {"axes": [{axis: values[:2] for axis, values in sweep.items()} for sweep in sweeps]}


@pytest.mark.parametrize("name", recipes.names()[:: cases(2, few=5, many=1)])
def test_every_field_of_a_recipe_wrong_in_turn(name: str) -> None:
    whole = narrowed(msgspec.to_builtins(recipes.load(name)))
    check_recipe(recipe.parse(whole, name))
    of_jobs = [("job", field) for (field,) in paths(job.Job)]
    turn = recipes.names().index(name)
    for place, path in enumerate((*paths(Recipe), *of_jobs, ("job", "fio", "bs"), ("job", "fio", "rw"))):
        refused = 0
        read: dict[type, Recipe] = {}  # the last of each kind of value: planning one text shows what the next would
        for value in WRONG[(turn + place) % 3 :: 3]:  # all of them over three recipes
            given = msgspec.json.decode(msgspec.json.encode(whole))
            inner: Any = given
            for step in path[:-1]:
                inner = inner[step][0] if step == "job" else inner[step]
            inner[path[-1]] = value
            try:
                read[type(value)] = recipe.parse(given, "broken.toml")
            except RecipeError as error:
                refused += 1
                assert str(error).startswith("broken.toml: ") and is_clean(str(error)) and len(str(error)) < 600
        assert refused, path
        for one in read.values():
            check_recipe(one)
