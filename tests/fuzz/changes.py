"""What may be wrong with a document that is well-formed: one change at one place of its tree. Knows no format.

A change is a value, so that a case can be told, repeated, and made smaller by leaving changes out.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.fuzz.tree import Gone, Path, Twin, at, places, put

NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 7, 11, 255, 4096, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -(2**63)),
    *(0.0, -0.0, 0.5, -0.5, 1e-9, 5e-324, 1e18, 9.3e18, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
)
TEXTS = (
    *("", " ", "x", "0", "-1", "1e308", "nan", "none", "null", "true", "/", "..", "~", "*", "%", "100%", "-", "--x"),
    *("A" * 5000, "磁" * 3000, "Z" + "\u0301" * 300, "a b", "'", '"', "`", "$(reboot)", "{", "}", "{0}", "{x}", "\\"),
    *("{member:0}", "{member:9}", "{member:-1}", "{member:99999999999}", "{part:0:1}", "{part:1:0}", "{array}"),
    *("[/]", "[bold]x", "[@click=app.quit]q[/]", ":cd:", "|", "# x", "<b>", "=1+1", "%s", "\n", "a\nb", "a\r\nb", "\t"),
    *("\x1b[31m", "\x1b]0;x\x07", "\x1b]8;;http://x\x1b\\", "\x9b31m", "\x00", "\x07", "\x7f", "\x85", "\ufeff"),
    *("\u202eabc", "\u2066x", "\u200f", "\u2028", "\u2029", "\u200b", "\ud800", "a\udc80b", "\ud83d", "\U0001f4a9"),
    *("9" * 30, "9" * 5000, "9" * 400 + "m", "1e400", "0x10", "1_000", "١٢", "²", "5;reboot", "x y=z", "a=b", "a.b"),
)
KEYS = ("", "x", "type", "event", "schema", "id", "\x1b[2J", "\u202e", "\ud800", "K" * 3000)
VALUES: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], [1], ["x"], {"a": 1}, {"": {}}, [{}], {"x": [1]})
_LONG, _DEEP = 10_000, 500
_MOST_LONG = 60  # the largest element, in its repr, of which a list of that length is made


class Change(NamedTuple):
    """`what` is done at `path`; `value` is what it takes for that."""

    path: Path
    what: str
    value: Any = None

    def __str__(self) -> str:
        shown = repr(self.value)
        shown = shown if len(shown) <= 90 else f"{shown[:60]}… ({len(shown)})"
        return f"{'.'.join(map(str, self.path))[:160] or '(root)'}: {self.what} {shown}".rstrip()


def applied(tree: Any, changes: Sequence[Change]) -> Any:
    """The tree after these changes; one whose place another has taken away does nothing."""
    for change in changes:
        try:
            tree = _DO[change.what](tree, change.path, change.value)
        except Gone:
            continue
    return tree


class Places:
    """Where changes of one document may fall: shallow and deep places alike, and places that share a key."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self.every = tuple(places(tree))
        self.lists = tuple(path for path in self.every if isinstance(at(tree, path), list))
        self.alike: dict[str | int, list[Path]] = {}
        for path in self.every:
            self.alike.setdefault(_kind(path), []).append(path)

    def draw(self, chance: random.Random) -> Path:
        """One place: half of them evenly, half by walking down, which comes to rare keys more often."""
        if chance.random() < 0.5:
            return chance.choice(self.every)
        tree = self.tree
        path: Path = ()
        while True:
            keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
            if not keys or (path and chance.random() < 0.15):
                return path or chance.choice(self.every)
            step = chance.choice(keys)
            tree, path = tree[step], (*path, step)


def _kind(path: Path) -> str | int:
    """The key that a place is of, whatever list it stands in."""
    return next((step for step in reversed(path) if isinstance(step, str)), 0)


def drawn(known: Places, chance: random.Random) -> tuple[Change, ...]:
    """One to three changes of a document."""
    return tuple(chance.choice(_WAYS)(known, chance) for _ in range(chance.choice((1, 1, 1, 2, 2, 3))))


def _other_type(known: Places, chance: random.Random) -> Change:
    path = known.draw(chance)
    value = at(known.tree, path)
    swapped: list[Any] = [str(value), [value], {"x": value}, None, True, 0, 1.5, ""]
    if isinstance(value, dict):
        swapped += [list(value.values()), list(value)]
    if isinstance(value, list):
        swapped += [dict(zip(map(str, range(len(value))), value, strict=True)), value[:1], *value[:2]]
    return Change(path, "set", chance.choice(swapped))


def _odd_number(known: Places, chance: random.Random) -> Change:
    for _ in range(20):
        path = known.draw(chance)
        value = at(known.tree, path)
        if isinstance(value, int | float) and not isinstance(value, bool):
            near = (value + 1, value - 1, value * 2, value * 1000, -value, value / 7, float(value), value - 10**6)
            return Change(path, "set", chance.choice((*NUMBERS, *near, *near)))
    return Change(path, "set", chance.choice(NUMBERS))


def _odd_text(known: Places, chance: random.Random) -> Change:
    for _ in range(5):
        path = known.draw(chance)
        value = at(known.tree, path)
        if isinstance(value, str):
            cut = chance.randint(0, len(value))
            odd = chance.choice(TEXTS)
            return Change(path, "set", chance.choice((odd, value[:cut] + odd + value[cut:], value[:cut])))
    return Change(path, "set", chance.choice(TEXTS))


def _odd_value(known: Places, chance: random.Random) -> Change:
    return Change(known.draw(chance), "set", chance.choice(VALUES))


def _as_elsewhere(known: Places, chance: random.Random) -> Change:
    """A value of the same key from another place: ids, indices, kinds and times that belong to something else."""
    path = known.draw(chance)
    return Change(path, "set", at(known.tree, chance.choice(known.alike[_kind(path)])))


def _swapped(known: Places, chance: random.Random) -> Change:
    path = known.draw(chance)
    return Change(path, "swap", chance.choice(known.alike[_kind(path)]))


def _dropped(known: Places, chance: random.Random) -> Change:
    return Change(known.draw(chance), "drop")


def _renamed(known: Places, chance: random.Random) -> Change:
    path = known.draw(chance)
    others = [key for key in known.alike if isinstance(key, str)]
    return Change(path, "rename", chance.choice((chance.choice(KEYS), chance.choice(others or list(KEYS)))))


def _added(known: Places, chance: random.Random) -> Change:
    path = known.draw(chance)
    key = chance.choice((*KEYS, *(key for key in known.alike if isinstance(key, str))))
    other = at(known.tree, chance.choice(known.every))
    return Change(path, "add", (key, chance.choice((other, chance.choice(NUMBERS), chance.choice(TEXTS)))))


def _twin(known: Places, chance: random.Random) -> Change:
    path = known.draw(chance)
    other = at(known.tree, chance.choice(known.alike[_kind(path)]))
    return Change(path, "double key", chance.choice((other, chance.choice(NUMBERS), chance.choice(TEXTS), None)))


def _relisted(known: Places, chance: random.Random) -> Change:
    path = chance.choice(known.lists or known.every)
    return Change(path, chance.choice(("empty", "double", "reverse", "move", "move", "repeat")), chance.getrandbits(16))


def _long(known: Places, chance: random.Random) -> Change:
    return Change(chance.choice(known.lists or known.every), "lengthen", chance.getrandbits(16))


def _deep(known: Places, chance: random.Random) -> Change:
    return Change(known.draw(chance), "nest", chance.choice(("list", "object")))


_WAYS: tuple[Callable[[Places, random.Random], Change], ...] = (
    *(_other_type, _other_type, _odd_number, _odd_number, _odd_number, _odd_number, _odd_text, _odd_text, _odd_text),
    *(_odd_value, _as_elsewhere, _as_elsewhere, _as_elsewhere, _swapped, _swapped, _dropped, _dropped, _dropped),
    *(_renamed, _added, _twin, _relisted, _relisted, _relisted),
    lambda known, chance: chance.choice((_long, _deep))(known, chance),
)


def _set(tree: Any, path: Path, value: Any) -> Any:
    at(tree, path)
    return put(tree, path, value)


def _swap(tree: Any, path: Path, other: Path) -> Any:
    if path[: len(other)] == other or other[: len(path)] == path:
        raise Gone(path)
    here, there = at(tree, path), at(tree, other)
    return put(put(tree, path, there), other, here)


def _drop(tree: Any, path: Path, _: Any) -> Any:
    at(tree, path)
    holder, key = at(tree, path[:-1]), path[-1]
    if isinstance(holder, dict):
        return put(tree, path[:-1], {name: value for name, value in holder.items() if name != key})
    return put(tree, path[:-1], [value for number, value in enumerate(holder) if number != key])


def _rename(tree: Any, path: Path, new: str) -> Any:
    at(tree, path)
    holder, key = at(tree, path[:-1]), path[-1]
    if not isinstance(holder, dict):
        raise Gone(path)
    return put(tree, path[:-1], {new if name == key else name: value for name, value in holder.items()})


def _add(tree: Any, path: Path, value: tuple[str, Any]) -> Any:
    holder = at(tree, path)
    if isinstance(holder, dict):
        return put(tree, path, {**holder, value[0]: value[1]})
    if isinstance(holder, list):
        return put(tree, path, [*holder, value[1]])
    raise Gone(path)


def _double_key(tree: Any, path: Path, value: Any) -> Any:
    at(tree, path)
    holder, key = at(tree, path[:-1]), path[-1]
    if not isinstance(holder, dict):
        raise Gone(path)
    return put(tree, path[:-1], {**holder, Twin(key): value})


def _of_list(change: Callable[[list[Any], int], list[Any]]) -> Callable[[Any, Path, int], Any]:
    def do(tree: Any, path: Path, number: int) -> Any:
        old = at(tree, path)
        if not isinstance(old, list) or not old:
            raise Gone(path)
        return put(tree, path, change(old, number))

    return do


def _moved(old: list[Any], number: int) -> list[Any]:
    rest = [*old]
    taken = rest.pop(number % len(old))
    rest.insert((number // 7) % len(old), taken)
    return rest


def _repeated(old: list[Any], number: int) -> list[Any]:
    place = number % len(old)
    return [*old[:place], old[place], *old[place:]]


def _lengthened(old: list[Any], number: int) -> list[Any]:
    small = [value for value in old if len(repr(value)) <= _MOST_LONG]
    return old + [small[number % len(small)] if small else number] * _LONG


def _nested(tree: Any, path: Path, kind: str) -> Any:
    inner = at(tree, path)
    for _ in range(_DEEP):
        inner = [inner] if kind == "list" else {"a": inner}
    return put(tree, path, inner)


_DO: dict[str, Callable[[Any, Path, Any], Any]] = {
    "set": _set,
    "swap": _swap,
    "drop": _drop,
    "rename": _rename,
    "add": _add,
    "double key": _double_key,
    "empty": _of_list(lambda old, number: []),
    "double": _of_list(lambda old, number: old + old),
    "reverse": _of_list(lambda old, number: old[::-1]),
    "move": _of_list(_moved),
    "repeat": _of_list(_repeated),
    "lengthen": _of_list(_lengthened),
    "nest": _nested,
}


def smaller(changes: Sequence[Change]) -> Iterator[tuple[Change, ...]]:
    """The same changes with one of them left out, each in turn."""
    for number in range(len(changes)):
        yield (*changes[:number], *changes[number + 1 :])
