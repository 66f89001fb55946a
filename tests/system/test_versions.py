"""What tools say of themselves, and how long such a program takes here."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from raidtui.system import process, versions
from raidtui.system.process import Done, ProcessError


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(versions, "COMMAND_TIME", tmp_path / "raidtui" / "command-seconds")
    versions.command_s.cache_clear()
    yield
    versions.command_s.cache_clear()


def test_the_shortest_of_some_counts_and_it_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.9, 1.0, 1.2, 2.0, 2.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(versions, "run", lambda argv, timeout_s: None)
    assert versions.command_s() == pytest.approx(0.2)
    assert versions.command_s() == pytest.approx(0.2)  # the clock has run out


def test_without_fio_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(argv: object, timeout_s: float) -> None:
        raise ProcessError("fio is not installed")

    monkeypatch.setattr(versions, "run", missing)
    assert versions.command_s() == 0.0
    assert not versions.COMMAND_TIME.exists()


def test_every_command_of_a_boot_reckons_with_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.3, 1.0, 1.2, 2.0, 2.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(versions, "run", lambda argv, timeout_s: None)
    first = versions.command_s()
    versions.command_s.cache_clear()  # another command
    assert versions.command_s() == pytest.approx(first) == pytest.approx(0.2)


@pytest.mark.parametrize("text", ["", "nan", "-1", "1e9", "soon", None])
def test_what_is_no_time_or_cannot_be_remembered_is_measured_anew(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    """None: the place for it is below a file."""
    if text is None:
        versions.COMMAND_TIME.parent.write_text("")
    else:
        versions.COMMAND_TIME.parent.mkdir()
        versions.COMMAND_TIME.write_text(text)
    clock = iter([0.0, 0.3, 1.0, 1.2, 2.0, 2.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(versions, "run", lambda argv, timeout_s: None)
    assert versions.command_s() == pytest.approx(0.2)


@pytest.mark.parametrize(
    "made, asked", [((), ["mdadm", "fio"]), (("xfs", "ext4"), ["mdadm", "fio", "mkfs.ext4", "mkfs.xfs"])]
)
def test_only_what_makes_the_file_systems_of_the_run_is_asked(
    monkeypatch: pytest.MonkeyPatch, made: tuple[str, ...], asked: list[str]
) -> None:
    programs: list[str] = []

    def answer(argv: tuple[str, ...], timeout_s: float) -> Done:
        programs.append(argv[0])
        return Done(0, f"{argv[0]} - v4.3 - 2024\nmore", "")

    monkeypatch.setattr(versions, "run", answer)
    told = versions.tools(made)
    assert sorted(programs) == sorted(asked) and told["mdadm"] == "mdadm - v4.3 - 2024"
    programs.clear()
    assert versions.mdadm() == "4.3" and programs == ["mdadm"]


@pytest.mark.parametrize(
    "program, has",
    [
        ("echo '=  crc=1 finobt=1, sparse=1, rmapbt=1'", True),
        ("echo '=  crc=1 finobt=1, sparse=1, rmapbt=0'", False),
        ("echo 'rmapbt=1'; exit 1", False),
        ("[ $1 = -N ] && [ $(stat -c %s $2) = 1073741824 ] && [ $(stat -c %b $2) = 0 ] && echo rmapbt=1", True),
        (None, False),
    ],
)
def test_mkfs_xfs_is_asked_whether_it_makes_rmapbt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, has: bool
) -> None:
    """Of a file in which nothing is: it is not written to, and gone afterwards."""
    if program:
        (tmp_path / "mkfs.xfs").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "mkfs.xfs").chmod(0o755)
    asked = process_of(tmp_path)
    monkeypatch.setattr(versions, "run", asked)
    versions.has_rmapbt.cache_clear()
    assert versions.has_rmapbt() is has
    versions.has_rmapbt.cache_clear()


def process_of(folder: Path) -> Callable[..., Done]:
    def run(argv: Sequence[str], timeout_s: float) -> Done:
        return process.run((str(folder / argv[0]), *argv[1:]), timeout_s)

    return run
