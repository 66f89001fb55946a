"""JSON schemas (draft 2020-12) of the documents, generated from their Structs."""

from typing import Any

import msgspec

from raidtui.core.answer.acceptance import CheckDocument
from raidtui.core.answer.answer import Answer
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.care.by_hand import ByHand
from raidtui.core.care.ensured import Ensured
from raidtui.core.documents.configuration import Configuration
from raidtui.core.documents.documents import (
    ActionDocument,
    AnswerDocument,
    CareAnswer,
    CompareDocument,
    ControllersDocument,
    DisksDocument,
    DoctorDocument,
    HealthDocument,
    NamesDocument,
    RunDocument,
    RunsDocument,
)
from raidtui.core.documents.model import AdviceDocument, PredictionDocument
from raidtui.core.fleet.fleet import Fleet
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Library, Recipe
from raidtui.core.raid.capacity import Capacity
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.samples import Second

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DEFINED = "#/$defs/{name}"


class Document(msgspec.Struct, frozen=True):
    type: Any
    version: int
    where: str


DOCUMENTS: dict[str, Document] = {
    "action": Document(ActionDocument, 1, "raidtui stop --json; resume, clean, undo, forget"),
    "advice": Document(AdviceDocument, 1, "raidtui advise --json"),
    "answer": Document(AnswerDocument, 2, "raidtui report --json"),
    "capacity": Document(Capacity, 1, "raidtui capacity --json"),
    "check": Document(CheckDocument, 1, "raidtui check --json"),
    "commands": Document(ByHand, 1, "raidtui scrub --json and replace --json, of an array that no run keeps"),
    "compare": Document(CompareDocument, 1, "raidtui compare --json"),
    "config": Document(Configuration, 1, "raidtui config --json"),
    "controllers": Document(ControllersDocument, 1, "raidtui controllers --json"),
    "disks": Document(DisksDocument, 1, "raidtui disks --json"),
    "doctor": Document(DoctorDocument, 1, "raidtui doctor --json"),
    "ensured": Document(Ensured, 1, "raidtui ensure"),
    "event": Document(AnyEvent, 1, "a line of a run's journal.jsonl"),
    "fleet": Document(Fleet, 1, "raidtui fleet --json"),
    "health": Document(HealthDocument, 1, "raidtui health --json"),
    "names": Document(NamesDocument, 1, "raidtui check --names --json"),
    "plan": Document(Plan, 1, "raidtui plan --json, and plan.json of a run"),
    "prediction": Document(PredictionDocument, 1, "raidtui predict --json"),
    "recipe": Document(Recipe, 1, "raidtui recipes show NAME --json"),
    "recipes": Document(Library, 1, "raidtui recipes --json"),
    "run": Document(RunDocument, 2, "what on_end reads on its standard input"),
    "second": Document(Second, 1, "a line of raidtui export --samples jsonl"),
    "runs": Document(RunsDocument, 1, "raidtui runs --json"),
    "status": Document(ArraysStatus, 1, "raidtui status --json"),
}


def file_name(name: str) -> str:
    return f"{name}.v{DOCUMENTS[name].version}.json"


def schema(name: str) -> dict[str, Any]:
    document = DOCUMENTS[name]
    types = (document.type, Answer, CareAnswer) if _has_answer(document.type) else (document.type,)
    (top, *_), defined = msgspec.json.schema_components(types, ref_template=_DEFINED)
    if _has_answer(document.type):  # two kinds of object that nothing but their fields tells apart
        alternatives = [{"$ref": _DEFINED.format(name=kind)} for kind in ("Answer", "CareAnswer")]
        defined[document.type.__name__]["properties"]["answer"] = {"anyOf": [{"type": "null"}, *alternatives]}
    for kind in {"Setup", "Axes"} & defined.keys():
        for field, described in defined[kind]["properties"].items():
            described["description"] = FIELDS[field].help
    about = {"$schema": _DRAFT, "$id": f"urn:raidtui:{name}:{document.version}", "title": f"raidtui: {document.where}"}
    return {**about, **top, "$defs": dict(sorted(defined.items()))}


def _has_answer(document: Any) -> bool:
    return document in (AnswerDocument, RunDocument)


def encoded(name: str) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema(name)), indent=1) + b"\n"
