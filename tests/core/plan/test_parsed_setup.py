"""A setup parsed once: its sizes, its title, and no title that two setups share."""

import itertools

from raidtui.core.plan import parsed_setup, sweep
from raidtui.core.plan.answers import Axes, Setup
from tests.seeds import cases

TWO_EACH: dict[str, tuple[object, ...]] = {
    "layout": ("", "left-asymmetric"),
    "chunk": ("512K", "512KiB"),  # one size, written in two ways
    "bitmap": ("internal", "none"),
    "first_sync": ("wait", "skip"),
    "member_size": ("", "1GiB"),
    "disks": (0, 3),
    "groups": (2,),
    "partition_start_sectors": (0, 63),
    "filesystem": ("none", "ext4"),
    "allocation_unit": ("", "8KiB"),
    "stripe_cache_size": (0, 4096),
    "group_thread_cnt": (None, 0),
    "wbt_lat_usec": (None, 0),
    "failed": (1,),  # what came later adds its own words to the end, as wbt_lat_usec does
    "rebuild_min_kib_s": (0, 1000),
    "write_mostly": (0, 1),
}


def test_no_two_titles_are_alike_over_all_levels_and_two_values_of_each_field() -> None:
    assert {"level", *TWO_EACH} == set(Axes.__struct_fields__)
    setups = {level: _setups(level) for level in ("0", "1", "5", "10", "linear", "jbod", "btrfs-raid1")}
    for levels in [*itertools.combinations(setups, 2)][:: cases(3, few=5, many=1)]:
        cells = tuple(setups[levels[0]] | setups[levels[1]])
        assert len(set(parsed_setup.titles(cells, 4))) == len(cells)


def _setups(level: str) -> set[Setup]:
    values = (TWO_EACH[field] if field != "layout" or level == "5" else ("",) for field in TWO_EACH)
    return {
        sweep._collapsed(Setup(level=level, **dict(zip(TWO_EACH, chosen, strict=True))))  # type: ignore[arg-type]
        for chosen in itertools.product(*values)
    }


def test_what_a_title_leaves_out_is_said_where_cells_differ_in_it() -> None:
    both = parsed_setup.titles((Setup(level="5", bitmap="none"), Setup(level="5"), Setup(level="0")), 4)
    assert [title.rpartition(", ")[2] for title in both] == ["no bitmap", "bitmap internal", "no file system"]
    alone = Setup(level="5", bitmap="none", first_sync="skip")
    assert parsed_setup.titles((alone,), 4) == (parsed_setup.title(alone, 4),)
