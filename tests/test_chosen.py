"""A change concerns the tests that import it, start it or read it; where nothing is known, all of them."""

import os
from pathlib import Path

import pytest

from tests import chosen, seeds
from tests.imports import modules

SOURCES = {"tests/test_layers.py", "tests/test_tables.py"}  # look at every module


@pytest.mark.parametrize(
    "changed, among, not_among",
    [
        # by imports: its own test, over other modules, by a conftest file, by a helper of tests
        ("raidtui/core/results/outliers.py", "core/results/test_outliers cli/test_report", "core/test_text"),
        ("raidtui/cli/reference.py", "cli/test_reference cli/test_care", "core/raid/test_capacity ui/test_app"),
        ("raidtui/ui/render/words.py", "ui/test_app storm/test_storm", "core/results/test_outliers"),
        ("tests/builders/racks.py", "core/plan/test_planner core/disks/test_selection", "core/raid/test_capacity"),
        ("tests/cli/conftest.py", "cli/test_care", "core/raid/test_capacity runs/test_locks"),
        # by its name in a text, which a process is started with
        ("raidtui/__main__.py", "cli/test_completion test_packing", "core/raid/test_capacity"),
        ("raidtui/core/nosuch.py", "", "core/raid/test_capacity"),  # deleted, and used by nobody
        # no modules: by the folder's name, by the file's own, or by the modules beside it
        ("themes/nord.toml", "ui/test_themes cli/test_reference", "core/raid/test_capacity"),
        ("tests/recordings/fio/seq-read.json", "core/fio/test_result broken/test_figures", "core/test_units"),
        ("tests/recordings/reports/zones.md", "core/report/test_kept", "core/test_units"),
        ("tests/ui/__snapshots__/test_snapshots.ambr", "ui/test_snapshots", "core/test_units"),
        ("tests/core/report/report_handmade.md", "core/report/test_markdown", "core/test_text"),
        ("raidtui/recipes/quick.toml", "core/plan/test_recipes", "core/raid/test_queueing"),
        ("ansible/plugins/module_utils/command.py", "ansible/test_command", "core/raid/test_capacity"),
        ("CHANGELOG.md", "", "core/raid/test_capacity"),
    ],
)  # fmt: skip
def test_who_is_concerned(changed: str, among: str, not_among: str) -> None:
    found = {*(chosen.concerned([changed]) or ())}
    assert found >= SOURCES | {f"tests/{name}.py" for name in among.split()}
    assert not found & {f"tests/{name}.py" for name in not_among.split()}


def test_near_is_the_modules_own_test_and_those_of_what_uses_it() -> None:
    file = "raidtui/core/results/outliers.py"
    nearest, near, every = ({*(chosen.concerned([file], steps) or ())} for steps in (1, chosen.NEAR, None))
    assert SOURCES | {"tests/core/results/test_outliers.py"} <= nearest < near < every
    assert "tests/ui/test_app.py" in every - near


@pytest.mark.parametrize("changed", ["Makefile", "pyproject.toml", ".ci/run"])
def test_what_nothing_is_known_of_concerns_all(changed: str) -> None:
    assert chosen.concerned(["raidtui/cli/reference.py", changed]) is None


def test_who_imports_a_module_that_was_deleted_is_concerned(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: path for name, path in modules("raidtui", "tests").items() if name != "raidtui.core.raid.capacity"}
    monkeypatch.setattr(chosen, "modules", lambda *_: known)
    chosen._users.cache_clear()
    found = chosen.concerned(["raidtui/core/raid/capacity.py"])
    chosen._users.cache_clear()
    assert found and "tests/core/raid/test_capacity.py" in found and "tests/core/boot/test_edits.py" not in found


def test_what_differs_from_main_and_what_is_in_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        assert chosen._git("-c", "user.name=x", "-c", "user.email=x@x", *words) is not None

    monkeypatch.setattr(chosen, "ROOT", tmp_path)
    assert chosen.changed() is None  # no repository
    git("init", "--quiet", "--initial-branch=main")
    for name in ("kept", "committed", "renamed", "edited", "ä"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "--quiet", "--message=x")
    assert chosen.changed() is None  # nothing differs
    git("checkout", "--quiet", "-b", "branch")
    (tmp_path / "committed").write_text("2")
    git("mv", "renamed", "to")
    git("commit", "--quiet", "--all", "--message=x")
    (tmp_path / "edited").write_text("2")
    (tmp_path / "ä").unlink()
    (tmp_path / "new").touch()
    assert chosen.changed() == ["committed", "edited", "new", "renamed", "to", "ä"]


@pytest.mark.parametrize("how, number", [("few", 2), ("", 20), ("many", 200)])
def test_how_many_cases(how: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, seeds.HOW, how)
    assert seeds.cases(20, few=2, many=200) == number
    assert seeds.cases(20, few=2) == min(number, 20)
