"""Figures of a run: what the disks moved beside what the user got, with spreads and temperatures."""

import msgspec

from raidtui.core.report import markdown
from tests.builders import handmade

PLAN = handmade.plan()


def test_figures_that_are_not_fios_own_are_told() -> None:
    made = handmade.measurement(PLAN.trial("filesystem-seq_read"), 187)  # type: ignore[arg-type]
    assert made.read
    counted = msgspec.structs.replace(made.read, fio_iops=made.read.iops * 0.9)
    text = markdown.markdown(PLAN, handmade.state(PLAN, filesystem_seq_read={"read": counted}))
    assert "IOPS of tests with a ramp are bytes / block size" in text and "up to 10.0 % lower" in text
    assert "fio_iops" not in markdown.markdown(PLAN, handmade.state(PLAN))
