"""The lines for arrays that no run keeps: the same steps by the nodes of now; how one is grown."""

import msgspec
import pytest

from raidtui.core.arrays.array import Upon
from raidtui.core.care import by_hand, plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Signature
from tests.builders.care import cared_for, seen, serial
from tests.builders.machines import device


def test_the_lines_of_a_check() -> None:
    array, disks = cared_for(seen(), kept=False)
    assert by_hand.check(array, plans.check_steps(array, disks, Limits(at_most_kib_s=500))) == (
        "echo 500 > /sys/block/md127/md/sync_speed_max",
        "echo 0 > /sys/block/md127/md/sync_min",
        "mdadm --action=check /dev/md127",
        "mdadm --wait /dev/md127",
        "cat /sys/block/md127/md/mismatch_cnt  # sectors that differ",
    )


def test_the_lines_of_a_replacement() -> None:
    full = device("sdd", signatures=(Signature(kind="ext4", label="old"),))
    array, disks = cared_for(seen(new=full), kept=False)
    how = plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, Limits())
    assert by_hand.replace(array, how) == (
        "wipefs --all /dev/sdd  # erases ext4 (old)",
        "wipefs --no-act /dev/sdd  # must print nothing, else stop",
        "mdadm --add /dev/md127 /dev/sdd",
        "mdadm --replace /dev/md127 /dev/sdb --with /dev/sdd",
        "mdadm --wait /dev/md127",
        "mdadm --remove /dev/md127 /dev/sdb",
    )


@pytest.mark.parametrize(
    "level, new, lines",
    [
        (
            "raid5",
            ["/dev/sdd"],
            (
                "mdadm --add /dev/md127 /dev/sdd",
                "mdadm --grow /dev/md127 --raid-devices=4",
                "mdadm --wait /dev/md127",
                "resize2fs /dev/md127",
            ),
        ),
        ("raid6", [], ("mdadm --grow /dev/md127 --size=max", "mdadm --wait /dev/md127", "resize2fs /dev/md127")),
        ("raid0", ["/dev/sdd"], ()),
    ],
)
def test_how_an_array_is_grown(level: str, new: list[str], lines: tuple[str, ...]) -> None:
    assert by_hand.grow(cared_for(seen(level))[0], new) == lines


@pytest.mark.parametrize(
    "names, lines",
    [
        (("g/data",), ("pvresize /dev/md127", "lvextend --extents +100%FREE g/data", "resize2fs /dev/g/data")),
        (("g/data", "g/more"), ("pvresize /dev/md127",)),  # which of them gets the room is the person's
    ],
)
def test_what_is_on_lvm_is_grown_after_its_physical_volume(names: tuple[str, ...], lines: tuple[str, ...]) -> None:
    upon = tuple(Upon(device=f"dm-{number}", kind="ext4", volume=name) for number, name in enumerate(names))
    array = msgspec.structs.replace(cared_for(seen("raid6"))[0], upon=upon)
    assert by_hand.grow(array, [])[2:] == lines


def test_the_lines_for_whoever_has_to_replace_one_later() -> None:
    array, _ = cared_for(seen(), kept=False)
    looked = "wipefs --no-act /dev/NEW  # must print nothing, else stop"
    assert by_hand.replace_any(array, "failed") == (
        looked,
        "mdadm --remove /dev/md127 /dev/OLD",
        "mdadm --add /dev/md127 /dev/NEW",
        "mdadm --wait /dev/md127",
    )
    assert by_hand.replace_any(array, "works")[1:3] == (
        "mdadm --add /dev/md127 /dev/NEW",
        "mdadm --replace /dev/md127 /dev/OLD --with /dev/NEW",
    )
