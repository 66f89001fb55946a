"""All pictures, in one terminal's clothes and one time zone whoever makes them."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from textual.screen import Screen

from raidtui.demo import recording
from raidtui.demo.film import walked
from tests.screenshots.stills import FOLDERS, SCREENS, of_runs, of_wizard

FOLDER = Path(__file__).parents[2] / "screenshots"
_PATH = "whole-path"  # what `raidtui demo --record` writes
_TERMINAL = {"LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"}
_NOT_OF_TERMINAL = ("NO_COLOR", "RAIDTUI_THEME", "LC_ALL", "LC_CTYPE", "COLORTERM")


async def _whole_path() -> dict[str, str]:
    return {_PATH: await walked(recording.SHIPPED[0])}


PARTS: dict[str, Callable[[], Awaitable[dict[str, str]]]] = {
    "wizard": of_wizard,
    "runs": of_runs,
    "whole path": _whole_path,
}
NAMES = {_PATH, *(f"{folder}/{screen}" for folder in FOLDERS for screen in SCREENS)}


def made(part: str) -> dict[str, str]:
    """Each of the part as SVG, by its path below `FOLDER` without the ending."""
    with _one_terminal():
        return asyncio.run(_part(part))


async def _part(part: str) -> dict[str, str]:
    return await PARTS[part]()


@contextmanager
def _one_terminal() -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_OF_TERMINAL}
    unseen = mock.patch.object(Screen, "_compositor_refresh", lambda screen: None)  # nobody looks but the pictures
    with mock.patch.dict(os.environ, kept | _TERMINAL, clear=True), unseen:
        time.tzset()
        yield
    time.tzset()
