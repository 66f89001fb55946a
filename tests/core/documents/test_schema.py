"""The schemas that are kept are those of today's types; recorded journals and plans are valid by them."""

import json
from pathlib import Path

import pytest

from raidtui.core.documents import schema
from raidtui.core.documents.schema import DOCUMENTS
from tests.replay import RUNS
from tests.schemas import errors_in

KEPT = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_kept_schema_is_of_todays_types(name: str) -> None:
    kept = KEPT / schema.file_name(name)
    assert kept.exists() and kept.read_bytes() == schema.encoded(name), f"raidtui schema {name} > {kept}"


def test_no_schema_is_kept_of_what_is_no_document_or_of_another_version_before_a_release() -> None:
    assert {path.name for path in KEPT.iterdir()} == {schema.file_name(name) for name in DOCUMENTS}


def test_every_reference_leads_somewhere_and_the_id_holds_the_version() -> None:
    for name, document in DOCUMENTS.items():
        made = schema.schema(name)
        text = json.dumps(made)
        assert f"urn:raidtui:{name}:{document.version}" == made["$id"]
        references = {part.split('"')[0] for part in text.split("#/$defs/")[1:]}
        assert references <= set(made["$defs"])


@pytest.mark.parametrize("run", ["raid5-of-3", "rack-of-24", "raid5-twice", "existing-folder"])
def test_recorded_journals_are_valid(run: str) -> None:
    lines = (RUNS / run / "journal.jsonl").read_text().splitlines()
    assert lines and [error for line in lines for error in errors_in("event", json.loads(line))] == []


def test_what_is_no_document_is_not_valid() -> None:
    assert errors_in("disks", {"disks": [{"name": "sda"}]})
    assert errors_in("runs", {"runs": [{"run": 3}]})
    assert errors_in("event", {"event": "stage-started", "at_s": 1.0, "stage": -1})
