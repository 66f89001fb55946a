"""Given what fio printed, this is measured, or refused: each case of `results.toml`, in the words of that file."""

import shlex
from pathlib import Path

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import FioResultError, parse
from raidtui.core.text import decoded
from tests.builders.cases import agrees, cases, expected, lines
from tests.builders.fio import TEXTS
from tests.builders.machines import CASES


def written(given: str) -> Measurement | str:
    """The only measurement, or why it is refused."""
    text, exit_status, foreign = "", 0, False
    for line in lines(given):
        match shlex.split(line):
            case ["file", name]:
                text += TEXTS[name]
            case ["case", name]:
                text += decoded((CASES / name).read_bytes())
            case ["text", words]:
                text += words.replace("↵", "\n")
            case ["times", count]:
                text *= int(count)
            case ["cut", count]:
                text = text.rstrip()[: -int(count)]
            case ["exit", status]:
                exit_status = int(status)
            case ["foreign"]:
                foreign = True
            case unknown:
                raise ValueError(unknown)
    try:
        (measurement,) = parse(text, "x.json", exit_status, foreign=foreign)
    except FioResultError as refused:
        assert "\n" not in str(refused)
        return str(refused)
    return measurement


def said(found: Measurement | str, subject: str, field: str) -> str:
    if isinstance(found, str):
        return found if subject == "refused" else "refused"
    value = getattr(found, subject)
    value = getattr(value, field) if field and value else value
    if isinstance(value, dict):
        return " ".join(f"{key}={one:g}" for key, one in value.items())
    if isinstance(value, tuple):
        return " & ".join(map(str, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("results.toml")))
def test_what_fio_printed_is_measured_or_refused(given: str, then: str) -> None:
    found = written(given)
    for subject, field, pattern in expected(then):
        assert agrees(pattern, said(found, subject, field)), (subject, field, said(found, subject, field))
