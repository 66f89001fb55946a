"""All pictures, in one terminal's clothes and one time zone whoever makes them."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from textual.screen import Screen

from tests.screenshots.path import whole_path
from tests.screenshots.stills import stills

FOLDER = Path(__file__).parents[2] / "screenshots"
_TERMINAL = {"LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"}
_NOT_OF_TERMINAL = ("NO_COLOR", "RAIDTUI_THEME", "LC_ALL", "LC_CTYPE", "COLORTERM")


def made() -> dict[str, str]:
    """Each as SVG, by its path below `FOLDER` without the ending."""
    with _one_terminal():
        return asyncio.run(_all())


async def _all() -> dict[str, str]:
    return {**await stills(), "whole-path": await whole_path()}


@contextmanager
def _one_terminal() -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_OF_TERMINAL}
    unseen = mock.patch.object(Screen, "_compositor_refresh", lambda screen: None)  # nobody looks but the pictures
    with mock.patch.dict(os.environ, kept | _TERMINAL, clear=True), unseen:
        time.tzset()
        yield
    time.tzset()
