"""Which module imports which, by import statements as they are written: the graph of test_layers and of chosen."""

import ast
import functools
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def dotted(file: Path) -> str:
    """The name by which a file, relative to ROOT, is imported."""
    return ".".join((file.parent if file.name == "__init__.py" else file.with_suffix("")).parts)


@functools.cache
def modules(*folders: str) -> dict[str, Path]:
    """Dotted name -> file, of every module and package of these folders."""
    return {dotted(file.relative_to(ROOT)): file for top in folders for file in sorted((ROOT / top).rglob("*.py"))}


@functools.cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@functools.cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    """All of a module's, in the order of `ast.walk`."""
    return (*ast.walk(tree(file)),)


def statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All that stand in a body, those in one another too; in a tenth of the time that all expressions take."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from statements(getattr(node, inner, ()))


def imports(module: ast.Module, known: Container[str]) -> Iterator[str]:
    """The modules that are named by import statements anywhere in `module`, those for the type checker alone too."""
    for node in statements(module.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


def reached(start: Iterable[str], graph: Mapping[str, set[str]], steps: int | None = None) -> set[str]:
    """All that the graph leads to from `start` in so many steps; a name of `start` only where a circle leads back."""
    seen: set[str] = set()
    front = {*start}
    while front and steps != 0:
        front = {name for one in front for name in graph.get(one, ())} - seen
        seen |= front
        steps = None if steps is None else steps - 1
    return seen
