"""Suspects: where each can be changed, and the plan of an ablation: what it switches, and all of it put back."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.plan import model, parsed_setup, retry, tunables
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup, parse, to_document
from raidtui.core.plan.steps import Command, Restore, Write, role_of
from raidtui.core.plan.tunables import Case
from raidtui.core.script.render import script
from raidtui.core.units import GB
from tests.builders import racks, sweeps

CACHE = "/sys/block/{array}/md/stripe_cache_size"
WRITE, READ = {"rw": "randwrite", "direct": True, "iodepth": 64}, {"rw": "randread", "direct": True, "iodepth": 64}


def keys(level: str, options: dict[str, object], disks: int = 4, **setup: object) -> set[str]:
    parsed = parsed_setup.parse(Setup(level=level, **setup), [GB * 100] * disks, "4.2")  # type: ignore[arg-type]
    return {one.key for one in tunables.possible(Case(parsed, options, disks))}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "level, options, setup, expected",
    [
        ("5", WRITE, {}, {"disks", "wbt", "bitmap", "stripe-cache", "threads"}),
        ("5", READ, {}, {"disks"}),
        ("5", WRITE, {"bitmap": "ppl"}, {"disks", "wbt", "parity-log", "stripe-cache", "threads"}),
        ("10", WRITE, {}, {"disks", "wbt", "bitmap"}),
        ("10", WRITE, {"wbt_lat_usec": 0, "bitmap": "none"}, {"disks"}),
        ("0", WRITE, {}, {"disks"}),
        ("0", {"rw": "write"}, {}, {"disks", "wbt", "queue", "direct"}),
        ("5", {**READ, "iodepth": 1}, {}, {"disks", "queue"}),
        ("5", {**READ, "iodepth": 1, "ioengine": "psync"}, {}, {"disks"}),
        ("6", WRITE, {"stripe_cache_size": 4096, "group_thread_cnt": 4}, {"disks", "wbt", "bitmap"}),
        ("jbod", WRITE, {}, {"disks"}),
    ],
)
def test_only_what_is_there_and_not_so_already_can_be_changed(
    level: str, options: dict[str, object], setup: dict[str, object], expected: set[str]
) -> None:
    assert keys(level, options, **setup) == expected  # type: ignore[arg-type]


def ablation(*explain: str, level: str = "5", repeat: int = 5, **setup: object) -> model.Plan:
    given = racks.answers(4, level, **setup)
    return racks.plan(replace(given, jobs=("rand_write",), explain=explain, repeat=repeat),
                      tuple(racks.disk(n) for n in range(4)))  # fmt: skip


def test_the_arms_come_in_blocks_on_one_array() -> None:
    made = ablation("disks", "wbt", "bitmap", "stripe-cache")
    baseline, built = made.stages[-2:]
    assert [one.target for one in baseline.trials] == ["member"] * 4 + ["members"]
    blocks = [built.trials[i : i + 4] for i in range(0, 20, 4)]
    assert len(built.trials) == 20
    for number, block in enumerate(blocks, 1):
        assert {one.suspect for one in block} == {"", "wbt", "bitmap", "stripe-cache"}
        assert {(one.repetition, one.block) for one in block} == {(number, number)}
    assert made.blocks == 0 and model.heading(made.stages[-1], made.blocks) == built.title  # none is built anew
    assert len({tuple(one.suspect for one in block) for block in blocks}) > 1  # not always the same order
    assert [role_of(step) for step in built.steps].count("create") == 1
    assert [one.suspect for one in built.trials] == [
        one.suspect for one in ablation(*made.answers.explain).stages[-1].trials
    ]


def test_each_change_is_taken_back_before_the_next_test() -> None:
    """What is in force when a test runs is its own suspect, and nothing else."""
    built = ablation("wbt", "bitmap", "stripe-cache", stripe_cache_size=512).stages[-1]
    changed, bitmaps = dict[str, str](), {"{array}": "internal"}
    for key in followed(built, changed, bitmaps):
        wbt = [path for path in changed if path.endswith("wbt_lat_usec")]
        assert len(wbt) == (4 if key == "wbt" else 0)
        assert bitmaps == {"{array}": "none" if key == "bitmap" else "internal"}
        assert changed["/sys/block/{array}/md/stripe_cache_size"] == ("4096" if key == "stripe-cache" else "512")
    assert bitmaps == {"{array}": "internal"} and list(changed) == ["/sys/block/{array}/md/stripe_cache_size"]


def followed(built: model.Stage, changed: dict[str, str], bitmaps: dict[str, str]) -> Iterator[str]:
    """The suspect of each test, step by step. In force by then: `changed`, path -> value; `bitmaps`, array -> kind."""
    trials = {one.id: one.suspect for one in built.trials}
    for step in built.steps[built.build :]:
        match step:
            case Write(path=path, value=value, restore=True):
                changed[path] = value
            case Restore(path=path):
                del changed[path]
            case Command(role="bitmap", argv=argv):
                bitmaps[argv[3]] = argv[2].removeprefix("--bitmap=")
            case Command(trial=trial) if trial:
                yield trials[trial]


def test_a_setting_of_groups_is_changed_on_all_of_them_together() -> None:
    keys = ("wbt", "bitmap", "stripe-cache")
    built = sweeps.plan("quick", 6, level="5", groups=2, jobs=("rand_write",), explain=keys, repeat=5).stages[-1]
    groups, seen = {"{group:0}", "{group:1}"}, []
    changed, bitmaps = dict[str, str](), dict[str, str]()
    for key in followed(built, changed, bitmaps):
        caches = {f"/sys/block/{group}/md/stripe_cache_size" for group in groups}
        assert {path for path in changed if "stripe_cache" in path} == (caches if key == "stripe-cache" else set())
        assert len([path for path in changed if "wbt" in path]) == (6 if key == "wbt" else 0)
        assert {group for group, kept in bitmaps.items() if kept == "none"} == (groups if key == "bitmap" else set())
        seen.append(key)
    assert sorted(seen) == sorted([*keys, ""] * 5) and not changed and bitmaps == dict.fromkeys(groups, "internal")


@pytest.mark.parametrize(
    "explain, level, says",
    [
        (("bitmap",), "0", "explain: bitmap cannot be changed: there is none; leave it out"),
        (("moon",), "5", "explain: 'moon' is no suspect; they are disks, stripe-cache, wbt"),
        (("stripe-cache",), "10", "only writes with parity"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_one_sentence(explain: tuple[str, ...], level: str, says: str) -> None:
    with pytest.raises(PlanRefused, match=says):
        ablation(*explain, level=level)


def test_several_jobs_are_none_to_explain() -> None:
    with pytest.raises(PlanRefused, match="name one setup and one job, not 1 and 4"):
        racks.plan(replace(racks.answers(), explain=("wbt",)))


def test_the_answers_of_a_cell_of_a_sweep_are_a_file_of_their_own() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    stage = next(one for one in made.stages if one.setup and (one.setup.level, one.setup.chunk) == ("6", "8KiB"))
    given = retry.explaining(made, stage.trials[0].id, ("disks", "wbt"))
    assert isinstance(given.axes, tuple) and given.axes[0] == Axes(
        level=("6",), chunk=("8KiB",), first_sync=("skip",), filesystem=("xfs",)
    )
    assert given.repeat == 5 and given.job["rand_write"]["runtime"] == "5s"
    assert parse(to_document(given)) == given


def test_a_plan_without_an_ablation_keeps_its_code() -> None:
    """The fields that an ablation brought are not in the code of plans that have none."""
    said = msgspec.json.decode(model.encode(racks.plan()))
    assert said["answers"].pop("explain") == []
    for stage in said["stages"]:
        for trial in stage["trials"]:
            assert trial.pop("suspect") == ""
    assert model.confirmation_code(racks.plan()) == racks.plan().code
    assert model.confirmation_code(ablation("wbt")) != model.confirmation_code(ablation("bitmap"))
    assert Answers().explain == ()


def test_the_script_puts_back_what_was_there_first(tmp_path: Path) -> None:
    """A setting that the setup names is changed twice: what is put back is what was there before both."""
    setting = tmp_path / "wbt_lat_usec"
    setting.write_text("75000\n")
    text = script(sweeps.linked(ablation("wbt", wbt_lat_usec=500)))
    functions = text[text.index("declare -A old") : text.index("trap 'for path")]
    calls = "".join(f"setting {setting} {value}\n" for value in (500, 0, 500))
    done = subprocess.run(["bash", "-euc", f"{functions}\n{calls}put_back {setting}"], check=False, capture_output=True)
    assert done.returncode == 0 and setting.read_text() == "75000\n", done.stderr
    assert subprocess.run(["bash", "-n"], input=text.encode(), check=False).returncode == 0
