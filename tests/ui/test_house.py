"""How the screens' modules hang together: no import circle, and Textual's private names in one module."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import raidtui.ui

_FOLDER = Path(raidtui.ui.__file__).parent
_ROOT = _FOLDER.parents[1]


def _modules() -> dict[str, ast.Module]:
    """Every module of the screens by its dotted name."""
    paths = {".".join(path.relative_to(_ROOT).with_suffix("").parts): path for path in _FOLDER.rglob("*.py")}
    return {name.removesuffix(".__init__"): ast.parse(path.read_text()) for name, path in paths.items()}


def imports(modules: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Which of `modules` each of them imports, anywhere in it: in functions, and for the type checker, too."""
    graph: dict[str, set[str]] = {}
    for name, tree in modules.items():
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        named = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}
        graph[name] = {one for one in {*named, *(str(node.module) for node in nodes)} if one in modules} - {name}
    return graph


def test_no_module_of_the_screens_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(imports(_modules())).prepare()  # raises CycleError with the circle
