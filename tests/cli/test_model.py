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
    assert (said["rand_write_iops"], said["limited_by"]["rand_write_iops"]) == (100_000, "md-thread")
    assert said["iops_source"] == "assumed NVMe"
    assert json.loads(command(*asked, "--group-threads", "4")[1])["rand_write_iops"] == 400_000
