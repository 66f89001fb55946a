"""Textual's private names: in one module, each explained, each still there."""

import ast
import asyncio
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.geometry import Region, Size
from textual.message import Message
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from raidtui.ui import textual_private
from tests.imports import modules, tree
from tests.ui import later_textual, pilots
from tests.ui.machines import rack
from tests.ui.private_names import USED


def private_names(module: ast.Module, private: set[str]) -> set[str]:
    """Those of `private` that a module touches, looks for or overrides."""
    nodes = list(ast.walk(module))
    touched = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    gets = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr"]
    looked_for = {str(one.value) for node in gets for one in node.args if isinstance(one, ast.Constant)}
    return (touched | looked_for | overridden(module)) & private


def overridden(module: ast.Module) -> set[str]:
    return {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def textuals_own() -> set[str]:
    """Every name with one underscore before it that Textual's classes under the screens define or set."""
    names = set()
    for cls in {base for top in (App, Screen, ScrollView, Widget, Input, Message) for base in top.__mro__}:
        if not cls.__module__.startswith("textual"):
            continue
        names |= set(vars(cls))
        for node in ast.walk(ast.parse(inspect.getsource(inspect.getmodule(cls) or cls))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                names.add(node.attr)
    return {name for name in names if name.startswith("_") and not name.startswith("__")} - set(vars(os))


def test_textuals_private_names_stand_in_one_module_and_each_is_explained() -> None:
    private = textuals_own() | set(USED)
    assert {"_repaint_required", "_size_updated"} <= private
    known = modules("raidtui/ui")
    used = {name: found for name, file in known.items() if (found := private_names(tree(file), private))}
    assert used == {textual_private.__name__: set(USED)}


@pytest.mark.parametrize("name", USED)
def test_textual_still_has_the_private_name(name: str) -> None:
    cls, version, *words = USED[name]
    assert version and len(words) == 2 and all(words)
    source = inspect.getsource(inspect.getmodule(cls) or cls)
    assert name in vars(cls) or f"self.{name} " in source or f"self.{name}:" in source


@pytest.mark.parametrize("calls", [False, True], ids=["called", "calling"])
async def test_a_textual_without_the_private_names_shows_the_same(calls: bool) -> None:
    """Those that raidtui calls, and those by which it is called: one of these may lead to one of those."""
    by_textual = overridden(tree(modules("raidtui/ui")[textual_private.__name__])) & set(USED)
    names = by_textual if calls else set(USED) - by_textual
    words = [sys.executable, "-m", later_textual.__name__, *names]
    done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=False)
    assert not done.stderr and len(names) > 4
    film, *others = json.loads(done.stdout)
    assert film == (Path(__file__).parents[2] / "screenshots" / "whole-path.svg").read_text()
    assert others == await later_textual.windows()


def test_what_was_parsed_stays_until_the_variables_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the tests' own sharing of what is parsed
    sheet = textual_private.ParsedOnce(variables={"ink": "red"})
    sheet.add_source("Label { color: $ink; }")
    (before,) = sheet.rules
    sheet.reparse()
    assert sheet.rules[0] is before
    sheet.set_variables({"ink": "blue"})
    sheet.reparse()
    assert "#FF0000" in before.css and "#0000FF" in sheet.rules[0].css


async def test_what_is_due_is_painted_as_textual_paints_it_and_nothing_else_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Any regions of a window, one to six at once."""
    app, some = pilots.wizard(rack(30)), Random(1)
    async with pilots.opened(app, pilots.LARGE):
        painter = app.screen._compositor
        drawn: list[Region] = []
        lines = Widget.render_lines

        def noted(self: Widget, crop: Region) -> list[Strip]:
            drawn.append(self.region)
            return lines(self, crop)

        monkeypatch.setattr(Widget, "render_lines", noted)
        for _ in range(200):
            due = [_within(some, app.size) for _ in range(some.randint(1, 6))]
            sent = {}
            for kind in (Compositor, textual_private.SparingCompositor):
                drawn.clear()
                painter._dirty_regions = set(due)
                update = kind.render_partial_update(painter)
                sent[kind] = update and update.render_segments(app.console)
            assert sent[Compositor] and sent[textual_private.SparingCompositor] == sent[Compositor]
            assert drawn and all(any(one.overlaps(region) for region in due) for one in drawn)


def _within(some: Random, window: Size) -> Region:
    x, y = some.randrange(window.width), some.randrange(window.height)
    return Region(x, y, some.randint(1, window.width - x), some.randint(1, min(3, window.height - y)))
