"""The locate LED: lit, read back, and put back as it was; a disk without one is only read."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.system.hardware import locate
from raidtui.system.process import Done, ProcessError

MIB = 1 << 20


@pytest.fixture
def slot(tmp_path: Path) -> Path:
    (folder := tmp_path / "sda" / "device" / "enclosure_device:Slot 01").mkdir(parents=True)
    return folder / "locate"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    monkeypatch.setattr(locate, "which", lambda program: f"/usr/sbin/{program}")
    return []


def answering(asked: list[tuple[str, ...]], returncode: int = 0) -> locate.Ask:
    def ask(argv: Sequence[str], timeout_s: float) -> Done:
        asked.append(tuple(argv))
        return Done(returncode, "", "")

    return ask


@pytest.mark.parametrize("before", ["0\n", "1\n"])
def test_the_slots_led_is_lit_and_put_back_as_it_was(
    slot: Path, tmp_path: Path, asked: list[tuple[str, ...]], before: str
) -> None:
    slot.write_text(before)
    announced: list[tuple[str, str]] = []
    with (
        pytest.raises(KeyboardInterrupt),
        locate.lit(
            "sda", lambda led: announced.append((led.put_back, slot.read_text())), tmp_path, answering(asked)
        ) as led,
    ):
        assert led and slot.read_text() == "1"
        raise KeyboardInterrupt
    assert slot.read_text() == before.strip() and not asked
    assert announced == [(f"echo {before.strip()} > {slot}", before)]  # before the change


def test_a_slot_without_a_led_leads_to_ledctl(
    slot: Path, tmp_path: Path, asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    slot.write_text("0\n")
    monkeypatch.setattr(locate, "_is_lit_by", lambda file: False)
    with locate.lit("sda", lambda led: None, tmp_path, answering(asked)) as led:
        assert led and asked == [("ledctl", "locate=/dev/sda")] and slot.read_text() == "0"
    assert asked[1:] == [("ledctl", "locate_off=/dev/sda")]


def test_an_enclosure_that_does_not_answer_is_passed_over(
    slot: Path, tmp_path: Path, asked: list[tuple[str, ...]]
) -> None:
    slot.write_text("not supported\n")
    with locate.lit("sda", lambda led: None, tmp_path, answering(asked, returncode=1)) as led:
        assert led is None
    assert slot.read_text() == "not supported\n" and asked[-1] == ("ledctl", "locate_off=/dev/sda")


def test_without_ledctl_nothing_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "which", lambda program: None)
    with locate.lit("sda", lambda led: pytest.fail(led.place), tmp_path) as led:
        assert led is None


def test_a_ledctl_that_hangs_is_no_led(tmp_path: Path, asked: list[tuple[str, ...]]) -> None:
    def hangs(argv: Sequence[str], timeout_s: float) -> Done:
        raise ProcessError("did not answer")

    with locate.lit("sda", lambda led: None, tmp_path, hangs) as led:
        assert led is None


def test_a_disk_is_read_from_end_to_end_and_from_its_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (disk := tmp_path / "disk").write_bytes(bytes(3 * MIB))
    places: list[int] = []
    monkeypatch.setattr(os, "preadv", lambda descriptor, buffers, at_byte: places.append(at_byte))
    locate.read_steadily(str(disk), 3 * MIB, lambda: len(places) == 5)
    assert places == [0, MIB, 2 * MIB, 0, MIB]


@pytest.mark.parametrize("error, reads", [(errno.EIO, 10), (errno.ENODEV, 1)])
def test_a_disk_that_no_longer_answers_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, reads: int
) -> None:
    (disk := tmp_path / "disk").write_bytes(bytes(3 * MIB))
    tried: list[int] = []

    def fail(descriptor: int, buffers: object, at_byte: int) -> None:
        tried.append(at_byte)
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(OSError, match="no longer answers"):
        locate.read_steadily(str(disk), 3 * MIB, lambda: False)
    assert len(tried) == reads


def test_nothing_is_opened_for_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (disk := tmp_path / "disk").write_bytes(bytes(3 * MIB))
    flags: list[int] = []
    opened = os.open

    def noted(path: str, flag: int) -> int:
        flags.append(flag)
        return opened(path, flag)

    monkeypatch.setattr(os, "open", noted)
    locate.read_steadily(str(disk), 3 * MIB, lambda: True)
    assert [flag & os.O_ACCMODE for flag in flags] == [os.O_RDONLY]
