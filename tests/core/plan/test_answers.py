"""Answers as TOML: written and read again, a wrong field named."""

import tomllib

import pytest
import tomli_w
from msgspec.structs import replace

from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import AnswersError, Axes, parse, to_document
from tests.builders.racks import answers


def test_answers_survive_their_own_toml() -> None:
    given = answers(filesystem="xfs", repeat=3, job={"seq_read": {"bs": "4m"}})
    assert parse(to_document(given)) == given
    unsaid = replace(given, repeat=None)
    assert parse(tomllib.loads(tomli_w.dumps(to_document(unsaid)))) == unsaid
    swept = replace(given, axes=Axes(chunk=("4K", "8K")), fio={"runtime": "2s"}, disk_speed="94MB/s")
    assert parse(tomllib.loads(tomli_w.dumps(to_document(swept)))) == swept
    several = replace(swept, axes=(Axes(level=("1",)), Axes(group_thread_cnt=(0, 2))))
    assert parse(tomllib.loads(tomli_w.dumps(to_document(several)))) == several
    ruled = replace(given, disks=DiskRule(count=8, model="ST4000", like="largest group"))
    assert parse(tomllib.loads(tomli_w.dumps(to_document(ruled)))) == ruled
    assert "size" not in to_document(ruled)["disks"]


@pytest.mark.parametrize(
    "change, says",
    [
        ({"disks": []}, "`disks` is empty"),
        ({"disks": ["a", "a"]}, "more than once"),
        ({"disk": ["a"]}, "disk"),
        ({"disks": {"model": "X"}}, "`disks.count` is missing"),
        ({"disks": {"count": 0}}, "`disks.count` is 0"),
        ({"disks": {"count": 2, "size": "4 miles"}}, "`disks.size`: '4 miles' is not a size"),
        ({"disks": {"count": 2, "standing": "refuse"}}, "`disks.standing` is 'refuse'; it must be one of ok, warn"),
        ({"disks": {"count": 2, "vendor": "X"}}, "unknown key `vendor` in `disks`"),
        ({"disks": 8}, "`disks` is 8; it must be a list, in square brackets or a table"),
        ({"repeat": 0}, "`repeat` is 0"),
        ({"repeat": "twice"}, "`repeat` is 'twice'; it must be a whole number"),
        ({"after": "burn"}, "`after` is 'burn'; it must be one of keep, teardown"),
        ({"setup": {"levle": "5", "level": "5"}}, "unknown key `levle` in `setup` (did you mean `level`?)"),
        ({"setup": {"level": 5}}, "`setup.level` is 5; it must be text"),
        ({"setup": 5}, "`setup` is 5; it must be a table"),
        ({"proof": {"cut": "axe"}}, "`proof.cut` is 'axe'; it must be one of "),
        ({"proof": {"cut": "witness"}}, 'proof.cut needs proof.witness = "/dev/ttyS0" or "HOST:PORT"; add it'),
        ({"proof": {"witness": "/dev/ttyS0"}}, 'proof.witness needs proof.cut = "witness"; add it'),
        (
            {"proof": {"cut": "witness", "witness": "ttyS0"}},
            "proof.witness: 'ttyS0' is no witness; write a serial",
        ),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], says: str) -> None:
    document = {"disks": ["wwn-0x1"], "setup": {"level": "5"}} | change
    with pytest.raises(AnswersError) as refused:
        parse(document, "answers.toml")
    assert says in str(refused.value) and str(refused.value).startswith("answers.toml: ")
