"""`raidtui doctor --dump FILE`: a bug report's recording is read again by `raidtui disks --machine FILE`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.core.disks.dumps import read
from raidtui.system.discovery import read_machine


def raidtui(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "raidtui", *arguments), capture_output=True, text=True, check=False, cwd=Path.cwd()
    )


@pytest.mark.parametrize("mask", [(), ("--mask",)])
def test_a_dump_is_read_again(tmp_path: Path, mask: tuple[str, ...]) -> None:
    dump = tmp_path / "machine.json"
    done = raidtui("doctor", "--dump", str(dump), *mask)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"raidtui disks --machine {dump}" in done.stdout
    shown = raidtui("disks", "--machine", str(dump), "--json")
    assert shown.returncode == 0, shown.stderr
    here = raidtui("disks", "--json")
    kept = ("name", "size_bytes", "model", "rotational", "transport")
    assert [[disk[key] for key in kept] for disk in json.loads(shown.stdout)["disks"]] == [
        [disk[key] for key in kept] for disk in json.loads(here.stdout)["disks"]
    ]
    machine = read(dump.read_bytes())
    assert (machine.machine_id == "") == bool(mask)
    assert (machine.host == read_machine().host) != bool(mask) or not machine.host


def test_what_cannot_be_written_and_what_says_nothing_is_one_sentence(tmp_path: Path) -> None:
    done = raidtui("doctor", "--dump", str(tmp_path / "none" / "file"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "No such file" in done.stderr
    done = raidtui("doctor", "--mask")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "--dump" in done.stderr


BROKEN = {
    "empty": b"",
    "zeros": b"\x00" * 99,
    "too deep": b"{" * 9000,
    "a number for a name": b'{"devices": [{"name": 1}]}',
    "no text": bytes(range(255, 127, -1)),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_dump_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "dump").write_bytes(data)
    done = raidtui("disks", "--machine", str(tmp_path / "dump"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "Traceback" not in done.stderr and str(tmp_path / "dump") in done.stderr
