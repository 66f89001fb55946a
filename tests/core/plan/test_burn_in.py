"""Burn-in: all of every disk is written and verified, with what SMART counts before and after."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from raidtui.core.fio.job import FioOptions
from raidtui.core.fio.measurement import OfTarget
from raidtui.core.fio.result import parse
from raidtui.core.plan import slots
from raidtui.core.plan.answers import PlanRefused, Setup
from raidtui.core.plan.estimate import DiskSpeed, work_of
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Check, Command
from raidtui.core.units import GB, MIB
from raidtui.runs import directory
from tests.builders import sweeps

MADE = sweeps.plan("burn-in", 3)


def test_every_disk_is_written_and_verified_at_once_between_two_looks_at_its_health() -> None:
    (steps,) = (stage.steps for stage in MADE.stages if stage.trials)
    (measure,) = [step for step in steps if isinstance(step, Command) and step.trial]
    said = set(measure.argv)
    assert {"--rw=write", "--verify=pattern", "--do_verify=1", "--size=100%"} <= said
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


def passes(plan: Plan) -> list[tuple[str, ...]]:
    """fio's commands, pass by pass, as a run carries them out."""
    stages = slots.filled(directory.drawn(plan)).stages
    return [step.argv for stage in stages for step in stage.steps if isinstance(step, Command) and step.trial]


def tag(argv: tuple[str, ...]) -> str:
    (pattern,) = (word for word in argv if word.startswith("--verify_pattern="))
    return re.fullmatch(r"--verify_pattern=0x([0-9a-f]{16})%o0x5a", pattern)[1]  # type: ignore[index]


def test_no_two_passes_and_no_two_runs_write_the_same() -> None:
    thrice = sweeps.plan("burn-in", 3, repeat=3)
    tags = [tag(argv) for run in (thrice, thrice) for argv in passes(run)]
    assert len(tags) == len(set(tags)) == 6 and len({one[8:] for one in tags}) == 3
    runs = [{one[:8] for one in tags[:3]}, {one[:8] for one in tags[3:]}]
    assert all(len(run) == 1 for run in runs) and runs[0] != runs[1]


@pytest.mark.parametrize("setup", [Setup(), Setup(level="5"), Setup(level="1", filesystem="ext4")])
def test_no_array_is_kept_of_disks_that_are_verified_by_themselves(setup: Setup) -> None:
    with pytest.raises(PlanRefused, match=r'recipe, after: burn-in .* choose after = "teardown"'):
        sweeps.plan("burn-in", 3, setup=setup, after="keep")


_PIECE, _MIB = 4096, 1 << 20


def _kept(held: bytearray, before: bytes) -> None:
    """The disk did what it was told."""


def _dropped(held: bytearray, before: bytes) -> None:
    held[:] = before


def _moved(held: bytearray, before: bytes) -> None:
    held[9 * _MIB : 10 * _MIB] = held[5 * _MIB : 6 * _MIB]


def _moved_within(held: bytearray, before: bytes) -> None:
    """A piece of a request's megabyte, to another place in it."""
    held[2 * _MIB + _PIECE : 2 * _MIB + 2 * _PIECE] = held[2 * _MIB : 2 * _MIB + _PIECE]


def _one_bit(held: bytearray, before: bytes) -> None:
    held[3 * _MIB + 20_000] ^= 1


@pytest.mark.parametrize(
    "meanwhile, status, offset_mib",
    [(_kept, 0, None), (_dropped, 1, 0), (_moved, 1, 9), (_moved_within, 1, 2), (_one_bit, 1, 3)],
)
def test_what_a_disk_does_between_writing_and_reading_back_is_found_in_the_second_pass(
    tmp_path: Path, meanwhile: Callable[[bytearray, bytes], None], status: int, offset_mib: int | None
) -> None:
    """With the real fio on a file in the place of a disk: both passes written, the second one read back."""
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(16 * _MIB))
    first, second = passes(sweeps.plan("burn-in", 1, repeat=2))

    def fio(argv: tuple[str, ...], *more: str) -> subprocess.CompletedProcess[str]:
        left_out = ("--name=", "--filename=", "--output=", "--direct=", "--size=", "--offset=", "--allow_file_create=")
        words = [word for word in argv if not word.startswith(left_out)]
        place = ("--name=x", f"--filename={disk}", f"--size={16 * _MIB}")
        return subprocess.run([*words, *more, *place], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert fio(first).returncode == 0
    before = disk.read_bytes()
    assert fio(second, "--do_verify=0").returncode == 0
    held = bytearray(disk.read_bytes())
    assert held != before
    meanwhile(held, before)
    disk.write_bytes(held)
    done = fio(second, "--verify_only=1", "--iodepth=1")
    assert done.returncode == status, done.stderr
    if offset_mib is not None:
        assert f"at file {disk} offset {offset_mib * _MIB}," in done.stderr
        (measurement,) = parse(done.stderr + done.stdout, "x", done.returncode)
        assert measurement.status == "failed" and measurement.error and "verification failed" in measurement.error
        assert "character" not in str(msgspec.to_builtins(measurement))


def test_what_was_read_back_is_known_disk_by_disk(tmp_path: Path) -> None:
    """With the real fio on two files in the place of disks, of which one changes before it is read."""
    disks = [str(tmp_path / name) for name in ("first", "second")]
    for disk in disks:
        Path(disk).write_bytes(bytes(8 * _MIB))
    (command,) = passes(sweeps.plan("burn-in", 2, repeat=1))
    left_out = ("--filename=", "--output=", "--direct=", "--size=", "--offset=", "--allow_file_create=")
    places = iter(disks)
    argv: list[str] = []
    for word in command:
        argv += [] if word.startswith((*left_out, "--name=")) else [word]
        argv += [word, f"--filename={next(places)}", f"--size={8 * _MIB}"] if word.startswith("--name=") else []

    def fio(*more: str) -> subprocess.CompletedProcess[str]:
        at = argv.index(next(word for word in argv if word.startswith("--name=")))
        words = [*argv[:at], *more, *argv[at:]]
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = fio()
    (measurement,) = parse(done.stderr + done.stdout, "x", done.returncode)
    whole = OfTarget(read_bytes=8 * _MIB, written_bytes=8 * _MIB)
    moved = {disk: msgspec.structs.replace(one, percentiles_ns={}) for disk, one in measurement.each.items()}
    assert done.returncode == 0 and moved == dict.fromkeys(disks, whole)
    assert all(list(one.percentiles_ns) == ["50", "99", "99.9", "100"] for one in measurement.each.values())
    joined = fio("--group_reporting=1")
    assert not parse(joined.stdout, "x", joined.returncode)[0].each
    held = bytearray(Path(disks[1]).read_bytes())
    _one_bit(held, b"")
    Path(disks[1]).write_bytes(held)
    done = fio("--verify_only=1")
    (measurement,) = parse(done.stderr + done.stdout, "x", done.returncode)
    assert measurement.status == "failed"
    assert measurement.each[disks[0]].error == "" and "verification failed" in measurement.each[disks[1]].error
