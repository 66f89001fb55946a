"""The last look before something is erased: is it the disk that was planned? Disks in use: see lab/guest."""

import fcntl
import os
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Disk, Standing, Verdict
from raidtui.core.disks.machine import Export
from raidtui.core.plan.model import Member
from raidtui.system import exports, members, openers
from raidtui.system.loops import Loop
from raidtui.system.members import MemberError, find, lock_nodes, why_not_free

SERVED = Export(kind="SCSI target", name="fileio_0/x", devnum="8:0")
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


def _read_as(monkeypatch: pytest.MonkeyPatch, **read: object) -> None:
    """The machine of this look: /dev/none is 8:0, and nothing speaks against it but what is given."""
    answers: dict[str, object] = {"loops": (), "exports": exports.Exports(), "hidden": False} | read
    users = answers.get("users") or {node: {"qemu (pid 7)"} for node in [answers.get("opened")] if node}
    unseen = answers.get("unseen", ())
    monkeypatch.setattr(members, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(members, "_claimed", lambda path: None)
    monkeypatch.setattr(members, "_counters", lambda path: (5, 7, 0))
    monkeypatch.setattr(members.openers, "nodes", lambda folder: frozenset({("block", "8:0"), ("character", "21:0")}))
    monkeypatch.setattr(members.openers, "find", lambda nodes: openers.Openers(users, unseen))
    monkeypatch.setattr(members.openers, "hidden", lambda: answers["hidden"])
    monkeypatch.setattr(members.loops, "read", lambda: answers["loops"])
    monkeypatch.setattr(members.exports, "read", lambda: answers["exports"])


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        ({}, None),
        ({"loops": (Loop(name="loop4", devnum="8:0"),)}, "the loop device loop4 lies on it; losetup --detach"),
        ({"loops": (Loop(name="loop4", devnum="8:1"),)}, None),
        ({"loops": (Loop(name="loop4", devnum="21:0"),)}, None),
        ({"loops": (Loop(name="loop4", devnum=""),)}, "/dev/none is not checked: what loop devices lie on"),
        ({"exports": exports.Exports((SERVED,))}, "served to others by the SCSI target fileio_0/x"),
        ({"exports": exports.Exports((), ("exports",))}, "/dev/none is not checked: what the kernel serves"),
        ({"exports": exports.Exports((), ("which disk y",))}, "/dev/none is not checked: which disk y; look again"),
        ({"opened": ("block", "8:0")}, "/dev/none is open in qemu (pid 7)"),
        ({"opened": ("character", "21:0")}, "/dev/none is open in qemu (pid 7)"),
        ({"hidden": True}, "/dev/none is not checked: which programs have it open"),
        ({"unseen": ("qemu (pid 7)",)}, "/dev/none is not checked: what qemu (pid 7) has open"),
    ],
)
def test_what_holds_a_disk_without_a_claim(
    monkeypatch: pytest.MonkeyPatch, read: dict[str, object], reason: str | None
) -> None:
    _read_as(monkeypatch, **read)
    said = why_not_free("/dev/none")
    assert said is reason is None or (reason and said and reason in said)


@pytest.mark.parametrize(("program", "free"), [("multipathd", True), ("dd", False), ("multipathdd", False)])
def test_whoever_has_a_path_of_a_map_open_uses_the_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, free: bool
) -> None:
    for file, text in (("dev", "253:0"), ("dm/uuid", "mpath-3"), ("slaves/sda/dev", "8:0"), ("slaves/sdb/dev", "8:16")):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"{text}\n")
    nodes = openers.nodes
    _read_as(monkeypatch, users={("block", "8:16"): {f"{program} (pid 7)"}})
    monkeypatch.setattr(members, "_sysfs", lambda path: tmp_path)
    monkeypatch.setattr(members.openers, "nodes", nodes)
    reason = why_not_free("/dev/dm-0")
    assert reason == (None if free else f"/dev/dm-0 is open in {program} (pid 7); end that program first")
