"""`config` prints a file that says what holds and reads back as the same; what cannot be is named."""

import json
import os
import pwd
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui import configuration, recipes
from raidtui.configuration import BadConfiguration
from raidtui.core.documents.configuration import Configuration
from raidtui.core.documents.schema import DOCUMENTS
from raidtui.runs import after, directory
from raidtui.runs.journal import read_state
from raidtui.ui import themes
from tests.cli.conftest import RECORDED, Command
from tests.recordings.reports import kept
from tests.schemas import errors_in


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """In a folder that everybody may enter, as a home's is."""
    monkeypatch.delenv("SUDO_USER", raising=False)
    with TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        monkeypatch.setenv("XDG_CONFIG_HOME", home)
        (Path(home) / "raidtui").mkdir()
        yield Path(home) / "raidtui" / configuration.FILE


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


def test_what_the_screens_begin_with_comes_back(file: Path, command: Command) -> None:
    wished = {"theme": "raidtui-light", "units": "binary", "mailaddr": "a@b.org", "mount_options": "noatime,commit=30"}
    file.write_text("".join(f'{key} = "{value}"\n' for key, value in wished.items()))
    assert tomllib.loads(command("config")[1]) == wished
    assert configuration.read() == Configuration(**wished)  # type: ignore[arg-type]


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_any_words_come_back(words: list[str]) -> None:
    said = Configuration(on_end=tuple(words), on_end_limit_s=3.5)
    assert tomllib.loads(configuration.template(said)) == {"on_end": words, "on_end_limit_s": 3.5}


@pytest.mark.parametrize(
    "written, told",
    [
        ("on_edn = []", "on_edn"),
        ('units = "feet"', "units"),
        ('mailaddr = "a b"', "`mailaddr`: "),
        ('mount_options = "noatime,rw x"', "`mount_options`: "),
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


@pytest.mark.skipif(os.getuid() != 0, reason="only root reads for another one")
def test_root_reads_through_a_linked_folder_with_the_person_s_rights_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = pwd.getpwnam("daemon").pw_uid
    with TemporaryDirectory() as folder:  # that everybody may enter
        Path(folder).chmod(0o755)
        monkeypatch.delenv("SUDO_USER", raising=False)
        monkeypatch.setenv("XDG_CONFIG_HOME", folder)
        for name, mode in (("open", 0o755), ("secret", 0o700)):
            (Path(folder) / name).mkdir()
            (Path(folder) / name / configuration.FILE).write_text('theme = "nord"')
            (Path(folder) / name / configuration.FILE).chmod(0o644)
            (Path(folder) / name).chmod(mode)
        link = Path(folder) / "raidtui"
        link.symlink_to("open")
        assert configuration.read(daemon).theme == "nord"
        link.unlink()
        link.symlink_to("secret")
        with pytest.raises(BadConfiguration, match="Permission denied"):
            configuration.read(daemon)
        (Path(folder) / "secret" / "recipes").mkdir()
        (recipe := Path(folder) / "secret" / "recipes" / "mine.toml").write_text(RECIPE)
        monkeypatch.setenv("SUDO_UID", str(daemon))
        with pytest.raises(PermissionError):
            configuration.content(link / "recipes" / "mine.toml")
        (Path(folder) / "secret").chmod(0o755)
        recipe.chmod(0o644)
        assert configuration.content(link / "recipes" / "mine.toml") == RECIPE.encode()


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
    "how, said",
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


def test_each_theme_has_its_line(command: Command) -> None:
    code, printed, err = command("themes")
    assert code == 0 and "\x1b" not in printed and "/themes" in err
    assert [line.split()[0] for line in printed.splitlines()] == [theme.name for theme in themes.load().themes]


def test_a_terminal_shows_their_colours(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    code, printed, _ = command("themes")
    accent_on_its_ground = "\x1b[38;2;135;215;255;48;2;18;18;18m"  # of raidtui-dark
    assert code == 0 and accent_on_its_ground in printed


def test_one_that_cannot_be_read_is_named(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "raidtui" / "themes").mkdir(parents=True)
    (tmp_path / "raidtui" / "themes" / "mine.toml").write_text('name = "mine"')
    code, printed, err = command("themes")
    assert code == 2 and "mine.toml" in err and "primary" in err and "raidtui-dark" in printed


MACHINES = sorted(path.name for path in (RECORDED / "machines").glob("*.json") if "lsblk" not in path.name)


def test_schemas_are_listed_and_printed(command: Command) -> None:
    code, out, _ = command("schema")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == list(DOCUMENTS)
    assert json.loads(command("schema", "plan")[1])["$id"] == "urn:raidtui:plan:1"
    code, _, error = command("schema", "plans")
    assert code == 2 and "no document 'plans'; `raidtui schema`" in error


@pytest.mark.parametrize("machine", MACHINES)
def test_disks_and_arrays_of_recorded_machines(command: Command, machine: str) -> None:
    path = str(RECORDED / "machines" / machine)
    for name, argv in (("disks", ("disks", "--machine", path)), ("status", ("status", "--machine", path))):
        code, out, error = command(*argv, "--json")
        assert out, (code, error)
        assert errors_in(name, json.loads(out)) == []


@pytest.mark.parametrize(
    "name, argv",
    [
        ("runs", ("runs",)),
        ("answer", ("report",)),
        ("check", ("check", "--fail-if", "*.gain < 5", "--fail-if", "mismatch_sectors > 0", "--against", "ab12")),
    ],
)
def test_what_is_said_of_a_run(command: Command, recorded_run: Path, name: str, argv: tuple[str, ...]) -> None:
    document = json.loads(command(*argv, "--json")[1])
    assert document and errors_in(name, document) == []


def test_its_plan_and_what_on_end_reads(recorded_run: Path) -> None:
    plan, state = directory.read_plan(recorded_run), read_state(recorded_run / directory.JOURNAL)
    assert errors_in("plan", json.loads(msgspec.json.encode(plan))) == []
    assert errors_in("run", json.loads(after.encoded(recorded_run))) == []
    assert errors_in("run", msgspec.to_builtins(after.message(recorded_run, plan, state)) | {"kept": 1})


@pytest.mark.parametrize("report", ["degraded", "flash-steady-state", "latency-at-load", "rebuild", "zones"])
def test_plans_and_answers_of_recorded_reports(report: str) -> None:
    from raidtui.core.answer.answer import of_run
    from raidtui.core.documents.documents import AnswerDocument
    from raidtui.core.report.provenance import measurements

    plan, state = kept.load(report)
    answer = AnswerDocument(answer=of_run(plan, state), measurements=tuple(measurements(plan, state)))
    assert errors_in("answer", json.loads(msgspec.json.encode(answer))) == []
    assert errors_in("plan", json.loads(msgspec.json.encode(plan))) == []
