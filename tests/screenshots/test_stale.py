"""The pictures show the screens as they are: `make screenshots` makes them anew."""

import pytest

from tests.screenshots.pictures import FOLDER, NAMES, PARTS, made


@pytest.mark.parametrize("part", PARTS)
def test_no_picture_is_stale(part: str) -> None:
    drawn = made(part)
    stale = [name for name, text in drawn.items() if (FOLDER / f"{name}.svg").read_text() != text]
    assert not stale, "the screens have changed since: `make screenshots`, look at them, and commit them"


def test_none_is_missing_or_left_over() -> None:
    """Each screen in each theme at each size, and the whole path."""
    kept = {str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.svg")}
    assert kept == NAMES and len(NAMES) > 70
