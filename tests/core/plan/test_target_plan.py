"""The plan that measures what stands already: no step of it builds, erases or changes anything."""

import os
import subprocess
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.plan import target
from raidtui.core.plan.answers import Answers, PlanRefused, ProofAnswers
from raidtui.core.plan.model import Plan, encode, undo
from raidtui.core.plan.planner import make
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.steps import Check, Command, Write, resolve, role_of, shell
from raidtui.core.plan.target import Seen, why_not_direct
from raidtui.core.plan.validate import decode
from raidtui.core.script.render import script
from raidtui.core.units import GIB, MIB
from tests.builders.targets import RECIPE, device, every_step, folder, plan


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
    with pytest.raises(PlanRefused, match=r"leave proof\.cut out"):
        plan(folder("/srv"), recipes.load("proof"), proof=ProofAnswers(cut="witness", witness="/dev/ttyS0"))


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
    measured = [(before, step) for before, step in pairwise(steps) if isinstance(step, Command) and step.trial]
    assert {getattr(before, "question", "") for before, _ in measured} == {"target-same"}


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
    other = Seen(replace(device().target, identity="another"), "md0")
    assert plan(device()).code != plan(other).code


def ablation(seen: Seen, job: str, *explain: str, **options: int) -> Plan:
    return plan(seen, jobs=(job,), explain=explain, repeat=5, job={job: options})


def test_what_stands_is_explained_without_changing_what_is_on_it() -> None:
    made = ablation(folder("/srv"), "seq_write", "wbt")
    assert [one.suspect for one in made.trials].count("wbt") == 5 == len(made.trials) // 2
    set_paths = {step.path for step in every_step(made) if isinstance(step, Write) and step.restore}
    assert set_paths == {f"/sys/block/{{beneath:{index}}}/queue/wbt_lat_usec" for index in (0, 1)}
    assert any("restored after each" in note for note in made.notes)
    assert decode(encode(made)) == made
    with pytest.raises(PlanRefused, match="bitmap cannot be changed"):
        ablation(folder("/srv"), "seq_write", "bitmap")
    with pytest.raises(ValueError, match="no script of it"):
        script(made)


def test_a_device_is_read_alone_when_it_is_explained() -> None:
    with pytest.raises(PlanRefused, match="it writes, and a device with data on it is only read"):
        ablation(device(), "seq_write", "wbt")
    made = ablation(device(), "rand_read", "queue", iodepth=1, numjobs=1)
    assert {trial.rw for trial in made.trials} == {"randread"} and made.written_bytes == 0
    assert all("--readonly" in step.argv for step in made.stages[0].steps if isinstance(step, Command) and step.trial)


def test_a_disk_beneath_that_there_is_not_is_no_plan() -> None:
    text = encode(ablation(folder("/srv"), "seq_write", "wbt")).replace(b"{beneath:1}", b"{beneath:2}")
    with pytest.raises(ValueError, match="2 disks are beneath"):
        decode(text)


def test_a_proof_in_a_folder_writes_one_file_and_reads_it_back_in_one_state() -> None:
    made = plan(folder("/srv"), recipes.load("proof"))
    (trial,) = made.trials
    (stage,) = made.stages
    assert stage.proof and [state.words for state in stage.proof.states] == ["existing array"]
    assert (trial.state, trial.target, trial.span_bytes) == (1, "existing", stage.proof.written_bytes)
    roles = [role_of(step) for step in stage.steps if role_of(step) != "target-same"]
    assert roles == ["make-file", "file-own", "lengthen", "fill", "sync-caches", "set", "measure"]
    assert {word for step in stage.steps if isinstance(step, Command) for word in step.argv} >= {"--filename={held}"}
    assert decode(encode(made)) == made


def test_a_proof_on_a_device_with_data_is_refused() -> None:
    with pytest.raises(PlanRefused, match="a proof writes"):
        plan(device(), recipes.load("proof"))


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_these_read_from_their_disks(kind: str) -> None:
    assert why_not_direct(kind) == ""


@pytest.mark.parametrize(
    "kind, says",
    [
        ("zfs", "its cache (ARC) may answer a read"),
        ("nfs4", "another machine's memory may answer a read"),
        ("fuse.sshfs", "the daemon behind it may answer a read from memory"),
        ("virtiofs", "the memory of the host may answer a read"),
        ("overlay", "the file system beneath is not known"),
        ("newfs", "its direct I/O is not known"),
        ("", "its direct I/O is not known"),
    ],
)
def test_others_are_named_with_the_reason(kind: str, says: str) -> None:
    assert why_not_direct(kind) == says


def test_a_proof_where_memory_may_answer_a_read_is_refused() -> None:
    seen = folder("/srv")
    on_nfs = replace(seen, target=replace(seen.target, filesystem="nfs4"))
    with pytest.raises(PlanRefused, match=r"no proof on nfs4 \(/srv\): another machine's memory may answer a read"):
        plan(on_nfs, recipes.load("proof"))
    assert plan(on_nfs, recipes.load("existing")).trials
