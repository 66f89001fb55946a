"""What shows that a rotating drive is shingled, and what does not."""

import pytest

from raidtui.core.hardware.drive import DriveHealth
from raidtui.core.hardware.judgement import DriveContext, Fitness, judge
from raidtui.core.hardware.shingled import why_shingled


@pytest.mark.parametrize(
    ("model", "rpm", "trim", "zoned", "begins"),
    [
        ("ACME", 7200, False, "host-aware", "it is zoned"),
        ("ACME", 7200, None, "host-managed", "it is zoned"),
        ("WDC WD40EFAX-68JH4N0", 5400, True, "none", "so its maker says of this model (Western Digital"),
        ("ST8000DM004-2CX188", 5425, None, "", "so its maker says of this model (Seagate"),
        ("TOSHIBA HDWD260", 5400, None, "", "so its maker says of this model (Toshiba"),
        ("ACME", 5400, True, "none", "it rotates and takes TRIM"),
        ("ACME", 5400, False, "none", ""),
        ("WDC WD40EFRX-68N32N0", 5400, False, "", ""),
        ("ACME", 0, True, "none", ""),
        ("ACME", None, True, "", ""),
    ],
)
def test_why_a_drive_is_taken_to_be_shingled(
    model: str, rpm: int | None, trim: bool | None, zoned: str, begins: str
) -> None:
    health = DriveHealth(model=model, rotation_rpm=rpm, trim=trim)
    why = why_shingled(health, zoned)
    assert why.startswith(begins) and bool(why) == bool(begins)
    assert (judge(health, DriveContext(zoned=zoned)).fitness is Fitness.WATCH) == bool(begins)
