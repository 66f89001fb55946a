"""The runner of mutants: what it changes, where, and that a test which notices is told from one that does not."""

import ast
from pathlib import Path

import pytest

from tests import mutants
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
    lines = [*table({"group": [Outcome(one, how) for how in ("killed", "survived", "unseen", "endless")]})]
    assert lines[1].split() == ["group", "2", "2", "50%"] and len(lines) == 4


def test_a_mutant_is_tried_in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = mutants._Copy.__new__(mutants._Copy)
    copy.folder = tmp_path
    (tmp_path / "program.py").write_text("def more(n):\n    return n > 3\n")
    (tmp_path / "test_it.py").write_text(
        "from program import more\ndef test_far(): assert more(9)\ndef test_edge(): assert not more(3)\n"
    )
    one = Mutant("program.py", (2, 11), (2, 16), "n > 3", "(n >= 3)")
    assert copy.tried(one, ["test_it.py::test_far"]).how == "survived"
    killed = copy.tried(one, ["test_it.py::test_far", "test_it.py::test_edge"])
    assert killed.how == "killed" and "test_edge" in killed.by
    assert copy.tried(one, []).how == "unseen" and "n > 3" in (tmp_path / "program.py").read_text()
