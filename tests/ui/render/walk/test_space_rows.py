"""File systems on an array: usable as `space` counts it, every byte of the way accounted for, nothing cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid import filesystems
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES
from raidtui.core.raid.space import Story, story
from raidtui.core.units import GB
from raidtui.ui.render import cells
from raidtui.ui.render.walk.space_rows import (
    SpaceRow,
    alignment_lines,
    capacity_page,
    df_lines,
    exact_lines,
    filesystem_sheet,
    offered,
    waterfall,
)
from tests.builders.labels import nominal_bytes
from tests.ui.pages import first_lines, texts


def account(filesystem: str, disks: int = 8, gigabytes: int = 4000, key: str = "10", layer: int = 0) -> Story:
    sizes = [nominal_bytes(gigabytes)] * disks
    return story(sizes, capacity(key, sizes), filesystem, layer="LVM" if layer else "", layer_bytes=layer)


def lines(width: int) -> list[str]:
    rows = [SpaceRow(row.key, account(row.key), "", row.key == "ext4", row.key == "xfs") for row in offered()]
    sheet = filesystem_sheet(rows, width)
    return first_lines(sheet)


@pytest.mark.parametrize("width", [75, 77, 95, 115, 195])
def test_each_has_its_figures_in_one_line(width: int) -> None:
    found = [" ".join(line.split()) for line in lines(width)]
    assert found[0] == "TB TiB df -h metadata"
    assert found[1].startswith("◆ xfs ≈ 15.9 TB 14.5 TiB 15T 114 GB") and found[2].startswith(
        "▸ ext4 ≈ 15.7 TB 14.3 TiB 15T"
    )
    assert found[-1].startswith("none 16.0 TB 14.6 TiB – –")
    assert ("grows, never shrinks" in found[1]) == (width >= 115)
    assert all(len(line) <= width and "…" not in line for line in lines(width))


def test_what_cannot_be_made_says_why() -> None:
    can, reason = filesystems.possible("ext2", 24_000 * GB)
    assert not can
    (row,) = filesystem_sheet([SpaceRow("ext2", account("ext2"), reason)], 77).rows
    assert (
        "ext2 ends at 16.0 TiB, the array has 24.0 TB" in "".join(text for text, _ in row.lines[0]) and not row.possible
    )


@given(
    st.sampled_from(["xfs", "ext4", "btrfs", "none"]),
    st.sampled_from(["0", "5", "6", "10"]),
    st.integers(4, 60),
    st.sampled_from([0, 4 * 2**20]),
)
def test_every_byte_of_the_labels_is_lost_or_left(filesystem: str, key: str, disks: int, layer: int) -> None:
    found = account(filesystem, disks, key=key, layer=layer if filesystem != "none" else 0)
    figures = [line.split("  ")[-1].strip() for line in texts(exact_lines(found))[1:]]
    values = [int(re.sub("[^0-9−]", "", figure).replace("−", "-")) for figure in figures]
    losses = sum(value for value in values if value < 0)
    assert values[0] + losses == (found.files_bytes if found.files_bytes is not None else values[-1])


@pytest.mark.parametrize("width", [56, 76, 130])
def test_the_way_to_df(width: int) -> None:
    found = account("ext4")
    shown = [" ".join(line.replace("▄", " ").split()) for line in texts(waterfall(found, width))]
    assert shown[1:4] == ["8 x 4.00 TB 32.0 TB 29.1 TiB", "copies −16.0 TB −14.6 TiB", "md metadata −1.08 GB −1.01 GiB"]
    assert shown[4:6] == ["rounding −2.82 MB −2.69 MiB", "array 16.0 TB 14.6 TiB"]
    assert shown[-1].startswith("root only 160 GB") and max(map(len, texts(waterfall(found, width)))) <= width
    assert texts(df_lines(found))[0] == "df -h Size 15T (≈ 14.4 TiB; df rounds up)" and not df_lines(account("none"))


@pytest.mark.parametrize("key", ["xfs", "ext4", "btrfs", "none"])
@pytest.mark.parametrize("disks, chunk", [(4, DEFAULT_CHUNK_BYTES), (60, DEFAULT_CHUNK_BYTES), (4, None)])
def test_the_command_is_the_one_that_runs(key: str, disks: int, chunk: int | None) -> None:
    shape = filesystems.geometry("6" if chunk else "1", disks, chunk)
    said = texts(alignment_lines(key, shape, 56))
    assert max(map(len, said)) <= 56
    if key != "none":
        assert " ".join(filesystems.mkfs_argv(key, "/dev/md/NAME", "UUID", shape)).replace(" ", "") in "".join(
            "".join(said).split()
        )
        assert (f"{disks - 2} data disks × 512 KiB" in " ".join(said)) == bool(chunk)


@pytest.mark.parametrize("height", [6, 9, 10, 11, 12, 30])
def test_in_few_lines_the_way_stays_and_df_with_it(height: int) -> None:
    said = texts(capacity_page(account("ext4"), 76, height))
    assert len(said) <= height and (height < 9 or said[-1].startswith("df -"))
    assert (height < 9) or (said[0].split()[0] in ("TB", "8") and any("root only" in line for line in said))


@pytest.mark.parametrize("filesystem", ["ext4", "none"])
def test_without_colours_every_part_has_its_own_sign(monkeypatch: pytest.MonkeyPatch, filesystem: str) -> None:
    drawn = texts(waterfall(account(filesystem, layer=2**22), 130))
    coloured = [" ".join(line.replace("▄", " ").split()) for line in drawn]
    monkeypatch.setattr(cells, "_colours", False)
    plain = texts(waterfall(account(filesystem, layer=2**22), 130))
    assert [" ".join(re.sub("[█▒░▪·]", " ", line).split()) for line in plain] == coloured
    assert "█" in plain[1] and "▒" in plain[2]


@pytest.mark.parametrize("key", ["xfs", "ext4"])
def test_metadata_is_one_figure_in_the_table_and_on_the_way(key: str) -> None:
    found = account(key)
    (row,) = filesystem_sheet([SpaceRow(key, found)], 77).rows
    (own,) = [line.replace("▄", " ").split() for line in texts(waterfall(found, 76)) if line.startswith(f"{key} ")]
    assert f"{own[3].lstrip('−')} {own[4]}" in "".join(text for text, _ in row.lines[0])
