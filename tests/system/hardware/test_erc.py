"""A disk's ERC by smartctl: read, set, and what is no answer."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from raidtui.system.hardware import smartctl
from raidtui.system.hardware.smartctl import DiskErc
from raidtui.system.process import Done, ProcessError

OFF = {"enabled": False}
AT_7_S = {"enabled": True, "deciseconds": 70}


def of(told: dict[str, Any], asked: list[Sequence[str]] | None = None) -> DiskErc:
    def ask(argv: Sequence[str], timeout_s: float) -> Done:
        assert timeout_s <= 10
        if asked is not None:
            asked.append(argv)
        document = {"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"}, **told}
        return Done(returncode=0, stdout=json.dumps(document), stderr="")

    return DiskErc("sdb", ask)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smartctl, "which", lambda name: f"/usr/sbin/{name}")


@pytest.mark.parametrize(
    "read, write, value",
    [(AT_7_S, AT_7_S, "70,70"), (OFF, OFF, "0,0"), (AT_7_S, OFF, "70,0")],
)
def test_limits_are_deciseconds_and_0_where_it_is_off(read: dict[str, Any], write: dict[str, Any], value: str) -> None:
    asked: list[Sequence[str]] = []
    disk = of({"ata_sct_erc": {"read": read, "write": write}}, asked)
    assert disk.read() == value
    disk.write(value)
    assert [argv[1:] for argv in asked] == [
        ("--json", "--log=scterc", "/dev/sdb"),
        ("--json", f"--log=scterc,{value}", "/dev/sdb"),
    ]


def test_a_disk_without_a_limit_and_what_is_no_limit_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="sdb tells no error recovery limit"):
        of({}).read()
    asked: list[Sequence[str]] = []
    with pytest.raises(OSError, match="is no limit"):
        of({}, asked).write("70,70 /dev/sda")
    assert asked == []

    def silent(argv: Sequence[str], timeout_s: float) -> Done:
        raise ProcessError("smartctl did not answer.")

    with pytest.raises(OSError, match=r"smartctl did not answer$"):
        DiskErc("sdb", silent).read()
    monkeypatch.setattr(smartctl, "which", lambda name: None)
    with pytest.raises(OSError, match="smartctl is not installed"):
        of({}).read()
