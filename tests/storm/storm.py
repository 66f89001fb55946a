"""One storm: events drawn by a seed, thrown at a scene until there were enough. What was fired is counted.

Left out: the keys that leave the program, and the words that begin or end a run (no random key types them). Time
passes on Live with a tick among the events.
"""

import asyncio
import inspect
import random
import traceback
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual import events
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Input

from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.live import LiveScreen
from tests.storm.scenes import Scene, place
from tests.ui.machines import RecordedServices

LEAVING = ("q", "ctrl+q", "ctrl+c")
SIZES = ((80, 24), (120, 40), (200, 60), (79, 24), (100, 30), (40, 10), (1, 1), (132, 43), (80, 60), (300, 24))
KEYS = (
    *"abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789",
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab"),
    *("enter", "escape", "space", "backspace", "delete", "question_mark", "minus", "plus", "comma"),
    *("f1", "f2", "f5", "f10", "ctrl+p", "ctrl+a", "ctrl+k", "ctrl+u", "ctrl+l", "ctrl+d"),
)
ROUND = 150  # events before the program is started again
_CLICK = (events.MouseDown, events.MouseUp)
_AWAY = 12  # events away from the scene's screen before it is
_TRAIL = 25  # events that a failure tells
_OPEN_RETRY_S = 60.0  # for what one event sets off
_DONE = ("started", "stopped", "cleaned", "resumed", "made_permanent", "forgotten")


class StormError(AssertionError):
    """Something broke, hung, or was done: where, and the events before it."""


@dataclass
class Tally:
    """What one screen was given: events, the actions that its keys offered, and how often each was carried out."""

    events: int = 0
    offered: set[str] = field(default_factory=set)
    fired: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """How much of what was offered was fired."""
        return len(self.offered & set(self.fired)) / len(self.offered) if self.offered else 1.0


class StormApp(RaidtuiApp):
    """The program; it notes which actions its keys lead to, and that it has been left."""

    CSS_PATH = str(Path(inspect.getfile(RaidtuiApp)).parent / RaidtuiApp.CSS_PATH)

    def __init__(self, services: RecordedServices) -> None:
        super().__init__(services)
        self.ran: list[tuple[str, str]] = []  # screen, action
        self.ended = asyncio.Event()

    async def run_action(self, action: Any, default_namespace: DOMNode | None = None, namespaces: Any = None) -> bool:
        here = type(self.screen).__name__
        handled = await super().run_action(action, default_namespace, namespaces)
        if handled:
            self.ran.append((here, str(action)))
        return handled

    def exit(self, *given: Any, **named: Any) -> None:
        self.ended.set()
        super().exit(*given, **named)


async def storm(scene: Scene, count: int, seed: int, tallies: dict[str, Tally]) -> None:
    """`count` events from `scene` on. StormError for what must not be; `tallies`, by screen, grow."""
    thrown = number = 0
    while thrown < count:
        thrown += await storm_round(scene, number, seed, tallies, min(ROUND, count - thrown))
        number += 1


async def storm_round(scene: Scene, number: int, seed: int, tallies: dict[str, Tally], most: int = 0) -> int:
    """From one start of the program to its end, `most` events at the utmost; how many were thrown."""
    name = f"{scene.name}-{number}"
    dice, trail = random.Random(f"{seed} {name}"), deque[str](maxlen=_TRAIL)
    services = scene.services()
    app = StormApp(services)
    thrown = 0
    faults: list[Exception] = []  # the first is told: those after it come of taking the program apart
    try:
        async with app.run_test(size=dice.choice(SIZES[:3])) as pilot:
            try:
                thrown = await _thrown(app, pilot, scene, most or ROUND, dice, trail, tallies)
            except Exception as fault:
                faults.append(fault)
                raise
    except Exception as ending:
        error = (*faults, ending)[0]
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        raise StormError(f"{name}, seed {seed}: {error!r} in {where} after {' '.join(trail)}") from error
    done = [name for name in _DONE if getattr(services, name)]
    if done:
        raise StormError(f"{name}, seed {seed}: {', '.join(done)} after {' '.join(trail)}")
    if not thrown:
        raise StormError(f"{name}, seed {seed}: no event could be thrown")
    return thrown


async def _thrown(
    app: StormApp,
    pilot: Pilot[int],
    scene: Scene,
    most: int,
    dice: random.Random,
    trail: deque[str],
    tallies: dict[str, Tally],
) -> int:
    """Until there were `most`, the program was left, or the storm has been away from the screen for too long."""
    await _quiet(app)
    await app.workers.wait_for_complete()
    await _quiet(app)
    place(app, scene)
    await _quiet(app)
    for key in scene.keys:
        app.post_message(_key(key))
        await _quiet(app)
    home = type(app.screen).__name__
    away = thrown = 0
    while thrown < most and away < _AWAY and not app.left:
        here = app.screen
        name = type(here).__name__
        tally = tallies.setdefault(name, Tally())
        tally.offered |= _actions(here)
        told = await _throw(app, pilot, here, dice)
        trail.append(told)
        thrown += 1
        away = 0 if name == home else away + 1
        tally.events += 1
        if dice.random() < 0.7:  # else the next one comes before this one is through
            await _quiet(app)
        for screen, action in app.ran:
            tallies.setdefault(screen, Tally()).fired[action] += 1
        app.ran.clear()
    app.exit()  # what has not come through yet is not for a program that is being taken apart
    return thrown


async def _throw(app: StormApp, pilot: Pilot[int], here: Any, dice: random.Random) -> str:
    """One event; what it was."""
    kind = dice.random()
    if kind < 0.04:
        size = dice.choice(SIZES)
        await pilot.resize_terminal(*size)
        return f"{size[0]}x{size[1]}"
    if kind < 0.18:
        x, y = dice.randrange(max(1, app.size.width)), dice.randrange(max(1, app.size.height))
        wheel = dice.random() < 0.2
        kinds = (dice.choice((events.MouseScrollDown, events.MouseScrollUp)),) if wheel else _CLICK
        for one in kinds:
            app.post_message(one(None, x, y, 0, 0, 0 if wheel else 1, False, False, False, x, y))
        return f"{'wheel' if wheel else 'click'}@{x},{y}"
    if kind < 0.22 and isinstance(here, LiveScreen) and here.listens:  # it ticks from when it is there
        here.tick()
        return "tick"
    key: str = dice.choice(KEYS if kind < 0.55 else _offered(here) or KEYS)
    app.post_message(_key(key))
    return key


def _key(key: str) -> events.Key:
    return events.Key(key, " " if key == "space" else key if len(key) == 1 else None)


def _offered(screen: Any) -> list[str]:
    """The keys that do something here now, but for those that leave."""
    return [key for key, active in screen.active_bindings.items() if active.enabled and key not in LEAVING]


def _actions(screen: Any) -> set[str]:
    """The screen's own actions that are offered now, and that a key reaches: a field takes letters for itself."""
    if not isinstance(screen, BaseScreen) or screen.too_small:
        return set()
    typing = isinstance(screen.focused, Input)
    own = {binding.action for one in _bindings(screen) for binding in one if isinstance(binding, Binding)}
    return {
        active.binding.action
        for key, active in screen.active_bindings.items()
        if active.enabled and active.binding.action in own and key not in LEAVING and not (typing and len(key) == 1)
    }


def _bindings(screen: BaseScreen[Any]) -> list[Any]:
    """Of the program's own classes, each one's."""
    return [vars(one).get("BINDINGS", []) for one in type(screen).__mro__ if one.__module__.startswith("raidtui.")]


async def _quiet(app: StormApp) -> None:
    """All that was thrown has gone through the program, and through the screen that is seen; or the program has ended.

    The program's own record of a fault is looked at: one that has broken goes on without what broke, and says nothing.
    """
    for _ in range(3):
        through = asyncio.Event()
        if app.left or not app.screen.call_later(through.set):
            return
        ends: tuple[Any, ...] = (through.wait(), app.ended.wait(), app._exception_event.wait())
        waiting = [asyncio.ensure_future(one) for one in ends]
        done, pending = await asyncio.wait(waiting, timeout=_OPEN_RETRY_S, return_when=asyncio.FIRST_COMPLETED)
        for one in pending:
            one.cancel()
        if app._exception:
            raise app._exception
        if not done:
            raise TimeoutError(f"nothing has moved for {_OPEN_RETRY_S:.0f} s on {app.screen}")
        await asyncio.sleep(0)
