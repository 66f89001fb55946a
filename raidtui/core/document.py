"""TOML files: parsing, and comparison with the expected type, with errors in words."""

import functools
from types import NoneType
from typing import Any

from msgspec import inspect

from raidtui.core.text import brief

_KINDS: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (inspect.StrType, (str,), "text, in quotes"),
    (inspect.BoolType, (bool,), "true or false"),
    (inspect.IntType, (int,), "a whole number"),
    (inspect.FloatType, (int, float), "a number"),
    (inspect.NoneType, (NoneType,), "nothing"),
    (inspect.DictType, (dict,), "a table"),
    (inspect.StructType, (dict,), "a table"),
    (inspect.ListType, (list, tuple), "a list, in square brackets"),
    (inspect.VarTupleType, (list, tuple), "a list, in square brackets"),
)
_TYPES = {kind: types for kind, types, _ in _KINDS}


class NotToml(ValueError):
    """One sentence with line and column."""


def read(json_bytes: bytes) -> dict[str, Any]:
    try:
        import tomllib  # late: a worker has no use for it

        return tomllib.loads(json_bytes.decode())
    except UnicodeDecodeError as error:
        text_before = json_bytes[: error.start]
        line, column = text_before.count(b"\n") + 1, len(text_before.rpartition(b"\n")[2].decode()) + 1
        wrong = f"the byte 0x{json_bytes[error.start]:02X} is no UTF-8"
        raise NotToml(f"{wrong} (at line {line}, column {column}); save the file as UTF-8") from error
    except (ValueError, RecursionError) as error:  # of TOML; numbers of thousands of digits, deep nesting
        raise NotToml(brief(error)) from error


def misfit(document: object, expected_type: Any) -> str:
    """One sentence with its place; "" if it fits."""
    return _misfit(document, _type_info(expected_type), "")


_type_info = functools.cache(inspect.type_info)  # of the few types that documents become; it takes milliseconds


def _misfit(value: object, expected_type: inspect.Type, place: str) -> str:
    match expected_type:
        case inspect.UnionType(types=types):
            fitting_kinds = [kind for kind in types if _is_kind(value, kind)]
            literals = [kind for kind in fitting_kinds if isinstance(kind, inspect.LiteralType)]
            if len(literals) > 1:  # one list of all that is allowed
                of_all = tuple(allowed for kind in literals for allowed in kind.values)
                return _misfit(value, inspect.LiteralType(values=of_all), place)
            reasons = [_misfit(value, kind, place) for kind in fitting_kinds]
            return min(reasons, key=len) if reasons else _wrong_kind(value, types, place)
        case inspect.LiteralType(values=values):
            return (
                "" if value in values else _not_allowed(value, [allowed for allowed in values if allowed != ""], place)
            )
        case inspect.EnumType(cls=enum):
            allowed = [member.value for member in enum]
            return "" if value in allowed else _not_allowed(value, allowed, place)
        case _ if not _is_kind(value, expected_type):
            return _wrong_kind(value, (expected_type,), place)
        case inspect.StructType():
            assert isinstance(value, dict)
            return _of_struct(value, expected_type, place)
        case inspect.DictType(value_type=inner):
            assert isinstance(value, dict)
            values_inside = ((value_inside, inner, _place_below(place, key)) for key, value_inside in value.items())
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            assert isinstance(value, list | tuple)
            values_inside = ((value_inside, inner, f"{place}[{number}]") for number, value_inside in enumerate(value))
        case _:
            return ""
    return next((reason for value_inside in values_inside if (reason := _misfit(*value_inside))), "")


def _names_of(expected_type: inspect.Type) -> list[str]:
    return [field.encode_name for field in getattr(expected_type, "fields", ())]


def _of_struct(value: dict[str, object], expected_type: inspect.StructType, place: str) -> str:
    fields = {field.encode_name: field for field in expected_type.fields}
    for name, inner in value.items():
        if name not in fields and expected_type.forbid_unknown_fields:
            where = f" in `{place}`" if place else ""
            deeper = [outer for outer, field in fields.items() if name in _names_of(field.type)]
            hint = f" (did you mean `[{deeper[0]}] {name}`?)" if deeper else _meant(name, list(fields))
            hint = hint or (f"; keys: {', '.join(fields)}" if len(fields) <= 6 else "; leave it out")
            return f"unknown key `{brief(name)}`{where}{hint}"
        if name in fields and (reason := _misfit(inner, fields[name].type, _place_below(place, name))):
            return reason
    missing = [name for name, field in fields.items() if field.required and name not in value]
    return f"`{_place_below(place, missing[0])}` is missing" if missing else ""


def _is_kind(value: object, expected_type: inspect.Type) -> bool:
    if isinstance(expected_type, inspect.LiteralType):
        return any(type(value) is type(literal) for literal in expected_type.values)
    types = _TYPES.get(type(expected_type), (object,))  # what is not known here is the library's to judge
    return types == (object,) or (isinstance(value, types) and (isinstance(value, bool) is (bool in types)))


def _wrong_kind(value: object, expected_type: tuple[inspect.Type, ...], place: str) -> str:
    kinds_words = [(kind, words) for kind, _, words in _KINDS if kind is not inspect.NoneType]
    kinds = [words for wanted_type in expected_type for kind, words in kinds_words if isinstance(wanted_type, kind)]
    allowed = [
        str(value)
        for wanted_type in expected_type
        if isinstance(wanted_type, inspect.LiteralType)
        for value in wanted_type.values
        if value
    ]
    accepted = " or ".join(dict.fromkeys([*kinds, *([f"one of {', '.join(allowed)}"] if allowed else [])]))
    return f"`{place or 'the document'}` is {_value_text(value)}; it must be {accepted}"


def _not_allowed(value: object, allowed: list[Any], place: str) -> str:
    sentence = f"`{place}` is {_value_text(value)}; it must be one of {', '.join(map(str, allowed))}"
    return sentence + _meant(str(value), [str(word) for word in allowed])


def _meant(word: str, allowed: list[str]) -> str:
    """Nearest known word as a question, or ""."""
    from difflib import get_close_matches

    close_words = get_close_matches(word, allowed, 1)
    return f" (did you mean `{close_words[0]}`?)" if close_words else ""


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else brief(repr(value))


def _place_below(place: str, name: str) -> str:
    return f"{place}.{brief(name)}" if place else brief(name)
