"""What stands already is measured without being touched: no step of any such plan could change it."""

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui import recipes
from raidtui.core.disks.machine import (
    BlockDevice,
    Machine,
    Mount,
    Signature,
)
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import summary, target, target_plan
from raidtui.core.plan.answers import (
    Answers,
    AnswersError,
    parse,
    to_document,
)
from raidtui.core.plan.model import (
    Plan,
    encode,
    undo,
)
from raidtui.core.plan.planner import PlanRefused, make
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.script import script
from raidtui.core.plan.steps import (
    Check,
    Command,
    Step,
    Write,
    resolve,
    shell,
)
from raidtui.core.plan.target import Existing, NotMeasurable, Seen
from raidtui.core.plan.validate import (
    decode,
)
from raidtui.core.units import GIB, MIB

RECIPE = recipes.load("existing")
SIZE = {"size": str(8 * GIB // 512)}


def machine(*devices: BlockDevice, mounts: tuple[Mount, ...] = ()) -> Machine:
    return Machine(host="here", root=True, devices=devices, mounts=mounts)


def disk(name: str, devnum: str, holders: tuple[str, ...] = ()) -> BlockDevice:
    said = {"ID_WWN": f"0x5000c500a1b2c3d{devnum[-1]}", "ID_MODEL": "IRONDISK", "ID_SERIAL_SHORT": f"SER{devnum[-1]}"}
    return BlockDevice(name=name, devnum=devnum, properties=said, attributes=SIZE, holders=holders)


ARRAY = BlockDevice(name="md0", devnum="9:0", slaves=("sda", "sdb"), properties={"MD_UUID": "a:b:c:d"}, attributes=SIZE)
RACK = (disk("sda", "8:0", ("md0",)), disk("sdb", "8:1", ("md0",)), disk("sdc", "8:2"), ARRAY)
ROOT = Mount(devnum="8:2", source="/dev/sdc", mountpoint="/", fstype="ext4")
DATA = Mount(devnum="9:0", source="/dev/md0", mountpoint="/srv", fstype="xfs")
LOOP = BlockDevice(name="loop0", devnum="7:0", attributes=SIZE | {"loop/backing_file": "/tmp/disk.img"})
ON_LOOP = BlockDevice(name="md1", devnum="9:1", slaves=("loop0",), attributes=SIZE)
TMP = Mount(devnum="0:30", source="tmpfs", mountpoint="/tmp", fstype="tmpfs")
HERE = machine(*RACK, mounts=(ROOT, DATA, TMP))


def folder(path: str, on: Machine = HERE, free: int = 100 * GIB, writable: bool = True) -> Seen:
    return target.folder(on, path, path, disks_of(on), free, "fsid-1", writable)


def device(devnum: str = "9:0", on: Machine = HERE) -> Seen:
    return target.device(on, "/dev/md0", devnum, disks_of(on))


def plan(seen: Seen, recipe: Recipe = RECIPE, **more: object) -> Plan:
    answers = Answers(target=seen.target.path, recipe="existing", **more)  # type: ignore[arg-type]
    return target_plan.make(answers, recipe, seen, "here")


def every_step(made: Plan) -> list[Step]:
    steps = [step for stage in made.stages for step in stage.steps]
    return [*steps, *undo(tuple(steps))]


def test_an_array_is_known_by_its_uuid_and_the_disks_beneath_stand_beside_it() -> None:
    seen = device()
    assert (seen.target.identity, seen.name) == ("a:b:c:d", "md0")
    assert [one.name for one in seen.disks] == ["sda", "sdb"]
    made = plan(seen)
    assert made.members == () and [one.name for one in made.beneath] == ["sda", "sdb"]
    assert [one.serial for one in made.disks] == ["SER0", "SER1"]


def test_a_folder_is_measured_on_the_file_system_that_it_lies_in() -> None:
    seen = folder("/srv/data/deep")
    assert (seen.target.filesystem, seen.name) == ("xfs", "md0")
    assert [one.name for one in seen.disks] == ["sda", "sdb"]
    assert folder("/srvother").name == "sdc"  # a mount point that only begins alike is another one


def test_a_partition_is_known_by_its_disk_and_its_number() -> None:
    part = BlockDevice(name="sdc1", devnum="8:33", kind="partition", parent="sdc", attributes=SIZE | {"partition": "1"})
    found = device("8:33", machine(*RACK, part))
    assert found.target.identity == "wwn-0x5000c500a1b2c3d2 part 1"
    assert [one.name for one in found.disks] == ["sdc"]


def test_btrfs_stands_on_all_disks_that_carry_its_uuid() -> None:
    one = Signature(kind="btrfs", uuid="u-u")
    disks = tuple(msgspec.structs.replace(disk(f"sd{x}", f"8:{n}"), signatures=(one,)) for n, x in enumerate("ab"))
    mount = Mount(devnum="0:44", source="/dev/sda", mountpoint="/pool", fstype="btrfs")
    seen = folder("/pool", machine(*disks, mounts=(mount,)))
    assert [one.name for one in seen.disks] == ["sda", "sdb"] and "fsid-1" in seen.target.identity


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (lambda: folder("/tmp/x"), "measures memory"),
        (lambda: folder("/srv", writable=False), "name its device instead"),
        (lambda: folder("/srv", machine(*RACK)), "not among the mounted"),
        (lambda: device("9:9"), "knows no block device"),
        (lambda: device("1:0", machine(BlockDevice(name="ram0", devnum="1:0", attributes=SIZE))), "measures memory"),
        (lambda: device("7:0", machine(LOOP, mounts=(TMP,))), "measures memory"),
        (lambda: device("9:1", machine(LOOP, ON_LOOP, mounts=(TMP,))), "through loop0"),
        (lambda: device("9:0", machine(msgspec.structs.replace(ARRAY, attributes={}))), "has no size"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(seen: object, said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        seen()  # type: ignore[operator]


def test_on_a_device_what_writes_is_left_out_with_its_reason() -> None:
    made = plan(device())
    assert {trial.rw for trial in made.trials} == {"read", "randread"}
    assert len(made.pruned) == 2 and all("it writes" in reason for reason in made.pruned)
    assert made.written_bytes == 0


def test_recipe_and_target_belong_together() -> None:
    with pytest.raises(PlanRefused, match='recipe = "existing"'):
        plan(device(), recipes.load("quick"))
    with pytest.raises(PlanRefused, match="target = "):
        make(Answers(disks=("wwn-1",), recipe="existing"), RECIPE, (), "here")


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"disks": ["wwn-1"]}, "disks"),
        ({"setup": {"level": "5"}}, "setup"),
        ({"after": "keep"}, "after"),
        ({"axes": {"level": ["5"]}}, "axes"),
        ({"target": "srv/data"}, "whole path"),
        ({"target": "/srv/\x1b[2J"}, "whole path"),
    ],
)
def test_nothing_about_building_stands_beside_a_target(more: dict[str, object], named: str) -> None:
    with pytest.raises(AnswersError, match=named):
        parse({"target": "/srv/data", "recipe": "existing"} | more)


def test_the_answers_can_be_written_and_read_again() -> None:
    given = parse({"target": "/srv/data", "recipe": "existing"})
    assert parse(to_document(given)) == given


@given(st.integers(0, 1 << 50))
def test_the_file_never_takes_more_than_the_stated_share(free: int) -> None:
    size = target.file_bytes(free)
    assert size <= target.FREE_SHARE * free and size <= 4 * GIB
    assert size == 0 or size >= 16 * MIB
    assert size or free * target.FREE_SHARE < 16 * MIB


def test_a_figure_that_cannot_be_and_an_offset_on_a_file_are_refused() -> None:
    with pytest.raises(PlanRefused, match="randseed is"):
        plan(device(), fio={"randseed": 2**63})
    with pytest.raises(PlanRefused, match="offset cannot be given"):
        plan(folder("/srv"), fio={"offset": "1g"})
    assert plan(device(), fio={"offset": "1g"}).trials


def test_too_little_room_is_refused() -> None:
    with pytest.raises(PlanRefused, match="too little"):
        plan(folder("/srv", free=100 * MIB))


JOBS = st.lists(
    st.fixed_dictionaries(
        {"rw": st.sampled_from(["read", "write", "rw", "randread", "randwrite", "randrw"])},
        optional={
            "direct": st.booleans(),
            "size": st.sampled_from(["100%", "50%", "1t", "8g"]),
            "invalidate": st.booleans(),
            "numjobs": st.integers(1, 4),
            "verify": st.just("crc32c"),
        },
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None)
@given(JOBS, st.booleans(), st.booleans(), st.sampled_from(["one", "per-disk"]), st.integers(1, 3))
def test_no_step_of_any_such_plan_could_change_what_is_there(
    jobs: list[dict[str, object]], on_device: bool, drops: bool, files: str, repeat: int
) -> None:
    """Whatever the recipe: no program that erases, builds or mounts; fio writes to the run's own file only."""
    document = [
        {"name": f"j{n}", "fio": options, "drop_caches_before": drops, "files": files} for n, options in enumerate(jobs)
    ]
    recipe = msgspec.convert({"title": "t", "job": document, "existing": True}, Recipe)
    seen = device() if on_device else folder("/srv/data")
    try:
        made = plan(seen, recipe, repeat=repeat)
    except PlanRefused as error:
        assert on_device and "it writes" in str(error)
        return
    for step in every_step(made):
        match step:
            case Command(argv=("fio", *words)):
                _harmless_fio(words, on_device)
            case Command(argv=argv):
                assert not on_device or argv == ("sync",)
                assert argv in (
                    ("sync",),
                    ("dd", "if=/dev/null", "of={file}", "conv=excl", "status=none"),
                    ("rm", "--force", "{file}"),
                ) or (argv[0], argv[2:]) == ("truncate", ("{held}",))
            case Write(path=path):
                assert path == "/proc/sys/vm/drop_caches"
            case _:
                assert isinstance(step, Check) and step.question in ("target-same", "file-own")
        assert "{member" not in shell(step) and "{array" not in shell(step)
    assert not made.members and decode(encode(made)) == made


def _harmless_fio(words: list[str], on_device: bool) -> None:
    assert "--allow_file_create=0" in words
    names = [word.partition("=")[2] for word in words if word.startswith("--filename=")]
    rw = next(word.partition("=")[2] for word in words if word.startswith("--rw="))
    assert set(names) == {"{target}" if on_device else "{held}"}
    if on_device:
        assert "--readonly" in words and rw in ("read", "randread") and "--invalidate=0" in words
        assert words.count("--invalidate=0") == sum(word.startswith("--invalidate") for word in words)
    else:
        size = next(int(word.partition("=")[2]) for word in words if word.startswith("--size="))
        assert size <= target.FREE_SHARE * 100 * GIB


def test_the_target_is_looked_at_before_each_measurement() -> None:
    steps = plan(folder("/srv"), repeat=2).stages[0].steps
    for before, step in pairwise(steps):
        if isinstance(step, Command) and step.trial:
            assert isinstance(before, Check) and before.question == "target-same"


def test_the_file_is_made_exclusively_and_its_undo_removes_it() -> None:
    steps = plan(folder("/srv")).stages[0].steps
    (made,) = [step for step in steps if isinstance(step, Command) and step.argv[0] == "dd"]
    assert "conv=excl" in made.argv
    assert [shell(step) for step in undo(steps)] == ['rm --force "${file}"']


@pytest.mark.parametrize("size", ["100%", "50%", "32m"])
def test_the_file_is_filled_in_place_and_is_the_same_one_afterwards(tmp_path: Path, size: str) -> None:
    """By the plan's own commands: fio puts another file in the place of one that it has to make longer."""
    jobs = [{"name": "w", "fio": {"rw": "randwrite", "bs": "1m", "size": size, "ioengine": "psync"}}]
    recipe = msgspec.convert({"title": "t", "job": jobs, "existing": True}, Recipe)
    file = tmp_path / "own"
    (tmp_path / "fio").mkdir()
    opened = None
    for step in plan(folder("/srv", free=500 * MIB), recipe).stages[0].steps:
        if isinstance(step, Command):
            argv = [resolve(word, lambda name: str(file)) for word in step.argv]
            done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done
            opened = opened or file.open("rb")  # so that its inode is not given to another
    assert opened
    with opened:
        assert os.path.samestat(os.fstat(opened.fileno()), file.stat())
    assert file.stat().st_size == 32 * MIB == file.stat().st_blocks * 512


def test_the_code_is_of_the_target_and_not_of_how_much_is_free() -> None:
    assert plan(folder("/srv", free=100 * GIB)).code == plan(folder("/srv", free=99 * GIB)).code
    other = Seen(msgspec.structs.replace(device().target, identity="another"), "md0")
    assert plan(device()).code != plan(other).code


def test_the_script_looks_reads_and_removes_its_file_by_a_trap() -> None:
    text = script(plan(folder("/srv")))
    assert "trap 'rm --force \"$file\"' EXIT" in text and "wipefs" not in text and "ERASES" not in text
    assert text.index("conv=excl") < text.index("trap")
    assert "--readonly" in script(plan(device()))


def test_the_cost_and_the_explanation_say_that_nothing_is_built() -> None:
    assert "nothing is written" in summary.cost(plan(device()))
    assert any("nothing is built" in line for line in summary.cost(plan(folder("/srv"))))
    told = "\n".join(summary.explain("existing", RECIPE))
    assert "target =" in told and not re.search("array that you choose", told)


def test_a_title_says_what_it_is() -> None:
    assert Existing(path="/srv", kind="folder", identity="x", filesystem="xfs").title == "/srv as it stands (xfs)"
