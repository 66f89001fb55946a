"""Which array answers that shall be absent mean, and what on it is not its run's; nothing is changed by it."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array, ArrayMember, KnownDisk, Upon
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.status import status_of
from raidtui.core.care import by_hand, plans
from raidtui.core.disks.machine import Machine
from raidtui.core.plan.answers import Answers, PlanNotSafe, Setup
from raidtui.core.run import events
from raidtui.core.units import MIB
from raidtui.runs import directory, ensuring
from tests.builders.arrays import UUID, in_sync
from tests.builders.care import cared_for
from tests.builders.ensuring import (
    BLANK,
    BY_NAME,
    BY_RULE,
    FILESYSTEM,
    FREE,
    KEPT,
    RUN,
    WORKER,
    kept_run,
    plan,
    standing,
)
from tests.runs.rig import run_in

pytestmark = pytest.mark.usefixtures("root")
LAME = standing(slots=in_sync("sda", "sdb") | {"sdc": ("none", "faulty")}, raid_disks="3", degraded="1")
CLEARED = (WORKER, events.RunEnded(at_s=9.0, outcome="finished"))


@pytest.mark.parametrize("given", [BY_RULE, BY_NAME])
def test_the_array_of_the_run_is_found_and_is_all_its_own(root: Path, given: Answers) -> None:
    kept_run(root)
    found = ensuring.found_for(given, standing(*FREE))
    assert found and (found.run, found.array.uuid, found.at_boot, found.foreign) == (RUN, UUID, False, "")


@pytest.mark.parametrize("told", [(), CLEARED])
def test_without_a_run_that_keeps_one_it_is_absent(root: Path, told: tuple[events.AnyEvent, ...]) -> None:
    if told:
        kept_run(root, None, *told)
    assert ensuring.found_for(BY_RULE, BLANK) is None
    assert ensuring.found_for(BY_NAME, BLANK) is None


@pytest.mark.parametrize(
    "given, says",
    [
        (BY_RULE, "is on 3 such disks, and is not known to be built by these answers"),
        (BY_NAME, "is on these disks, and no run of these answers built it"),
    ],
)
def test_another_array_on_these_disks_is_not_called_absent(root: Path, given: Answers, says: str) -> None:
    with pytest.raises(PlanNotSafe, match=says):
        ensuring.found_for(given, standing())


def test_it_is_unclear_which_array_is_meant(root: Path) -> None:
    path = kept_run(root)
    run_in(root, plan(), "20990102T030405Z-ab12", *KEPT)
    with pytest.raises(PlanNotSafe, match=f"20990102T030405Z-ab12 and {RUN} keep an array each"):
        ensuring.found_for(BY_RULE, standing())
    (path / directory.PLAN).write_text("{}")
    with pytest.raises(PlanNotSafe, match="repair that run first"):
        ensuring.found_for(BY_NAME, standing())


def test_a_run_that_is_not_over_is_seen_to_first(root: Path) -> None:
    kept_run(root, None, WORKER, events.StageStarted(at_s=2.0, stage=0))
    with pytest.raises(PlanNotSafe, match=f"`raidtui clean {RUN}` reverts it"):
        ensuring.found_for(BY_RULE, standing())


@pytest.mark.parametrize(
    "seen, says",
    [
        (BLANK, "it does not run"),
        (LAME, "is not in sync in it"),
        (standing(level="raid6"), "its level: 6, built was 5"),
    ],
)
def test_an_array_that_is_not_as_built_is_foreign(root: Path, seen: Machine, says: str) -> None:
    kept_run(root)
    found = ensuring.found_for(BY_RULE, seen)
    assert found and says in found.foreign


def test_an_array_that_another_run_has_grown_is_foreign(root: Path) -> None:
    kept_run(root)
    array, disks = cared_for(standing(*FREE))
    (new,) = (disk.id for disk in disks if disk.name == "sdd")
    array = replace(array, member_bytes=MIB, members=tuple(
        replace(member, data_offset_bytes=MIB) for member in array.members))  # fmt: skip
    grown = plans.grow(array, [new], disks, "machine", plans.Limits())
    told = (WORKER, events.ArrayGrown(at_s=5.0, size_bytes=1, slots={new: 3}))
    growth = run_in(root, grown, "20990102T030405Z-ab12", *told)
    found = ensuring.found_for(BY_RULE, standing(*FREE[1:], slots=in_sync("sda", "sdb", "sdc", "sdd")))
    assert found and f"run {growth.name} has grown it" in found.foreign and "is not the run's" in found.foreign


def test_without_a_file_system_nobody_can_see_data_on_it(root: Path) -> None:
    bare = replace(BY_RULE, setup=Setup(level="5", filesystem="none"))
    kept_run(root, plan(bare))
    found = ensuring.found_for(bare, standing())
    assert found and found.foreign.startswith("it has no file system, so data on it cannot be detected")


def changed(monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Every array is seen with these fields."""
    seen = status_of

    def with_fields(*given: Any) -> Any:
        status = seen(*given)
        arrays = tuple(replace(array, **fields) for array in status.arrays)
        return replace(status, arrays=arrays)

    monkeypatch.setattr(ensuring, "status_of", with_fields)


def members() -> tuple[ArrayMember, ...]:
    array: Array = arrays_of(standing())[0]
    return array.members


@pytest.mark.parametrize(
    "spare, says",
    [
        (KnownDisk(id="wwn-other", model="ST4000", serial="Z9"), "its member ST4000 Z9 is not the run's"),
        (None, "its member /dev/sdz is not the run's"),
    ],
)
def test_a_member_that_somebody_added_is_foreign(
    root: Path, monkeypatch: pytest.MonkeyPatch, spare: KnownDisk | None, says: str
) -> None:
    kept_run(root)
    changed(monkeypatch, members=(*members(), ArrayMember(role="spare", device="sdz", disk=spare)))
    found = ensuring.found_for(BY_RULE, standing())
    assert found and found.foreign == says


def test_another_file_system_another_mount_and_files_of_others_are_foreign(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_run(root)
    folder = tmp_path / "mounted"
    folder.mkdir()
    for name in ("lost+found", ".raidtui-kept"):
        (folder / name).mkdir()
    own = Upon(device="md127", kind="ext4", uuid=FILESYSTEM, mounted_at=(str(folder),))
    changed(monkeypatch, upon=(own,))
    found = ensuring.found_for(BY_RULE, standing())
    assert found and found.foreign == f"it is mounted at {folder}"
    monkeypatch.setattr(by_hand, "mount_point", lambda plan: str(folder))
    found = ensuring.found_for(BY_RULE, standing())
    assert found and found.foreign == ""
    (folder / "photos").mkdir()
    found = ensuring.found_for(BY_RULE, standing())
    assert found and found.foreign == "it holds 'photos', which the run did not write"
    gone = replace(own, mounted_at=("/nowhere",))
    changed(monkeypatch, upon=(gone, Upon(device="md127p1", kind="xfs", uuid="other")))
    found = ensuring.found_for(BY_RULE, standing())
    assert found and "/nowhere was not checked: No such file" in found.foreign
    assert "/dev/md127p1 has xfs, which is not the run's" in found.foreign
