"""What is said of a text that goes into boot's files: each case of `texts.toml`."""

from pathlib import Path

import pytest

from raidtui.core.boot import entries
from raidtui.core.boot.distributions import of
from tests.builders.cases import agrees, cases, expected


def family(release: str) -> str:
    found = of(f"NAME=x\n{release}\nVERSION_ID=1\n")
    return f"{found.title}, {found.manager}, {found.image}" if found else ""


SAYS = {
    "folder": entries.why_not_folder, "file": entries.why_not_file, "options": entries.why_not_options,
    "array": entries.why_not_array_name, "label": entries.why_not_label, "mailaddr": entries.why_not_mailaddr,
    "release": family,
}  # fmt: skip


@pytest.mark.parametrize("given, then", cases(Path(__file__).with_name("texts.toml")))
def test_a_text_is_taken_or_refused_with_its_reason(given: str, then: str) -> None:
    word, _, text = given.partition(" ")
    ((_, _, pattern),) = expected(then)
    said = SAYS[word](text.replace("↵", "\n"))
    assert agrees(pattern, said) and "\n" not in said, said
