"""Textual's private names: in one module, each explained, each still there."""

import ast
import inspect
import os

import pytest
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.widgets import Input

from raidtui.ui import textual_private
from tests.imports import modules, tree


def private_names(module: ast.Module, private: set[str]) -> set[str]:
    """Those of `private` that a module touches or overrides."""
    touched = {node.attr for node in ast.walk(module) if isinstance(node, ast.Attribute)}
    defined = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return (touched | defined) & private


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
    private = textuals_own() | set(textual_private.USED)
    assert {"_repaint_required", "_size_updated"} <= private
    known = modules("raidtui/ui")
    used = {name: found for name, file in known.items() if (found := private_names(tree(file), private))}
    assert used == {textual_private.__name__: set(textual_private.USED)}


@pytest.mark.parametrize("name", textual_private.USED)
def test_textual_still_has_the_private_name(name: str) -> None:
    cls, version, purpose = textual_private.USED[name]
    assert version and purpose
    source = inspect.getsource(inspect.getmodule(cls) or cls)
    assert name in vars(cls) or f"self.{name} " in source or f"self.{name}:" in source


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
