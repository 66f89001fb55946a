"""The journal of a short run, with an event of each kind."""

from typing import Any

from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.run import events


def started(run: str = "", at_s: float = 1.0, boot_id: str = "b", **more: Any) -> events.WorkerStarted:
    """A worker of another boot."""
    given = {"pid": 1, "start_ticks": 1, **more}
    return events.WorkerStarted(at_s=at_s, schema=1, run=run, boot_id=boot_id, **given)


MEASURED = Measurement(
    name="array-seq_read",
    status="ok",
    read=Direction(iops=100.0, bytes_per_s=1e8, io_bytes=10**9),
    disks={"wwn-0x1": DiskRates(1e6, 0.0, 0.5)},
)
JOURNAL = (
    events.WorkerStarted(at_s=1.0, schema=1, run="r", boot_id="b", pid=7, start_ticks=9),
    events.StageStarted(at_s=2.0, stage=0),
    events.StepStarted(at_s=3.0, stage=0, what="Create the array", line="mdadm --create", role="create"),
    events.StepEnded(at_s=4.0, what="Create the array", output="mdadm: array started"),
    events.ArrayBuilt(at_s=4.0, node="/dev/md127", size_bytes=10**9),
    events.SyncProgress(at_s=5.0, action="recover", done_bytes=1, total_bytes=2, bytes_per_s=3.0),
    events.TrialStarted(at_s=6.0, trial="array-seq_read", expected_s=6.0),
    events.TrialEnded(at_s=12.0, trial="array-seq_read", measurement=MEASURED),
    events.SettingChanged(at_s=13.0, path="/sys/x", old="1", new="2"),
    events.Warned(at_s=14.0, text="a warning"),
    events.StopAsked(at_s=15.0),
    events.SettingRestored(at_s=16.0, path="/sys/x", value="1"),
    events.RunEnded(at_s=17.0, outcome="stopped", reason="stopped on request"),
)
