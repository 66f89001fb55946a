"""Structs as plain values."""

from functools import cache
from typing import Any

import msgspec


def given(value: Any) -> Any:
    """Non-default fields, with tags."""
    if isinstance(value, msgspec.Struct):
        tag, fields = value.__struct_config__.tag, _fields(type(value))
        changed = {field.name: inner for field in fields if (inner := getattr(value, field.name)) != _default(field)}
        return {name: given(inner) for name, inner in changed.items()} | ({"": tag} if tag else {})
    if isinstance(value, dict):
        return {key: given(inner) for key, inner in value.items()}
    return [given(inner) for inner in value] if isinstance(value, tuple | list) else value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default
