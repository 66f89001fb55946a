"""What no figure shows: one line, and nothing in it that does not apply."""

import pytest

from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.advice.wording import CAVEATS, caveat_line, caveats
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import TB

_ALWAYS = "Besides: RAID is no backup; check the array monthly; no checksums in md"


@pytest.mark.parametrize(
    "use, count, kind, further",
    [
        ("files", 3, "HDD", "; write hole after a crash while degraded (PPL closes it); avoid SMR (shingled) disks."),
        ("files", 6, "HDD", "; write hole after a crash while degraded (journal closes it, PPL cannot); avoid SMR"
         " (shingled) disks."),
        ("vms", 4, "HDD", "; avoid SMR (shingled) disks."),
        ("files", 6, "SSD", "; write hole after a crash while degraded (journal closes it, PPL cannot)."),
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


def test_the_page_leaves_out_what_its_table_or_its_assumptions_have() -> None:
    """Never a caveat that protects data."""
    assert [caveat.words for caveat in CAVEATS if caveat.in_table] == [
        "unreadable sectors not computed for flash, not zero",
        "rates without limits of CPU, memory, PCIe",
    ]
    nvme = advise(Wish(Workload.MEDIA, 1), imagined([4 * TB] * 2, True, True))
    assert caveats(nvme) == ["RAID is no backup", "check the array monthly", "no checksums in md"]
