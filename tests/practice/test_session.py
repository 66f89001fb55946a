"""`raidtui practice`: what the wizard in the practice kernel is told of its disks."""

from typing import Any

import pytest

from raidtui.practice import session
from raidtui.runs.planning import HELD_TO


@pytest.mark.parametrize(
    "speed, iops, told",
    [("94MB/s", 0, "94000000 1600"), ("4MB/s", 0, "4000000 976"), ("94MB/s", 150, "94000000 150"), ("0", 0, None)],
)
def test_the_wizard_is_told_what_its_disks_are_held_to(
    speed: str, iops: int, told: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    booted: list[dict[str, str]] = []

    def boot(rack: object, argv: object, out_dir: object, **options: Any) -> int:
        booted.append(options["environment"])
        return 0

    monkeypatch.setattr(session, "boot", boot)
    assert session.run(disks=3, disk_size="512MiB", disk_speed=speed, disk_iops=iops, full_screen=True) == 0
    assert booted[0].get(HELD_TO) == told
    assert "prints the newest" not in capsys.readouterr().err, "Results named the run that it showed"
