"""How the program speaks: no word that the field has another for, and sentences and errors within their lengths."""

import ast
import re
from pathlib import Path
from statistics import median

import pytest

from tests import language
from tests.imports import nodes

EXCEPTIONS = {  # (file, text): values in JSON; the list only shrinks
    ("raidtui/runs/status.py", "going on"),
    ("raidtui/runs/status.py", "cut off"),
}
LONG_ERRORS = 7  # over language.ERROR_WORDS words, most of them refusals that protect data; the number only falls


def test_no_banned_word_and_no_long_sentence() -> None:
    places = [place for place in language.found() if (place.file, place.text) not in EXCEPTIONS]
    assert [f"{place.file}:{place.line}: {place.rule}: {place.text}" for place in places] == []


@pytest.mark.parametrize("file", language.documents(), ids=lambda file: file.name)
def test_a_documents_sentences_are_short(file: Path) -> None:
    lengths = [language.words(text) for _, text, in_table in language.sentences(file.read_text()) if not in_table]
    assert median(lengths) <= language.MEDIAN_WORDS


def test_errors_are_short() -> None:
    long = []
    for file in (language.REPOSITORY / "raidtui").rglob("*.py"):
        for node in nodes(file):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                texts = [text for argument in node.exc.args for _, text in language.texts(ast.walk(argument))]
                long += [f"{file}:{node.lineno}: {text}" for text in texts if len(text.split()) > language.ERROR_WORDS]
    assert len(long) == LONG_ERRORS, "\n".join(long)


def test_a_blank_follows_each_at_least_of_the_program() -> None:
    """Else its stand-in says "more than"."""
    texts = {
        node.value: path.name
        for path in (language.REPOSITORY / "raidtui").rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and path.name != "text.py"
    }
    assert any("≥ " in text for text in texts) and not [text for text in texts if re.search("[≥≤](?! )", text)]
