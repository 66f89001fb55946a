"""A run's lines in files of boot: told before they are written, found again whenever the worker died, taken out."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot import entries
from raidtui.core.boot.ownership import Owned
from raidtui.core.plan.model import carried_out
from raidtui.core.plan.steps import Command, Edit, SetOwner, Write, immutable_setting
from raidtui.core.run import events, journal_lines
from raidtui.core.run.events import FileEdited, OwnerChanged
from raidtui.core.run.state import fold_all
from raidtui.runs import boot, directory, stages, worker
from raidtui.runs.journal import read_state
from raidtui.runs.removal.decision import Consent
from raidtui.runs.status import status_of_run
from raidtui.runs.waiting import Refused, StepFailed
from tests.builders.journals import started
from tests.runs.permanent_rig import BEFORE, CONF, FSTAB, PLAN, Permanent
from tests.runs.rig import FINISHED, ROOTS, WrittenHost, plan_permanent, run_in

THEIRS = Owned(uid=1000, gid=8, mode=0o2775)


@pytest.fixture
def rig(tmp_path: Path) -> Permanent:
    """Its array stands, and is to be made permanent."""
    rig = Permanent(tmp_path)
    rig.to_be_made()
    return rig


def test_what_a_dead_worker_had_not_come_to_is_done_and_undone_to_the_byte(tmp_path: Path) -> None:
    rig, folder_stood = Permanent(tmp_path), Path("/srv/array").exists()
    rig.to_be_made()
    assert rig.settle() == FINISHED and rig.journal.state.kept
    assert Path("/srv/array").exists() is folder_stood  # it has a step of its own, which nobody carries out here
    assert rig.programs() == [
        "update-initramfs -u", "sync", "mdadm --stop", "mdadm --assemble", "mkdir --parents", "systemctl daemon-reload",
        "mount /srv/array",
    ]  # fmt: skip
    assert rig.boot_files[CONF].startswith(BEFORE[CONF]) and b"ARRAY /dev/md/" in rig.boot_files[CONF]
    assert f"UUID={rig.uuid} /srv/array ext4".encode() in rig.boot_files[FSTAB] and rig.folders
    assert rig.owners == {"/srv/array": THEIRS} and rig.journal.state.monitor == Monitor(running=False)
    assert [(tmp_path / edit.backup).read_bytes() for edit in rig.journal.state.edits.values()] == [*BEFORE.values()]
    rig.given.clear()
    assert rig.undo() == FINISHED and rig.boot_files == BEFORE and not rig.folders
    assert rig.owners == {"/srv/array": THEIRS}
    back = ["umount /srv/array", "systemctl daemon-reload", "rmdir /srv/array", "update-initramfs -u", "sync"]
    assert rig.programs() == back
    assert rig.journal.state.kept and not rig.journal.state.edits and rig.array


@pytest.mark.parametrize("fails", ["update-initramfs", "mdadm --stop", "mdadm --assemble", "mkdir", "mount"])
def test_what_fails_is_taken_back_as_a_whole_and_the_array_stays(rig: Permanent, fails: str) -> None:
    rig.fails = fails
    outcome, reason, _ = rig.settle()
    assert (outcome, rig.boot_files, rig.mounted, rig.folders) == ("failed", BEFORE, False, {})
    assert "it does not want to" in reason and rig.journal.state.kept
    rig.fails = ""
    assert rig.settle()[0] == "finished" and rig.array and rig.mounted


def moments(whole: Permanent, first: int) -> Iterator[tuple[int, dict[str, bytes], bool]]:
    """Where the worker may have died: lines of the journal, the files as they then are, whether the array stands.

    `first` lines come before it is made permanent.
    """
    journal = (whole.folder / "journal.jsonl").read_bytes().splitlines()
    for cut in range(first, len(journal)):
        told = [journal_lines.decode(line) for line in journal[:cut]]
        written = {one.path for one in told if isinstance(one, FileEdited)}
        now = {path: whole.boot_files[path] if path in written else text for path, text in BEFORE.items()}
        if isinstance(told[-1], events.StepEnded):  # before the next line nothing else has happened
            continue
        state = fold_all(told)
        by_then = [step.role for step in state.steps if step.ended_at_s]
        stands = by_then.count("stop") == by_then.count("assemble")
        yield cut, now, stands
        newest = told[-1]
        if isinstance(newest, FileEdited):  # told, and not written yet
            yield cut, now | {newest.path: BEFORE[newest.path]}, stands
        if isinstance(newest, OwnerChanged):
            yield cut, now, stands


@pytest.mark.parametrize("way", ["settle", "undo"])
def test_wherever_the_worker_dies_another_goes_on_or_takes_back(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of them, and no plug is pulled here
    (tmp_path / "run").mkdir()
    whole = Permanent(tmp_path / "run")
    whole.to_be_made()
    first = len((whole.folder / "journal.jsonl").read_bytes().splitlines())
    assert whole.settle()[0] == "finished"
    journal = (whole.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    found = list(moments(whole, first))
    assert len(found) > 14 and not all(stands for _, _, stands in found)
    for number, (cut, files, stands) in enumerate(found):
        folder = tmp_path / str(number) / "run"  # the name is the mark
        shutil.copytree(whole.folder, folder)
        (folder / "journal.jsonl").write_bytes(b"".join(journal[:cut]))
        rig = Permanent(folder, whole.plan)
        rig.boot_files, rig.array = dict(files), "md127" if stands else None
        rig.stands_on, rig.superblocks = whole.stands_on, whole.superblocks
        rig.open()
        rig.folders = {name: 7 for name in rig.journal.state.files}
        told = rig.journal.state
        if any(step.role == "mount" and step.ended_at_s for step in told.steps):
            rig.mounted, rig.geometry = True, rig.found
        rig.owners = {name: one.new for name, one in told.owners.items()} if number % 2 else {}  # or not yet
        outcome = rig.settle() if way == "settle" else rig.undo()
        assert (outcome[0], rig.array) == ("finished", "md127"), (cut, outcome)
        marked = [text.count(b": from here") for text in rig.boot_files.values()]
        assert marked == [1, 1] if way == "settle" else rig.boot_files == BEFORE, cut
        assert rig.journal.state.kept and not rig.journal.state.initramfs_older
        assert rig.owned("/srv/array") == THEIRS or way == "undo", cut


def test_lines_that_somebody_changed_are_refused_before_anything_is_undone(rig: Permanent) -> None:
    rig.settle()
    rig.boot_files[CONF] = rig.boot_files[CONF].replace(b"ARRAY", b"ARRAY  ")
    rig.given.clear()
    outcome, reason, _ = rig.undo()
    assert outcome == "failed" and rig.executor.refused and CONF in reason and "were changed since" in reason
    assert rig.mounted and rig.programs() == [] and rig.boot_files[FSTAB] != BEFORE[FSTAB]


@pytest.mark.parametrize(
    "source, is_own",
    [("/dev/md127", True), ("/dev/md127[/home]", True), ("/dev/sdz1", False), ("/dev/md9", False), ("", False)],
)
def test_the_run_s_file_system_is_known_by_uuid_and_device(rig: Permanent, source: str, is_own: bool) -> None:
    """A clone, or a snapshot elsewhere, has the UUID too."""
    rig.executor.context.enter(len(rig.plan.stages) - 1, carried_out(rig.plan, len(rig.plan.stages) - 1))
    rig.mounted, rig.geometry = True, f"{rig.uuid} {source}\n"
    assert boot.is_ours(rig.executor.context, "/srv/array") is is_own
    rig.geometry = "0000 /dev/md127\n"
    assert not boot.is_ours(rig.executor.context, "/srv/array")


@pytest.mark.parametrize("number, is_own", [("9:127", True), ("8:1", False), ("", False)])
def test_it_is_known_by_the_device_s_number_too(rig: Permanent, number: str, is_own: bool) -> None:
    rig.enter_last(carried_out(rig.plan, len(rig.plan.stages) - 1))
    rig.mounted, rig.geometry = True, f"{rig.uuid} /dev/disk/by-id/md-name-store\n"
    rig.devnum_of = lambda path: "9:127" if path == "/dev/md127" else number  # type: ignore[method-assign]
    assert boot.is_ours(rig.executor.context, "/srv/array") is is_own


def test_where_nobody_can_ask_whose_it_is_nothing_is_begun(rig: Permanent, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(folder: Path) -> bool:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(rig, "is_mounted", unreadable)
    assert rig.settle() == ("failed", "[Errno 5] Input/output error", []) and rig.boot_files == BEFORE


def test_lines_are_taken_out_though_the_array_does_not_come_back(rig: Permanent) -> None:
    rig.settle()
    rig.array, rig.fails = None, "mdadm --assemble"
    assert rig.undo()[0] == "finished" and rig.boot_files == BEFORE
    assert any("the array is not assembled" in text for text in rig.journal.state.warnings)


def test_a_file_that_cannot_be_written_fails_with_its_name(rig: Permanent) -> None:
    rig.read_only = (FSTAB,)
    outcome, reason, _ = rig.settle()
    assert outcome == "failed" and FSTAB in reason and "Read-only" in reason and rig.boot_files == BEFORE


def test_without_a_file_system_nothing_is_mounted(tmp_path: Path) -> None:
    rig = Permanent(tmp_path, plan_permanent("none"))
    rig.to_be_made()
    assert rig.settle()[0] == "finished" and rig.boot_files[FSTAB] == BEFORE[FSTAB]
    assert not any(argv[0] in ("mount", "mkdir") for argv in rig.given)


def test_an_array_that_is_permanent_is_not_cleared_away_before_it_is_undone(tmp_path: Path, as_worker: None) -> None:
    made = directory.drawn(PLAN)
    assert made.permanence is not None
    path = run_in(
        tmp_path,
        made,
        "run",
        started("run"),
        FileEdited(at_s=4, path=CONF, lines=("ARRAY x",), mark="raidtui run"),
        events.StageEnded(at_s=5, stage=made.permanence, kept=True),
        events.RunEnded(at_s=9, outcome="finished", kept=True),
    )
    host = WrittenHost()
    host.boot_files[CONF] = entries.with_lines(b"a\n", ("ARRAY x",), "raidtui run")
    assert status_of_run(path).permanent
    with pytest.raises(Refused, match="run `raidtui undo run` first"):
        worker.clear_away(path, host, Consent(code=made.code))
    (taking,) = boot.takings(path, read_state(path / directory.JOURNAL), host)
    assert taking.after == b"a\n" and "-ARRAY x" in taking.diff


def test_what_came_to_the_folder_meanwhile_is_not_hidden(rig: Permanent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rig, "is_empty", lambda folder: False)
    outcome, reason, _ = rig.settle()
    assert (outcome, rig.mounted, rig.boot_files) == (
        "failed",
        False,
        BEFORE,
    ) and "something is in /srv/array" in reason


def test_what_is_mounted_by_the_lines_already_is_not_taken_back(rig: Permanent) -> None:
    """It may be in use since the boot after the plug was pulled; a disk that failed since is no reason."""
    assert rig.settle()[0] == "finished"
    written = dict(rig.boot_files)
    number = rig.plan.permanence or 0
    rig.executor.begin(number, carried_out(rig.plan, number))
    rig.faulty = lambda: {"sdb"}
    outcome, reason, left = stages.run_stage(rig.plan, number, rig.executor)
    assert (outcome, left) == ("failed", []) and "without 1 of its members" in reason
    assert rig.mounted and rig.boot_files == written


HERE, AWAY = {"array": "md127"}, {"array": None}
MADE: dict[str, object] = {"folders": {"/srv/array": 7}}


@pytest.mark.parametrize(
    ("role", "there", "mounted", "needless"),
    [
        ("mount", HERE, True, True),
        ("mount", HERE, False, False),
        ("stop", HERE, True, True),
        ("stop", HERE, False, False),
        ("stop", AWAY, False, True),
        ("deactivate", HERE, False, False),
        ("assemble", HERE, False, True),
        ("assemble", AWAY, False, False),
        ("make-folder", MADE, False, True),
        ("make-folder", HERE, False, False),
        ("initramfs", HERE, False, True),
        ("immutable", MADE, False, False),
        ("immutable", MADE, True, True),
        ("immutable", {"folders": {"/srv/array": 8}}, False, True),  # another folder by now
        ("immutable", {"folders": {}}, False, True),
        ("immutable", {**MADE, "is_empty": lambda folder: False}, False, True),
    ],
)
def test_what_is_so_already_is_not_done(
    rig: Permanent, role: Any, there: dict[str, object], mounted: bool, needless: bool
) -> None:
    rig.executor.context.enter(len(rig.plan.stages) - 1, carried_out(rig.plan, len(rig.plan.stages) - 1))
    rig.journal.add(events.FileMade(at_s=5, path="/srv/array", inode=7))
    rig.mounted, rig.geometry = mounted, rig.found
    for name, value in there.items():
        setattr(rig, name, value)
    step = (
        Write(what="", path=immutable_setting("/srv/array"), value="on")
        if role == "immutable"
        else Command(what="", role=role, argv=(), folder="/srv/array")
    )
    assert boot.is_needless(rig.executor.context, step) is needless


def test_a_unit_of_somebody_elses_is_not_written_into(rig: Permanent) -> None:
    rig.executor.begin(rig.plan.permanence or 0, rig.plan.stages[-1])
    theirs = "/etc/systemd/system/srv-array.mount"
    rig.boot_files[theirs] = b"[Unit]\n"
    with pytest.raises(Refused, match="not this run's"):
        boot.add(rig.executor.context, Edit(what="Write", path=theirs, lines=("[Mount]",)))
    assert rig.boot_files[theirs] == b"[Unit]\n"


def test_an_edit_that_stands_is_told_once(rig: Permanent, tmp_path: Path) -> None:
    rig.executor.begin(rig.plan.permanence or 0, rig.plan.stages[-1])
    step = Edit(what="Write", path=FSTAB, lines=("a b c",))
    for _ in range(2):
        boot.add(rig.executor.context, step)
    assert (tmp_path / "journal.jsonl").read_bytes().count(b'"file-edited"') == 1
    assert rig.boot_files[FSTAB].count(b"a b c") == 1


HALF = msgspec.structs.replace(ROOTS, uid=1000, gid=8)  # the worker died between chown and chmod


@pytest.mark.parametrize(
    "now, becomes",
    [(ROOTS, THEIRS), (HALF, THEIRS), (THEIRS, THEIRS)]
    + [(somebodys, somebodys) for somebodys in (Owned(uid=7, gid=8, mode=0o2775), Owned(uid=0, gid=0, mode=0o700))],
)
def test_an_owner_that_somebody_set_since_stays_and_is_said(rig: Permanent, now: Owned, becomes: Owned) -> None:
    rig.journal.add(OwnerChanged(at_s=4, folder="/srv/array", old=ROOTS, new=THEIRS))  # and the worker died
    rig.owners = {"/srv/array": now}
    assert rig.settle() == FINISHED and rig.owned("/srv/array") == becomes
    said = [
        text for text in rig.journal.state.warnings if f"/srv/array is {now.description} by now, and stays so" in text
    ]
    assert len(said) == (now == becomes != THEIRS)


def test_where_what_is_mounted_cannot_be_unmounted_its_owner_stays(rig: Permanent) -> None:
    rig.settle()
    rig.fails = "umount"
    assert rig.undo()[0] == "failed" and rig.owned("/srv/array") == THEIRS


def test_an_owner_that_stands_is_told_once(rig: Permanent, tmp_path: Path) -> None:
    rig.settle()
    rig.executor.begin(rig.plan.permanence or 0, carried_out(rig.plan, rig.plan.permanence or 0))
    boot.set_owner(rig.executor.context, SetOwner(what="Set", folder="/srv/array", owner="1000:8", mode="2775"))
    assert (tmp_path / "journal.jsonl").read_bytes().count(b'"owner-changed"') == 1


def test_an_owner_is_set_on_the_runs_own_file_system_alone(rig: Permanent) -> None:
    rig.executor.begin(rig.plan.permanence or 0, carried_out(rig.plan, rig.plan.permanence or 0))
    with pytest.raises(StepFailed, match="is not what is mounted at /srv/array"):
        boot.set_owner(rig.executor.context, SetOwner(what="Set", folder="/srv/array", owner="1000:8", mode="2775"))
    assert rig.owners == {} and not rig.journal.state.owners


@pytest.mark.parametrize(
    "monitor, mailaddr, says",
    [
        (Monitor(running=False, mailaddr="root"), "root", "nobody is told when a disk fails: start it"),
        (Monitor(running=True, mailaddr="root", older=True), "root", "restart it"),
        (Monitor(running=True, mailaddr="root"), "root", ""),
        (Monitor(running=True, mailaddr="root"), "ops", "mdadm writes to root, not to ops"),
        (Monitor(running=False), "", ""),
        (Monitor(running=True, mailaddr="root"), "", ""),
    ],
)
def test_who_asked_for_mail_is_warned_where_none_will_come(
    tmp_path: Path, monitor: Monitor, mailaddr: str, says: str
) -> None:
    rig = Permanent(tmp_path, plan_permanent(mailaddr=mailaddr))
    rig.to_be_made()
    rig.monitored = monitor
    assert rig.settle()[0] == "finished" and rig.journal.state.monitor == monitor
    assert [says in text for text in rig.journal.state.warnings] == ([True] if says else [])
    assert rig.boot_files[CONF].startswith(b"# raidtui") is bool(mailaddr)  # else at its end
    assert rig.undo()[0] == "finished" and rig.boot_files == BEFORE


@pytest.mark.parametrize("looks", ["monitor", "why_not_in_initramfs"])
def test_a_look_that_only_informs_undoes_nothing(rig: Permanent, monkeypatch: pytest.MonkeyPatch, looks: str) -> None:

    def unreadable(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/proc")

    monkeypatch.setattr(rig, looks, unreadable)
    assert rig.settle() == FINISHED and rig.mounted and len(rig.journal.state.edits) == 2
    assert "” has no answer: [Errno 13] Permission denied" in rig.journal.state.warnings[-1]


def entered(folder: Path) -> Permanent:
    rig = Permanent(folder)
    rig.to_be_made()
    rig.executor.begin(rig.plan.permanence or 0, rig.plan.stages[-1])
    return rig


UNIT, RULES = "/etc/systemd/system/srv-array.mount", "/etc/udev/rules.d/65-x.rules"


@pytest.mark.parametrize(
    "path, there, refused",
    [
        (UNIT, None, False),
        (UNIT, b"", True),
        (UNIT, b"[Unit]\n", True),
        (RULES, None, False),
        (RULES, b"# theirs\n", True),
        (FSTAB, None, False),
        (FSTAB, b"a b c\n", False),
        ("/etc/systemd/system-x", b"x\n", False),
    ],
)
def test_a_file_of_its_own_is_made_and_one_of_the_systems_is_added_to(
    tmp_path: Path, path: str, there: bytes | None, refused: bool
) -> None:
    rig, step = entered(tmp_path), Edit(what="Write", path=path, lines=("new line",), in_initramfs=True)
    rig.boot_files = {} if there is None else {path: there}
    if refused:
        with pytest.raises(Refused, match=f"^{path} is there, and is not this run's"):
            boot.add(rig.executor.context, step)
        assert rig.boot_files == {path: there} and not rig.journal.state.edits
        return
    boot.add(rig.executor.context, step)
    assert rig.boot_files == {path: entries.with_lines(there, step.lines, f"raidtui {tmp_path.name}")}
    (told,) = rig.journal.state.edits.values()
    name = path.strip("/").replace("/", "-")
    backup = "" if there is None else f"before/{name}.1"
    assert (told.path, told.lines, told.mark, told.backup, told.in_initramfs) == (
        path, ("new line",), f"raidtui {tmp_path.name}", backup, True
    )  # fmt: skip
    assert not backup or (tmp_path / backup).read_bytes() == there
    boot.take_out(rig.executor.context, path)
    assert rig.boot_files == ({} if there is None else {path: there}) and not rig.journal.state.edits


def test_each_edit_keeps_the_file_as_it_was_before_it(tmp_path: Path) -> None:
    rig = entered(tmp_path)
    for number in (1, 2):
        rig.boot_files[FSTAB] = b"# %d\n" % number
        boot.add(rig.executor.context, Edit(what="Write", path=FSTAB, lines=("a",)))
        assert rig.journal.state.edits[FSTAB].backup == f"before/etc-fstab.{number}"
    assert [(tmp_path / f"before/etc-fstab.{number}").read_bytes() for number in (1, 2)] == [b"# 1\n", b"# 2\n"]


def test_lines_that_are_gone_are_taken_out_without_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a worker that died before it told, or by somebody; and none is taken out that was not put in."""
    rig = entered(tmp_path)
    boot.add(rig.executor.context, Edit(what="Write", path=FSTAB, lines=("a",)))
    marks: list[str] = []
    replace = rig.replace_boot_file

    def noted(path: str, expected: bytes | None, content: bytes | None, mark: str) -> None:
        marks.append(mark)
        replace(path, expected, content, mark)

    monkeypatch.setattr(rig, "replace_boot_file", noted)
    told = (tmp_path / "journal.jsonl").read_bytes()
    boot.take_out(rig.executor.context, CONF)
    assert (tmp_path / "journal.jsonl").read_bytes() == told
    rig.boot_files[FSTAB] = b"somebody took them out\n"
    boot.take_out(rig.executor.context, FSTAB)
    assert marks == [] and rig.boot_files[FSTAB] == b"somebody took them out\n" and not rig.journal.state.edits
    rig.boot_files[FSTAB] = BEFORE[FSTAB]
    boot.add(rig.executor.context, Edit(what="Write", path=FSTAB, lines=("a",)))
    boot.take_out(rig.executor.context, FSTAB)
    assert marks == [f"raidtui-{tmp_path.name}"] * 2 and rig.boot_files[FSTAB] == BEFORE[FSTAB]


def test_a_preview_begins_with_the_file_that_was_written_last_and_changed_lines_are_refused(tmp_path: Path) -> None:
    rig = entered(tmp_path)
    for path in (CONF, FSTAB):
        boot.add(rig.executor.context, Edit(what="Write", path=path, lines=("a",)))
    shown = [*boot.takings(tmp_path, rig.journal.state, rig)]
    assert [(one.path, one.after) for one in shown] == [(FSTAB, BEFORE[FSTAB]), (CONF, BEFORE[CONF])]
    assert "-a" in shown[0].diff and shown[0].diff[0] == f"--- {FSTAB}"
    rig.boot_files[CONF] = rig.boot_files[CONF].replace(b"a\n", b"b\n")
    for act in (
        lambda: [*boot.takings(tmp_path, rig.journal.state, rig)],
        lambda: boot.take_out(rig.executor.context, CONF),
        lambda: boot.add(rig.executor.context, Edit(what="Write", path=CONF, lines=("a",))),
    ):
        with pytest.raises(Refused, match=f"^{CONF}: .* remove them by hand, then repeat the command$"):
            act()


@pytest.mark.parametrize(
    "now, is_theirs",
    [
        ((0, 0, 0o755), False), ((1000, 8, 0o2775), False), ((1000, 8, 0o755), False), ((0, 0, 0o2775), False),
        ((1000, 0, 0o755), True), ((0, 8, 0o755), True), ((7, 7, 0o755), True), ((1000, 8, 0o700), True),
    ],
)  # fmt: skip
def test_an_owner_is_somebodys_if_neither_the_old_nor_the_new_one(now: tuple[int, int, int], is_theirs: bool) -> None:
    uid, gid, mode = now
    changed = OwnerChanged(at_s=4, folder="/srv/array", old=ROOTS, new=THEIRS)
    assert boot._is_somebodys(Owned(uid=uid, gid=gid, mode=mode), changed) == is_theirs
