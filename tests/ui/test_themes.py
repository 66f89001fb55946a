"""Themes: the shipped ones all load, a broken one is a sentence, the person's own win, NO_COLOR has none."""

from pathlib import Path

import pytest

from raidtui.ui import themes
from raidtui.ui.app import RaidtuiApp
from tests.ui.machines import RecordedServices, rack


def test_all_shipped_themes_load() -> None:
    loaded = themes.load(themes.folders()[:1])
    assert {theme.name for theme in loaded.themes} >= {themes.DEFAULT, "raidtui-light", themes.COLOURLESS}
    assert not loaded.failed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "x"\nprimary = "#5fafd7"\nprimry = "#000000"', "primry"),
        ('name = "x"\nprimary = "#5fafd7"\naccent = "loud"', "`accent` is 'loud'"),
        ('name = "x', "x.toml"),
    ],
)
def test_a_broken_theme_is_a_sentence_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    loaded = themes.load((tmp_path,))
    assert not loaded.themes
    assert len(loaded.failed) == 1
    assert said in loaded.failed[0] and str(tmp_path) in loaded.failed[0]


def test_a_person_s_own_theme_wins_over_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "raidtui-dark"\nprimary = "#123456"')
    loaded = themes.load((themes.folders()[0], tmp_path))
    assert next(theme.primary for theme in loaded.themes if theme.name == "raidtui-dark") == "#123456"


async def test_a_broken_theme_is_a_notice_and_not_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "raidtui" / "themes"
    folder.mkdir(parents=True)
    (folder / "x.toml").write_text("[[[")
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert any("x.toml" in notice.message for notice in app._notifications)


@pytest.mark.parametrize("name", ["raidtui-dark", "raidtui-light", "raidtui-plain"])
async def test_every_theme_paints_the_wizard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_THEME", name)
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.theme == name
        assert "raidtui" in app.export_screenshot()


async def test_no_color_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = RaidtuiApp(RecordedServices(rack(3)))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.press("a")
        await pilot.pause()
        assert app.no_color and app.native_ansi_color
        assert app.theme == themes.COLOURLESS
