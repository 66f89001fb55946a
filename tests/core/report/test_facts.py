"""Facts of a run: what was built, read back, synced or left out."""

import re

import msgspec

from raidtui.core.report import markdown
from raidtui.core.report.disks import disks_csv
from raidtui.core.run import events
from raidtui.core.run.state import fold
from tests.builders import handmade
from tests.builders.tables import csv_rows

PLAN = handmade.plan()


def test_a_disk_that_came_back_under_another_name_is_one_disk_with_one_serial() -> None:
    member = PLAN.members[1]
    again = events.WorkerStarted(
        at_s=1_700_000_000.0, schema=1, run="r", boot_id="c", pid=2, start_ticks=1, resolved={member.id: "/dev/sde"}
    )
    state = fold(fold(handmade.full_state(PLAN), again), again)
    named = re.findall(rf"\| {member.serial} *\| ({member.name}.*?) *\|", markdown.markdown(PLAN, state))
    named += [row["kernel_name"] for row in csv_rows(disks_csv(PLAN, state)) if row["id"] == member.id]
    assert len(named) > 3 and set(named) == {f"{member.name}, later sde"}


def test_a_skipped_sync_is_told() -> None:
    plan = handmade.plan(first_sync="skip")
    assert "Skipped (`--assume-clean`)" in markdown.markdown(plan, handmade.state(plan))


def test_geometry_that_was_not_made_as_asked_is_told() -> None:
    made = events.FilesystemMade(at_s=1.8e9, filesystem="xfs", geometry=handmade.GEOMETRY | {"stride_blocks": 0})
    assert "NOT as asked: stride_blocks." in markdown.markdown(PLAN, fold(handmade.state(PLAN), made))


def test_figures_that_are_not_fios_own_are_told() -> None:
    made = handmade.measurement(PLAN.trial("filesystem-seq_read"), 187)  # type: ignore[arg-type]
    assert made.read
    counted = msgspec.structs.replace(made.read, fio_iops=made.read.iops * 0.9)
    text = markdown.markdown(PLAN, handmade.state(PLAN, filesystem_seq_read={"read": counted}))
    assert "IOPS of tests with a ramp are bytes / block size" in text and "up to 10.0 % lower" in text
    assert "fio_iops" not in markdown.markdown(PLAN, handmade.state(PLAN))
