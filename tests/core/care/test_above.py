"""What lies on an array that has grown: the words that the run gives, or the lines that are left to a person."""

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array, Upon
from raidtui.core.care import plans

MOUNTED = Upon(device="md127", kind="xfs", mounted_at=("/srv/my data",))
UNMOUNTED = replace(MOUNTED, mounted_at=())


def on(*upon: Upon) -> Array:
    return Array(name="md127", node="/dev/md127", uuid="", upon=upon)


@pytest.mark.parametrize(
    "upon, words",
    [
        ((MOUNTED,), ("xfs_growfs", "/srv/my data")),
        ((replace(MOUNTED, kind="ext2"),), ("resize2fs", "{array}")),
        ((replace(MOUNTED, kind="swap"),), ()),
        ((replace(MOUNTED, volume="g/v"),), ()),
        ((replace(MOUNTED, device="md127p1"),), ()),
        ((replace(MOUNTED, mounted_at=("/{array}",)),), ()),
        ((replace(MOUNTED, mounted_at=("/srv/dev",)),), ()),  # no plan names what could be a device
        ((UNMOUNTED,), ()),
        ((MOUNTED, UNMOUNTED), ()),
        ((), ()),
    ],
)
def test_a_run_grows_what_is_mounted_and_lies_on_the_array_itself(
    upon: tuple[Upon, ...], words: tuple[str, ...]
) -> None:
    assert plans.command(on(*upon)) == words


def test_the_lines_for_a_person() -> None:
    assert tuple(plans.lines(on(UNMOUNTED))) == ("mount /dev/md127 /mnt", "xfs_growfs /mnt")
    assert tuple(plans.lines(on(replace(MOUNTED, kind="swap")))) == ()


@pytest.mark.parametrize(
    "kind, before_tib, after_tib, is_known",
    [
        ("ext4", 12, 18, True),
        ("ext2", 12, 18, True),
        ("ext4", 12, 15, False),
        ("ext4", 17, 20, False),
        ("xfs", 12, 18, False),
    ],
)
def test_ext_without_64bit_does_not_grow_over_16_tib(
    kind: str, before_tib: int, after_tib: int, is_known: bool
) -> None:
    """resize2fs: New size too large to be expressed in 32 bits."""
    array = replace(on(replace(MOUNTED, kind=kind)), size_bytes=before_tib << 40)
    note = plans.ends_before(array, after_tib << 40)
    assert bool(note) is is_known
    assert not note or note == f"{kind} without the feature 64bit ends at 16.0 TiB (`tune2fs -l` shows its features)"
