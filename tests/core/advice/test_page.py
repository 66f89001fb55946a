"""The page of `raidtui advise`: short, 80 columns of ASCII, and every comparison one that its table bears out."""

import re
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.advice.groups import groups_of, zfs_command
from raidtui.core.advice.page import WIDTH, by_hand, folded, in_short, page, table
from raidtui.core.advice.proposals import NoAdvice, Wish, advise, rationale
from raidtui.core.advice.wording import sentences
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Measure, Workload
from raidtui.core.units import TB
from tests.advice_table import Call, calls

MOST_WORDS = 130


def lines_of(call: Call) -> list[str]:
    """With the longer of the next commands, where no disk is named."""
    following = shlex.split(f"raidtui advise --for {call.use} --answers > advice.toml")
    return page(call.advice, call.disks, following, "for `raidtui plan`", None)


def split(lines: list[str]) -> tuple[dict[str, list[str]], str]:
    """Cells by the label of their row, the words outside the table."""
    first, last, *_ = (index for index, line in enumerate(lines) if not line)
    rows = (re.split(" {2,}", line) for line in lines[first + 1 : last])
    return {label: cells for label, *cells in rows}, " ".join(" ".join([*lines[:first], *lines[last:]]).split())


def rows_of(disks: tuple[Disk, ...], use: Workload, survive: int) -> dict[str, list[str]]:
    rows = table(rationale(advise(Wish(use, survive), disks)), None)
    return {label: cells for label, *cells in (re.split(" {2,}", line) for line in rows)}


@pytest.mark.parametrize("call", calls(), ids=lambda call: f"{call.use}-{call.kind}{call.terabytes}x{len(call.disks)}")
def test_every_page_is_short_and_fits_a_terminal(call: Call) -> None:
    lines = lines_of(call)
    rows, others = split(lines)
    assert max(map(len, lines)) <= WIDTH and "\n".join(lines).isascii()
    assert len(others.split()) <= MOST_WORDS and len(lines) <= 32
    columns = 2 if call.advice.second else 1
    assert len(rows) >= 10 and {len(cells) for cells in rows.values()} == {columns}
    assert {"level", "usable", "cost", "disks that may fail", "data loss a year", "small writes"} < rows.keys()
    assert 2 <= len(in_short(rationale(call.advice))) <= 3
    assert ("--by-hand" in others) == (call.groups is not None)


@pytest.mark.parametrize("call", calls(), ids=lambda call: f"{call.use}-{call.kind}{call.terabytes}x{len(call.disks)}")
def test_a_comparison_is_one_that_the_figures_bear_out(call: Call) -> None:
    why = rationale(call.advice)
    rows, others = split(lines_of(call))
    said = " ".join(in_short(why))
    second = why.second
    mine, other = (side and (side.times, side.proposal.capacity.array_bytes) for side in (why, second))
    if "Usable:" in said:
        assert mine and other and mine[1] > other[1] and rows["usable"][0] != rows["usable"][1]
    if "Small writes" in said:
        assert why.measure is not Measure.SPACE and mine and other
        assert mine[0].small_writes > other[0].small_writes and rows["small writes"][0] != rows["small writes"][1]
    if "Sequential reads" in said:
        assert mine and other and mine[0].long_reads > other[0].long_reads
    if "Safety first" in said:
        assert why.failing.survives > why.failing.asked_for
    loses_all = "loses all data" in others or "all data is lost" in others
    assert loses_all == (rows["disks that may fail"][0] == "none")
    if call.groups:
        loss = others.partition(" loss ")[2].partition(" a year")[0]
        assert ("Better" in others) == (loss != rows["data loss a year"][0])


@given(
    st.sampled_from(Workload),
    st.integers(0, 2),
    st.integers(1, 100),
    st.integers(1, 40_000),
    st.sampled_from(["HDD", "SSD", "NVMe"]),
    st.sampled_from([None, 0.0001, 0.9]),
)
def test_no_number_of_disks_is_wider_than_a_terminal(
    use: Workload, survive: int, count: int, gigabytes: int, kind: str, afr: float | None
) -> None:
    disks = imagined([gigabytes * 10**9] * count, kind != "HDD", kind == "NVMe")
    try:
        found = advise(Wish(use, survive), disks)
    except NoAdvice:
        return
    lines = page(found, disks, ["raidtui", "advise", *(disk.path for disk in disks)], "", afr)
    assert max(map(len, lines)) <= WIDTH
    assert not re.search(r"None|nan|inf\b| 0 %| 0\.00 %", "\n".join(lines))


def test_the_cells_of_6_disks_for_virtual_machines() -> None:
    assert rows_of(imagined([8 * TB] * 6, flash=False), Workload.VMS, 1) == {
        "6 disks": ["Proposed", "Second best"],
        "level": ["RAID 10 n2", "RAID 6"],
        "usable": ["24.0 TB", "32.0 TB"],
        "cost": ["copies, 24.0 TB (50 %)", "parity, 16.0 TB (33 %)"],
        "disks that may fail": ["any 1, 2 in 4 of 5 cases", "any 2"],
        "rebuild, at least": ["12 h 20 min", "12 h 20 min"],
        "rebuild reads": ["8.00 TB", "40.0 TB"],
        "bad sector, 1/10^15 bits": ["up to 6 % of rebuilds", "redundancy left"],
        "- 1/10^14, some desktop": ["up to 47 % of rebuilds", "redundancy left"],
        "data loss a year": ["1 in 200,000", "under 1 in 1,000,000"],
        "sequential reads": ["up to 540 MB/s", "720 MB/s"],
        "sequential writes": ["540 MB/s", "720 MB/s"],
        "small writes": ["450 IOPS", "150 IOPS"],
        'rates "up to"': ["limit, not confirmed", "-"],
        "disk I/Os per write": ["2", "6"],
    }


def test_limits_of_md_and_what_is_not_computed_are_in_the_cells() -> None:
    rows = rows_of(imagined([2 * TB] * 4, True, True), Workload.DATABASES, 1)
    assert rows["rebuild, at least"] == ["2 h 42 min, md's limit"] * 2
    assert rows["bad sector, 1/10^15 bits"] == ["not computed, not 0", "redundancy left"]
    assert rows["small writes"] == ["500k IOPS", "65.0k IOPS, md's thread"] and len(rows) == 14


def test_unequal_disks_and_many_cases() -> None:
    unequal = imagined([4 * TB] * 3 + [6 * TB], flash=False)
    assert rows_of(unequal, Workload.BACKUP, 2)["unused of larger disks"][0] == "2.00 TB"
    many = rows_of(imagined([4 * TB] * 99, flash=True), Workload.VMS, 2)
    assert many["disks that may fail"][0] == "any 2, 3 in 99 % of cases"


@pytest.mark.parametrize(
    "count, terabytes, line",
    [
        (24, 16, "Better   2 groups of 11, 2 spares: 288 TB, loss under 1 in 1,000,000 a year"),
        (16, 16, "Groups   2 groups of 8, 1 spare to buy: 192 TB, loss under 1 in 1,000,000 a"),
        (14, 16, "Groups   one RAID 6 of 12, 2 spares: 160 TB, loss under 1 in 1,000,000 a year"),
        (14, 1, "Groups   one RAID 6 of 13, 1 spare: 11.0 TB, loss under 1 in 1,000,000 a year"),
    ],
)
def test_groups_are_better_where_their_loss_is_seen_to_be(count: int, terabytes: int, line: str) -> None:
    disks = imagined([terabytes * TB] * count, flash=False)
    lines = page(advise(Wish(Workload.FILES, 1), disks), disks, ["raidtui"], "", None)
    assert line in lines


@pytest.mark.parametrize("count", [13, 16, 24, 60])
def test_commands_by_hand_are_what_a_shell_reads(count: int) -> None:
    disks = imagined([16 * TB] * count, flash=False)
    found = groups_of(advise(Wish(Workload.FILES, 1), disks), disks)
    assert found
    paths = [disk.path for disk in disks]
    commands = [zfs_command(found, paths)]
    printed = by_hand(commands)
    assert max(map(len, printed)) <= WIDTH
    read = "\n".join(printed).replace("\\\n", " ")
    assert [shlex.split(line) for line in read.splitlines() if not line.startswith("#")] == [
        shlex.split(line, comments=True) for line in commands
    ]
    subprocess.run(["sh", "-n"], input="\n".join(printed), text=True, check=True)


def test_a_word_longer_than_a_line_stays_whole() -> None:
    assert folded(["raidtui", "x" * 90, "y"], 80) == ["raidtui \\", "    " + "x" * 90 + " \\", "    y"]


@pytest.mark.parametrize(
    "use, flash, gain",
    [
        ("vms", False, "Small writes 2.0x those of RAID 6."),
        ("scratch", False, "Small writes 2.0x those of RAID 10 f2."),  # reads are equal
        ("media", True, "Usable: 4.00 TB more than RAID 6."),  # reads and small writes are equal
    ],
)
def test_a_gain_is_the_first_that_counts_for_the_purpose(use: str, flash: bool, gain: str) -> None:
    disks = imagined([4 * TB] * 4, flash=flash)
    survive = 0 if use == "scratch" else 1
    assert in_short(rationale(advise(Wish(Workload(use), survive), disks)))[1:] == [gain]


def test_no_rate_that_is_an_upper_limit_is_a_reason() -> None:
    mirror = advise(Wish(Workload.MEDIA, 1), imagined([8 * TB] * 2, flash=False))
    assert sentences(mirror)[0] == "Media files are read sequentially: 8.00 TB = 7.28 TiB usable."
    why = rationale(advise(Wish(Workload.VMS, 1), imagined([8 * TB] * 6, flash=False)))
    upper = replace(why, times=replace(why.times, upper_limits=("small_writes",)))
    assert "Small writes 3.0x" in in_short(why)[1] and "Small writes" not in " ".join(in_short(upper))
