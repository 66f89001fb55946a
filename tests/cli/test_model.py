"""`capacity` and `predict`: what is typed reaches the model, and its figures come back in words and as JSON."""

import json

import pytest

from raidtui.core.raid.capacity import capacity
from tests.cli.conftest import Command


@pytest.mark.parametrize("level", ["5", "RAID 5", "raid5", "RAID-5"])
def test_a_level_may_be_written_as_people_do(command: Command, level: str) -> None:
    status, printed, _ = command("capacity", level, "--disk", "1TBx3", "--disk", "2TB", "--chunk", "64K", "--json")
    expected = capacity("5", [10**12] * 3 + [2 * 10**12], 64 * 1024)
    assert status == 0 and json.loads(printed)["array_bytes"] == expected.array_bytes
    _, words, _ = command("capacity", level, "--disk", "1TBx3", "--disk", "2TB", "--chunk", "64K")
    assert words.startswith("3 x 1.00 TB + 1 x 2.00 TB = 5.00 TB = 4.55 TiB raw")
    assert "the array" in words and "3.00 TB" in words and words.endswith("survives  1 failed disk\n")


def test_a_prediction_has_units_in_words_and_in_its_names(command: Command) -> None:
    asked = ("predict", "5", "--disks", "6", "--mbps", "200", "--iops", "150")
    assert json.loads(command(*asked, "--json")[1])["seq_write_mbps"] == 1000


PREDICT = ("predict", "0", "--disks", "8", "--mbps", "7000")


def test_a_disks_iops_by_depth(command: Command) -> None:
    asked = (*PREDICT, "--read-iops", "1:106,4:150,32:220", "--write-iops", "1:90", "--json")
    full = json.loads(command(*asked)[1])
    assert (full["rand_read_iops"], full["rand_write_iops"]) == (pytest.approx(8 * 220), pytest.approx(8 * 90))
    assert full["iops_source"] == "as given" and full["error_share"] is None
    short = json.loads(command(*asked, "--queue-depth", "8", "--flash")[1])
    assert 8 * 90 * 0.8 > short["rand_write_iops"] > 4 * 90
    assert short["limited_by"]["rand_read_iops"] == "queue" and 0 < short["error_share"] < 0.05


def test_md_threads_and_a_kind_of_disk_in_place_of_figures(command: Command) -> None:
    asked = ("predict", "5", "--disks", "8", "--mbps", "7000", "--assume", "nvme", "--flash", "--json")
    said = json.loads(command(*asked)[1])
    assert (said["rand_write_iops"], said["limited_by"]["rand_write_iops"]) == (65_000, "md-thread")
    assert said["iops_source"] == "assumed NVMe"
    assert json.loads(command(*asked, "--group-threads", "4")[1])["rand_write_iops"] == 260_000


def test_a_rate_that_is_only_an_upper_limit_is_marked(command: Command) -> None:
    printed = command("predict", "5", "--disks", "4", "--assume", "nvme")[1].splitlines()
    assert printed[1].split()[:5] == ["seq", "write", "up", "to", "1352"] and printed[0].split()[:2] == ["seq", "read"]
    assert printed[-2:] == [
        "up to          upper limit, not confirmed on hardware",
        "others         measured elsewhere, 27 of 41 within ±30 %",
    ]
    told = json.loads(command("predict", "5", "--disks", "4", "--assume", "nvme", "--json")[1])
    assert told["confidence"]["seq_write_mbps"] == "upper-limit"
    assert told["confidence"]["rand_write_iops"] == "confirmed"


def test_a_kernel_before_5_14_reads_small_blocks_of_parity_slower(command: Command) -> None:
    asked = ("predict", "5", "--disks", "8", "--assume", "nvme", "--json")
    by_kernel = [json.loads(command(*asked, "--kernel", kernel)[1]) for kernel in ("5.10", "6.1")]
    assert [said["rand_read_iops"] for said in by_kernel] == [1.2e6, 3.84e6]
    assert [said["limited_by"]["rand_read_iops"] for said in by_kernel] == ["md-lock", "disks"]
    status, _, error = command(*asked, "--kernel", "new")
    assert status == 2 and "no release of Linux: 'new'" in error


def test_btrfs_is_refused_with_the_reason(command: Command) -> None:
    status, _, error = command("predict", "btrfs-raid1", "--disks", "4", "--assume", "hdd")
    assert status == 2 and "no model of btrfs" in error
