"""`capacity` and `predict`: what is typed reaches the model, and its figures come back in words and as JSON."""

import json

import pytest

from raidtui.cli import output
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
    _, words, _ = command("capacity", level, "--disk", "1TBx3", "--filesystem", "ext4")
    assert "ext4 metadata, about" in words and "df -h: Size about 1.8T" in words


def test_what_is_no_level_is_bad_input_that_names_the_levels(command: Command) -> None:
    status, out, err = command("capacity", "7", "--disk", "1TBx4")
    assert (status, out) == (output.BAD_INPUT, "") and "choose one of 0, 1, 4, 5, 6, 10, linear, jbod" in err


@pytest.mark.parametrize(
    "asked, says",
    [
        (("capacity", "raidz1", "--disk", "1TBx4"), "'raidz1' is not a RAID level"),
        (("capacity", "zfs-raidz1", "--disk", "1TBx4", "--filesystem", "xfs"), "is a file system of its own"),
        (("capacity", "0", "--disk", "3MBx2", "--filesystem", "xfs"), "xfs needs 315 MB"),
        (("predict", "5", "--disks", "6", "--mbps", "inf", "--iops", "1"), "are numbers from 0 on"),
        (("predict", "5", "--disks", "100000", "--mbps", "1", "--iops", "1"), "9999"),
    ],
)
def test_what_cannot_be_reckoned_is_bad_input(command: Command, asked: tuple[str, ...], says: str) -> None:
    status, out, err = command(*asked)
    assert (status, out) == (output.BAD_INPUT, "") and says in err


@pytest.mark.parametrize("level", ["btrfs-raid1", "zfs-raidz1"])
def test_the_name_of_a_pool_is_left_as_it_is(command: Command, level: str) -> None:
    assert command("capacity", level, "--disk", "1TBx4")[0] == 0


def test_a_pool_may_be_asked_for_by_its_own_file_system(command: Command) -> None:
    """As in answers: of btrfs' own RAID 1 `df` is told."""
    status, words, _ = command("capacity", "btrfs-raid1", "--disk", "1TBx4", "--filesystem", "btrfs")
    assert status == 0 and "df -h: Size about" in words


def test_a_prediction_has_units_in_words_and_in_its_names(command: Command) -> None:
    asked = ("predict", "5", "--disks", "6", "--mbps", "200", "--iops", "150")
    status, words, _ = command(*asked)
    assert status == 0 and "seq write      1000 MB/s\n" in words
    assert json.loads(command(*asked, "--json")[1])["seq_write_mbps"] == 1000


PREDICT = ("predict", "0", "--disks", "8", "--mbps", "7000")


def test_large_figures_are_written_out_and_their_limit_is_named(command: Command) -> None:
    _, words, _ = command(*PREDICT, "--iops", "1000000", "--flash")
    assert "rand read      8,000,000 IOPS\n" in words and "(limit" not in words
    _, words, _ = command(*PREDICT, "--iops", "1000000", "--flash", "--queue-depth", "32", "--jobs", "2")
    assert "rand read      500,000 IOPS   (limit: submitting processes, assumed)\n" in words
    _, words, _ = command(*PREDICT, "--iops", "100", "--link", "3.9GB/s", "--queue-depth", "4")
    assert "seq read       3900 MB/s   (limit: link)\n" in words
    assert "   (limit: queue depth)\n" in words and "error share" in words


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


@pytest.mark.parametrize(
    "options, sentence",
    [
        ((), "IOPS of one disk needed, once; use --iops, --read-iops with --write-iops, or --assume hdd"),
        (("--iops", "1", "--assume", "hdd"), "needed, once"),
        (("--read-iops", "1:2"), "needed, once"),
        (("--read-iops", "1:2", "--write-iops", "fast"), "'fast' is no depth curve: write depth:IOPS pairs"),
        (("--assume", "tape"), "'tape' is no kind of disk"),
        (("--iops", "1", "--link", "wide"), "'wide' is not a rate"),
    ],
)
def test_what_is_no_disk_is_answered_with_one_sentence(
    command: Command, options: tuple[str, ...], sentence: str
) -> None:
    status, out, err = command(*PREDICT, *options)
    assert (status, out) == (output.BAD_INPUT, "") and sentence in err and err.count("\n") == 1


def test_a_file_system_that_ends_before_the_array_is_bad_input(command: Command) -> None:
    status, out, err = command("capacity", "0", "--disk", "10TBx2", "--filesystem", "ext2")
    assert (status, out) == (output.BAD_INPUT, "")
    assert err == "raidtui: ext2 ends at 16.0 TiB, the array has 20.0 TB = 18.2 TiB; choose another file system.\n"


def test_the_disk_that_no_mirror_takes_is_no_larger_disk(command: Command) -> None:
    status, words, _ = command("capacity", "zfs-mirror", "--disk", "4TBx3")
    assert status == 0 and "larger disks" not in words and "md's" not in words
    assert "  disks in no mirror                    -   4.00 TB -  3.64 TiB\n" in words
