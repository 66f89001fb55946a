"""A document that a person wrote, held against its type: what does not fit is said in words, with its place."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core import document
from raidtui.core.document import NotToml, misfit
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.recipe import Recipe


@pytest.mark.parametrize(
    "given, says",
    [
        ({"setup": {"levle": "5"}}, "unknown key `levle` in `setup` (did you mean `level`?)"),
        ({"zzz": 1}, "unknown key `zzz`; leave it out"),
        ({"after": "keepp"}, "`after` is 'keepp'; it must be one of keep, teardown (did you mean `keep`?)"),
        (
            {"use": "databse"},
            "`use` is 'databse'; it must be one of backup, media, files, vms, databases, scratch (did",
        ),
        ({"self_test": "foo"}, "`self_test` is 'foo'; it must be one of long, short"),
        ({"use": []}, "`use` is a list; it must be one of backup"),
        ({"repeat": True}, "`repeat` is True; it must be a whole number"),
        ({"disks": "sda"}, "`disks` is 'sda'; it must be a list"),
        ({"axes": [{"chunk": ["4K"], "bitmap": ["x"]}]}, "`axes[0].bitmap[0]` is 'x'; it must be one of"),
        ({"job": {"a": {"bs": {}}}}, "`job.a.bs` is a table; it must be text"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(given: dict[str, Any], says: str) -> None:
    assert misfit(given, Answers).startswith(says)


def test_what_is_missing_is_named() -> None:
    assert misfit({"title": "x"}, Recipe) == "`job` is missing"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["level", "name", "fio"]), inner),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*Answers.__struct_fields__, "nosuch"]), _VALUES, max_size=4))
def test_it_agrees_with_the_library_whether_a_document_fits(value: dict[str, Any]) -> None:
    try:
        msgspec.convert(value, Answers)
    except msgspec.ValidationError as error:
        assert misfit(value, Answers), error
    else:
        assert misfit(value, Answers) == ""


@pytest.mark.parametrize(
    "data, says",
    [
        (b"repeat = 1\nafter = \n", "(at line 2, column 9)"),
        ("größe = 1\nzwölf = '".encode() + b"\xff'", "the byte 0xFF is no UTF-8 (at line 2, column 10)"),
        (b"a = " + b"9" * 5000, "integer"),
    ],
)
def test_what_is_no_toml_says_where(data: bytes, says: str) -> None:
    with pytest.raises(NotToml) as refused:
        document.read(data)
    assert says in str(refused.value)
