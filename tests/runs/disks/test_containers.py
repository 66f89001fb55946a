"""The LUKS container of a run: waited for while a person types, closed where it is the run's own, else left alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.plan.steps import Check, Command, ManualStep
from raidtui.core.run import progress
from raidtui.runs.disks import containers
from raidtui.runs.waiting import StepFailed, Stopped
from tests.runs.disks.luks import WithLuks

LUKS = b"LUKS\xba\xbe"


def step(rig: WithLuks, role: str) -> ManualStep:
    return next(one for one in rig.plan.stages[-1].steps if isinstance(one, ManualStep) and one.role == role)


def after(rig: WithLuks, *events: Callable[[], None]) -> Callable[[], bool]:
    """Nobody types; at each look the next of these has happened."""
    left = list(events)

    def look() -> bool:
        assert progress.manual_step(rig.plan, rig.journal.state)  # a screen tells of it meanwhile
        assert left, "it looked on"
        left.pop(0)()
        return False

    return look


@pytest.mark.parametrize("role", ["encrypt", "unlock"])
def test_it_goes_on_once_it_is_there_and_nobody_is_at_it(tmp_path: Path, role: str) -> None:
    rig = WithLuks(tmp_path)
    header, mapped, at_it = rig.headers, rig.mapped, [True, True]
    rig.headers, rig.mapped, rig.keys = (), {}, 0

    def done() -> None:
        rig.headers, rig.mapped, rig.keys = header, mapped, 1

    def look() -> bool:
        assert progress.manual_step(rig.plan, rig.journal.state)
        if at_it:
            done()
            return at_it.pop()
        return False

    rig.typed = look
    rig.executor.carry_out(step(rig, role))
    assert not at_it and rig.journal.state.step is None and step(rig, role) in rig.executor.begun
    assert rig.given == []  # nothing that asks is started by the worker


@pytest.mark.parametrize("role", ["encrypt", "unlock"])
def test_what_is_somebody_elses_or_not_whole_is_waited_on(tmp_path: Path, role: str) -> None:
    rig = WithLuks(tmp_path)
    own_header, own_uuid = rig.headers, rig.mapping_uuid

    def of_another() -> None:
        rig.headers, rig.mapping_uuid = (rig.header("another"),), "CRYPT-LUKS2-another-name"

    def without_key() -> None:
        rig.headers, rig.keys, rig.mapped = own_header, 0, {}

    def whole() -> None:
        rig.keys, rig.mapped, rig.mapping_uuid = 1, {rig.layer.group: "dm-0"}, own_uuid

    rig.typed = after(rig, of_another, without_key, whole)
    rig.executor.carry_out(step(rig, role))
    assert rig.keys == 1


def test_a_stop_waits_for_cryptsetup_to_be_gone(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.mapped, looks = {}, [False, True, True, True]

    def look() -> bool:
        rig.executor.waiter.stop_asked = len(looks) < 4
        return looks.pop() if looks else False

    rig.typed = look
    with pytest.raises(Stopped):
        rig.executor.carry_out(step(rig, "unlock"))
    assert not looks


def test_without_its_array_nobody_is_waited_for(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.array = None
    with pytest.raises(StepFailed, match="not there any more"):
        rig.executor.carry_out(step(rig, "encrypt"))


def take_back(rig: WithLuks) -> tuple[str, str]:
    outcome, reason, _ = rig.taken_back()
    return outcome, reason


def test_it_is_closed_before_the_array_is_wiped_and_stopped(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    assert take_back(rig)[0] == "finished" and rig.array is None
    programs = rig.programs()
    assert programs.index("cryptsetup close") < programs.index("wipefs --all") < programs.index("mdadm --stop")


def test_what_is_closed_already_is_passed_over(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.mapped, rig.keys = {}, 0  # one with a passphrase may hold data
    assert take_back(rig)[0] == "finished" and "cryptsetup close" not in rig.programs()


@pytest.mark.parametrize("uuid", ["", "CRYPT-LUKS2-another-name"])
def test_a_container_of_somebody_elses_is_left_alone_also_under_the_same_name(tmp_path: Path, uuid: str) -> None:
    rig = WithLuks(tmp_path)
    rig.mapping_uuid = uuid
    if not uuid:
        rig.mapped["theirs"] = "dm-1"
    outcome, reason = take_back(rig)
    assert outcome == "failed" and "which this run did not make" in reason and rig.executor.refused
    assert rig.array == "md127" and rig.given == []


def test_one_in_use_is_left_alone(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.in_use = lambda: {"/dev/dm-0": "mounted at /srv"}
    assert "is in use: mounted at /srv" in take_back(rig)[1] and rig.given == []


def test_a_header_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.mapped, rig.headers = {}, (rig.header("another"),)
    assert "holds crypto_LUKS another, which this run did not make" in take_back(rig)[1] and rig.given == []


def test_a_kept_one_has_to_be_open_to_be_looked_at(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    rig.executor.end(len(rig.plan.stages) - 1, kept=True)
    rig.mapped = {}
    reason = take_back(rig)[1]
    assert "is not open, so that it cannot be looked at" in reason and rig.given == []
    assert f"`cryptsetup open --type luks /dev/md127 {rig.layer.group}`" in reason
    rig.keys = 0  # its making was cut off, and somebody kept the array all the same
    assert take_back(rig)[0] == "finished"


def test_data_that_do_not_begin_at_a_stripe_are_a_warning(tmp_path: Path) -> None:
    rig = WithLuks(tmp_path)
    steps = rig.plan.stages[-1].steps
    look = next(one for one in steps if isinstance(one, Check) and one.question == "container-aligned")
    rig.executor.carry_out(look)
    assert not rig.journal.state.warnings
    rig.start_bytes += 4096
    rig.executor.carry_out(look)
    assert ["no multiple of 1048576" in warning for warning in rig.journal.state.warnings] == [True]
    rig.headers = ()
    with pytest.raises(StepFailed, match="does not find the LUKS header"):
        rig.executor.carry_out(look)


@pytest.mark.parametrize(
    "magic, named, on_array, stays",
    [
        (LUKS, "own", True, False),
        (LUKS, "another", True, True),
        (b"", "own", True, True),
        (LUKS, "own", False, True),  # then it may be the only copy of the header
    ],
)
def test_a_header_backup_of_an_earlier_attempt_is_removed_and_any_other_file_stays(
    tmp_path: Path, magic: bytes, named: str, on_array: bool, stays: bool
) -> None:
    rig, backup = WithLuks(tmp_path), tmp_path / "header.img"
    layer = rig.plan.stages[-1].layer
    assert layer
    uuid = layer.uuid if named == "own" else "0b1c0a52-1a56-4e0e-9f0e-8a6c2f3e5d11"
    if not on_array:
        rig.headers = ()
    backup.write_bytes(magic.ljust(168, b"\0") + uuid.encode().ljust(40, b"\0") + bytes(512))
    command = Command(what="Back up", role="header-backup", argv=("cryptsetup", "luksHeaderBackup", str(backup)))
    containers.remove_old_backup(rig.executor.context, command)
    assert backup.exists() is stays
    link = tmp_path / "link"
    link.symlink_to(backup)
    containers.remove_old_backup(rig.executor.context, replace(command, argv=(str(link),)))
    containers.remove_old_backup(rig.executor.context, replace(command, role="fill"))
    assert link.is_symlink() and backup.exists() is stays
