"""The writer: a line only after its block is synced, and no line of a block that failed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.proof import pattern
from raidtui.core.proof.witnessed import AcknowledgedWrites
from raidtui.runs.proof.acknowledging import acknowledged

MIB = 1 << 20
WRITES = AcknowledgedWrites("0123456789abcdef", MIB, 2)


@pytest.fixture
def device(tmp_path: Path) -> Path:
    (file := tmp_path / "device").write_bytes(bytes(4 * MIB))
    return file


def done(device: Path, count: int, told: Callable[[bytes], None]) -> None:
    writer = acknowledged(str(device), WRITES, told)
    assert [next(writer) for _ in range(count)] == [*range(1, count + 1)]
    writer.close()


def test_each_block_is_there_and_synced_before_its_line(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: told.append("synced"))
    done(device, 3, told.append)
    assert told == ["synced", b"01234567 1\n", "synced", b"01234567 2\n", "synced", b"01234567 3\n"]
    third, second = pattern.content("0123456789abcdf0", MIB), pattern.content("0123456789abcdef", 2 * MIB)
    assert device.read_bytes() == bytes(MIB) + third + second + bytes(MIB)


def fails(descriptor: int) -> None:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    "call, does, words",
    [
        ("fdatasync", fails, "Input/output error"),
        ("pwrite", lambda *_: 4096, "device took only a part of byte 1048576"),
    ],
)
def test_a_block_that_cannot_be_written_and_synced_has_no_line(
    device: Path, monkeypatch: pytest.MonkeyPatch, call: str, does: Callable[..., object], words: str
) -> None:
    monkeypatch.setattr(os, call, does)
    told: list[bytes] = []
    with pytest.raises(OSError, match=words):
        done(device, 1, told.append)
    assert told == []


def test_as_a_process_it_writes_until_its_witness_is_gone(device: Path, tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    argv = (str(device), str(MIB), "2", "0123456789abcdef", str(pipe))
    with subprocess.Popen(
        [sys.executable, "-m", "raidtui.runs.proof.acknowledging", *argv], stderr=subprocess.PIPE, text=True
    ) as process:
        os.set_blocking(reader, True)
        lines = b""
        while lines.count(b"\n") < 5:
            lines += os.read(reader, 100)
        os.close(reader)
        _, said = process.communicate()
    assert lines.startswith(b"01234567 1\n01234567 2\n") and process.returncode == 1
    assert said == f"witness {pipe}: Broken pipe; start it, or write another\n"
