"""Disks by rule, on recorded machines and made ones: those that are meant, or a refusal with the reason."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks import dumps
from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.disks.selection import DiskRule, NotSelected, select, why_not, words
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.units import GB, TB
from tests.builders.machines import MACHINES
from tests.builders.racks import RACK, disk

BUSY, HOLDS = Verdict(Usability.REFUSE, "sdx is mounted at /srv"), Verdict(Usability.WARN, "holds ext4")
OLD = tuple(disk(number, model="IRONDISK", size_bytes=4_000_787_030_016) for number in range(4))
NEW = tuple(disk(number + 4, model="STEELDISK", size_bytes=4_000_787_030_016) for number in range(4))
MIXED = (*OLD, *NEW, disk(8, model="IRONDISK", size_bytes=8 * TB))


def recorded(name: str) -> tuple[Disk, ...]:
    return disks_of(dumps.read((MACHINES / name).read_bytes()))


@pytest.mark.parametrize(
    "rule, disks, names",
    [
        (DiskRule(count=6), RACK, "sda sdb sdc sdd sde sdf"),
        (DiskRule(count=4, model="steeldisk "), MIXED, "sde sdf sdg sdh"),
        (DiskRule(count=8, size="4TB"), MIXED, "sda sdb sdc sdd sde sdf sdg sdh"),
        (DiskRule(count=4, size="4TB", model="IRONDISK"), MIXED, "sda sdb sdc sdd"),
        (DiskRule(count=1, size="8TB"), MIXED, "sdi"),
        (DiskRule(count=4, like="largest group"), (*MIXED[1:], OLD[0]), "sda sdb sdc sdd"),
    ],
)
def test_a_rule_means_the_disks_that_fit(rule: DiskRule, disks: Sequence[Disk], names: str) -> None:
    if rule.like:  # of two groups of four one has another disk in use
        disks = [disk(4, model="STEELDISK", verdict=BUSY) if one.name == "sde" else one for one in disks]
    assert " ".join(one.name for one in select(rule, disks)) == names


@pytest.mark.parametrize(
    "rule, disks, says",
    [
        (DiskRule(count=7), RACK, "7 are asked for (7 disks, without a warning), and 6 of 6 fit"),
        (DiskRule(count=2), RACK, "6 fit, and which are meant is not said: sda, sdb, sdc, sdd and 2 more; name them"),
        (DiskRule(count=8), MIXED, "9 fit, and which are meant is not said: sda, sdb, sdc, sdd and 5 more; say which"),
        (DiskRule(count=2, model="X"), RACK, "(2 disks, model X, without a warning), and 0 of 6 fit (others: 6 of an"),
        (DiskRule(count=6), (*RACK[:4], disk(4, verdict=HOLDS), disk(5, verdict=BUSY)),
         "4 of 6 fit (others: 1 with a warning, 1 in use, or not to be used)"),
        (DiskRule(count=6, standing="warn"), (*RACK[:5], disk(5, verdict=BUSY)), "5 of 6 fit"),
        (DiskRule(count=4, like="largest group"), MIXED, "2 groups are the largest: 4 of IRONDISK, 4.00 TB"),
        (DiskRule(count=5, like="largest group"), MIXED, "4 of 9 fit (others: 5 not of the largest group)"),
        (DiskRule(count=1), (), "1 is asked for (1 disk, without a warning), and 0 of 0 fit"),
    ],
)  # fmt: skip
def test_too_few_or_too_many_is_a_refusal_that_says_why(rule: DiskRule, disks: Sequence[Disk], says: str) -> None:
    with pytest.raises(NotSelected) as refused:
        select(rule, disks)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "name, rule, chosen",
    [
        ("rack-of-24.json", DiskRule(count=24, model="scsi_debug"), 24),
        ("rack-of-six.json", DiskRule(count=6, size="300MiB", like="largest group"), 6),
        ("in-use.json", DiskRule(count=5), 0),
        ("stopped-array.json", DiskRule(count=6, standing="warn"), 0),
        ("left-behind.json", DiskRule(count=4), 0),
        ("left-behind.json", DiskRule(count=4, standing="warn"), 4),
        ("two-paths.json", DiskRule(count=5, standing="warn"), 0),
    ],
)
def test_recorded_machines(name: str, rule: DiskRule, chosen: int) -> None:
    try:
        assert len(select(rule, recorded(name))) == chosen > 0
    except NotSelected:
        assert not chosen


def test_the_order_is_that_of_the_places_whatever_the_disks_are_called() -> None:
    rack = [disk(number, slot=f"bay {number}") for number in (2, 0, 1)] + [disk(5, name="sda", slot="bay 10")]
    assert [one.slot for one in select(DiskRule(count=4), rack)] == ["bay 0", "bay 1", "bay 2", "bay 10"]


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from((4 * TB, 4 * TB + 3 * GB, 8 * TB)),
                       st.sampled_from((Verdict(Usability.OK), HOLDS, BUSY))), max_size=10),
    st.builds(DiskRule, count=st.integers(1, 10), model=st.sampled_from(("", "a", "B")),
              size=st.sampled_from(("", "4TB")), standing=st.sampled_from(("ok", "warn")),
              like=st.sampled_from(("", "largest group"))),
    st.randoms(),
)  # fmt: skip
def test_what_is_chosen_is_as_asked_and_no_other_disk_would_do(
    kinds: list[tuple[str, int, Verdict]], rule: DiskRule, random: Random
) -> None:
    disks = [disk(at, model=model, size_bytes=size, verdict=verdict) for at, (model, size, verdict) in enumerate(kinds)]
    try:
        chosen = select(rule, disks)
    except NotSelected:
        return
    assert len({one.id for one in chosen}) == rule.count == len(chosen)
    assert all(one.verdict.standing in ("ok", rule.standing) for one in chosen)
    assert not rule.model or {one.model for one in chosen} == {rule.model.upper()}
    assert not rule.size or max(one.size_bytes for one in chosen) < 5 * TB
    assert not rule.like or len({(one.model, one.size_bytes) for one in chosen}) == 1
    random.shuffle(disks)
    assert select(rule, disks) == chosen
    rest = [one for one in disks if one not in chosen]
    assert rule.like or not any(_takes(rule, one) for one in rest)


def _takes(rule: DiskRule, one: Disk) -> bool:
    try:
        return bool(select(DiskRule(count=1, model=rule.model, size=rule.size, standing=rule.standing), [one]))
    except NotSelected:
        return False


@pytest.mark.parametrize(
    "rule, says",
    [
        (DiskRule(count=0), "`disks.count` is 0; it must be 1 to 9999"),
        (DiskRule(count=9999), ""),
        (DiskRule(count=10000), "`disks.count` is 10000; it must be 1 to"),
        (DiskRule(count=2, size="4 miles"), "`disks.size`: '4 miles' is not a size"),
        (DiskRule(count=2, size="0"), "`disks.size` is '0'"),
        (DiskRule(count=2, model=" X"), "`disks.model` is ' X'"),
        (DiskRule(count=2, model="\u202eX"), "`disks.model` is"),
        (DiskRule(count=2, model="X", size="4TB", standing="warn"), ""),
    ],
)
def test_what_cannot_be_a_rule_is_named(rule: DiskRule, says: str) -> None:
    assert why_not(rule).startswith(says) and bool(why_not(rule)) is bool(says)


def test_a_rule_in_words() -> None:
    assert words(DiskRule(count=8, model="X 1", size="4TB", like="largest group")) == (
        "8 disks, model X 1, about 4TB, without a warning, the largest group of one model and size"
    )
    assert words(DiskRule(count=1, standing="warn")) == "1 disk, with a warning or without"
