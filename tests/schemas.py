"""Documents held against the schemas that are made of the program's types."""

import functools
from typing import Any

import pytest

from raidtui.core.documents import schema


@functools.cache
def _validator(name: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="a development package: `make setup` installs it")
    made = schema.schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def errors_in(name: str, document: Any) -> list[str]:
    """What in a decoded document is not as the schema of this name has it."""
    return [f"{error.json_path}: {error.message[:200]}" for error in _validator(name).iter_errors(document)]
