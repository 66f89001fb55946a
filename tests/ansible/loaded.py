"""A module of the collection, which is no package of Python's."""

import importlib.util
from pathlib import Path
from types import ModuleType

COLLECTION = Path(__file__).parents[2] / "ansible"


def module_of(name: str) -> ModuleType:
    """Of `plugins/module_utils`."""
    spec = importlib.util.spec_from_file_location(name, COLLECTION / f"plugins/module_utils/{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
