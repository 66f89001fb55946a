"""`--json` and `on_end`. Fields are only added; another meaning raises the version in `schema.DOCUMENTS`.

`raidtui doctor --json`; filled by `system/doctor.py`.

`raidtui health --json`, `raidtui controllers --json`.

`raidtui compare --json`: results side by side, grids of queue depth and jobs.
"""

from typing import Any, Literal

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.fio.job import Kind
from raidtui.core.fio.measurement import Measurement
from raidtui.core.hardware.controllers import RaidHardware
from raidtui.core.hardware.drive import Drive
from raidtui.core.results.comparison import Matched
from raidtui.core.results.figure import Figure, Latency


class DisksDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui disks --json`."""

    disks: tuple[Disk, ...]


class CareAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Result of care, in place of an answer."""

    sentences: tuple[str, ...]


class AnswerDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui report --json`: Answer, CareAnswer for care, null for fio's files."""

    answer: Any
    measurements: tuple[Measurement, ...]


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """`standing`: "going on", "cut off", outcome …; seconds. `alive`: worker; `waits`: for `raidtui passphrase`;
    `resumable`: by `raidtui resume`. `code`: of its plan, "" if unreadable. `keeps`: of what it keeps or proves;
    `resume` and `clean` ask for them by `--erase`.
    """

    run: str
    standing: str
    alive: bool
    resumable: bool
    sentence: str
    code: str
    setup: str
    kept: bool
    permanent: bool
    measured: int
    trials: int
    left_s: float | None
    damage: str
    path: str
    waits: bool = False
    keeps: tuple[str, ...] = ()


class RunsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui runs --json`."""

    runs: tuple[RunLine, ...]


class ActionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`--json` of a command that ends or continues a run. `resume`: "running" with `--detach`, else the run's end;
    "interrupted" if its worker died.
    """

    run: str
    command: Literal["stop", "resume", "clean", "undo", "forget"]
    result: Literal[
        "stopping", "running", "finished", "stopped", "failed", "interrupted", "removed", "undone", "deleted"
    ]
    path: str
    reason: str = ""


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """An ended run for `on_end`. `answer` as in AnswerDocument; Unix time."""

    schema: int
    run: str
    folder: str
    host: str
    title: str
    recipe: str
    outcome: str
    reason: str
    kept: bool
    left: tuple[str, ...]
    begun_s: float
    ended_s: float
    measured: int
    trials: int
    warnings: tuple[str, ...]
    answer: Any


class NamedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A run's value; `of`: test and setup, or ""."""

    name: str
    unit: str
    words: str
    of: str
    value: float | None


class NamesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui check --names --json`."""

    names: tuple[NamedValue, ...]


class Finding(msgspec.Struct, frozen=True):
    """`text`: result; `remedy` unless `ok`."""

    subject: str
    ok: bool
    text: str
    remedy: str = ""


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`practice`, `run`: why impossible; null if possible."""

    findings: tuple[Finding, ...]
    practice: str | None
    run: str | None


class HealthDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`why_not`: why no drive answered, or ""."""

    drives: tuple[Drive, ...]
    why_not: str


class TiedDisk(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel disk and its virtual disk."""

    controller: int
    target: int
    disk: str


class ControllersDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`answer`: of the controllers' program."""

    answer: RaidHardware
    disks: tuple[TiedDisk, ...]


class GridCell(msgspec.Struct, frozen=True, kw_only=True):
    iodepth: int
    numjobs: int
    figure: Figure
    latency: Latency


class GridDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that differ in queue depth and jobs only."""

    title: str
    kind: Kind
    cells: tuple[GridCell, ...]


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`grids`: of a single source."""

    compared: tuple[Matched, ...]
    grids: tuple[GridDocument, ...]
