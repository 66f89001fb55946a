"""What was chosen last time: the person's own file, and what of it is offered again."""

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui import configuration, recipes
from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.plan.answers import Answers, Axes
from raidtui.core.raid.purposes import Workload
from raidtui.ui import last_time, questions
from raidtui.ui.draft import Draft
from raidtui.ui.questions import Purpose, asked
from raidtui.ui.services import Scan
from tests.ui.machines import disk, rack

IDS = tuple(disk.id for disk in rack(6))
CHOSEN = Draft(disks=IDS, use=Workload.VMS, level="10", layout="f2", chunk="64KiB", filesystem="ext4", after="keep")
SHIPPED = tuple(recipes.library().recipes.items())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own, which is not there yet."""
    for name in ("SUDO_USER", "SUDO_UID", "SUDO_GID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "new"))
    return configuration.folder()


def test_what_was_chosen_is_recalled_and_is_for_nobody_else_to_read(folder: Path) -> None:
    assert last_time.recall() is None
    last_time.remember(Draft(disks=IDS))
    last_time.remember(CHOSEN)
    assert last_time.recall() == CHOSEN
    assert stat.S_IMODE((folder / last_time.FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [last_time.FILE]


def test_what_explains_a_run_is_not_kept(folder: Path) -> None:
    last_time.remember(Draft(disks=IDS, given=Answers(disks=IDS)))
    assert not folder.exists()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{]",
        b"[]",
        b'{"disks": []}',
        b'{"disks": ["a", "a"]}',
        b'{"disks": ["\\u001b[31m"]}',
        b'{"disks": ["a", "b"], "level": "7"}',
        b'{"disks": ["a", "b"], "level": "6"}',
        b'{"disks": ["a", "b", "c"], "level": "1", "spares": 3}',
        b'{"disks": ["a", "b", "c"], "level": "1", "spares": -1}',
        b'{"disks": ["a", "b", "c", "d"], "level": "10", "layout": "z9"}',
        b'{"disks": ["a", "b", "c"], "level": "5", "chunk": "many"}',
        b'{"disks": ["a", "b", "c"], "filesystem": "fat"}',
        b'{"disks": ["a", "b", "c"], "repeat": 100000}',
        b'{"disks": ["a", "b", "c"], "given": {"disks": ["a"]}}',
    ],
)
def test_a_file_that_can_be_no_plan_is_as_none(folder: Path, text: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / last_time.FILE).write_bytes(text)
    assert last_time.recall() is None


def test_a_file_that_others_may_write_to_is_as_none(folder: Path) -> None:
    swept = Draft(disks=IDS, recipe="levels-in-short", builds="recipe", axes=(Axes(level=("5",), chunk=("64KiB",)),))
    last_time.remember(swept)
    assert last_time.recall() == swept
    (folder / last_time.FILE).chmod(0o666)
    assert last_time.recall() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can stand behind sudo")
def test_behind_sudo_it_is_the_persons_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for above in (folder.parents[1], *folder.parents[1].parents):
        above.chmod(above.stat().st_mode | 0o011)
    folder.parent.mkdir()
    os.chown(folder.parent, 1234, 1234)
    monkeypatch.setenv("SUDO_UID", "1234")
    monkeypatch.setenv("SUDO_GID", "1234")
    last_time.remember(CHOSEN)
    for path in (folder, folder / last_time.FILE):
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234)
    assert last_time.recall() == CHOSEN


@pytest.mark.parametrize(
    "draft, words",
    [
        (CHOSEN, "RAID 10 f2 of 6, ext4, to keep"),
        (Draft(disks=IDS[:3]), "RAID 5 of 3"),
        (replace(CHOSEN, between="luks"), "RAID 10 f2 of 6, ext4 on LUKS, to keep"),
        (Draft(disks=IDS, level="5", bitmap="journal", after="keep"), "RAID 5 of 5 and a journal, xfs, to keep"),
        (Draft(disks=IDS, level="6", spares=2, after="keep"), "RAID 6 of 4 and 2 spares, xfs, to keep"),
        (
            Draft(disks=IDS, level="6", bitmap="journal", spares=1, after="keep", filesystem="none"),
            "RAID 6 of 4, a journal and 1 spare, to keep",
        ),
        (Draft(disks=IDS[:1], builds="usual"), "JBOD of 1"),
        (Draft(disks=IDS, builds="recipe", recipe="levels-random-4k"), "6 disks, levels-random-4k"),
        (Draft(disks=IDS, axes=(Axes(level=("5", "6")),)), "6 disks, quick"),
    ],
)
def test_it_is_named_in_a_few_words(draft: Draft, words: str) -> None:
    assert last_time.brief(draft) == words


def offered(draft: Draft | None, *disks_now: object) -> bool:
    return bool(questions.as_last_time(Scan(disks_now or rack(6), last=draft), SHIPPED))  # type: ignore[arg-type]


def test_it_is_offered_where_all_of_its_disks_are_free_and_its_recipe_is_there() -> None:
    warned = disk("sdc", verdict=Verdict(Usability.WARN, "ext4"))
    assert offered(CHOSEN) and not offered(None)
    assert not offered(CHOSEN, *rack(5))
    by_place = tuple(replace(free, id=f"path-{number}") for number, free in enumerate(rack(6)))
    assert not offered(replace(CHOSEN, disks=tuple(free.id for free in by_place)), *by_place)
    assert not offered(CHOSEN, *(warned if free.name == "sdc" else free for free in rack(6)))
    assert not offered(replace(CHOSEN, recipe="gone"))


def test_all_of_it_is_filled_in_whatever_was_chosen_meanwhile() -> None:
    question = questions.as_last_time(Scan(rack(6), last=CHOSEN), SHIPPED)
    assert question
    assert question.purpose is Purpose.AS_LAST_TIME and question.builds == "chosen"
    assert asked(Draft(level="0", disks=IDS[:2]), question) == CHOSEN
