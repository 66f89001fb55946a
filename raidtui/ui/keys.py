"""Keys of the person's own: what `[keys]` of config.toml may name, by the ids of the screens' bindings."""

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from textual.binding import Binding
from textual.dom import DOMNode

from raidtui.ui import screens, widgets
from raidtui.ui.services import Services

_LEAVES = "app.quit"  # works everywhere, in fields too: never a key that is typed
_KEY = re.compile(r"[^\s,]|((ctrl|alt|shift|super)\+)*[a-z0-9_]+")


def all_bindings() -> dict[str, Binding]:
    """Every binding that can have another key, by its id: of all screens, and of the program that runs."""
    for package in (screens, widgets):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    kinds = sorted(_kinds(DOMNode), key=lambda kind: (kind.__module__, kind.__qualname__))
    bindings = [binding for kind in kinds for binding in kind.__dict__.get("BINDINGS", ())]
    own_bindings = [
        binding for binding in bindings if isinstance(binding, Binding) and binding.id and binding.description
    ]
    return {binding.id or "": binding for binding in own_bindings}


def _kinds(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for subclass in kind.__subclasses__():
        if subclass.__module__.startswith("raidtui."):
            yield subclass
        yield from _kinds(subclass)


def own(services: Services) -> tuple[dict[str, str], list[str]]:
    """The person's keys that can be, by id; and a sentence for each that cannot."""
    try:
        wished = services.settings().keys
    except ValueError as error:
        return {}, [str(error)]
    all_keys = all_bindings() if wished else {}
    keys: dict[str, str] = {}
    failed: list[str] = []
    for name, wish in wished.items():
        if reason := _why_not(name, wish, all_keys):
            failed.append(reason)
        else:
            keys[name] = wish
    return keys, failed


def _why_not(name: str, wish: str, all_keys: Mapping[str, Binding]) -> str:
    if name not in all_keys:
        near = get_close_matches(name, all_keys, 1)
        return f"no key named {name!r}; {f'did you mean {near[0]!r}?' if near else 'docs/commands.md lists them'}"
    words = wish.split(",")
    odd = [word for word in words if not _KEY.fullmatch(word)]
    if odd:
        return f"{name} = {odd[0]!r}: not a key; use one like x, f5, ctrl+x, space or slash"
    if name == _LEAVES and any(len(word) == 1 for word in words):
        return f"{name} also works in input fields: use a key like ctrl+x, not {wish!r}"
    return ""
