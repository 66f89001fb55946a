"""Reports of sweeps: every cell once, choices and cells over each other, expected and the article beside them."""

import re

import pytest
from msgspec.structs import replace

from raidtui.core.disks.extents import Extent
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.report import markdown
from raidtui.core.report.context import RunContext
from raidtui.core.report.disks import disks_csv
from raidtui.core.report.sweep import sweep
from raidtui.core.results.analysis import compare
from raidtui.core.results.grid import grids
from raidtui.core.run.events import FilePlaced
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, MIB
from tests.builders import sweeps
from tests.builders.tables import csv_rows, rows_of, tables_of
from tests.recordings.reports import kept


def r3_rate(stage: Stage, trial: Trial) -> float:
    """Reads gain 5.7 % and writes 5.5 % from the aligned start; the allocation unit does not matter."""
    base = 100.0
    if stage.setup and stage.setup.partition_start_sectors != 63:
        base *= 1.057 if trial.rw == "randread" else 1.055
    return base


R3 = sweeps.plan("stripe-x-allocation-unit-x-offset", 4)
R3_STATE = sweeps.state(R3, r3_rate)


def test_what_a_start_changes_is_told_over_all_pairs_that_differ_in_nothing_else() -> None:
    text = markdown.whole(R3, R3_STATE)
    found = rows_of(text, "## What each choice changes")
    told = {(row["Choice"], row["Test"]): row for row in found}
    unit = "allocation unit 64KiB vs allocation unit 4KiB"
    for choice, test, effect in [
        ("from sector 128 vs from sector 63", "Random 8K read", "n.s. (+6 %"),  # measured once each
        ("from sector 128 vs from sector 63", "Random 8K write", "n.s. (+5 %"),
        (unit, "Random 8K read", "n.s. (0 %"),
    ]:
        assert told[choice, test]["Effect (95 % interval)"].startswith(effect)


def test_what_differs_from_pair_to_pair_is_no_mean() -> None:
    text = markdown.whole(*kept.load("stripe-x-allocation-unit-x-offset"))
    told = {(row["Choice"], row["Test"]): row for row in rows_of(text, "## What each choice changes")}
    start = told["from sector 128 vs from sector 63", "Random 8K write"]
    assert start["Effect (95 % interval)"] == "+30 to +133 %"


def test_what_is_in_doubt_is_marked_in_every_table_of_shares() -> None:
    text = markdown.whole(*kept.load("rebuild"))
    told = {(row["Choice"], row["Test"]): row for row in rows_of(text, "## What each choice changes")}
    doubted = told["rebuild min 1000 KiB/s vs no rebuild", "Random 4K write"]
    assert doubted["Effect (95 % interval)"] == "\N{MINUS SIGN}61 % in 1 of 2 cases (RAID 10 n2) !"
    assert "| 1 RAID 10 n2 no rebuild !" in text and " ! marks a setup whose rate and latency differ" in text


def test_every_cell_is_a_line_of_every_test() -> None:
    text = markdown.whole(R3, R3_STATE)
    for title in ("Random 8K read", "Random 8K write"):
        found = rows_of(text, f"### {title}")
        assert len(found) == 36
        assert list(found[0])[:3] == ["Chunk", "Start, sector", "Allocation unit"]
        assert {"IOPS", "MB/s", "Mean, ms", "Expected, IOPS", "vs expected, %"} < set(found[0])


def test_beside_a_start_stands_which_share_it_splits() -> None:
    found = rows_of(markdown.whole(R3, R3_STATE), "### Random 8K read")
    told = {(row["Chunk"], row["Start, sector"]): row["On two disks, %"] for row in found}
    assert (told["64KiB", "63"], told["128KiB", "63"], told["64KiB", "128"], told["4KiB", "128"]) == (
        "12.5", "6.2", "0.0", "100.0",
    )  # fmt: skip


def test_a_file_may_start_at_any_allocation_unit() -> None:
    found = rows_of(markdown.whole(R3, R3_STATE), "### Random 8K read")
    told = {(row["Start, sector"], row["Allocation unit"]): row["On two disks, %"] for row in found[18:27]}
    assert {row["Chunk"] for row in found[18:27]} == {"64KiB"}
    assert (told["128", "4KiB"], told["128", "8KiB"], told["63", "4KiB"]) == ("0.0 or 12.5", "0.0", "12.5")


def test_where_the_run_looked_the_share_is_the_files_own() -> None:
    lies = (FilePlaced(at_s=1.0, path="mnt/test", extents=(Extent(0, 64 * MIB + 4096, 256 * MIB),)),)
    placed = {at: lies for at, stage in enumerate(R3.stages) if stage.filesystem}
    found = rows_of(markdown.whole(R3, replace(R3_STATE, placed=placed)), "### Random 8K read")
    told = {(row["Start, sector"], row["Allocation unit"]): row["On two disks, %"] for row in found[18:27]}
    assert (told["128", "4KiB"], told["63", "4KiB"]) == ("12.5", "12.5")


def r2_rate(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 30000 if trial.target == "member" else 120000
    known = {("jbod", "xfs"): 2 * 66370, ("0", "xfs"): 2 * 46461}
    return known.get((stage.setup.level, stage.setup.filesystem), 60000)


R2 = sweeps.plan("jbod-vs-raid0", 4, flash=True)


def test_setup_over_setup_names_its_base_and_the_article_stands_beside() -> None:
    text = markdown.whole(R2, sweeps.state(R2, lambda stage, trial: r2_rate(stage, trial)))
    found = rows_of(text, "### Random 4K, half reads (reads)")
    names = [f"{row['Level']} {row['File system']}" for row in found]
    assert names[:4] == ["JBOD ext2", "JBOD ext4", "JBOD xfs", "RAID 0 ext4"]
    assert found[names.index("JBOD xfs")]["Published, IOPS"] == "66370"
    over = rows_of(text, "## Setup over setup: Random 4K, half reads (reads)")
    numbered = {row["Setup"].split(" ", 1)[1]: row for row in over}
    raid0 = next(row["Setup"].split(" ")[0] for row in over if row["Setup"].endswith("RAID 0 xfs"))
    # handmade measurements of a mix have 70 % reads of the rate given: the ratio is what counts
    assert numbered["JBOD xfs"][f"Over {raid0}"] == "+43 %"
    assert "## Left out" in text and "OpenZFS is not installed here" in text
    assert [head for head in found[0] if head.startswith("p")] == ["p50, ms", "p99, ms"]  # p1 is in the CSV


def test_the_models_rows_are_not_those_of_btrfs() -> None:
    rows = compare(R2, sweeps.state(R2, r2_rate)).rows
    of_btrfs = {(row.predicted is None, row.cell is not None and row.cell.level.startswith("btrfs")) for row in rows}
    assert of_btrfs == {(True, True), (False, False)}


def r5_rate(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 75.0 * (1 if trial.target == "member" else 6)
    penalty = {"0": 1, "10": 2, "5": 4, "6": 6}[stage.setup.level]
    return 450.0 if trial.rw == "randread" else 450.0 / penalty


R5 = sweeps.plan("levels-random-4k", 6)


def test_chunks_are_columns_and_levels_lines_with_theory_and_article() -> None:
    text = markdown.whole(R5, sweeps.state(R5, r5_rate))
    part = text.split("### Random 4K write\n", 1)[1]
    pivot = next(one for one in tables_of(part) if one[0][0] == "Level" and "4KiB, IOPS" in one[0])
    chunks = [f"{kib}KiB, IOPS" for kib in (4, 8, 16, 32, 64, 128, 256, 512)]
    assert pivot[0][1:] == [*chunks, "1MiB, IOPS", "Expected, IOPS"]
    assert [row[0] for row in pivot[2:]] == ["RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"]
    assert [row[1] for row in pivot[2:]] == ["450.0", "225.0", "112.5", "75.0"]
    theory = [float(row[-1].removeprefix("~ ")) for row in pivot[2:]]
    assert theory == sorted(theory, reverse=True) and theory[0] < 450  # a queue of 4 on six disks
    cells = rows_of(text, "### Random 4K write")
    assert {row["Published, IOPS"] for row in cells if row["Level"] == "RAID 5"} == {"112.5"}


def r4_rate(stage: Stage, trial: Trial) -> float:
    return {"member": 94.0, "members": 282.0}.get(trial.target, 188.0)


NONE = "\N{EN DASH}"
R4 = sweeps.plan("levels-sequential", 3)


def disks_of(test: str, setup: str) -> list[dict[str, str]]:
    """Each disk in one test on one setup of R4, as the CSV has it."""
    names = [trial.id for stage in R4.stages if stage.title == setup for trial in stage.trials if trial.title == test]
    rows = csv_rows(disks_csv(R4, sweeps.state(R4, r4_rate)))
    return [row for row in rows if row["name"] in names and row["serial"]]


def test_each_disk_stands_beside_the_articles() -> None:
    text = markdown.whole(R4, sweeps.state(R4, r4_rate))
    found = rows_of(text, "### Sequential write, one stream")
    assert {"Level", "Stripe cache, pages", "MB/s", "Disks", "Of n \N{MULTIPLICATION SIGN} slowest, %"} < set(found[0])
    assert found[0]["Published, MB/s"] == "300.9"  # 287 MiB/s
    of_disks = disks_of("Sequential write, one stream", "RAID 0 of 3 disks, chunk 512 KiB, no file system")
    assert [f"{float(row['published_bytes_per_s']) / MB:.1f}" for row in of_disks] == ["98.9", "98.7", "98.7"]


def test_a_cell_of_two_disks_is_measured_against_two_and_shows_two() -> None:
    text = markdown.whole(R4, sweeps.state(R4, r4_rate))
    three, two = rows_of(text, "### Sequential read, one stream")[:2]
    of_slowest, gain = "Of n \N{MULTIPLICATION SIGN} slowest, %", "Expected, MB/s"
    assert [row["Disks"] for row in (three, two)] == ["3", "2"]
    assert [row[of_slowest] for row in (three, two)] == ["67", "100"]  # 188 of 3 x 94, of 2 x 94
    assert [row[gain] for row in (three, two)] == ["282.0", "188.0"]
    assert [row["Published, MB/s"] for row in (three, two)] == ["288.4", NONE]
    of_disks = disks_of("Sequential read, one stream", "RAID 0 of 2 disks, chunk 512 KiB, no file system")
    assert [row["serial"] for row in of_disks] == ["SER0", "SER1"]


def test_one_array_of_fewer_disks_than_were_chosen_counts_its_own() -> None:
    """As runs have them that were planned before such disks were refused."""
    made, all_of_them = (sweeps.plan("quick", disks, level="0") for disks in (2, 3))
    built = replace(made.stages[-1], setup=Setup(level="0", disks=2))
    made = replace(made, stages=(*made.stages[:-1], built), members=all_of_them.members)
    text = markdown.whole(made, sweeps.state(made, lambda stage, trial: 94.0))
    assert text.startswith("# RAID 0 of 2 disks")
    assert "\n2 disks hold 2.00 TB" in text


R1 = sweeps.plan("raid0-gain", 24)


def test_one_drive_against_the_array_with_the_articles_gains() -> None:
    known = {
        "iops_write": (343, 1192),
        "iops_read": (428, 1236),
        "seq_write": (205.8, 3689.5),
        "seq_read": (205, 4644.3),
    }
    state = sweeps.state(R1, lambda stage, trial: known[trial.family or trial.job][stage.setup is not None])
    text = markdown.whole(R1, state)
    gains = {row["Test"]: row for heading in ("### Sequential throughput (MB/s = 10^6 bytes/s)",
             "### Random operations (IOPS = I/Os per second)") for row in rows_of(text, heading)}  # fmt: skip
    times = "\N{MULTIPLICATION SIGN}"
    told = {test: (row[f"Gain, {times}"], row[f"Published: gain, {times}"]) for test, row in gains.items()}
    assert told == {
        "Sequential 4M write": (f"~17.9{times}",) * 2,
        "Sequential 4M read": (f"~22.7{times}",) * 2,
        "Random 4K write": (f"~3.5{times}",) * 2,
        "Random 4K read": (f"~2.9{times}",) * 2,
    }
    (write,) = (row for row in compare(R1, state).rows if row.title == "Random 4K write")
    assert write.expected.measured_depths == (1, 8, 64, 512) and write.expected.mark == ""
    assert "suspect: controller" in text


@pytest.mark.parametrize(
    "plan, rate", [(R1, lambda s, t: 100.0), (R2, r2_rate), (R3, r3_rate), (R4, r4_rate), (R5, r5_rate)]
)
def test_every_table_of_every_report_has_one_width(plan: Plan, rate: sweeps.Rate) -> None:
    for state in (sweeps.state(plan, rate), RunState()):
        text = markdown.whole(plan, state)
        assert all(len({len(row) for row in one}) == 1 for one in tables_of(text))
        assert not re.search(r"\bNone\b|\bnan\b", text.split("### Commands")[0])


def test_a_failed_cell_stays_visible() -> None:
    state = sweeps.state(R5, r5_rate)
    lost = [one.trial for one in state.trials if one.trial.endswith("-rand_read")][3]
    broken = []
    for one in state.trials:
        measured = one.measurement
        if one.trial == lost and measured:
            measured = replace(measured, status="failed", error="it broke", read=None)
            one = replace(one, measurement=measured)
        broken.append(one)
    text = markdown.whole(R5, replace(state, trials=tuple(broken)))
    assert "FAILED: it broke" in text
    assert [row["IOPS"] for row in rows_of(text, "### Random 4K read")].count("FAILED") == 1


def test_cells_that_differ_in_the_level_alone_have_it_as_their_one_column() -> None:
    comparison = compare(R4, sweeps.state(R4, r4_rate))
    found = grids(comparison)
    assert found[0].columns == ("level", "disks", "stripe_cache_size")
    assert found[0].name(1) == "RAID 0 of 2 disks" and list(sweep(RunContext(R4, sweeps.state(R4, r4_rate))))


def test_many_trials_have_a_line_each_of_what_the_disks_did() -> None:
    text = markdown.whole(R5, sweeps.state(R5, r5_rate))
    found = rows_of(text, "## Disk rates (MB/s = 10^6 bytes/s)")
    assert len(found) == 2 + 72
    assert found[-1]["Test"] == "Random 4K read, RAID 6 of 6 disks, chunk 1 MiB, xfs"
    assert found[-1]["Busiest, MB/s"] == found[-1]["Idlest, MB/s"]


def test_each_disk_alone_and_all_at_once_and_what_they_share() -> None:
    def rate(stage: Stage, trial: Trial) -> float:
        return {"member": 94.0 - (trial.member or 0), "members": 210.0}.get(trial.target, 180.0)

    found = rows_of(markdown.whole(R4, sweeps.state(R4, rate)), "## The disks without an array")
    title = "Sequential write, one stream, MB/s"
    assert [row[title] for row in found] == ["94.0", "93.0", "92.0", "279.0", "210.0", "75.3"]
    assert [row["Serial"] for row in found[:3]] == ["SER0", "SER1", "SER2"]
    assert "all disks at once reach 75.3 % of the sum" in markdown.whole(R4, sweeps.state(R4, rate))
    assert "## The disks without an array" not in markdown.whole(R5, sweeps.state(R5, r5_rate))


def test_a_sentence_that_holds_for_several_setups_stands_once_with_its_numbers_as_ranges() -> None:
    text = markdown.whole(R5, sweeps.state(R5, r5_rate))
    (line,) = (line for line in text.splitlines() if "always busy disks give 75 to 450 IOPS" in line)
    assert line.endswith("every setup")


def test_a_cell_of_many_axes_says_what_each_word_is() -> None:
    found = grids(compare(R3, R3_STATE))[0]
    assert found.name(0) == "chunk 4KiB from sector 63 allocation unit 4KiB"
    assert grids(compare(R2, sweeps.state(R2, r2_rate)))[0].name(8) == "btrfs RAID 10"


def test_a_table_by_an_axis_is_left_out_where_it_would_be_mostly_empty_and_little_is_not_asked_of_a_page_cache() -> (
    None
):
    text = markdown.whole(R4, sweeps.state(R4, r4_rate))
    assert "By level" not in text and "Little" not in text
    assert all(row.little_ns is None for row in compare(R4, sweeps.state(R4, r4_rate)).rows)
    assert "By chunk, IOPS:" in markdown.whole(R5, sweeps.state(R5, r5_rate))


def test_with_a_short_queue_theory_is_what_the_queue_gets_and_says_what_full_disks_would() -> None:
    made = sweeps.plan("levels-random-4k", 6, flash=True, axes=Axes(chunk=("64KiB",)))  # a queue of 4 on 6 disks
    text = markdown.whole(made, sweeps.state(made, lambda stage, trial: 100.0 if stage.setup is None else 550.0))
    reads, writes = (rows_of(text, f"### Random 4K {way}")[0] for way in ("read", "write"))
    for row in (reads, writes):  # RAID 0: 296 to 302 were measured with 97.5 IOPS a disk
        assert float(row["Expected, IOPS"].removeprefix("~ ")) == pytest.approx(302, rel=0.04)
    assert "always busy disks give 600 IOPS" in text


def test_a_source_without_figures_is_named_and_no_figures_are_promised() -> None:
    said = markdown.whole(R3, R3_STATE)
    assert (
        "After: Disk Performance Hands On, Part 3: RAID 5, Kendal Van Dyke, 2009 (http://kendalvandyke." in said
        and "under “Article”" not in said
    )


def test_a_start_that_splits_transfers_is_in_theorys_figure() -> None:
    rows = compare(R3, R3_STATE).rows
    reads = {
        (row.cell.chunk, row.cell.partition_start_sectors): row.predicted or 0.0
        for row in rows
        if row.cell and row.title.endswith("read") and row.kind == "random"
    }
    off, on = reads["4KiB", 63], reads["64KiB", 128]
    assert off < 0.6 * on  # each transfer needs three chunks of the four disks, where one of one would do
    assert reads["64KiB", 63] < 0.98 * on
