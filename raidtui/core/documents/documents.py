"""The documents that programs read: what commands print with `--json` and `on_end` is given. Fields are added, never
given another meaning: where one has to be, its version in `schema.DOCUMENTS` goes up.

Knows their shape alone; what stands in them is made where it is known.
"""

from typing import Any

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.fio.measurement import Measurement


class DisksDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui disks --json`."""

    disks: tuple[Disk, ...]


class CareAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an array's care, in place of an answer."""

    sentences: tuple[str, ...]


class AnswerDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui report --json`: an Answer, of care a CareAnswer, of fio's own files null."""

    answer: Any
    measurements: tuple[Measurement, ...]


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """A run in few words: `standing` is "going on", "cut off", its outcome …; times in seconds. `alive`: its worker
    is; `waits`: for a person, who runs `raidtui passphrase`; `resumable`: `raidtui resume` goes on. `code` is that of
    its plan; of one that cannot be read there is none. `keeps`: names of what its plan keeps, of which `resume` and
    `clean` remove none unless `--erase` names it.
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


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has ended, as `on_end` reads it. `answer` as in AnswerDocument; times are Unix time, UTC."""

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
    """A value that a run can be asked; `of`: the test and its setup, "" for the run's own."""

    name: str
    unit: str
    words: str
    of: str
    value: float | None


class NamesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui check --names --json`."""

    names: tuple[NamedValue, ...]
