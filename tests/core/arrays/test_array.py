"""The kernel's three files of a sync, as one value."""

import pytest

from raidtui.core.arrays.array import Sync, sync_of


@pytest.mark.parametrize(
    "files, sync",
    [
        (("idle", "none", "none"), None),
        (("", "", ""), None),
        (("frozen", "none", "none"), None),
        (("recover", "548472 / 1044480", "18951"), Sync("recover", 280817664, 534773760, 18951 * 1024.0)),
        (("resync", "delayed", "none"), Sync("resync", 0, 0, 0.0, "delayed")),
        (("check", "", ""), Sync("check", 0, 0, 0.0, "pending")),
        (("resync", "none", "none"), Sync("resync", 0, 0, 0.0, "pending")),
        (("check", "8 / 16", "none"), Sync("check", 4096, 8192, 0.0)),
        (("check", "8 / " + "9" * 30, "1"), Sync("check", 0, 0, 0.0, "8")),
    ],
)
def test_what_goes_on_and_what_waits(files: tuple[str, str, str], sync: Sync | None) -> None:
    assert sync_of(*files) == sync


def test_the_time_left_is_known_while_it_moves() -> None:
    assert Sync("check", 100, 300, 50.0).left_s == 4.0
    assert Sync("check", 100, 300, 0.0).left_s is None
    assert (Sync("resync", 0, 0, 0.0, "delayed").description, Sync("check", 1, 2, 3.0).description) == (
        "resync, delayed",
        "check",
    )
