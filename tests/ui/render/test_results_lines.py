"""Results in text: the sentence and its next step; why, capacity and report; what is said against the figures."""

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.report.context import RunContext
from raidtui.core.results.analysis import compare
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.core.units import Units
from raidtui.ui.render.cells import ASCII, MONO, UNICODE, Glyphs
from raidtui.ui.render.result_rows import Order, pages, sheet
from raidtui.ui.render.results_lines import (
    GONE,
    below_lines,
    capacity_lines,
    heading,
    lead,
    report_lines,
    sentence_lines,
    state_lines,
    why_lines,
)
from tests.builders import handmade, sweeps
from tests.builders.journals import started
from tests.core.answer import golden
from tests.recordings.reports import kept
from tests.replay import recorded
from tests.runs.rig import plan_permanent
from tests.ui.followed import ended
from tests.ui.glyphs import drawn_in
from tests.ui.pages import shown, texts


def test_every_setup_of_a_sweep_is_named_in_each_test() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    run = RunContext(made, sweeps.state(made))
    text = "\n".join(texts([*sentence_lines(run, 80), *why_lines(run, 80), *report_lines(run, "r.md", 80)]))
    for name in ("RAID 0 4K", "RAID 6 1M", "RAID 10 n2 64K", "Random 4K read, IOPS"):
        assert name in text, text
    assert all(len(line) <= 80 for line in texts([*sentence_lines(run, 80), *why_lines(run, 80)]))


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_long_name_of_a_test_is_whole_in_its_table(width: int) -> None:
    plan = handmade.plan()
    trials = [replace(trial, title=f"{trial.title}, without write throttling") for trial in plan.trials]
    by_id = {trial.id: trial for trial in trials}
    stages = tuple(replace(stage, trials=tuple(by_id[trial.id] for trial in stage.trials)) for stage in plan.stages)
    plan = replace(plan, stages=stages)
    (page,) = pages(compare(plan, handmade.state(plan)))
    laid = sheet(page, Order(), page.named[0][1], Units.DECIMAL, width, "v^")
    table = texts(row.lines[0] for row in laid.rows)
    assert (width < 100) or (not any("…" in line for line in table) and "throttling" in " ".join(table))
    assert all(len(line) <= width for line in table)


def test_what_stands_against_many_cells_is_said_once() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    lines = shown(made, sweeps.state(made), 80)
    notes = lines[lines.index(" Notes") :]
    assert sum("the disks are many" in line for line in notes) <= 2  # of reads, and of writes
    assert " others, other values)" in " ".join(line.strip() for line in notes)


def test_a_slow_disk_and_repetitions_far_apart_are_on_the_screen() -> None:
    plan = handmade.plan(repeat=2)
    first = plan.trial("filesystem-seq_read")
    assert first
    odd = {"read": handmade.measurement(first, 140).read}
    text = " ".join(line.strip(" -") for line in shown(plan, handmade.state(plan, {1: 0.8}, filesystem_seq_read=odd)))
    assert "Slow disk: sdc (WDC WD5003ABYX WD-1)" in text
    assert "Sequential read: run-to-run SD 20 % (2 runs)" in text
    assert "all disks at once reach" not in text


def test_the_parallel_check_is_on_the_screen() -> None:
    plan = handmade.plan()
    together = plan.trial("members-seq_read")
    assert together
    own = handmade.disks(plan, together, 230)
    state = handmade.state(plan, members_seq_read={"read": handmade.measurement(together, 230).read, "disks": own})
    assert any("all disks at once reach 81 % of 3 times one" in line for line in shown(plan, state))


def test_what_holds_a_test_back_is_answered_before_what_was_tried_and_what_the_array_gives() -> None:
    plan = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=("wbt",), repeat=5)
    state = sweeps.state(
        plan,
        lambda stage, trial: 100.0 if stage.setup is None else (130.0 if trial.suspect else 100.0) + trial.repetition,
    )
    lines = shown(plan, state)
    places = [
        next(number for number, line in enumerate(lines) if words in line)
        for words in (
            "cause: wbt",
            "Explained: ",
            " Cause: wbt",
            " Answer",
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("width", [76, 116, 196])
def test_the_sentence_its_suspects_the_method_and_the_next_step_are_a_line_each(width: int) -> None:
    lines = texts(sentence_lines(recorded("raid5-of-3"), width, {"explain": "x"}))
    assert max(map(len, lines)) <= width
    told = " ".join(line.strip() for line in lines)
    assert told.startswith("▼ Random 4K write 91 % below, sequential write 23 % below, 4K read 13 % below")
    assert "Suspect: write-intent bitmap in random 4K write; suspect: stripe cache in sequential write" in told
    assert "Single run, 5 s, QD32–128: ±15 % (SD 5 % assumed)" in told
    assert "▸ Next: enter explain: measure random 4K write again: each disk by itself" in told
    assert told.endswith("asks first") and told.count("(wbt)") == 1


def test_without_the_key_the_next_step_is_its_command() -> None:
    run = recorded("raid5-of-3")
    command = f"`{run.answer.next.command}` to find what limits random 4K write"
    assert command in " ".join(line.strip() for line in texts(sentence_lines(run, 76)))
    assert not any("Next" in line for line in texts(sentence_lines(run, 76, {"explain": "x"}, has_next=False)))


def test_a_kept_array_is_used_first() -> None:
    told = " ".join(
        line.strip() for line in texts(sentence_lines(recorded("raid10-of-6"), 76, {"clear": "D", "explain": "x"}))
    )
    assert told.endswith("Next: practise on this array")


@pytest.mark.parametrize("width, badge", [(74, "! EMULATED disks"), (114, "! EMULATED disks (scsi_debug)")])
def test_emulated_disks_are_a_badge_in_the_heading(width: int, badge: str) -> None:
    pieces = heading(recorded("raid10-of-6"), width)
    assert pieces[-1] == (badge, "!*warn") and ("2 of 4 as expected", "*warn") in pieces
    assert sum(len(text) for text, _ in pieces) <= width and pieces[0][0].startswith("RAID 10 n2 of 6 disks")


@pytest.mark.parametrize("glyphs", [UNICODE, MONO, ASCII], ids=["unicode", "mono", "ascii"])
def test_capacity_adds_up_to_the_disks(glyphs: Glyphs) -> None:
    with drawn_in(glyphs):
        lines = texts(capacity_lines(recorded("raid10-of-6"), 70))
    text = "\n".join(lines)
    for told in ("usable          1.60 GB = 1.49 GiB", "mirror copies   1.60 GB = 1.49 GiB", "metadata        12.6 MB",
                 "disks           3.22 GB = 3.00 GiB", "survives any 1", "xfs             1.54 GB"):  # fmt: skip
        assert told in text, text
    assert max(map(len, lines)) <= 70


def test_the_room_below_a_table_has_the_causes_of_what_differs_and_the_bytes() -> None:
    lines = texts(below_lines(recorded("raid10-of-6"), 114))
    assert lines[0] == "▼ Random 4K write: suspect: wbt (2000 µs); suspect: write-intent bitmap"
    assert lines[1].startswith("▼ Random 4K read: cause: CPU (busiest core 88 %") and "usable 1.60 GB" in lines[-1]
    assert below_lines(RunContext(*kept.load("levels-94")), 114) == []


def test_each_setup_of_a_sweep_has_its_bytes() -> None:
    text = "\n".join(texts(capacity_lines(RunContext(*kept.load("levels-94")), 78)))
    assert text.count(" usable ") == 8 and "✗ survives no failed disk" in text


def test_a_proof_has_its_states_in_place_of_figures() -> None:
    lines = texts(state_lines(RunContext(*golden.runs()["made-up: proof"]()), 116))
    assert [line[2:20].strip() for line in lines] == [
        "healthy", "1 disk out", "2 disks out", "rebuilt", "2 other disks out", "assembled again",
    ]  # fmt: skip
    assert all(line.startswith("✓ ") and line.endswith("0 blocks differ") for line in lines)


@pytest.mark.parametrize("high", [True, False])
def test_a_proof_that_holds_is_the_green_result_and_one_that_differs_is_none(high: bool) -> None:
    run = RunContext(*golden.runs()["made-up: proof"]())
    (card,) = lead(run, Units.DECIMAL, (76, high), "", {})
    lines = texts(card.lines)
    assert (card.title, card.edge) == ("The proof holds", "-good")
    assert lines[high].endswith(("  " if high else "6 ") + "states, every written block read back") and len(lines) < 7
    assert lines[-2].startswith("  3.00 TB written, verified in 6 of 6 states, 0 blocks differ, 2023-11-14")
    assert not any("verified in 6" in line for line in texts(sentence_lines(run, 76, led=True)))
    assert (
        lead(RunContext(*golden.runs()["made-up: proof, a block differs"]()), Units.DECIMAL, (76, high), "", {}) == []
    )


@pytest.mark.parametrize(
    "monitored, practice, needs",
    [
        (
            Monitor(running=True),
            False,
            "! Mail alerts: `mdadm --monitor` runs; mdadm.conf names nobody to write to (h)",
        ),
        (Monitor(running=True, mailaddr="a@b.org"), False, ""),
        (Monitor(), True, "! Gone when the practice machine ends"),
    ],
)
def test_an_array_mounted_at_boot_names_its_room_its_folder_and_what_a_person_has_to_do(
    monitored: Monitor, practice: bool, needs: str
) -> None:
    plan = plan_permanent(mount_point="/srv/vms")
    assert plan.kept_stage is not None and plan.permanence is not None
    ready = events.FilesystemMade(at_s=1, filesystem="ext4", total_bytes=5 * 10**12, free_bytes=4 * 10**12)
    state = fold_all([
        started("r"),
        events.StageStarted(at_s=1, stage=plan.kept_stage),
        ready,
        events.StageEnded(at_s=2, stage=plan.kept_stage, kept=True),
        events.FileEdited(at_s=3, path="/etc/fstab", lines=("x",), mark="m"),
        events.MonitorSeen(at_s=4, monitor=monitored),
        events.StageEnded(at_s=5, stage=plan.permanence, kept=True),
        events.RunEnded(at_s=6, outcome="finished", kept=True),
    ])  # fmt: skip
    (card,) = lead(RunContext(plan, state), Units.DECIMAL, (90, False), GONE if practice else "", {"hand_over": "h"})
    first, survives, *others = texts(card.lines)
    assert (first, survives) == ("✓ 4.00 TB free at /srv/vms", "  Any 2 disks may fail")
    assert others == [*filter(None, [needs]), "▸ Next: enter handover: mount, mail alerts, a failed disk, removal"]
    (without_page,) = lead(RunContext(plan, state), Units.DECIMAL, (90, False), GONE if practice else "", {})
    assert texts(without_page.lines)[2:] == [*filter(None, [needs.removesuffix(" (h)")])]
    failed = replace(state, outcome="failed")
    assert lead(RunContext(plan, failed), Units.DECIMAL, (90, False), GONE if practice else "", {}) == []


def test_a_difference_is_said_once_and_marked_in_its_state() -> None:
    run = RunContext(*golden.runs()["made-up: proof, a block differs"]())
    signs = {line[2:20].strip(): (line[:2].strip(), line.rpartition("  ")[2]) for line in texts(state_lines(run, 76))}
    assert signs["1 disk out"] == ("✓", "0 blocks differ")
    assert signs["2 disks out"] == ("✗", "DIFFERS") and signs["rebuilt"] == ("·", "not verified")
    said = "\n".join(texts(sentence_lines(run, 200)))
    assert said.count("zeros at array byte 5242880") == 1 and "raidtui clean r" in said


@pytest.mark.parametrize("keys, by", [({"hand_over": "h"}, "h"), ({}, "the report")])
def test_what_has_the_commands_is_there(keys: dict[str, str], by: str) -> None:
    view = ended(kept=True)
    (card,) = lead(RunContext(view.plan, view.state), Units.DECIMAL, (90, False), "", keys)
    assert f"! Nothing mounts it at boot: {by} has the commands" in texts(card.lines)
