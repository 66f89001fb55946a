"""`watch` without a terminal: one table."""

import pytest

from raidtui.core.run.at_work import Device
from raidtui.core.run.samples import Counters, Sample
from raidtui.system.arrays.now import MachineAtWork
from tests.cli.conftest import Command


def test_it_is_a_table_of_the_next_seconds(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = iter((Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), Counters(2 * 10**6, 0, 4, 0, 1000, 8, 0, 500, 0, 0)))
    moments = iter((0, 2 * 10**9))

    def read(self: MachineAtWork, names: list[str]) -> Sample:
        at_ns, counters = next(moments), next(counted)
        return Sample(at_ns, at_ns, (counters,) * len(names))

    devices = (Device("sda", size_bytes=1), Device("md1", "raid1", ("sda",), 1))
    monkeypatch.setattr(MachineAtWork, "devices", staticmethod(lambda: devices))
    monkeypatch.setattr(MachineAtWork, "read", read)
    status, out, err = command("watch", "--seconds", "0.1")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    assert (status, err) == (0, "") and [row[:2] for row in rows[2:]] == [["md1", "raid1"], ["sda", "md1"]]
    assert rows[3][2:] == ["1.0", "0.0", "2", "0", "2.00", "\u2013", "0.25", "50"]
