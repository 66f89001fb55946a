"""`config` prints a file that says what holds and reads back as the same; what cannot be is named."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui import configuration, recipes
from raidtui.configuration import BadConfiguration, Configuration
from raidtui.ui import themes
from tests.cli.conftest import Command


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "raidtui").mkdir()
    return tmp_path / "raidtui" / configuration.FILE


def test_without_a_file_it_is_all_commented(file: Path, command: Command) -> None:
    code, printed, err = command("config")
    assert (code, err) == (0, "") and str(file) in printed
    assert tomllib.loads(printed) == {} and "# on_end_limit_s = 60" in printed
    file.write_text(printed)
    assert configuration.read() == Configuration()


def test_what_holds_is_in_force(file: Path, command: Command) -> None:
    file.write_text('on_end = ["mail", "-s", "a \\"b\\""]\non_end_limit_s = 5\n')
    assert tomllib.loads(command("config")[1]) == {"on_end": ["mail", "-s", 'a "b"'], "on_end_limit_s": 5}
    assert json.loads(command("config", "--json")[1])["on_end"] == ["mail", "-s", 'a "b"']


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_any_words_come_back(words: list[str]) -> None:
    said = Configuration(on_end=tuple(words), on_end_limit_s=3.5)
    assert tomllib.loads(configuration.template(said)) == {"on_end": words, "on_end_limit_s": 3.5}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("on_edn = []", "on_edn"),
        ("on_end = [1]", "on_end"),
        ('on_end = [""]', "give a program's name"),
        ('on_end = ["bin/tell"]', "or its whole path"),
        ('on_end = ["a\\u0000"]', "zero byte"),
        ("on_end_limit_s = 0", "give seconds"),
        ("on_end_limit_s = nan", "give seconds"),
        ("on_end_limit_s = 1e9", "give seconds"),
        ("x", "not TOML"),
    ],
)
def test_what_cannot_be_is_named(file: Path, command: Command, written: str, told: str) -> None:
    file.write_text(written)
    code, printed, err = command("config")
    assert (code, printed) == (2, "") and str(file) in err and told in err


def test_a_file_that_others_may_write_is_not_believed(file: Path) -> None:
    file.write_text('on_end = ["true"]')
    assert configuration.read().on_end == ("true",)
    file.chmod(0o666)
    with pytest.raises(BadConfiguration, match="others may write"):
        configuration.read()
    file.chmod(0o644)
    if os.geteuid() == 0:  # whose files would do
        os.chown(file, 4242, -1)
    with pytest.raises(BadConfiguration, match="others may write"):
        configuration.read(owner=4243)
    file.unlink()
    file.mkdir()
    with pytest.raises(BadConfiguration, match="no file"):
        configuration.read()


def test_a_link_is_not_followed(file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text('on_end = ["true"]')
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadConfiguration, match="this is a link, and none is followed"):
        configuration.read()


def test_nothing_of_a_persons_folder_is_opened_in_a_way_that_waits(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(file)
    opened: list[int] = []
    plain = os.open

    def noted(path: Path, flags: int, *, dir_fd: int | None = None) -> int:
        opened.append(flags)
        return plain(path, flags, dir_fd=dir_fd)

    writer = os.open(file, os.O_RDWR | os.O_NONBLOCK)  # so that whatever opens it to wait does not wait here
    monkeypatch.setattr(os, "open", noted)
    try:
        with pytest.raises(BadConfiguration, match="this is no file"):
            configuration.read()
    finally:
        os.close(writer)
    wanted = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    assert [flags & wanted for flags in opened] == [wanted]


def test_a_file_without_an_end_is_not_read(file: Path) -> None:
    file.touch()
    os.truncate(file, 1 << 40)
    with pytest.raises(BadConfiguration, match="1048576 are the most"):
        configuration.read()


RECIPE = (Path(recipes.__file__).parent / "quick.toml").read_text()
THEME = 'name = "mine"\nprimary = "#112233"\n'


@pytest.fixture
def behind_sudo(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the person whom root reads for."""
    monkeypatch.setenv("SUDO_UID", str(os.getuid()))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name, content in (("recipes/mine.toml", RECIPE), ("themes/mine.toml", THEME)):
        (file.parent / name).parent.mkdir()
        (file.parent / name).write_text(content)
        (file.parent / name).chmod(0o644)
    return file.parent


def swapped_for(path: Path, how: str, elsewhere: Path) -> None:
    """In place of a file, or of its folder: a FIFO, a link; or a file that others may write to."""
    what = path.parent if how == "linked folder" else path
    what.rename(elsewhere)
    if how == "FIFO":
        os.mkfifo(what)
    elif how in ("link", "linked folder"):
        what.symlink_to(elsewhere)
    else:
        what.write_text(elsewhere.read_text())
        what.chmod(0o664)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("FIFO", "no file"),
        ("link", "none is followed"),
        ("linked folder", "none is followed"),
        ("others", "chmod go-w"),
    ],
)
def test_recipes_and_themes_of_the_person_behind_sudo_are_read_with_care(
    behind_sudo: Path, how: str, said: str
) -> None:
    assert "mine" in recipes.library().recipes
    assert [theme.name for theme in themes.load((behind_sudo / "themes",)).themes] == ["mine"]
    for name in ("recipes", "themes"):
        swapped_for(behind_sudo / name / "mine.toml", how, behind_sudo / f"{name}-elsewhere")
    library = recipes.library()
    assert "mine" not in library.recipes and said in library.broken[0]
    loaded = themes.load((behind_sudo / "themes",))
    assert loaded.themes == () and said in loaded.failed[0]
