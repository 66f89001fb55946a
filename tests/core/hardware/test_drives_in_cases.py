"""Given what smartctl tells of a drive, these values and reasons: each case of `drives.toml`, in its words."""

import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Bus
from raidtui.core.hardware.drive import RULES, DriveContext, DriveHealth, counts_in_words, judge, verdict_words
from raidtui.core.hardware.smartctl import parse
from tests.builders import smart
from tests.builders.cases import agrees, cases, expected, lines
from tests.builders.machines import CASES

FILE = Path(__file__).with_name("drives.toml")


def values(given: list[str]) -> dict[str, Any]:
    """Fields of a drive, lists as JSON."""
    found = {}
    for word in given:
        key, _, value = word.partition("=")
        read = msgspec.json.decode(value) if value.startswith("[") else value
        found[key] = msgspec.convert(read, DriveHealth.__annotations__[key], strict=False)
    return found


def attribute(number: str, name: str, raw: str, given: list[str]) -> dict[str, Any]:
    told = dict(word.split("=") for word in given)
    flags = {"flags": {"prefailure": told.pop("prefailure") == "true"}} if "prefailure" in told else {}
    failed = told.pop("failed", "")
    numbers = {key: int(value) for key, value in told.items()}
    return smart.attribute(int(number), name, int(raw, 0), failed=failed, **numbers) | flags


def written(text: str) -> tuple[DriveHealth, DriveContext]:
    document: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    around: dict[str, Any] = {}
    others: list[dict[str, Any]] = []
    for line in lines(text):
        match shlex.split(line):
            case ["drive", name]:
                document = {**getattr(smart, name)}
            case ["recording", name]:
                document = msgspec.json.decode((CASES / name).read_bytes())
            case ["attribute", number, name, raw, *told]:
                document["ata_smart_attributes"] = {"table": [attribute(number, name, raw, told)]}
            case ["also", told]:
                document |= msgspec.json.decode(told)
            case ["is", *told]:
                fields |= values(told)
            case ["another", *told]:
                others.append(values(told))
            case ["link", speed, *best]:
                bus = Bus(
                    kind="pcie", name="0000:03:00.0", speed=speed, width=4, best_speed="".join(best), best_width=4
                )
                around["links"] = (bus,)
            case ["zoned", *kind]:
                around["zoned"] = "".join(kind)
            case ["free"]:
                around["is_free"] = True
            case unknown:
                raise ValueError(unknown)
    health = replace(parse(smart.said(document)) if document else DriveHealth(), **fields)
    batch = tuple(replace(health, **other) for other in others)
    return health, DriveContext(**around, batch=(health, *batch) if batch else ())


def said(health: DriveHealth, context: DriveContext, field: str) -> str:
    judgement = judge(health, context)
    assert all(reason.source for reason in judgement.reasons)
    reasons = [f"{reason.fitness}: {reason.words}" for reason in judgement.reasons]
    told: dict[str, Any] = {"fitness": judgement.fitness, "reasons": tuple(reasons), "words": verdict_words(health)}
    told["counts"] = tuple(f"{name} {count}" for name, count in counts_in_words(health).items())
    value = told[field] if field in told else getattr(health, field)
    if isinstance(value, tuple):
        return " & ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("given, then", cases(FILE))
def test_a_drive_has_these_values_and_reasons(given: str, then: str) -> None:
    health, context = written(given)
    for field, _, pattern in expected(then):
        found = said(health, context, field)
        assert agrees(pattern, found), (field, pattern, found)


def test_each_rule_is_shown_by_a_case() -> None:
    drives = [written(case.values[0]) for case in cases(FILE)]
    shown = [[bool(rule.words(*drive)) for drive in drives] for rule in RULES]
    assert shown and all(map(any, shown)) and not any(map(all, shown))
