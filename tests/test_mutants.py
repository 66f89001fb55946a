"""The runner of mutants: what it changes, where, and that a test which notices is told from one that does not."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import mutants
from tests.imports import ROOT
from tests.mutants import Mutant, Outcome, mutated, table

PROGRAM = '''"""A docstring stays."""
NAMES = ("one", "two words", "three")
def free(disk: int = 3, held: bool = False) -> bool:
    if disk and not held:
        raise ValueError("sentence, 1")
    with lock("a"):
        sync(disk)
    return disk == 4 or "ä" in NAMES
'''


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (file := tmp_path / "program.py").write_text(PROGRAM)
    return file


def test_each_change_is_one_and_leaves_a_program(program: Path) -> None:
    found = mutants.mutants(program)
    texts = {mutated(one, program.read_bytes()).decode() for one in found}
    assert len(texts) == len(found) and PROGRAM not in texts
    for text in texts:
        ast.parse(text)
    assert {(one.was, one.text) for one in found} >= {
        ('raise ValueError("sentence, 1")', "pass"),
        ("sync(disk)", "pass"),
        ("disk and not held", "(disk)"),
        ("disk == 4", "(disk != 4)"),
        ('"ä" in NAMES', "('ä' not in NAMES)"),
        ('("one", "two words", "three")', "(('one', 'three'))"),
        ("4", "5"),
    }
    assert not [one for one in found if "sentence" in one.was and one.text != "pass"]
    assert not [one for one in found if one.was in ('"two words"', "3", "False")]


def test_what_runs_at_import_is_known(program: Path) -> None:
    assert {one.begin[0] for one in mutants.mutants(program) if one.is_static} == {2}


def test_no_test_and_no_end_are_no_kill(program: Path) -> None:
    one = mutants.mutants(program)[0]
    hows = ("killed", "killed", "survived", "unseen", "endless", "endless twice", "equivalent")
    lines = [*table({"group": [Outcome(one, how) for how in hows]})]
    assert lines[1].split() == ["group", "7", "1", "3", "2", "1", "60%"]
    assert [line.split(": ")[1] for line in lines[2:]] == ["survived", "unseen", "endless", "endless twice"]


def test_of_an_earlier_run_the_survivors_are_tried_again(program: Path, tmp_path: Path) -> None:
    first, second, *_ = mutants.mutants(program)
    outcomes = {"group": [Outcome(first, "killed"), Outcome(second, "survived")]}
    mutants._keep(outcomes, tmp_path / "out")
    assert [*mutants._again(tmp_path / "out")] == [("group", second)]


def test_each_equivalent_mutant_is_one_and_has_its_reason() -> None:
    for file, reasons in mutants.equivalent().items():
        keys = [one.key for one in mutants.mutants(ROOT / file)]
        assert {key: keys.count(key) for key in reasons} == dict.fromkeys(reasons, 1) and all(reasons.values())


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[mutants._Copy]:
    """A program with one function, and two tests of it, of which one notices more."""
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess((), 0, stdout=""))
    (tmp_path / "raidtui").mkdir()
    (tmp_path / "raidtui/__init__.py").touch()
    (tmp_path / "raidtui/it.py").write_text("def more(n):\n    return n > 3\n")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "test_it.py").write_text(
        "from raidtui.it import more\ndef test_far(): assert more(9)\ndef test_edge(): assert not more(3)\n"
    )
    made = mutants._Copy(tmp_path, ("test_it.py",))
    yield made
    made.close()


def test_a_mutant_is_tried_in_a_copy(tmp_path: Path, copy: mutants._Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever leaves in the middle, or never ends, has not survived."""
    far, both = ["test_it.py::test_far"], ["test_it.py::test_far", "test_it.py::test_edge"]
    for is_static in (True, False):  # in a process of its own, or in a child of one that has imported the tests
        one = Mutant("raidtui/it.py", (2, 11), (2, 16), "n > 3", "(n >= 3)", is_static)
        assert copy.tried(one, far).how == "survived" and copy.tried(one, []).how == "unseen"
        killed = copy.tried(one, both)
        assert killed.how == "killed" and "test_edge" in killed.by
        assert copy.tried(replace(one, text="__import__('os')._exit(0)"), far).how == "killed"
    monkeypatch.setattr(mutants, "LIMITS_S", (3, 3))
    assert copy.tried(replace(one, text="__import__('time').sleep(99)"), far).how == "endless"
    assert "n > 3" in (tmp_path / "raidtui/it.py").read_text()
    (tmp_path / "test_it.py").write_text("def test_far(): assert False\n")
    assert copy.tried(one, far).how == "survived", "imported before"


def test_a_test_that_fails_without_any_change_kills_nothing(tmp_path: Path, copy: mutants._Copy) -> None:
    (tmp_path / "test_it.py").write_text("def test_far(): assert False\ndef test_edge(): pass\n")
    one = Mutant("raidtui/it.py", (2, 11), (2, 16), "n > 3", "(n >= 3)")
    assert copy.tried(one, ["test_it.py::test_far", "test_it.py::test_edge"]).how == "survived"
