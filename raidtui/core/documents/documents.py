"""`--json` and `on_end`. Fields are only added; another meaning raises the version in `schema.DOCUMENTS`."""

from typing import Any, Literal

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.fio.measurement import Measurement


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
