"""Two changes of the window's size at once: the last one is told last, also once the terminal was lent."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from raidtui.ui.window_size import WindowSize
from tests.ui.pilots import SMALL, wizard


@pytest.fixture
def told() -> Iterator[list[str]]:
    """What a handler as Textual's tells, which reads the size, and is interrupted before it tells that."""
    window, heard, sizes = ["old"], list[str](), iter(["80x40", "120x40"])

    def changed(*_: object) -> None:
        window.append(next(sizes, window[-1]))
        os.kill(os.getpid(), signal.SIGWINCH)

    def handler(*_: object) -> None:
        read = window[-1]
        if read != "120x40":
            changed()
            sum(range(100))  # where the second signal is heard
        heard.append(read)

    before = signal.signal(signal.SIGWINCH, handler)
    yield heard
    signal.signal(signal.SIGWINCH, before)


@pytest.mark.parametrize("resumed", [False, True])
async def test_the_size_that_is_told_last_is_the_last(told: list[str], resumed: bool) -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        handler = signal.getsignal(signal.SIGWINCH)
        WindowSize(app).watch()
        if resumed:
            signal.signal(signal.SIGWINCH, handler)  # as Textual's driver, which takes the terminal back
            app.app_resume_signal.publish(app)
            await pilot.pause()
        os.kill(os.getpid(), signal.SIGWINCH)
        while not told or told[-1] != "120x40":
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGWINCH)
    assert told == ["old", "80x40", "120x40"]
