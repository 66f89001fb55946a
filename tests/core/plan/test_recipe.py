"""An experiment as data: a wrong key is named with its path, options lie over each other in order."""

from typing import Any

import msgspec
import pytest

from raidtui.core.fio import job as fio_job
from raidtui.core.plan import recipe
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup
from raidtui.core.plan.recipe import RecipeError


@pytest.mark.parametrize(
    "change, says",
    [
        ({"titel": "x"}, "titel"),
        ({"notes": [{"text": "x", "holds_with": ["chunks"]}]}, "notes: chunks is no field of [axes]"),
        ({"notes": [3]}, "notes"),
        ({"axes": {"chunks": ["4K"]}}, "unknown key `chunks` in `axes`"),
        ({"axes": {"chunk": "4K"}}, "`axes.chunk` is '4K'; it must be a list"),
        ({"axes": [{"chunk": [4]}]}, "`axes[0].chunk[0]` is 4"),
        ({"job": [{"name": "a", "fio": {}, "drop_cache": True}]}, "`drop_cache` in `job[0]`"),
        ({"job": [{"name": "a", "fio": {}, "write_cache": "on"}]}, "`job[0].write_cache` is 'on'"),
        ({"job": []}, "at least one [[job]]"),
        ({"job": [{"name": "../x", "fio": {}}]}, "cannot be called '../x'"),
        ({"variant": {"fast": {"fios": {}}}}, "`fios` in `variant.fast` (did you mean `fio`?)"),
        ({"variant": {"fast": {"job": {"b": {}}}}}, "variant.fast.job.b is no job; its jobs are a"),
        ({"published": {"single.a": 1}}, "write WHERE.JOB.METRIC"),
        ({"published": {"single.a.speed": 1}}, "METRIC one of iops"),
        ({"published": {"single.b.iops": 1}}, "b is no job"),
        ({"published": {"colour=red.a.iops": 1}}, "write WHERE.JOB.METRIC"),
        ({"published": {"single.a.iops": "many"}}, "`published.single.a.iops` is 'many'"),
        ({"expect": [{"fail_if": "a.gian < 5"}]}, "expect: 'a.gian < 5': unknown name 'gian'; did you mean gain"),
        ({"expect": [{"fail_if": "b.gain < 5"}]}, "unknown name 'b'; there are a"),
        ({"expect": [{"fail-if": "b.gain < 5"}]}, "unknown key `fail-if` in `expect[0]`"),
    ],
)
def test_a_wrong_key_is_an_error_with_its_path(change: dict[str, object], says: str) -> None:
    with pytest.raises(recipe.RecipeError) as refused:
        recipe.parse({"title": "x", "job": [{"name": "a", "fio": {}}]} | change, "own.toml")
    assert str(refused.value).startswith("own.toml: ") and says in str(refused.value)


def test_options_are_laid_over_each_other_in_order() -> None:
    own = recipe.Recipe(
        title="x",
        job=(fio_job.Job(name="a", fio={"bs": "1k", "rw": "read"}), fio_job.Job(name="b", fio={"bs": "1k"})),
        variant={"v": recipe.Variant(fio={"bs": "2k", "iodepth": 1}, job={"b": {"bs": "3k"}})},
    )
    laid = recipe.jobs(own, "v", {"b": {"iodepth": 9}}, {"iodepth": 5})
    assert [job.fio for job in laid] == [{"bs": "2k", "rw": "read", "iodepth": 5}, {"bs": "3k", "iodepth": 9}]
    assert msgspec.to_builtins(own.job[0].fio) == {"bs": "1k", "rw": "read"}


def varied(**vary: list[int]) -> dict[str, Any]:
    return {"title": "t", "job": [{"name": "rand", "fio": {"rw": "randread"}, "vary": vary}]}


def test_options_lie_over_the_family_but_not_over_what_it_varies() -> None:
    found = recipe.jobs(recipe.parse(varied(iodepth=[1, 2]), "x"), overrides={"rand": {"bs": "8k"}})
    assert [job.fio for job in found] == [{"rw": "randread", "bs": "8k", "iodepth": depth} for depth in (1, 2)]
    with pytest.raises(PlanRefused, match="iodepth is what rand varies"):
        recipe.jobs(recipe.parse(varied(iodepth=[1, 2]), "x"), everywhere={"iodepth": 4})


@pytest.mark.parametrize(
    "vary", [{"iodepth": []}, {f"o{n}": list(range(100)) for n in range(5)}, {"bs": ["4k", "a b"]}]
)
def test_what_cannot_be_varied_is_refused(vary: dict[str, list[Any]]) -> None:
    with pytest.raises(RecipeError, match=r"vary|called"):
        recipe.parse(varied(**vary), "x")


@pytest.mark.parametrize(
    "given, kept",
    [
        ({}, ("always", "of the chunk", "of bs")),
        ({"setup": Setup(chunk="64KiB")}, ("always", "of bs")),
        ({"axes": Axes(chunk=("64KiB",))}, ("always", "of bs")),
        ({"axes": (Axes(level=("5",)), Axes(chunk=("64KiB",)))}, ("always", "of bs")),
        ({"fio": {"bs": "8k"}}, ("always", "of the chunk")),
        ({"job": {"a": {"bs": "8k"}}}, ("always", "of the chunk")),
        ({"variant": "small"}, ("always", "of the chunk")),
        ({"variant": "slow", "setup": Setup(level="5")}, ("always", "of the chunk", "of bs")),
    ],
)
def test_a_note_that_other_values_would_make_false_is_not_told(given: dict[str, Any], kept: tuple[str, ...]) -> None:
    variants = {"small": {"job": {"a": {"bs": "4k"}}}, "slow": {"fio": {"iodepth": 1}}}
    notes = [
        "always",
        *({"text": f"of {word}", "holds_with": [field]} for word, field in [("the chunk", "chunk"), ("bs", "bs")]),
    ]
    document = {"title": "T", "notes": notes, "job": [{"name": "a", "fio": {}}], "variant": variants}
    assert recipe.notes(recipe.parse(document, "r.toml"), Answers(disks=("wwn-0x1",), **given)) == kept


def test_a_job_is_only_for_purposes_that_there_are() -> None:
    job = {"name": "a", "fio": {}, "uses": ["vms", "mail"]}
    with pytest.raises(recipe.RecipeError, match="x: `uses`: mail is no purpose; choose of backup, media, files, vms"):
        recipe.parse({"title": "t", "job": [job]}, "x")
    only_vms = recipe.parse({"title": "t", "job": [job | {"uses": ["vms"]}, {"name": "b", "fio": {}}]}, "x")
    assert [one.name for one in recipe.jobs(only_vms)] == ["b"]
    assert [one.name for one in recipe.jobs(only_vms, names_chosen=("a",))] == ["a"]
