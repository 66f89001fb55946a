"""The documents that are broken: good ones as trees, how they are written, read, and what is then made of them."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.disks import dumps
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio import result
from raidtui.core.hardware import drive, smartctl
from raidtui.core.hardware.drive import judge
from raidtui.core.hardware.pages import drive_page
from raidtui.core.plan import model, planner, recipe, validate
from raidtui.core.plan.answers import Answers, AnswersError, Axes, Setup
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.report import markdown
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState, fold, fold_all
from raidtui.runs import directory
from raidtui.runs.planning import read_answers
from tests.fuzz import forms, walks
from tests.fuzz.changes import Places
from tests.fuzz.walks import Said

RECORDINGS = Path(__file__).parents[1] / "recordings"
RUNS, MACHINES = RECORDINGS / "runs", RECORDINGS / "machines"
_MOST_SAMPLES = 12
_ROWS_OF_DUMP = 12  # of a dump's devices


class Subject(msgspec.Struct, frozen=True):
    """A kind of document. `walk` takes the file's bytes, and raises one of `errors` where it is none."""

    name: str
    seeds: Callable[[], tuple[Any, ...]]
    encode: Callable[[Any], bytes]
    walk: Callable[[bytes, int], Said]
    errors: tuple[type[Exception], ...]
    share: int = 1  # of all cases

    @property
    def known(self) -> tuple[Places, ...]:
        """The seeds with their places."""
        return _known(self.name)


@cache
def _known(name: str) -> tuple[Places, ...]:
    return tuple(map(Places, BY_NAME[name].seeds()))


@cache
def scratch() -> Path:
    """A folder for files of a case."""
    return Path(mkdtemp(prefix="raidtui-fuzz-"))


@cache
def rack() -> tuple[Disk, ...]:
    """Disks that answers and recipes are planned for."""
    return disks_of(dumps.read((MACHINES / "rack-of-three.json").read_bytes()))


class Run:
    """The files of a run, and what they say."""

    def __init__(self, name: str, plan: bytes, journal: bytes) -> None:
        self.name, self.plan, self.journal = name, plan, journal
        self.made = validate.decode(plan)
        self.state = fold_all(journal_lines.read(journal)[0])


@cache
def runs() -> tuple[Run, ...]:
    """A run of one setup, one of what stands already, a sweep, and a proof."""
    recorded = (Run(name, *_files(RUNS / name)) for name in ("raid5-of-3", "existing-folder"))
    return (*recorded, _swept(), _proved())


def _files(folder: Path) -> tuple[bytes, bytes]:
    return (folder / directory.PLAN).read_bytes(), (folder / directory.JOURNAL).read_bytes()


def _swept() -> Run:
    """Two setups with one job on each, as if carried out: small, as most of the cost of a case is its document's."""
    axes = (Axes(level=("5", "10"), chunk=("64KiB",), filesystem=("xfs",)),)
    given = Answers(disks=tuple(disk.id for disk in rack()), axes=axes, jobs=("seq_read",))
    plan = planner.make(given, recipes.load("quick"), rack(), "a machine")
    recorded, _ = journal_lines.read((RUNS / "raid5-of-3" / directory.JOURNAL).read_bytes())
    started = next(event for event in recorded if isinstance(event, events.WorkerStarted))
    ended = next(event for event in recorded if isinstance(event, events.TrialEnded))
    told: list[events.AnyEvent] = [replace(started, at_s=1e9)]
    for number, stage in enumerate(plan.stages):
        told.append(events.StageStarted(at_s=1e9, stage=number))
        told += [event for event in recorded if isinstance(event, events.ArrayBuilt | events.FilesystemMade)]
        for trial in stage.trials:
            told.append(events.TrialStarted(at_s=1e9, trial=trial.id, expected_s=9.0))
            told.append(replace(ended, trial=trial.id))
        told.append(events.StageEnded(at_s=1e9, stage=number))
    told.append(events.RunEnded(at_s=1e9, outcome="finished"))
    later = [replace(event, at_s=1e9 + 10 * number) for number, event in enumerate(told)]
    return Run("sweep", model.encode(plan), b"".join(map(journal_lines.encode, later)))


def _proved() -> Run:
    """Each state read back, and a block that differed in the last one."""
    disks = tuple(disk.id for disk in rack())
    given = Answers(disks=disks, setup=Setup(level="5"), recipe="proof", after="keep")
    plan = planner.make(given, recipes.load("proof"), rack(), "a machine")
    recorded, _ = journal_lines.read((RUNS / "raid5-of-3" / directory.JOURNAL).read_bytes())
    started = next(event for event in recorded if isinstance(event, events.WorkerStarted))
    ended = next(event for event in recorded if isinstance(event, events.TrialEnded))
    number = next(number for number, stage in enumerate(plan.stages) if stage.proof)
    told: list[events.AnyEvent] = [started, events.StageStarted(at_s=1e9, stage=number)]
    for role in ("create", "fill"):
        told.append(events.StepStarted(at_s=1e9, stage=number, what=role, line=role, role=role))
        told.append(events.StepEnded(at_s=1e9, what=role))
    for trial in plan.stages[number].trials:
        told.append(events.TrialStarted(at_s=1e9, trial=trial.id, expected_s=9.0))
        told.append(replace(ended, trial=trial.id))
    block = BlockDiffers(request_bytes=1 << 20, offset_bytes=1, count_bytes=1, member=disks[1], member_bytes=9, bits=1)
    differed = events.BlocksDiffered(at_s=1e9, stage=number, state="rebuilt", count=1, named=(1 << 20,))
    told += [differed, replace(differed, blocks=(block,))]
    told.append(events.RunEnded(at_s=1e9, outcome="failed"))
    later = [replace(event, at_s=1e9 + 10 * at) for at, event in enumerate(told)]
    return Run("proof", model.encode(plan), b"".join(map(journal_lines.encode, later)))


def _plan_seeds() -> tuple[Any, ...]:
    return tuple(json.loads(run.plan) for run in runs())


def _walk_plan(data: bytes, number: int) -> Said:
    plan = validate.decode(data)
    yield from walks.of_plan(plan)
    state = RunState() if number % 5 == 0 else _nearest(trial.id for trial in plan.trials).state
    yield from walks.of_run(plan, state, number)


def _nearest(trials: Iterable[str]) -> Run:
    """The run that has the most of these trials: a broken plan belongs to its journal, and a journal to its plan."""
    ids = set(trials)
    return max(runs(), key=lambda run: len(ids & {trial.id for trial in run.made.trials}))


def _walk_journal(data: bytes, number: int) -> Said:
    read, end = journal_lines.read(data)
    assert end == len(data), "not all lines were read"
    state = fold_all(read)
    # folding in parts must give the same; a part is what a viewer has read between two looks
    half = len(read) // 2
    assert fold_all(read[half:], fold_all(read[:half])) == state or state != state, "folded in parts it is another run"
    seen = RunState()
    for event in read[: number % 40]:
        seen = fold(seen, event)
    run = _nearest(one.trial for one in state.trials)
    yield from walks.of_run(run.made, state, number)
    yield from walks.of_live(run.made, fold_all(read[: number % (len(read) + 1)]))
    if number % 16 == 0:
        yield from walks.of_directory(_folder(run, data, b""))


def _folder(run: Run, journal: bytes, samples: bytes) -> Path:
    """The directory of a run, with another journal or other samples."""
    folder = scratch() / "runs" / "a-run"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, data in ((directory.PLAN, run.plan), (directory.JOURNAL, journal), (directory.SAMPLES, samples)):
        (folder / name).write_bytes(data)
    return folder


def _sample_seeds() -> tuple[Any, ...]:
    return (forms.of_samples((RUNS / "raid5-of-3" / directory.SAMPLES).read_bytes(), _MOST_SAMPLES),)


def _walk_samples(data: bytes, number: int) -> Said:
    run = runs()[0]
    yield from walks.of_samples(_folder(run, run.journal, data), run.made)


def _answer_seeds() -> tuple[Any, ...]:
    setup = {"level": "5", "chunk": "64KiB", "bitmap": "internal", "filesystem": "xfs", "first_sync": "wait"}
    ids = [disk.id for disk in rack()]
    whole = {
        "disks": ids, "recipe": "quick", "variant": "", "repeat": 2, "after": "keep", "disk_speed": "180MB/s",
        "disk_iops": 150.5, "fio": {"ramp_time": 0}, "setup": {**setup, "stripe_cache_size": 4096},
        "job": {"seq_read": {"runtime": "60s", "bs": "1m", "iodepth": 8, "direct": True},
                "rand_write": {"size": "50%", "numjobs": 2, "ramp_time": 1.5}},
    }  # fmt: skip
    sweep = {
        "disks": ids, "recipe": "quick", "repeat": 1, "after": "teardown", "jobs": ["seq_read"],
        "axes": [{"level": ["5", "10"], "chunk": ["64KiB", "512KiB"], "member_size": ["100MiB"]},
                 {"level": ["jbod", "btrfs-raid1"], "filesystem": ["btrfs"], "disks": [2, 3]},
                 {"level": ["0"], "partition_start_sectors": [0, 2048], "allocation_unit": ["64KiB"],
                  "wbt_lat_usec": [0, 75000], "group_thread_cnt": [0, 4]}],
    }  # fmt: skip
    return whole, sweep


def _walk_answers(data: bytes, number: int) -> Said:
    path = scratch() / "answers.toml"
    path.write_bytes(data)
    yield from walks.of_answers_file(path, read_answers(path), rack(), number)


def _recipe_seeds() -> tuple[Any, ...]:
    paths = sorted(Path(recipes.__path__[0]).glob("*.toml"))
    return tuple(tomllib.loads(path.read_text()) for path in paths)


def _walk_recipe(data: bytes, number: int) -> Said:
    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise recipe.RecipeError("not TOML") from error
    yield from walks.of_recipe(recipe.parse(document, "mine.toml"), rack(), number)


def _json(*paths: Path) -> tuple[Any, ...]:
    return tuple(json.loads(path.read_bytes()) for path in paths)


def _machine_seeds() -> tuple[Any, ...]:
    names = ("in-use", "left-behind", "rack-of-six", "rack-of-three", "stacked", "stopped-array", "two-paths")
    return _json(*(MACHINES / f"{name}.json" for name in names))


def _udevadm_seeds() -> tuple[Any, ...]:
    return (forms.of_udevadm((MACHINES / "in-use.udevadm.txt").read_text())[:_ROWS_OF_DUMP],)


def _walk_machine(data: bytes, number: int) -> Said:
    yield from walks.of_machine(dumps.read(data), number)


def _fio_seeds() -> tuple[Any, ...]:
    texts = [path.read_text() for path in sorted((RECORDINGS / "fio").rglob("*.json"))]
    return tuple(json.JSONDecoder().raw_decode(text[text.index("{") :])[0] for text in texts)


def _walk_fio(data: bytes, number: int) -> Said:
    yield from walks.of_fio(result.parse(data.decode(errors="replace"), "a file"))


def _smart_seeds() -> tuple[Any, ...]:
    return (
        {
            "smartctl": {"exit_status": 4},
            "smart_status": {"passed": True, "nvme": {"value": 0}},
            "temperature": {"current": 31, "drive_trip": 65, "op_limit_max": 60},
            "nvme_composite_temperature_threshold": {"warning": 70, "critical": 80},
            "ata_smart_attributes": {"table": [{"id": 5, "raw": {"value": 0}}, {"id": 197, "raw": {"value": 8}}]},
            "nvme_smart_health_information_log": {"media_errors": 0, "percentage_used": 3, "num_err_log_entries": 1},
        },
        {"smart_status": {"passed": False, "scsi": {"asc": 93, "ie_string": "HARDWARE IMPENDING FAILURE"}},
         "scsi_grown_defect_list": 4, "scsi_error_counter_log": {"read": {"total_uncorrected_errors": 1}}},
    )  # fmt: skip


def _walk_smart(data: bytes, number: int) -> Said:
    told = smartctl.parse(data.decode())
    counts = drive.counts_in_words(told)
    yield "health", drive.verdict_words(told)
    yield "counts", " ".join(f"{name} {count}" for name, count in counts.items())
    yield "the page", "\n".join(drive_page("a drive", told, judge(told)))
    assert told.temperature_c is None or -60 < told.temperature_c < 200
    told_event = events.HealthRead(at_s=1.0, stage=0, disks={disk.id: counts for disk in rack()})
    run = runs()[0]
    again = journal_lines.decode(journal_lines.encode(told_event))
    yield from walks.printed("as told", print, again)
    yield "the report", markdown.markdown(run.made, fold(fold(run.state, told_event), told_event))


SUBJECTS = (
    Subject("plan", _plan_seeds, forms.as_json, _walk_plan, (ValueError,), 4),
    Subject(
        "journal",
        lambda: tuple(list(map(json.loads, run.journal.splitlines())) for run in runs()),
        forms.as_lines,
        _walk_journal,
        (),
        5,
    ),
    Subject("samples", _sample_seeds, forms.as_samples, _walk_samples, (), 1),
    Subject("answers", _answer_seeds, forms.as_toml, _walk_answers, (AnswersError,), 3),
    Subject("recipe", _recipe_seeds, forms.as_toml, _walk_recipe, (recipe.RecipeError,), 3),
    Subject("machine", _machine_seeds, forms.as_json, _walk_machine, (ValueError,), 3),
    Subject("lsblk", lambda: _json(MACHINES / "in-use.lsblk.json"), forms.as_json, _walk_machine, (ValueError,), 2),
    Subject("udevadm", _udevadm_seeds, forms.as_udevadm, _walk_machine, (ValueError,), 2),
    Subject("fio", _fio_seeds, forms.as_json, _walk_fio, (result.FioResultError,), 4),
    Subject("smartctl", _smart_seeds, forms.as_json, _walk_smart, (smartctl.SmartError,), 1),
)
BY_NAME = {subject.name: subject for subject in SUBJECTS}


def in_turn() -> Iterator[Subject]:
    """The subjects in the order in which cases come to them, each as often as its share says."""
    for number in range(max(subject.share for subject in SUBJECTS)):
        yield from (subject for subject in SUBJECTS if subject.share > number)


TURN = tuple(in_turn())
