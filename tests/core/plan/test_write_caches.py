"""The disks' own write caches in a plan: SATA's by the kernel's switch, NVMe's by their controller's, each put back."""

from raidtui import recipes
from raidtui.core.disks.disk import Disk
from raidtui.core.plan import validate
from raidtui.core.plan.answers import Answers, Axes
from raidtui.core.plan.model import Plan, encode
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Restore, Write, is_setting, nvme_cache, nvme_disk
from tests.builders.racks import disk

NVME = tuple(
    disk(number, name=f"nvme{number}n1", path=f"/dev/nvme{number}n1", rotational=False, model="FLASH")
    for number in range(4)
)
AXES = Axes(level=("10",), layout=("n2",), chunk=("64KiB",), filesystem=("xfs",))


def plan(taken: tuple[Disk, ...], disks: tuple[Disk, ...], job: str = "rand_write") -> Plan:
    ids = tuple(disk.id for disk in taken)
    answers = Answers(disks=ids, recipe="levels-random-4k", axes=(AXES,), jobs=(job,), repeat=1)
    return make(answers, recipes.load("levels-random-4k"), disks, "here")


def test_of_nvme_disks_the_controllers_are_switched_right_before_the_write_test_and_back_after_it() -> None:
    made = plan(NVME, NVME)
    (stage,) = [stage for stage in made.stages if stage.setup]
    paths = [nvme_cache(f"{{member:{number}}}") for number in range(4)]
    assert [(s.path, s.value) for s in stage.steps if isinstance(s, Write)] == [(p, "write through") for p in paths]
    assert [s.path for s in stage.steps if isinstance(s, Restore)] == paths[::-1]
    assert all(s.optional for s in stage.steps if isinstance(s, Write))
    assert validate.decode(encode(made)) == made


def test_each_disk_is_switched_by_its_own_kind() -> None:
    sata = disk(5)
    taken = (*NVME[:3], sata)
    (stage,) = [stage for stage in plan(taken, taken).stages if stage.setup]
    kinds = [bool(nvme_disk(step.path)) for step in stage.steps if isinstance(step, Write)]
    assert kinds == [True, True, True, False]


def test_a_namespace_beside_that_the_plan_does_not_name_is_said_before_anything_is_begun() -> None:
    beside = disk(5, name="nvme0n2", path="/dev/nvme0n2", model="FLASH", serial=NVME[0].serial)
    note = (
        f"nvme0n1 (FLASH {NVME[0].serial}) has its write cache together with nvme0n2, which this plan does not name:"
        " it stays as it is."
    )
    assert note in plan(NVME, (*NVME, beside)).notes
    assert note not in plan(NVME, NVME).notes
    assert note not in plan((*NVME, beside), (*NVME, beside)).notes
    assert note not in plan(NVME, (*NVME, beside), "rand_read").notes


def test_only_such_a_path_is_one_of_an_nvme_disk() -> None:
    assert nvme_disk("nvme/nvme0n1/volatile-write-cache") == "nvme0n1"
    for path in (
        "nvme//volatile-write-cache",
        "nvme/../volatile-write-cache",
        "nvme/a/b/volatile-write-cache",
        "nvme/a",
    ):
        assert not nvme_disk(path) and not is_setting(path)
