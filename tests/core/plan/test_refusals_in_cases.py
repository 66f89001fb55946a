"""Given these answers, no plan is made, because: each case of `refusals.toml`, in the words of that file."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.plan.answers import Answers, AnswersError, PlanRefused, Setup, parse
from raidtui.core.plan.planner import make
from raidtui.core.raid import zfs
from raidtui.core.units import parse_bytes
from tests.builders.cases import agrees, cases, expected, lines
from tests.builders.plans import DEBIAN
from tests.builders.racks import disk

ZFS = (*zfs.PROGRAMS, zfs.MODULE)


def value(text: str, kind: Any) -> Any:
    """Of one `kind`; in a table ("any") a number or a list is one."""
    if text[:1] in ("[", "{") or (kind is Any and text.isdigit()):
        return msgspec.json.decode(text)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        return text


def answers_of(words: list[str]) -> dict[str, Any]:
    """As a document, from KEY=VALUE; what is before a dot is a table."""
    document: dict[str, Any] = {"setup": {}}
    for word in words:
        path, _, text = word.partition("=")
        if path in Setup.__struct_fields__:
            document["setup"][path] = value(text, Setup.__annotations__[path])
            continue
        *tables, key = path.split(".")
        kind = Any if tables else Answers.__annotations__.get(key, str)
        holder = document
        for table in tables:
            holder = holder.setdefault(table, {})
        holder[key] = value(text, kind)
    return document


def why_not(text: str) -> str:
    """Why there is no plan; nothing where there is one."""
    words: list[str] = []
    sizes, recipe, programs = ["4GiB"] * 4, "quick", list[str]()
    for line in lines(text):
        match line.split():
            case ["disks", count]:
                sizes = sizes[:1] * int(count)
            case ["sizes", *sizes]:
                pass
            case ["recipe", recipe]:
                pass
            case ["programs", *programs]:
                pass
            case _:
                words += (word.replace("␣", " ").replace("↵", "\n") for word in line.split())
    disks = tuple(disk(number, size_bytes=parse_bytes(size)) for number, size in enumerate(sizes))
    installed = tuple(name for word in programs for name in (ZFS if word == "all-of-zfs" else (word,)))
    try:
        given = parse({"disks": [one.id for one in disks], "recipe": recipe, **answers_of(words)})
        make(given, recipes.load(recipe), disks, "here", programs=installed, place=DEBIAN)
    except (AnswersError, PlanRefused) as refused:
        assert "\n" not in str(refused)
        return str(refused)
    return ""


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("refusals.toml")))
def test_answers_are_planned_or_refused_in_one_sentence(given: str, then: str) -> None:
    ((_, _, pattern),) = expected(then)
    said = why_not(given)
    assert agrees(pattern, said), said
