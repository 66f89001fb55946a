"""Every test of the screens sees the same terminal, whatever it is started from, and styles that are parsed once."""

from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_parse = Stylesheet._parse_rules
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "RAIDTUI_THEME", "LC_ALL", "LC_CTYPE", "COLORTERM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture(autouse=True)
def styles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test opens a program of its own, a tenth of whose start is the same text, parsed again."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", _rules)


def _rules(sheet: Stylesheet, css: str, **where: Any) -> list[RuleSet]:
    key = (css, *sorted(where.items()), *sorted(sheet._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, css, **where)
    return _parsed[key]
