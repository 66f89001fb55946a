"""A document as a tree of dicts, lists and values, changed at a path without changing the one that it came from."""

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


class Twin(str):
    """A key that stands in an object for the second time: another key to a dict, the same text once written."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


class Gone(LookupError):
    """There is no such place (any more)."""


def places(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in the tree but its root, parents before children."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from places(value, (*path, key))


def at(tree: Any, path: Path) -> Any:
    """What stands at `path`."""
    for step in path:
        if not _has(tree, step):
            raise Gone(path)
        tree = tree[step]
    return tree


def put(tree: Any, path: Path, value: Any) -> Any:
    """The tree with `value` at `path`, which has to be there but for a last new key of an object."""
    if not path:
        return value
    step, *rest = path
    if not _has(tree, step) and (rest or not isinstance(tree, dict) or isinstance(step, int)):
        raise Gone(path)
    inner = put(tree[step], tuple(rest), value) if rest else value
    if isinstance(tree, dict):
        return {**tree, step: inner}
    assert isinstance(step, int)
    return [*tree[:step], inner, *tree[step + 1 :]]


def _has(tree: Any, step: str | int) -> bool:
    if isinstance(tree, dict):
        return step in tree
    return isinstance(tree, list) and isinstance(step, int) and 0 <= step < len(tree)
