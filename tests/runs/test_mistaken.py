"""A disk that another could be taken for: what is said, what is still taken back, and what nobody believes."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.runs.member_guard import Members, MembersError
from raidtui.runs.waiting import Ended
from tests.builders.machines import device, machine
from tests.runs.rig import BOOT, FINISHED, Argv, Rig, WrittenHost, plan_of

SEEN = machine(
    *(device(name, attributes={"diskseq": str(number)}) for number, name in enumerate(("sda", "sdb", "sdc"), 1))
)
FOREIGN = device(
    "sdx",
    attributes={"diskseq": "9"},
    properties={"ID_WWN": SEEN.devices[1].properties["ID_WWN"], "ID_SCSI_SERIAL": "FOREIGN"},
)
BOTH = replace(SEEN, devices=(*SEEN.devices, FOREIGN))


def test_a_foreign_disk_with_a_members_wwn_is_what_is_told_not_the_cable() -> None:
    plan = plan_of(seen=SEEN)
    with pytest.raises(MembersError) as refused:
        Members(plan, WrittenHost(BOTH)).look()
    said = str(refused.value)
    assert "sdb (ST4000" in said and "sdx (ST4000 FOREIGN) both say that they are wwn-" in said
    assert "unplug the one that came since" in said and "cable" not in said


@pytest.mark.parametrize("another_worker", [False, True])
def test_nothing_is_left_standing_for_it(tmp_path: Path, another_worker: bool) -> None:
    """It comes while the array is measured; the worker takes all back, or the next one does, in the same boot."""
    rig = Rig(tmp_path, plan_of("5", seen=SEEN), SEEN)
    rig.build()
    building = rig.answer

    def answer(argv: Argv) -> Ended:
        if argv[0] == "fio" and rig.array:
            rig.seen = BOTH
            if another_worker:
                raise KeyboardInterrupt
        return building(argv)

    rig.answer = answer
    if another_worker:
        with pytest.raises(KeyboardInterrupt):
            rig.go()
        rig.open()
        rig.answer = building
        assert rig.taken_back() == FINISHED
    else:
        assert rig.go()[::2] == ("finished", [])
    assert rig.array is None and rig.superblocks == {}
    wiped = [argv[-1] for argv in rig.given if argv[:2] == ("wipefs", "--all")]
    assert "/dev/sdb" in wiped and "/dev/sdx" not in wiped


def nameless(diskseq: str) -> Machine:
    """Disks that are known by their place alone."""
    said = {"ID_WWN": "", "ID_SCSI_SERIAL": ""}
    return machine(
        *(
            device(name, properties={**said, "ID_PATH": f"pci-{name}"}, attributes={"diskseq": diskseq})
            for name in ("sda", "sdb", "sdc")
        )
    )


def test_a_place_is_no_identity_in_another_boot_whatever_its_number() -> None:
    seen = nameless("4")
    assert {disk.id.partition("-")[0] for disk in disks_of(seen)} == {"path"}
    plan = replace(plan_of(seen=seen), boot_id=BOOT)
    host = WrittenHost(seen)
    assert len(Members(plan, host).look()) == 3
    for other in (replace(plan, boot_id="another"), replace(plan, boot_id="")):
        with pytest.raises(MembersError, match="booted anew"):
            Members(other, host).look()
    with pytest.raises(MembersError, match="booted anew"):
        Members(plan, WrittenHost(nameless("5"))).look()
