"""The layers: each is imported in a fresh interpreter, and what it drags in is looked at."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = Path(__file__).parents[1] / "raidtui" / "runs"

# layer -> what it must not drag in
FORBIDDEN = {
    "core": ("textual", "rich", "typer", "psutil", "pyudev", "plotext", "raidtui.system", "raidtui.runs",
             "raidtui.practice", "raidtui.ui", "raidtui.cli", "subprocess", "socket"),
    "system": ("textual", "rich", "typer", "plotext", "raidtui.runs", "raidtui.practice", "raidtui.ui", "raidtui.cli"),
    "runs": ("textual", "rich", "typer", "plotext", "raidtui.practice", "raidtui.ui", "raidtui.cli"),
    "practice": ("textual", "rich", "typer", "plotext", "raidtui.ui", "raidtui.cli"),
    "recipes": ("textual", "rich", "typer", "raidtui.system", "raidtui.runs", "raidtui.ui", "raidtui.cli"),
}  # fmt: skip


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_a_layer_knows_only_those_below(layer: str) -> None:
    code = f"""
import importlib, pkgutil, sys
package = importlib.import_module("raidtui.{layer}")
for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(*sys.modules)
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in loaded if name.startswith(FORBIDDEN[layer])]


def test_a_command_that_opens_no_screen_does_without_textual() -> None:
    code = "import sys, raidtui.cli; print('textual' in sys.modules or 'plotext' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _imports(module: Path) -> list[tuple[str, str]]:
    """(module, name) of every `from … import …`, those for types alone included; an `import …` as (module, "")."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, name.name) for name in node.names]
        elif isinstance(node, ast.Import):
            found += [(name.name, "") for name in node.names]
    return found


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    """All that is imported from `start` on, one after the other."""
    reached: set[str] = set()
    ahead = set(graph[start])
    while ahead:
        reached |= ahead
        ahead = {after for module in ahead for after in graph[module]} - reached
    return reached


def test_no_module_of_a_run_imports_itself_by_way_of_others() -> None:
    modules = {path.stem: path for path in RUNS.glob("*.py")}
    assert len(modules) > 15
    graph = {
        name: {
            one
            for module, imported in _imports(path)
            for one in (imported if module == "raidtui.runs" else module.removeprefix("raidtui.runs."),)
            if one in modules
        }
        for name, path in modules.items()
    }
    assert "pace" in graph["site"]
    assert not [name for name in modules if name in _reached(name, graph)]


# what a worker works with is handed to it (runs/host.py): of `system` these modules take no more than types
HANDED = ("course", "existing", "executor", "host", "looks", "muster", "pace", "sampler", "site", "trials", "worker")
PURE = {("muster", "find"), ("muster", "gone")}  # functions of values: they ask no machine


@pytest.mark.parametrize("name", HANDED)
def test_a_worker_asks_the_machine_that_it_is_handed(name: str) -> None:
    taken = [imported for module, imported in _imports(RUNS / f"{name}.py") if module.startswith("raidtui.system")]
    assert not [one for one in taken if not one[:1].isupper() and (name, one) not in PURE]
