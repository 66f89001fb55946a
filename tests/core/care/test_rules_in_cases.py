"""Given this array, a check, a growth or a replacement is refused, because: each case of `rules.toml`, in its words."""

import shlex
from pathlib import Path

import msgspec
import pytest

from raidtui.core.care import rules
from tests.builders.arrays import md_in_words, with_members
from tests.builders.care import FREE, MEMBER_KIB, OFFSET_SECTORS, cared_for
from tests.builders.cases import agrees, cases, expected, lines

NEW_KIB = MEMBER_KIB + OFFSET_SECTORS // 2


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("rules.toml")))
def test_care_of_an_array_is_refused_with_its_reason(given: str, then: str) -> None:
    words, new = ["raid5", "sda", "sdb", "sdc"], FREE
    for line in lines(given):
        match shlex.split(line):
            case ["array", *words]:
                pass
            case ["new", *told]:
                more = dict(word.split("=") for word in told)
                if spare := more.pop("spare_kib", ""):
                    more["size"] = str(2 * (NEW_KIB + int(spare)))
                new = msgspec.structs.replace(FREE, attributes=FREE.attributes | more)
            case unknown:
                raise ValueError(unknown)
    files = {f"dev-{word.partition('=')[0]}/offset": str(OFFSET_SECTORS) for word in words if word.startswith("sd")}
    made = md_in_words(words[0], words[1:], component_size=str(MEMBER_KIB), **files)
    array, disks = cared_for(with_members(made, new))
    by_name = {one.device: one for one in array.members}
    for what, name, pattern in expected(then):
        match what:
            case "check":
                why = rules.why_not_check(array)
            case "grow":
                why = rules.why_not_grow(array)
            case "replace":
                why = rules.why_not_replace(array, by_name[name], name)
            case _:
                why = rules.why_not_new(array, next(disk for disk in disks if disk.name == what), 512)
        assert agrees(pattern, why), (what, why)
