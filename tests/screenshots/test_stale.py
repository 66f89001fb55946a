"""The pictures show the screens as they are: `make screenshots` makes them anew."""

from tests.screenshots.pictures import FOLDER, made
from tests.screenshots.stills import SIZES, THEMES


def test_no_picture_is_stale_missing_or_left_over() -> None:
    drawn = made()
    kept = {str(path.relative_to(FOLDER).with_suffix("")): path.read_text() for path in FOLDER.rglob("*.svg")}
    assert sorted(drawn) == sorted(kept)
    stale = [name for name, text in drawn.items() if kept[name] != text]
    assert not stale, "the screens have changed since: `make screenshots`, look at them, and commit them"


def test_each_screen_is_there_in_each_theme_at_each_size() -> None:
    folders = [
        FOLDER / f"{theme.removeprefix('raidtui-')}-{width}x{height}" for theme in THEMES for width, height in SIZES
    ]
    names = [sorted(path.name for path in folder.iterdir()) for folder in folders]
    assert len(names[0]) >= 18 and all(of_folder == names[0] for of_folder in names)
