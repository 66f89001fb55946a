"""The reasons as a person reads them: short, and every figure one that can be checked by hand."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.advice import wording
from raidtui.core.advice.preview import PreviewSpeed
from raidtui.core.advice.proposals import Advice, NoAdvice, Wish, advise, rationale
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from tests.builders.labels import nominal_bytes


def advice(
    use: str, survive: int, count: int, gigabytes: int, transport: str = "", speed: PreviewSpeed | None = None
) -> Advice:
    members = imagined([nominal_bytes(gigabytes)] * count, flash=bool(transport))
    members = tuple(msgspec.structs.replace(one, transport=transport) for one in members)
    return advise(Wish(Workload(use), survive), members, speed)


def test_a_media_box_of_6_disks_of_8_tb() -> None:
    found = advice("media", 1, 6, 8000)
    assert wording.heading(found.best) == "RAID 6, chunk 512 KiB, xfs: 32.0 TB = 29.1 TiB usable"
    gain, failing, price = wording.sentences(found)
    assert "sequential reads 720 MB/s, 4.0x one disk (180 MB/s each, HDD assumed)" in gain
    assert failing == (
        "Any 2 disks may fail: with 6 disks, a second may fail during a rebuild; rebuild at least 12 h 20 min"
        " (180 MB/s, HDD assumed), reads 40.0 TB."
    )
    assert price == "Cost: 2 disks' space, 16.0 TB; write penalty 6 (small writes 1.0x one disk)."
    assert wording.second_best(found) == (
        "Second best, RAID 10 n2: 24.0 TB, 8.00 TB less; any 1 disk may fail; small writes 3.0x one disk, sequential"
        " reads up to 3.0x; loss 1 in 200,000 a year. No redundancy during the rebuild: up to 6 of 100 rebuilds hit an"
        " unreadable sector (8.00 TB, upper limit at the maker's rate of 1 in 10^15 bits; 47 at 10^14, some desktop"
        " drives)."
    )


@pytest.mark.parametrize(
    "share, words",
    [
        (0.061, "6.1 %"), (0.001, "0.1 %"), (1 / 8400, "1 in 8,000"), (1 / 190_000, "1 in 200,000"),
        (1e-6, "1 in 1,000,000"), (0.99e-6, "under 1 in 1,000,000"), (0.0, "under 1 in 1,000,000"),
    ],
)  # fmt: skip
def test_a_loss_is_an_order_of_magnitude_and_no_less_than_common_causes(share: float, words: str) -> None:
    assert wording.share_words(share) == words


def test_the_loss_names_its_assumptions() -> None:
    assert wording.yearly_words(advice("vms", 1, 5, 4000)).startswith(
        "Loss by failing disks: 1 in 200,000 a year (AFR 1.57 %, HDD, Backblaze 2024; rebuild under load 18 h 31 min,"
        " 3 times idle, assumed; independent failures)."
    )
    assert "; common causes dominate)." in wording.yearly_words(advice("vms", 2, 6, 4000))
    assert "(AFR 5 %, given; " in wording.yearly_words(advice("vms", 1, 5, 4000), 0.05)
    assert "; loss 24 % a year" in wording.second_best(advice("media", 1, 6, 16000), 0.9)


def test_what_costs_space_for_a_backup_says_what_counts_more() -> None:
    words = "so space counts more than speed, and safety more than both: "
    assert words in wording.sentences(advice("backup", 1, 6, 4000))[0]
    assert "so space counts more than speed: " in wording.sentences(advice("backup", 2, 6, 4000))[0]


def test_4_nvme_drives_for_a_database() -> None:
    found = advice("databases", 1, 4, 2000, "nvme")
    gain, failing, price = wording.sentences(found)
    waits = "Databases wait for small writes, which parity slows down"
    assert gain == f"{waits}: small writes 2.0x one disk, on RAID 6 0.3x."
    assert "(one more in 2 of 3 cases)" in failing and "at least 2 h 42 min (md's speed_limit_max, 205 MB/s)" in failing
    assert failing.endswith(", reads 2.00 TB.")
    assert price == "Cost: every block is stored 2 times, copies take 4.00 TB of 8.00 TB."
    assert "small writes 0.3x one disk (limit: md's single parity thread)" in wording.second_best(found)
    assert "unreadable" not in wording.second_best(found)  # said of rotating disks alone


def test_24_sas_disks_for_virtual_machines() -> None:
    gain, failing, price = wording.sentences(advice("vms", 1, 24, 1200))
    assert gain.endswith("small writes 12x one disk, on RAID 10 n3 8.0x.")
    assert "(one more in 22 of 23 cases)" in failing and "stored 2 times, copies take 14.4 TB of 28.8 TB" in price
    assert "stored 3 times" in wording.sentences(advice("vms", 2, 24, 1200))[2]


def test_without_redundancy_the_loss_comes_first() -> None:
    first, _, last = wording.sentences(advice("scratch", 0, 4, 1000))
    assert first.startswith("One failed disk loses all data") and last.startswith("No redundancy")
    assert wording.sentences(advice("backup", 0, 1, 1000))[0].startswith("If it fails, all data is lost")
    assert wording.second_best(advice("backup", 0, 1, 1000)) == ""


def test_scratch_that_survives_is_not_proposed_for_its_space() -> None:
    told = wording.sentences(advice("scratch", 2, 6, 1000))
    assert "so speed counts:" in told[0] and "space counts" not in " ".join(told)


def test_what_is_known_of_a_disk_is_not_called_assumed() -> None:
    said = " ".join(wording.sentences(advice("media", 1, 6, 8000, speed=PreviewSpeed(90e6, 100))))
    assert "90.0 MB/s, as measured or given" in said and "assumed" not in said


def test_unequal_disks_are_told() -> None:
    members = imagined([nominal_bytes(4000)] * 3 + [nominal_bytes(6000)], False)
    assert "2.00 TB of larger disks unused" in wording.sentences(advise(Wish(Workload.BACKUP, 2), members))[2]


@given(
    st.sampled_from(Workload),
    st.integers(0, 2),
    st.integers(1, 100),
    st.integers(100, 24_000),
    st.sampled_from(["", "nvme"]),
)
def test_the_sentences_are_short_and_say_what_the_values_say(
    use: Workload, survive: int, count: int, gigabytes: int, transport: str
) -> None:
    try:
        found = advice(use, survive, count, gigabytes, transport)
    except NoAdvice:
        return
    why = rationale(found)
    said = wording.sentences(found)
    assert all(text.endswith(".") and len(text) < 330 for text in said)
    assert not re.search(r"None|nan|inf\b|0\.0x", " ".join((*said, wording.second_best(found))))
    expected = {0: "", 1: "any 1 disk may fail", 2: "any 2 disks may fail"}
    survives = why.failing.survives
    if survives:
        assert expected.get(survives, f"any {survives} disks may fail") in said[1].lower()
