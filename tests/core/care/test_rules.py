"""What speaks against a new disk of an array whose members' size nothing tells; the rest is in `rules.toml`."""

import msgspec

from raidtui.core.care import rules
from tests.builders.care import cared_for, seen


def test_a_size_that_was_not_told_is_not_taken_for_small() -> None:
    array, disks = cared_for(seen())
    new = next(one for one in disks if one.name == "sdd")
    assert "not told" in rules.why_not_new(msgspec.structs.replace(array, member_bytes=None), new, 512)
