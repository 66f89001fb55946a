"""Where files of a person go."""

from pathlib import Path

import pytest

from raidtui.ui.paths import lasting


def test_what_is_written_in_practice_lasts_only_among_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    monkeypatch.setenv("RAIDTUI_PRACTICE_RESULTS", "/home/me/practice")
    kept = Path("/var/lib/raidtui/r.md")
    assert lasting(kept) == lasting(Path("/home/me/practice/r.md")) == kept
    assert lasting(Path("/home/me/r.md")) is None
    monkeypatch.delenv("RAIDTUI_PRACTICE")
    assert lasting(Path("/home/me/r.md")) == Path("/home/me/r.md")
