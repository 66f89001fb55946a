"""`python -m tests.ui.later_textual NAME…`: a walk through the program with a Textual that calls these private names
otherwise, its handlers by their public ones. Prints the pictures as JSON: the demo's film, then those of `windows`.
"""

import asyncio
import importlib.abc
import importlib.machinery
import json
import re
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType


class _Renamed(importlib.machinery.SourceFileLoader):
    names = re.compile("")

    def get_code(self, fullname: str) -> CodeType | None:
        source = self.get_source(fullname) or ""
        renamed = self.names.sub(lambda name: name[0][1:] if name[0].startswith("_on_") else f"{name[0]}_now", source)
        return super().get_code(fullname) if renamed == source else compile(renamed, self.path, "exec")


class _OfTextual(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "textual":
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec and spec.origin and spec.origin.endswith(".py"):
            spec.loader = _Renamed(fullname, spec.origin)
        return spec


async def windows() -> list[str]:
    """Pictures of what no film has: windows of other sizes, help, the palette."""
    from textual.widgets import Input

    from raidtui.demo.film import still
    from tests.ui import pilots
    from tests.ui.machines import rack

    app, seen = pilots.wizard(rack(30)), []
    async with pilots.opened(app) as pilot:
        for size, key in (
            (pilots.SMALL, "end"),
            (pilots.LARGE, "home"),
            ((90, 24), "question_mark"),
            (pilots.SMALL, "pagedown"),
            (pilots.SMALL, "escape"),
            (pilots.SMALL, "ctrl+p"),
            (pilots.SMALL, "escape"),
        ):
            await pilot.resize_terminal(*size)
            await pilots.press(pilot, key)
            for field in app.screen.query(Input):  # its cursor is seen for half of each second
                field.cursor_blink = False
            seen.append(still(app, "path"))
    return seen


async def _walk() -> list[str]:
    from raidtui.demo import film, recording

    return [await film.walked(recording.SHIPPED[0]), *await windows()]


if __name__ == "__main__":
    _Renamed.names = re.compile(rf"(?<!textual\.)\b(?:{'|'.join(sys.argv[1:])})\b")
    sys.meta_path.insert(0, _OfTextual())
    json.dump(asyncio.run(_walk()), sys.stdout)
