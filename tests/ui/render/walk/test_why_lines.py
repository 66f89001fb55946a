"""Beside a level: what is proposed and why, rates, write penalty, failures, capacity."""

import pytest

from raidtui.core.advice.preview import preview_level
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import Units
from raidtui.ui.render.walk.why_lines import capacity_lines, why_lines, why_page
from tests.ui.machines import rack
from tests.ui.pages import texts

VMS = advise(Wish(Workload.VMS, 1), rack(8))


def test_the_proposed_level_in_figures() -> None:
    shown = [" ".join(line.split()) for line in texts(why_lines(VMS.best.preview, VMS, Units.DECIMAL, 56))]
    assert shown[0] == "◆ RAID 10 n2 proposed for virtual machines"
    assert "random 4K 1200 IOPS 8.0× 600 IOPS 4.0×" in shown and "sequential ≤ 720 MB/s 4.0× 720 MB/s 4.0×" in shown
    assert "W W 2 RAID 10 n2" in shown and "R R R W W W 6 RAID 6" in shown
    assert "Failures Survives any 1, 1 more in 6 of 7 cases" in shown
    assert "labels 32.0 TB 29.1 TiB" in shown and "usable 16.0 TB 14.6 TiB" in shown


def test_another_level_stands_beside_the_proposed_one() -> None:
    shown = [
        " ".join(line.split())
        for line in texts(why_lines(preview_level("5", None, None, rack(8)), VMS, Units.DECIMAL, 56))
    ]
    assert shown[0] == "◆ Proposed for virtual machines: RAID 10 n2"
    assert "R R W W 4 RAID 5" in shown and "W W 2 RAID 10 n2" in shown
    assert "up to 20 of 100 rebuilds hit an unreadable" in " ".join(shown)


def test_losses_and_the_rest_are_the_labels() -> None:
    view = preview_level("6", None, None, rack(8))
    assert view.capacity
    signed = [line.split() for line in texts(capacity_lines(view))[1:]]
    assert [words[0] for words in signed] == ["labels", "parity", "md", "usable"]
    assert [words[-4][0] == "−" for words in signed] == [False, True, True, False]


@pytest.mark.parametrize("width", [36, 56, 76])
def test_nothing_is_wider_than_its_panel_and_blank_lines_go_first(width: int) -> None:
    for key in ("0", "1", "5", "6", "10", "jbod"):
        view = preview_level(key, "n2" if key == "10" else None, None, rack(8))
        high, dense, low = (why_lines(view, VMS, Units.DECIMAL, width, height) for height in (60, 22, 9))
        assert () in high and len(low) <= 9 and all(line in high for line in low) and len(dense) <= 22
        assert any("usable" in text for text in texts(low))  # what is left out is no capacity
        assert max(map(len, texts(low))) <= max(width, 54)


def test_the_page_of_reasons_has_every_sentence() -> None:
    said = " ".join(" ".join(texts(why_page(VMS.best.preview, VMS, Units.DECIMAL, 76))).split())
    assert "Proposed: RAID 10 n2, chunk 512 KiB, xfs: 16.0 TB = 14.6 TiB usable" in said
    assert "Virtual machines write small blocks constantly, which parity slows down: small writes 4.0x one disk" in said
    assert "Second best, RAID 6: 24.0 TB, 8.00 TB more" in said and "Striped mirrors" in said
    lost = preview_level("6", None, None, rack(2))
    assert "Not possible: RAID 6 needs 4 disks" in texts(why_page(lost, "add 1", Units.DECIMAL, 76))[3]


def test_a_level_without_a_model_shows_no_figures_of_speed() -> None:
    view = preview_level("btrfs-raid1", None, None, rack(2))
    shown = [" ".join(line.split()) for line in texts(why_lines(view, None, Units.DECIMAL, 56))]
    assert shown[0] == "Expected no model of its speed" and not any("×" in line for line in shown)
