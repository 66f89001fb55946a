"""Witnesses that are there and that are not: a pipe, a terminal as a serial line, a TCP port."""

import os
import pty
import socket
from pathlib import Path

import msgspec
import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, PlanRefused, ProofAnswers, Setup
from raidtui.runs import planning
from raidtui.runs.proof import witness
from tests.runs.rig import SEEN

TAG = "0123456789abcdef"


def test_a_pipe_gets_the_lines_of_its_reader(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    assert witness.why_not(str(pipe)) == ""
    with pytest.raises(witness.WitnessError, match="nothing reads it"), witness.opened(str(pipe)):
        pass
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with witness.opened(str(pipe)) as send:
        send(b"01234567 1\n")
        assert os.read(reader, 100) == b"01234567 1\n"
        os.close(reader)
        with pytest.raises(witness.WitnessError, match=f"witness {pipe}: Broken pipe"):
            send(b"01234567 2\n")


def test_one_that_takes_no_more_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "_TAKES_WITHIN_S", 0.0)
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with witness.opened(str(pipe)) as send, pytest.raises(witness.WitnessError, match="takes no more lines"):
        send(b"x" * (1 << 21))
    os.close(reader)


def test_a_serial_line_is_a_terminal() -> None:
    master, slave = pty.openpty()
    assert witness.why_not(os.ttyname(slave)) == ""
    with witness.opened(os.ttyname(slave)) as send:
        send(b"01234567 1\n")
        assert os.read(master, 100) == b"01234567 1\r\n"
    os.close(slave)
    os.close(master)


def test_a_port_gets_lines_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"127.0.0.1:{server.getsockname()[1]}"
        assert witness.why_not(where) == ""
        server.accept()[0].close()
        with witness.opened(where) as send:
            connection, _ = server.accept()
            send(b"01234567 1\n")
            assert connection.recv(100) == b"01234567 1\n"
            connection.close()
    assert witness.why_not(where) == f"witness {where}: Connection refused; start it, or write another"


@pytest.mark.parametrize(
    "name, says",
    [
        ("/dev/null", "is neither a serial line nor a named pipe"),
        ("missing", "No such file or directory"),
        ("file", "is neither a serial line nor a named pipe"),
    ],
)
def test_what_can_be_no_witness_is_refused(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file").write_text("untouched")
    assert says in witness.why_not(str(tmp_path / name))
    assert (tmp_path / "file").read_text() == "untouched"


def test_a_plan_with_a_witness_that_cannot_be_reached_is_refused(tmp_path: Path) -> None:
    disks = disks_of(SEEN)
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"), recipe="proof")
    os.mkfifo(pipe := tmp_path / "pipe")

    def planned(where: Path) -> None:
        asked = ProofAnswers(cut="witness", witness=str(where))
        planning.plan_on(msgspec.structs.replace(answers, proof=asked), disks, "machine")

    planned(pipe)
    with pytest.raises(PlanRefused, match=f"witness {tmp_path}/none: No such file or directory"):
        planned(tmp_path / "none")


def test_what_it_has_is_a_line_or_a_file_of_lines(tmp_path: Path) -> None:
    (file := tmp_path / "list").write_bytes(b"\xff\xfe\r\n01234567 41\r\n01234567 42\r\n01234567 4")
    assert witness.acknowledged("01234567 40", TAG) == 40
    assert witness.acknowledged(str(file), TAG) == 42
    for given, says in (
        ("0123aaaa 40", "no line of this run's 01234567"),
        ("01234567 0", "no line of this run's"),
        (str(tmp_path / "none"), "No such file or directory; give the last line"),
    ):
        with pytest.raises(ValueError, match=says):
            witness.acknowledged(given, TAG)
