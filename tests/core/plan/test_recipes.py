"""Recipes: every shipped one plans, a misspelt key is an error with its path, a person's own stand beside them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.fio.job import FioOptions
from raidtui.core.plan import recipe
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup
from raidtui.core.plan.model import Plan, confirmation_code, encode, goes_on, shown_steps, teardown_of, undo
from raidtui.core.plan.planner import make, sealed
from raidtui.core.plan.steps import Command, Restore, Wait, Write, put_back, shell
from raidtui.core.plan.summary import cost, explain, imagined
from raidtui.core.plan.validate import decode
from raidtui.core.script.render import script
from raidtui.core.units import GB, MIB
from tests.builders import sweeps
from tests.seeds import cases

FIVE = {
    "raid0-gain": (24, 1),
    "jbod-vs-raid0": (4, 9),
    "stripe-x-allocation-unit-x-offset": (4, 36),
    "levels-sequential": (3, 19),
    "levels-random-4k": (6, 36),
}


HELPERS = {"raid10-layouts": 4, "raid5-many-readers": 4, "alignment-proof": 4, "disk-baseline": 4, "zones": 4}
HELPERS |= {"degraded": 4, "rebuild": 4, "nvme-array": 4}


def linked(
    name: str, disks: int = 0, variant: str = "", flash: bool = False, size: int = 1000 * GB, **more: Any
) -> Plan:
    """A script can be made of it; its code is that of before the disks had links."""
    found = imagined([size] * (disks or FIVE[name][0]), flash)
    given = {"disks": tuple(disk.id for disk in found), "recipe": name, "variant": variant, "repeat": 1, **more}
    answers = Answers(**given)
    return sweeps.linked(make(answers, recipes.load(name), found, "here", memory_bytes=64 * 10**9))


def plan(name: str, disks: int = 0, **more: Any) -> Plan:
    return sealed(linked(name, disks, **more))


def built(made: Plan) -> list[str]:
    return [stage.title for stage in made.stages if stage.setup]


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize("variant", ["as-published", "fair"])
def test_each_of_the_five_is_planned_from_its_name_alone(name: str, variant: str) -> None:
    made = plan(name, variant=variant)
    assert len(built(made)) == FIVE[name][1]
    assert len({trial.id for trial in made.trials}) == len(made.trials)
    measured = [step.trial for step in shown_steps(made) if isinstance(step, Command) and step.trial]
    assert measured == [trial.id for trial in made.trials]
    assert made.estimate_s > sum(trial.expected_s for trial in made.trials) > 0
    assert made.written_bytes > 0
    assert script(made).startswith("#!/bin/bash")
    assert decode(encode(made)) == made and confirmation_code(decode(encode(made))) == made.code
    assert made.source and explain(name, recipes.load(name)) and cost(made)


TWO_EACH = {
    "level": ("1", "5"),
    "layout": ("n2", "f2"),
    "chunk": ("64K", "64KiB"),
    "bitmap": ("internal", "none"),
    "first_sync": ("wait", "skip"),
    "member_size": ("2GiB", "4GiB"),
    "disks": (4, 0),
    "groups": (1, 2),
    "partition_start_sectors": (63, 2048),
    "filesystem": ("ext4", "xfs"),
    "allocation_unit": ("", "8KiB"),
    "stripe_cache_size": (256, 4096),
    "group_thread_cnt": (0, 2),
    "wbt_lat_usec": (0, 2000),
    "failed": (0, 1),
    "rebuild_min_kib_s": (0, 1000),
    "write_mostly": (0, 1),
}


BUILDING = [name for name in recipes.names() if not recipes.load(name).existing]
SOME = [  # of all pairs, a sixth: each recipe with other axes than the next, which are alike for all of them
    (name, axis)
    for at, name in enumerate(BUILDING)
    for place, axis in enumerate(Axes.__struct_fields__)
    if (at + place) % cases(6, few=9, many=3) == 0
]


@pytest.mark.parametrize("name, axis", SOME)
def test_titles_are_unique_whatever_axis_a_recipe_is_given(name: str, axis: str) -> None:
    """Also in the script, where what a command is told of an array stands under that array's name."""
    own: dict[str, tuple[object, ...]] = {axis: TWO_EACH[axis]}
    if axis != "level":
        own["level"] = ("10",) if axis == "layout" else ("5", "1")
    elif not recipes.load(name).sweeps:
        own["filesystem"] = ("none",)
    try:
        made = linked(name, 5, axes=msgspec.convert(own, Axes))
    except PlanRefused as refused:  # a block of the recipe that cannot be combined with it
        assert "no cell can be built" in str(refused) or "offset cannot be given" in str(refused) or name == "proof"
        return
    titles = [stage.title for stage in made.stages]
    assert len(set(titles)) == len(titles)
    array = ""
    for line in script(made).splitlines():
        if line.startswith("array="):
            array = line.removeprefix("array=/dev/md/")
        elif line.startswith("mdadm --create"):
            assert f"--name={array} " in line


@pytest.mark.parametrize("name, disks", HELPERS.items())
def test_the_helpers_are_planned(name: str, disks: int) -> None:
    made = plan(name, disks)
    assert made.trials and explain(name, recipes.load(name)) and cost(made)


@pytest.mark.parametrize("name", FIVE)
def test_each_stage_is_whole_on_its_own_and_takes_back_what_it_builds(name: str) -> None:
    made = plan(name)
    assert any(stage.array for stage in made.stages)
    for stage in made.stages:
        mounts = [step.argv[-1] for step in stage.steps if isinstance(step, Command) and step.argv[0] == "mount"]
        undone = [step.argv[-1] for step in undo(stage.steps) if isinstance(step, Command) and step.argv[0] == "umount"]
        assert sorted(mounts) == sorted(undone)
        creates = sum("--create" in shell(step) for step in stage.steps)
        assert sum("mdadm --stop" in shell(step) for step in undo(stage.steps)) == creates == bool(stage.array)
        for step in stage.steps:  # what is switched for one job is put back after it, or with the stage
            if isinstance(step, Write) and step.restore:
                later = [s for s in (*stage.steps, *undo(stage.steps)) if isinstance(s, Restore)]
                assert step.path in {one.path for one in later}


def test_cells_with_the_same_array_go_on_with_it() -> None:
    made = plan("stripe-x-allocation-unit-x-offset")
    shared = [number for number in range(len(made.stages)) if goes_on(made, number)]
    assert len(shared) == 32
    creates = [step for step in shown_steps(made) if "mdadm --create" in shell(step)]
    stops = [step for step in shown_steps(made) if "mdadm --stop" in shell(step)]
    assert len(creates) == len(stops) == 4
    assert len({made.stages[n].array.uuid for n in range(1, 37)}) == 4  # type: ignore[union-attr]
    between = [shell(step) for step in teardown_of(made, shared[0] - 1)]
    assert between == ["umount mnt"]


def test_the_order_of_jobs_and_dropped_caches_of_the_first() -> None:
    stage = plan("raid0-gain").stages[-1]
    told = [getattr(step, "trial", "") or shell(step) for step in stage.steps[stage.build :]]
    assert told == [
        'wipefs --all "${array}"',
        "s2-iops_write",
        "sync",
        "echo 3 > /proc/sys/vm/drop_caches",
        "s2-iops_read",
        "s2-seq_write",
        "sync",
        "echo 3 > /proc/sys/vm/drop_caches",
        "s2-seq_read",
    ]


def test_each_drive_is_measured_alone_and_as_published_a_drive_runs_its_time_and_an_array_less() -> None:
    made = plan("raid0-gain", size=1200 * GB)
    alone = {trial.member for trial in made.trials if trial.target == "member"}
    assert alone == set(range(24))
    (of_drive,) = [trial for trial in made.trials if trial.id == "s1-member0-seq_write"]
    (of_array,) = [trial for trial in made.trials if trial.id == "s2-seq_write"]
    assert of_drive.expected_s == pytest.approx(120 + 32 * 4 * MIB / 180e6)  # what is under way at the end
    assert 20 < of_array.expected_s < 30


def test_separate_disks_have_a_file_system_and_a_job_each_an_array_a_job_a_disk() -> None:
    made = plan("jbod-vs-raid0", flash=True)
    files = {}
    for stage in made.stages[1:]:
        argv = next(step.argv for step in stage.steps if isinstance(step, Command) and step.trial)
        files[stage.title] = [word.partition("=")[2] for word in argv if word.startswith("--filename=")]
        assert stage.trials[0].numjobs == 4
    assert files["JBOD of 4 disks, ext2"] == [f"mnt{i}/raidtui.fio" for i in range(4)]
    assert files["RAID 0 of 4 disks, chunk 512 KiB, xfs"] == [f"mnt/{i}-raidtui.fio" for i in range(4)]
    (pool,) = [stage for stage in made.stages if stage.title == "btrfs RAID 10 of 4 disks"]
    assert "--data raid10 --metadata raid10" in shell(pool.steps[1])
    assert next(shell(step) for step in undo(pool.steps)) == "umount mnt"
    assert all("OpenZFS is not installed" in text for text in made.pruned) and len(made.pruned) == 6


def test_partition_and_allocation_unit_are_told_to_the_tools() -> None:
    (stage,) = [stage for stage in plan("stripe-x-allocation-unit-x-offset").stages
                if "chunk 64 KiB, partition at sector 63, ext4, allocation unit 8KiB" in stage.title]  # fmt: skip
    lines = [shell(step) for step in stage.steps]
    (table,) = [line for line in lines if "sfdisk" in line]
    assert table.endswith('"${array}" <<< start=63')
    (made,) = [line for line in lines if line.startswith("mkfs")]
    assert "-O bigalloc -C 8192" in made and made.endswith('"$(partition)"')


def test_a_cell_of_fewer_disks_names_no_other_disk_in_its_steps() -> None:
    made = plan("levels-sequential")
    two = [number for number, stage in enumerate(made.stages) if stage.setup and stage.setup.disks == 2]
    assert len(two) == 9 and len(made.pruned) == 1 and made.pruned[0].startswith("RAID 10 n3 of 2 disks")
    for number in two:
        said = [shell(step) for step in (*made.stages[number].steps, *teardown_of(made, number))]
        assert any("member:1" in line or "member_1" in line for line in said)
        assert not any("member:2" in line or "member_2" in line for line in said)
        array = made.stages[number].array
        assert array and array.capacity.raw_bytes == 2 * 1000 * GB


def test_the_stripe_cache_is_set_and_put_back() -> None:
    made = plan("levels-sequential")
    of_all = "RAID 5 of 3 disks"
    (stage,) = [stage for stage in made.stages if stage.title.startswith(of_all) and stage.title.endswith("4096")]
    path = "/sys/block/{array}/md/stripe_cache_size"
    (write,) = [s for s in stage.steps if isinstance(s, Write) and s.restore and s.path == path]
    assert write.value == "4096"
    assert put_back(write) in tuple(undo(stage.steps))
    waits = [step for step in stage.steps if isinstance(step, Wait) and step.condition == "sync-finished"]
    assert len(waits) == 1


def test_the_throttling_of_every_members_writes_is_set_and_put_back() -> None:
    stage = plan("quick", disks=3, setup=Setup(level="5", wbt_lat_usec=0)).stages[-1]
    written = [step for step in stage.steps if isinstance(step, Write)]
    paths = [f"/sys/block/{{member:{index}}}/queue/wbt_lat_usec" for index in range(3)]
    assert [(step.path, step.value) for step in written] == [(path, "0") for path in paths]
    assert [step.path for step in undo(stage.steps) if isinstance(step, Restore)] == paths[::-1]
    assert "wbt off" in stage.title


def test_the_write_caches_are_off_for_the_write_test_alone() -> None:
    stage = plan("levels-random-4k").stages[-1]
    told: list[str] = []
    for step in stage.steps:
        if isinstance(step, Command) and step.trial:
            told.append(step.trial.partition("-")[2])
        elif isinstance(step, Write | Restore):
            told.append(type(step).__name__)
    assert told == ["Write"] * 6 + ["rand_write"] + ["Restore"] * 6 + ["rand_read"]


@pytest.mark.parametrize("flash, fio, runtime_s", [(False, {}, 120), (True, {}, 5), (False, {"runtime": "2s"}, 2)])
@pytest.mark.parametrize("recipe", ["quick", "levels-in-short"])
def test_random_writes_of_rotating_disks_last_until_level(
    recipe: str, flash: bool, fio: FioOptions, runtime_s: int
) -> None:
    made = sweeps.plan(recipe, 4, flash, fio=fio, level="5" if recipe == "quick" else "")
    assert {trial.runtime_s for trial in made.trials if trial.rw == "randwrite"} == {runtime_s}
    assert {trial.runtime_s for trial in made.trials if trial.rw != "randwrite"} == {2 if fio else 5}


def test_dirty_memory_stretches_a_buffered_write() -> None:
    (alone,) = [trial for trial in plan("levels-sequential").trials if trial.id == "s1-member0-seq_write"]
    assert alone.expected_s == pytest.approx(60 + 60, abs=0.1)  # all that was written in 60 s may still be dirty
    (read,) = [trial for trial in plan("levels-sequential").trials if trial.id == "s1-member0-seq_read"]
    assert read.expected_s == pytest.approx(60, abs=0.1)


def test_a_scaled_down_run_by_answers() -> None:
    made = plan(
        "levels-random-4k",
        axes=Axes(chunk=("64KiB",)),
        fio={"runtime": "2s", "size": "100m", "ramp_time": 0},
        job={"rand_read": {"iodepth": 1}},
        disk_speed="94MB/s",
        disk_iops=100,
        size=8 * GB,
    )
    assert [title.partition(" of")[0] for title in built(made)] == ["RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"]
    assert {round(trial.expected_s, 1) for trial in made.trials} == {2.0}
    assert {trial.iodepth for trial in made.trials if trial.job == "rand_read"} == {1}
    assert {trial.span_bytes for trial in made.trials if trial.target == "filesystem"} == {100 << 20}


def test_of_a_sweep_no_array_is_kept() -> None:
    with pytest.raises(PlanRefused, match="of a sweep no array is kept"):
        plan("levels-random-4k", after="keep")


def test_too_few_disks_are_told() -> None:
    with pytest.raises(PlanRefused, match="jbod-vs-raid0 needs 4 disks or more"):
        plan("jbod-vs-raid0", disks=3)


def test_a_persons_own_recipes_stand_beside_the_shipped_and_a_broken_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("SUDO_USER", raising=False)
    folder = tmp_path / "raidtui" / "recipes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('title = "Mine"\n[[job]]\nname = "a"\nfio = { rw = "read" }\n')
    (folder / "broken.toml").write_text('title = "x"\nsummry = ""\n')
    (folder / "torn.toml").write_text('title = "x')
    library = recipes.library()
    assert {
        "quick",
        "groups",
        "sync-writes",
        "levels-in-short",
        "mine",
        "existing",
        "qd-x-jobs",
        "burn-in",
        "proof",
        "latency-at-load",
        "flash-steady-state",
        *FIVE,
        *HELPERS,
    } == set(library.recipes) and next(iter(library.recipes)) == "quick"
    assert [text.partition(": ")[0] for text in library.broken] == [
        str(folder / "broken.toml"),
        str(folder / "torn.toml"),
    ]
    with pytest.raises(recipe.RecipeError, match="summry"):
        recipes.load("broken")
    with pytest.raises(recipe.RecipeError, match=r"no recipe 'no'; `raidtui recipes` lists all"):
        recipes.load("no")


def test_a_plan_of_a_recipe_without_axes_wants_a_level() -> None:
    found = imagined([10 * GB] * 3, flash=False)
    answers = Answers(disks=tuple(disk.id for disk in found), setup=Setup())
    with pytest.raises(PlanRefused, match="`level` is missing"):
        make(answers, recipes.load("quick"), found, "here")


@pytest.mark.parametrize("use, synced", [(None, 0), ("files", 0), ("vms", 2), ("databases", 2)])
def test_sync_writes_are_in_quick_for_what_waits_for_them(use: str | None, synced: int) -> None:
    found = recipe.jobs(recipes.load("quick"), use=use)
    assert sum("fdatasync" in job.fio for job in found) == synced and len(found) == 4 + synced


def test_a_sync_write_waits_for_the_write_and_the_flush_before_the_next() -> None:
    for name in ("quick", "sync-writes"):
        jobs = [job for job in recipes.load(name).job if "fdatasync" in job.fio]
        assert [(job.fio["bs"], job.fio["iodepth"], job.fio["ioengine"]) for job in jobs] == [
            ("4k", 1, "psync"), ("8k", 1, "psync"),
        ]  # fmt: skip
