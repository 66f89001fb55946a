"""What no figure shows: one line, and nothing in it that does not apply."""

import pytest

from raidtui.core.advice.caveats import caveat_line
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import TB

_ALWAYS = "Besides: RAID is no backup; check the array monthly"


@pytest.mark.parametrize(
    ("use", "count", "kind", "further"),
    [
        ("files", 3, "HDD", "; write hole after a crash while degraded (PPL closes it); no shingled disks (SMR)."),
        ("files", 6, "HDD", "; write hole after a crash while degraded (a journal closes it, no PPL); no shingled"
         " disks (SMR)."),
        ("vms", 4, "HDD", "; no shingled disks (SMR)."),
        ("files", 6, "SSD", "; write hole after a crash while degraded (a journal closes it, no PPL)."),
        ("databases", 4, "SSD", "; unreadable sectors not computed for flash, not zero; sync writes need power-loss"
         " protection."),
        ("media", 2, "NVMe", "; unreadable sectors not computed for flash, not zero; rates without limits of CPU,"
         " memory, PCIe."),
    ],
)  # fmt: skip
def test_the_caveats_of_a_proposal(use: str, count: int, kind: str, further: str) -> None:
    disks = imagined([4 * TB] * count, kind != "HDD", kind == "NVMe")
    assert caveat_line(advise(Wish(Workload(use), 1), disks)) == _ALWAYS + further


def test_what_survives_nothing_has_said_so_already() -> None:
    assert caveat_line(advise(Wish(Workload.SCRATCH, 0), imagined([4 * TB] * 4, False))) == ""
