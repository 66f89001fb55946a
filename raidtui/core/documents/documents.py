"""`--json` and `on_end`. Fields are only added; another meaning raises the version in `schema.DOCUMENTS`.

`raidtui doctor --json`; filled by `system/doctor.py`.

`raidtui health --json`, `raidtui controllers --json`.

`raidtui compare --json`: results side by side, grids of queue depth and jobs.

`raidtui predict --json`, `raidtui advise --json`; MB/s, shares 0 to 1.
"""

from typing import Any, Literal

import msgspec

from raidtui.core.advice import wording
from raidtui.core.advice.proposals import Advice, Proposal, Times, failing, times
from raidtui.core.disks.disk import Disk
from raidtui.core.fio.job import Kind
from raidtui.core.fio.measurement import Measurement
from raidtui.core.hardware.controllers import RaidHardware
from raidtui.core.hardware.drive import Drive
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.depth_curve import CurveSource
from raidtui.core.raid.purposes import Workload
from raidtui.core.raid.redundancy import Rebuild
from raidtui.core.raid.theory import Prediction
from raidtui.core.results.comparison import Matched
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.units import MB


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


class PredictionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`theory.Prediction`, and source of one disk's IOPS (`depth_curve.CurveSource`)."""

    seq_read_mbps: float
    seq_write_mbps: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool
    limited_by: dict[str, Limit]
    error_share: float | None
    iops_source: str


def prediction_document(prediction: Prediction, iops_source: CurveSource) -> PredictionDocument:
    return PredictionDocument(
        seq_read_mbps=prediction.seq_read_bytes_per_s / MB,
        seq_write_mbps=prediction.seq_write_bytes_per_s / MB,
        rand_read_iops=float(prediction.rand_read_iops),
        rand_write_iops=float(prediction.rand_write_iops),
        rand_mixed_iops=prediction.rand_mixed_iops,
        write_penalty=prediction.write_penalty,
        upper_bound=prediction.upper_bound,
        limited_by=prediction.limited_by,
        error_share=prediction.error_share,
        iops_source=iops_source.value,
    )


class OneDisk(msgspec.Struct, frozen=True, kw_only=True):
    """`assumed_of`: kind of disk, if assumed."""

    bytes_per_s: float
    iops: float
    assumed_of: str | None


class SectorRisk(msgspec.Struct, frozen=True, kw_only=True):
    """`redundancy.Unreadable`."""

    bits_per_sector: int
    chance: float


class Advised(msgspec.Struct, frozen=True, kw_only=True):
    level: str
    layout: str | None
    chunk_bytes: int | None
    filesystem: str
    capacity: Capacity
    survives_one_more_share: float
    rebuild: Rebuild | None
    unreadable: tuple[SectorRisk, ...]
    times_one_disk: Times
    write_operations: int


class AdviceDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Best first; the best in sentences."""

    use: Workload = msgspec.field(name="for")
    survive: int
    disks: int
    one_disk: OneDisk
    ranked: tuple[Advised, ...]
    sentences: tuple[str, ...]
    second_best: str
    yearly: str = ""


def advice_document(advice: Advice) -> AdviceDocument:
    speed = advice.best.preview.speed
    return AdviceDocument(
        use=advice.wish.use,
        survive=advice.wish.survive,
        disks=advice.disks,
        one_disk=OneDisk(bytes_per_s=speed.bytes_per_s, iops=float(speed.iops), assumed_of=speed.kind or None),
        ranked=tuple(_advised(advice, proposal) for proposal in advice.ranked),
        sentences=tuple(wording.sentences(advice)),
        second_best=wording.second_best(advice),
        yearly=wording.yearly_words(advice),
    )


def _advised(advice: Advice, proposal: Proposal) -> Advised:
    view = proposal.preview
    risks = failing(view, advice.wish.survive).risk
    return Advised(
        level=view.key,
        layout=view.layout,
        chunk_bytes=view.chunk_bytes,
        filesystem=proposal.filesystem,
        capacity=proposal.capacity,
        survives_one_more_share=float(view.luck),
        rebuild=view.rebuild,
        unreadable=tuple(SectorRisk(bits_per_sector=risk.bits_per_sector, chance=risk.chance) for risk in risks),
        times_one_disk=times(view),
        write_operations=view.prediction.write_penalty if view.prediction else 0,
    )
