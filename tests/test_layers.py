"""The layers: each is imported in a fresh interpreter, and what it drags in is looked at."""

import subprocess
import sys

import pytest

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
    code = "import sys, raidtui.cli.app; print('textual' in sys.modules or 'plotext' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
