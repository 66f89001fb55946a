"""Files of cases: what is given, as text, and what then holds; each reader knows its own words."""

import re
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest


class Case(msgspec.Struct, forbid_unknown_fields=True):
    """`rows`: a case for each, of columns $1 to $9; `each`: again for each, of columns $a to $c."""

    name: str
    given: str
    then: Annotated[str, msgspec.Meta(pattern=r"\S")]
    rows: str = ""
    each: str = ""


def _columns(table: str, names: str) -> list[dict[str, str]]:
    rows = (map(str.strip, line.split("|")) for line in table.strip().splitlines() or [""])
    return [dict(zip(names, row, strict=False)) for row in rows]


def cases(file: Path) -> list[Any]:
    """`given` and `then` of each, filled in."""
    found = []
    for case in msgspec.toml.decode(file.read_bytes(), type=dict[str, list[Case]])["case"]:
        for row, other in product(_columns(case.rows, "123456789"), _columns(case.each, "abc")):
            texts = [case.given, case.then]
            for name, column in [*(row | other).items()] * 2:
                texts = [text.replace(f"${name}", column) for text in texts]
            found.append(pytest.param(*texts, id=" ".join(filter(None, (case.name, *row.values(), *other.values())))))
    return found


def lines(text: str) -> list[str]:
    """Of what is given: parted by a new line or " ; "."""
    return [line for line in re.split(r"\n| ; ", text) if line.strip()]


def expected(then: str) -> list[tuple[str, str, str]]:
    """Subject, field and pattern of each line: SUBJECT[.FIELD] PATTERN."""
    form = re.compile(r"(\S+?)(?:\.([a-z_]+))?(?: (.*))?")
    return [form.fullmatch(line).groups("") for line in then.strip().splitlines()]  # type: ignore[union-attr, misc]


def agrees(pattern: str, text: str) -> bool:
    """ "…" is any text, a "!" in front: it is not so."""
    wanted = re.escape(pattern.removeprefix("!")).replace("…", ".*")
    return bool(re.fullmatch(wanted, text, re.DOTALL)) != pattern.startswith("!")
