"""When an array was last checked: by mdcheck's marks, and by this boot's log."""

import pytest

from raidtui.core.arrays.monitor import CheckMarks, last_check, latest_of, of_kernel_log, of_mdcheck
from tests.builders.arrays import DIGITS, UUID

LOG = (
    "6,100,1000000,-;md: data-check of RAID array md127",
    "6,101,5000000,-;md: md127: data-check done.",
    "6,102,6000000,-;md: md126: data-check done.",
    "6,103,7000000,-;md: md126: data-check interrupted.",
    "6,104,8000000,-;md: md125: recovery done.",
    "6,105,99999999999999999999,-;md: md124: data-check done.",
    "no record at all",
)


def test_the_log_tells_when_the_last_check_of_an_array_ended() -> None:
    assert of_kernel_log(LOG, 1000.0) == {"md127": 1005.0}


@pytest.mark.parametrize(
    "name, content, marks",
    [
        (f"MD_UUID_{UUID}", b"4096\n", CheckMarks(paused_sectors={DIGITS: 4096})),
        (f"Checked_{UUID}", b"", CheckMarks(done_s={DIGITS: 7.0})),
        (f"MD_UUID_{UUID}", b"\xff", CheckMarks()),
        ("MD_UUID_", b"1", CheckMarks()),
        (".md-check-12", b"MD_UUID=x", CheckMarks()),
    ],
)
def test_files_of_mdcheck(name: str, content: bytes, marks: CheckMarks) -> None:
    assert of_mdcheck(name, content, 7.0) == marks


def test_only_a_check_that_was_followed_to_its_end_is_complete() -> None:
    marks = CheckMarks(done_s={DIGITS: 50.0}, ended_s={"md127": 90.0})
    unseen = last_check(marks, "md127", DIGITS, True)
    assert (unseen.source, unseen.complete) == ("the kernel's log", None)
    followed = last_check(marks, "md127", DIGITS, True, 89.0)  # the same one, by another clock
    assert (followed.source, followed.complete, followed.at_s) == ("raidtui", True, 89.0)
    later = last_check(marks, "md127", DIGITS, True, 20.0)  # another check came after it
    assert (later.at_s, later.complete) == (90.0, None)


def test_the_latest_counts_and_the_log_only_where_the_kernel_says_that_it_was_a_check() -> None:
    marks = latest_of((CheckMarks(done_s={DIGITS: 50.0}), CheckMarks(ended_s={"md127": 90.0}, scheduled_by=("cron",))))
    assert (last_check(marks, "md127", DIGITS, True).at_s, last_check(marks, "md127", DIGITS, True).source) == (
        90.0, "the kernel's log",
    )  # fmt: skip
    assert last_check(marks, "md127", DIGITS, False).at_s == 50.0
    assert last_check(marks, "md1", "0" * 32, True).at_s is None
    assert last_check(CheckMarks(paused_sectors={DIGITS: 8}), "md127", DIGITS, False).paused_bytes == 4096
