"""The last look before something is erased: is it the disk that was planned? Disks in use: see lab/guest."""

import fcntl
import os
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk, Standing, Verdict
from raidtui.core.plan.model import Member
from raidtui.system import members, openers
from raidtui.system.members import MemberError, find, lock_nodes, why_not_free

MEMBER = Member(id="wwn-1", size_bytes=1000, name="sda", model="ST4000", serial="Z1")


def disk(name: str, disk_id: str, size_bytes: int = 1000) -> Disk:
    return Disk(
        name=name, path=f"/dev/{name}", id=disk_id, size_bytes=size_bytes, verdict=Verdict(Standing.OK), serial="Z1"
    )


def test_a_disk_is_found_whatever_its_name_now() -> None:
    assert find(MEMBER, (disk("sdb", "wwn-2"), disk("sdz", "wwn-1"))).name == "sdz"


@pytest.mark.parametrize(
    ("disks", "reason"),
    [
        ((), "the disk ST4000 Z1 (wwn-1) is no longer there"),
        ((disk("sda", "wwn-2"),), "the disk ST4000 Z1 (wwn-1) is no longer there"),
        ((disk("sda", "wwn-1"), disk("sdb", "wwn-1")), "sda and sdb both say that they are wwn-1"),
        ((disk("sda", "wwn-1", 2000),), "sda (Z1) has"),
    ],
)
def test_otherwise_a_sentence(disks: tuple[Disk, ...], reason: str) -> None:
    with pytest.raises(MemberError) as refused:
        find(MEMBER, disks)
    assert str(refused.value).startswith(reason)


def test_what_is_not_there_or_no_block_device_is_not_free(tmp_path: Path) -> None:
    assert why_not_free("/dev/none") == "/dev/none cannot be opened: No such file or directory"
    (tmp_path / "file").touch()
    assert why_not_free(f"{tmp_path}/file") == f"{tmp_path}/file is not a block device"


def test_locks_are_held_and_let_go(tmp_path: Path) -> None:
    nodes = [tmp_path / name for name in ("b", "a")]
    for node in nodes:
        node.touch()
    with lock_nodes([str(node) for node in nodes]):
        for node in nodes:
            descriptor = os.open(node, os.O_RDONLY)
            with pytest.raises(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(descriptor)
    with lock_nodes([str(nodes[0])]):
        pass


def test_a_lock_that_somebody_else_holds_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "_LOCK_S", 0.05)
    node = tmp_path / "node"
    node.touch()
    descriptor = os.open(node, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(MemberError, match="is locked by another program"), lock_nodes([str(node)]):
        pass
    os.close(descriptor)


def test_a_node_that_is_gone_cannot_be_locked() -> None:
    with pytest.raises(MemberError, match="cannot be opened"), lock_nodes(["/dev/none"]):
        pass


@pytest.mark.parametrize(("in_flight", "busy"), [(0, False), (1, True)])
def test_a_request_that_lasts_is_use(monkeypatch: pytest.MonkeyPatch, in_flight: int, busy: bool) -> None:
    """No counter changes while it waits for the disk."""
    monkeypatch.setattr(members, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(members, "_claimed", lambda path: None)
    monkeypatch.setattr(members.openers, "find", lambda nodes: openers.Openers({}))
    monkeypatch.setattr(members.openers, "hidden", lambda: False)
    monkeypatch.setattr(members, "_counters", lambda path: (5, 7, in_flight))
    reason = why_not_free("/dev/none")
    assert ("being read or written" in (reason or "")) == busy and (reason is None) != busy
