"""Burn-in: all of every disk is written and verified, with what SMART counts before and after."""

from raidtui.core.fio.job import FioOptions
from raidtui.core.plan.estimate import DiskSpeed, work_of
from raidtui.core.plan.steps import Check, Command
from raidtui.core.units import GB, MIB
from tests.builders import sweeps

MADE = sweeps.plan("burn-in", 3)


def test_every_disk_is_written_and_verified_at_once_between_two_looks_at_its_health() -> None:
    steps = MADE.stages[-1].steps
    (measure,) = [step for step in steps if isinstance(step, Command) and step.trial]
    said = set(measure.argv)
    assert {"--rw=write", "--verify=crc32c", "--do_verify=1", "--size=100%"} <= said
    assert {f"--filename={{member:{n}}}" for n in range(3)} <= said
    looks = [n for n, step in enumerate(steps) if isinstance(step, Check) and step.question == "health"]
    assert len(looks) == 2 and looks[0] < steps.index(measure) < looks[1]
    assert MADE.written_bytes == 3 * (1000 * GB - MIB)


def test_the_estimate_counts_reading_back() -> None:
    speed = DiskSpeed(bytes_per_s=100e6, iops=100)
    written: FioOptions = {"rw": "write", "bs": "1m"}
    once = work_of(written, None, 1, 10 * GB, speed).duration_s
    assert work_of({**written, "verify": "crc32c"}, None, 1, 10 * GB, speed).duration_s == 2 * once
    assert work_of({**written, "verify": "crc32c", "do_verify": False}, None, 1, 10 * GB, speed).duration_s == once
