"""Every test of the screens sees one terminal, styles that are parsed once, and waits for what is due, no longer."""

import asyncio
import math
from typing import Any

import pytest
from textual import app, pilot
from textual._context import active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

from raidtui.ui.render import cells
from tests.seeds import cases

_parse, _press, _refresh = Stylesheet._parse_rules, pilot.Pilot.press, Screen._compositor_refresh
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}
_PAINTED_WITHIN_S = 1 / 50  # Textual paints 60 times a second what has changed
_MOST_PAINTS, _MOST_TURNS = 60, 10_000  # of what never rests


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "RAIDTUI_THEME", "LC_ALL", "LC_CTYPE", "COLORTERM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    cells.use_colours(True)  # an app with NO_COLOR before said otherwise
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


@pytest.fixture(autouse=True)
def painting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of all time. Only where cases are many does each key paint; else tests that look paint what they see."""
    if not cases(0, few=0, many=1):
        monkeypatch.setattr(Screen, "_compositor_refresh", lambda screen: None)


@pytest.fixture
def looked_at(painting: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "_compositor_refresh", _refresh)


@pytest.fixture(autouse=True)
def toasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told for some seconds is not gone where a busy machine takes longer to look."""
    monkeypatch.setattr(app.App, "NOTIFICATION_TIMEOUT", 3600.0)


@pytest.fixture(autouse=True)
def settling(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each key Textual's pilot looks twice for 20 ms and more whether the processor rests: half of all time."""
    for module in (app, pilot):
        monkeypatch.setattr(module, "wait_for_idle", _settled)
    monkeypatch.setattr(pilot.Pilot, "press", _pressed)


async def _pressed(presser: pilot.Pilot[Any], *keys: str) -> None:
    """All keys, and what they changed laid out and painted."""
    await _press(presser, *keys)
    await presser.pause()


async def _settled(*_seconds: float) -> None:
    """Nothing in the loop is ready to go on or due before the next paint is; what never rests is left after a while.

    Counted, not timed: a busy machine may give this process nothing for a second. A program that leaves paints nothing
    more, however long it would be due.
    """
    loop: Any = asyncio.get_running_loop()
    paints = 0
    leaving: Any = active_app.get(None)
    for _ in range(_MOST_TURNS):
        await asyncio.sleep(0)
        if loop._ready:
            continue
        now_s = loop.time()
        due_s = min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=math.inf)
        if due_s - now_s > _PAINTED_WITHIN_S or paints == _MOST_PAINTS or (leaving and leaving._exit):
            return
        paints += 1
        await asyncio.sleep(max(0, due_s - now_s))
