"""What a struct says beyond its defaults."""

import msgspec

from raidtui.core.structs import given


class Inner(msgspec.Struct, tag="inner"):
    names: tuple[str, ...] = ()
    rest: dict[str, int] = {}


class Outer(msgspec.Struct):
    size: int
    inner: tuple[Inner, ...] = ()
    later: str = ""


def test_fields_at_their_defaults_are_left_out_and_tags_stay() -> None:
    assert given(Outer(1)) == {"size": 1}
    assert given(Outer(0, (Inner(), Inner(("a",), {"b": 2})), "c")) == {
        "size": 0,
        "inner": [{"": "inner"}, {"": "inner", "names": ["a"], "rest": {"b": 2}}],
        "later": "c",
    }
