"""The names under which counts stand in journals: they are read years later."""

import msgspec

from raidtui.core.hardware.drive import COUNTS, DriveHealth, counts, counts_in_words, of_counts
from raidtui.core.run.events import UNITS_WRITTEN


def test_the_names_of_counts_stay() -> None:
    assert [name for name, _ in COUNTS] == [
        "power-on hours", "reallocated sectors", "pending sectors", "offline uncorrectable", "uncorrectable errors",
        "command time-outs", "link errors", "written by hosts, units of 512,000 bytes",
        "media errors", "grown defects", "uncorrected reads", "uncorrected writes",
        "used, %", "spare, %", "temperature, °C",
    ]  # fmt: skip
    assert UNITS_WRITTEN in dict(COUNTS)
    assert {field for _, field in COUNTS} <= {field.name for field in msgspec.structs.fields(DriveHealth)}


def test_nothing_told_is_nothing_counted_and_zero_is_something() -> None:
    assert counts(DriveHealth()) == {} and not DriveHealth().is_known
    assert counts(DriveHealth(media_errors=0)) == {"media errors": 0} and DriveHealth(media_errors=0).is_known
    assert counts_in_words(DriveHealth(passed=True)) == {"health": "passed"}


def test_what_a_journal_has_of_a_drive_is_read_again() -> None:
    for health in (
        DriveHealth(),
        DriveHealth(passed=True, power_on_hours=31250, temperature_c=31.5),
        DriveHealth(passed=False, failing="spindle: motor", pending_sectors=3),
        DriveHealth(passed=False, media_errors=0),
    ):
        told = msgspec.json.decode(msgspec.json.encode(counts_in_words(health)), type=dict[str, float | str])
        assert of_counts(told) == health
    assert of_counts({"health": "passed", "of a later version": 1}) == DriveHealth(passed=True)
