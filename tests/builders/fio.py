"""What fio printed, as recorded: the texts, their one measurement, their jobs."""

import json
from pathlib import Path
from typing import Any

from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import parse

RECORDINGS = Path(__file__).parents[1] / "recordings" / "fio"
TEXTS = {path.name: path.read_text() for path in sorted(RECORDINGS.rglob("*.*")) if path.is_file()}


def one(name: str, exit_status: int = 0) -> Measurement:
    (measurement,) = parse(TEXTS[name], name, exit_status)
    return measurement


def jobs(name: str) -> list[dict[str, Any]]:
    document: dict[str, list[dict[str, Any]]] = json.loads(TEXTS[name])
    return document["jobs"]
