"""The last look before something is erased: is it the disk that was planned? Disks in use: see lab/guest."""

import errno
import fcntl
import os
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.disks.machine import Export
from raidtui.core.plan.model import Member
from raidtui.system import openers
from raidtui.system.claims import (
    IO_IDLE_S,
    MemberError,
    MemberGone,
    Readers,
    claimed,
    find,
    gone,
    is_gone,
    lock_nodes,
    not_free,
    why_not_free,
)
from raidtui.system.exports import Exports
from raidtui.system.openers import Loop, Openers

SERVED = Export(kind="SCSI target", name="fileio_0/x", devnum="8:0")
MEMBER = Member(id="wwn-1", size_bytes=1000, name="sda", model="ST4000", serial="Z1")


def disk(name: str, disk_id: str, size_bytes: int = 1000) -> Disk:
    return Disk(
        name=name, path=f"/dev/{name}", id=disk_id, size_bytes=size_bytes, verdict=Verdict(Usability.OK), serial="Z1"
    )


def test_a_disk_is_found_whatever_its_name_now() -> None:
    assert find(MEMBER, (disk("sdb", "wwn-2"), disk("sdz", "wwn-1"))).name == "sdz"


@pytest.mark.parametrize(
    "disks, reason",
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
    readers = Readers(opened=lambda nodes: Openers({}), patience_s=0.0)
    assert why_not_free("/dev/none", readers) == "/dev/none cannot be opened: No such file or directory"
    (tmp_path / "file").touch()
    assert why_not_free(f"{tmp_path}/file", readers) == f"{tmp_path}/file is not a block device"


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


def test_a_lock_that_somebody_else_holds_is_said(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.touch()
    descriptor = os.open(node, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(MemberError, match="is locked by another program"), lock_nodes([str(node)], 0.05):
        pass
    os.close(descriptor)


def test_a_node_that_is_gone_cannot_be_locked() -> None:
    with pytest.raises(MemberError, match="cannot be opened"), lock_nodes(["/dev/none"]):
        pass


# What a look is told of /dev/none: it is 8:0, and nothing speaks against it.
NODES: frozenset[openers.Node] = frozenset({("block", "8:0"), ("character", "21:0")})
QUIET = Readers(
    nodes=lambda folder: NODES,
    opened=lambda nodes: Openers({}),
    hidden=lambda: False,
    bound=lambda: (),
    served=Exports,
    claimed=lambda path: None,
    counters=lambda folder: (5, 7, 0),
    patience_s=0.0,
)


def open_in(program: str, node: openers.Node) -> Readers:
    return replace(QUIET, opened=lambda nodes: Openers({node: {program}} if node in nodes else {}))


def lying_on(devnum: str) -> Readers:
    return replace(QUIET, bound=lambda: (Loop(name="loop4", devnum=devnum),))


def serving(*served: Export, not_read: tuple[str, ...] = ()) -> Readers:
    return replace(QUIET, served=lambda: Exports(served, not_read))


@pytest.mark.parametrize("in_flight, busy", [(0, False), (1, True)])
def test_a_request_that_lasts_is_use(in_flight: int, busy: bool) -> None:
    """No counter changes while it waits for the disk."""
    reason = why_not_free("/dev/none", replace(QUIET, counters=lambda folder: (5, 7, in_flight)))
    assert ("being read or written" in (reason or "")) == busy and (reason is None) != busy


def test_a_short_look_at_a_disk_is_waited_out() -> None:
    """udev and lsblk open a disk for a moment; a second look, at what was not free alone, finds it free."""
    looks = iter([Openers({("block", "8:0"): {"(udev-worker) (pid 7)"}}), Openers({})])
    readers = replace(QUIET, opened=lambda nodes: next(looks), patience_s=60.0)
    assert why_not_free("/dev/none", readers) is None
    assert not list(looks)


@pytest.mark.parametrize(
    "moved, reason",
    [
        ((6, 7, 0), None),  # what probes a disk reads it
        ((5, 8, 0), "/dev/none was written by somebody a moment ago"),
    ],
)
def test_a_write_that_was_seen_once_is_not_forgotten(moved: tuple[int, int, int], reason: str | None) -> None:
    counters = chain([(5, 7, 0)], repeat(moved))
    said = why_not_free("/dev/none", replace(QUIET, counters=lambda folder: next(counters), patience_s=0.3))
    assert said is reason is None or (reason and said and said.startswith(reason))


def test_a_claim_lasts_as_long_as_its_descriptors(tmp_path: Path) -> None:
    """That the kernel grants nobody else one is seen on a real disk: lab/guest/test_holders."""
    nodes = [str(tmp_path / name) for name in ("b", "a")]
    for node in nodes:
        Path(node).touch()
    with claimed((*nodes, nodes[0])) as descriptors:
        assert [str(Path(f"/proc/self/fd/{one}").readlink()) for one in descriptors] == nodes
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptors[0])
    with pytest.raises(MemberError, match="was taken by somebody since the last look"), claimed((f"{tmp_path}/none",)):
        pass


@pytest.mark.parametrize(
    "readers, reason",
    [
        (QUIET, None),
        (lying_on("8:0"), "the loop device loop4 lies on it; losetup --detach"),
        (lying_on("8:1"), None),
        (lying_on("21:0"), None),
        (lying_on(""), "/dev/none is not checked: what loop devices lie on"),
        (serving(SERVED), "served to others by the SCSI target fileio_0/x"),
        (serving(not_read=("exports",)), "/dev/none is not checked: what the kernel serves"),
        (serving(not_read=("which disk y",)), "/dev/none is not checked: which disk y; look again"),
        (open_in("qemu (pid 7)", ("block", "8:0")), "/dev/none is open in qemu (pid 7)"),
        (open_in("qemu (pid 7)", ("character", "21:0")), "/dev/none is open in qemu (pid 7)"),
        (replace(QUIET, hidden=lambda: True), "/dev/none is not checked: which programs have it open"),
        (
            replace(QUIET, opened=lambda nodes: Openers({}, ("qemu (pid 7)",))),
            "/dev/none is not checked: what qemu (pid 7) has open",
        ),
        (replace(QUIET, claimed=lambda path: "mounted"), "mounted"),
        (replace(QUIET, nodes=lambda folder: frozenset()), "/dev/none is not checked"),
        (replace(QUIET, counters=lambda folder: ()), "/dev/none is not checked"),
    ],
)
def test_what_holds_a_disk_without_a_claim(readers: Readers, reason: str | None) -> None:
    said = why_not_free("/dev/none", readers)
    assert said is reason is None or (reason and said and reason in said)


def test_where_no_disk_is_named_nobody_is_asked_or_waited_for() -> None:
    asked: list[frozenset[openers.Node]] = []

    def opened(nodes: frozenset[openers.Node]) -> Openers:
        asked.append(nodes)
        return Openers({})

    assert not_free((), Readers(opened=opened), watched_s=0.01) == not_free(()) == {}
    assert asked == []


def test_of_many_disks_those_that_are_free_are_left_out() -> None:
    readers = replace(QUIET, claimed=lambda path: "it is mounted" if path == "/dev/b" else None)
    assert not_free(("/dev/a", "/dev/b", "/dev/c"), readers) == {"/dev/b": "it is mounted"}


@pytest.mark.parametrize("program, free", [("multipathd", True), ("dd", False), ("multipathdd", False)])
def test_whoever_has_a_path_of_a_map_open_uses_the_map(tmp_path: Path, program: str, free: bool) -> None:
    for file, text in (("dev", "253:0"), ("dm/uuid", "mpath-3"), ("slaves/sda/dev", "8:0"), ("slaves/sdb/dev", "8:16")):
        (tmp_path / "dm-0" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "dm-0" / file).write_text(f"{text}\n")
    user = open_in(f"{program} (pid 7)", ("block", "8:16"))
    reason = why_not_free(
        "/dev/dm-0", replace(user, nodes=openers.nodes, folder=lambda node: tmp_path / Path(node).name)
    )
    assert reason == (None if free else f"/dev/dm-0 is open in {program} (pid 7); end that program first")


def test_a_node_behind_which_there_is_nothing_is_told_from_one_that_is_refused(tmp_path: Path) -> None:
    (tmp_path / "node").touch()
    (tmp_path / "loop").symlink_to("loop")
    assert [is_gone(f"{tmp_path}/{name}") for name in ("node", "loop", "none")] == [False, False, True]


WWN, SERIAL = MEMBER, replace(MEMBER, id="serial-ST4000_Z1")
UNNAMED = replace(disk("sda", "path-a"), wwn="1", model="ST4000")


@pytest.mark.parametrize(
    "member, others, both",
    [
        (WWN, (replace(UNNAMED, name="sdb"),), True),
        (WWN, (replace(UNNAMED, name="sdb", wwn="2"),), False),
        (WWN, (replace(UNNAMED, name="sdb", wwn="2"), replace(UNNAMED, name="sdc", wwn="3")), False),
        (WWN, (), False),
        (SERIAL, (replace(UNNAMED, name="sdb", wwn="2"),), True),
        (SERIAL, (replace(UNNAMED, name="sdb", serial="Z2"),), False),
        (replace(MEMBER, id="path-x"), (replace(UNNAMED, name="sdb"),), False),
    ],
)
def test_two_that_claim_one_identity_have_none_and_are_refused_by_name(
    member: Member, others: tuple[Disk, ...], both: bool
) -> None:
    """Discovery knows them by their place, as neither can be told from the other."""
    with pytest.raises(MemberError) as refused:
        find(member, (UNNAMED, *others))
    says = (
        f"sda (ST4000 Z1) and sdb (ST4000 Z1) both say that they are {member.id}, the disk ST4000 Z1 of the plan:"
        " unplug the one that came since"
    )
    assert str(refused.value) == (says if both else gone(member))
    assert isinstance(refused.value, MemberGone) == (not both)


@pytest.mark.parametrize(
    "number, is_away",
    [(errno.ENOENT, True), (errno.ENXIO, True), (errno.ENODEV, True), (errno.EIO, False), (errno.EACCES, False)],
)
def test_gone_is_what_the_kernel_has_no_device_for(number: int, is_away: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "open", raising(OSError(number, os.strerror(number))))
    assert is_gone("/dev/sda") == is_away


def raising(error: Exception) -> Callable[..., int]:
    def call(*_: object) -> int:
        raise error

    return call


def test_the_kernels_answer_to_an_exclusive_open_is_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    (node := tmp_path / "node").touch()
    opened, files = os.open, len([*Path("/proc/self/fd").iterdir()])

    def noted(path: str, flags: int) -> int:
        asked.append(flags)
        return opened(path, flags)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", noted)
        assert why_not_free(str(node), replace(QUIET, claimed=Readers().claimed)) == f"{node} is not a block device"
    assert asked == [os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC | os.O_NONBLOCK]
    assert len([*Path("/proc/self/fd").iterdir()]) == files
    monkeypatch.setattr(os, "open", raising(OSError(errno.EBUSY, "Device or resource busy")))
    reason = why_not_free("/dev/none", replace(QUIET, claimed=Readers().claimed))
    assert reason == "/dev/none is in use: it or a part of it is mounted, swapped on, or a member of something"
    with (
        pytest.raises(MemberError, match=r"^/dev/a was taken by somebody since the last look: Device or"),
        claimed(["/dev/a"]),
    ):
        pass


@pytest.mark.parametrize(
    "text, counters",
    [
        # Documentation/block/stat.rst: reads, merges, sectors, ticks; the same of writes; then in_flight
        ("11 12 13 14 21 22 23 24 31 41 42 51 52 53 54 61 62\n", (11, 21, 31)),
        ("11 12 13 14 21 22 23 24 31", (11, 21, 31)),
        ("11 12 13 14 21 22 23 24", ()),
        ("11 12 13 14 21 x 23 24 y", ()),
        ("", ()),
        (None, ()),
    ],
)
def test_requests_are_counted_as_the_kernel_counts_them(
    tmp_path: Path, text: str | None, counters: tuple[int, ...]
) -> None:
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert Readers().counters(tmp_path) == counters


def test_a_disk_is_watched_for_the_time_asked_and_shortly_after_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens within the window is seen: a read at first, then a write, then nothing."""
    slept: list[float] = []
    counts = {0: (5, 7, 0), 1: (6, 7, 0), 2: (6, 7, 0)}
    monkeypatch.setattr(time, "sleep", slept.append)
    readers = replace(QUIET, counters=lambda folder: counts[len(slept)], patience_s=60.0)
    assert not_free(("/dev/none",), readers, watched_s=1.0) == {}
    assert slept == [1.0, IO_IDLE_S]


@pytest.mark.parametrize("use", ["a loop device", "a program", "nothing"])
def test_what_lies_on_a_path_of_a_map_lies_on_the_map(tmp_path: Path, use: str) -> None:
    for name, devnum in (("dm-0", "253:0"), ("sdb", "8:16")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dev").write_text(f"{devnum}\n")
    (tmp_path / "dm-0/dm").mkdir()
    (tmp_path / "dm-0/dm/uuid").write_text("mpath-3600\n")
    (tmp_path / "dm-0/slaves").mkdir()
    (tmp_path / "dm-0/slaves/sdb").symlink_to("../../sdb")
    asked = {"a loop device": lying_on("8:16"), "a program": open_in("dd (pid 7)", ("block", "8:16")), "nothing": QUIET}
    readers = replace(asked[use], nodes=openers.nodes, folder=lambda node: tmp_path / Path(node).name)
    reason = why_not_free("/dev/dm-0", readers)
    assert (
        reason
        == {
            "a loop device": "/dev/dm-0 is in use: the loop device loop4 lies on it; losetup --detach /dev/loop4",
            "a program": "/dev/dm-0 is open in dd (pid 7); end that program first",
            "nothing": None,
        }[use]
    )
    (tmp_path / "dm-0/dm/uuid").write_text("LVM-3600\n")
    assert why_not_free("/dev/dm-0", readers) is None  # no map of paths: what lies below has its own claim


def test_locks_are_taken_in_one_order_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, int]] = []
    nodes = [str(tmp_path / name) for name in ("b", "a", "c")]
    for node in nodes:
        Path(node).touch()
    monkeypatch.setattr(
        fcntl, "flock", lambda one, how: taken.append((str(Path(f"/proc/self/fd/{one}").readlink()), how))
    )
    with lock_nodes([*nodes, nodes[0]]):
        pass
    assert taken == [(node, fcntl.LOCK_EX | fcntl.LOCK_NB) for node in sorted(nodes)]


def test_a_lock_that_another_gives_back_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (node := tmp_path / "node").touch()
    asked = iter([BlockingIOError(), BlockingIOError(), None])
    slept: list[float] = []

    def flock(descriptor: int, how: int) -> None:
        if error := next(asked):
            raise error

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(time, "sleep", slept.append)
    with lock_nodes([str(node)], 60.0):
        assert slept == [0.02, 0.02] and not list(asked)
