"""One table a thing: a row is all that a file system or a RAID 10 layout takes, and no other module names one."""

import ast
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace

import raidtui
from raidtui.core.answer import numbers
from raidtui.core.answer.answer import answer
from raidtui.core.plan import parsed_setup, tunables
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.estimate import Doing, besides_s
from raidtui.core.plan.model import shown_steps
from raidtui.core.plan.steps import Write
from raidtui.core.plan.tunables import Tunable
from raidtui.core.raid import filesystems, levels
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.filesystems import FileSystem, MkfsTime
from raidtui.core.raid.levels import Layout10
from raidtui.core.raid.theory import predict
from raidtui.core.report.series import sentences
from raidtui.core.results.ablation import of_run, suspects_of
from raidtui.core.results.analysis import compare
from raidtui.core.results.deviation import TunableValue
from raidtui.core.script.render import script
from raidtui.core.units import GB, KIB
from raidtui.system import doctor, packages
from raidtui.ui.render.walk.space_rows import geometry_words, offered
from tests.builders import ablations, sweeps
from tests.builders.plans import of_role
from tests.imports import nodes

PACKAGE = Path(raidtui.__file__).parent
FAKE = replace(
    filesystems.filesystem("xfs"),
    key="fakefs",
    title="Fake",
    summary="a fake one",
    wizard_place=9,
    program="mkfs.fakefs",
    packages={"": "fake-tools", "dnf": "fakefs"},
    min_bytes=77 * GB,
    min_striped_bytes=77 * GB,
    mkfs_time=MkfsTime(1000.0),
    geometry_words=lambda shape: f"fake={shape.sw_disks}",
)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FileSystem:
    monkeypatch.setattr(filesystems, "FILE_SYSTEMS", (*filesystems.FILE_SYSTEMS, FAKE))
    monkeypatch.setitem(filesystems._BY_KEY, "fakefs", FAKE)
    return FAKE


def test_a_row_is_all_that_a_file_system_takes(fake: FileSystem) -> None:
    made = sweeps.linked(sweeps.plan("quick", 4, level="5", filesystem="fakefs"))
    (mkfs,) = of_role(shown_steps(made), "mkfs")
    assert mkfs.argv[0] == "mkfs.fakefs" and "su=524288,sw=3" in mkfs.argv
    assert "mkfs.fakefs" in script(made) and "mount -t fakefs" in script(made)
    assert besides_s(Doing("mkfs", "fakefs"), 4, 0.0) == 1000.0
    assert made.stages[-1].title.endswith("fakefs")
    with pytest.raises(ValueError, match=r"fakefs needs 77\.0 GB"):
        sweeps.plan("quick", 4, size=10 * GB, level="5", filesystem="fakefs")


def test_what_it_needs_is_looked_for_and_its_package_known(fake: FileSystem) -> None:
    assert "makes Fake" in [one.purpose for one in doctor.programs()]
    assert packages.how_to_install("mkfs.fakefs", "ID=debian").startswith("apt install fake-tools (")
    assert packages.how_to_install("mkfs.fakefs", "ID=fedora").startswith("dnf install fakefs (")


def test_the_wizard_offers_it_in_its_own_words(fake: FileSystem) -> None:
    assert [row.key for row in offered()] == ["xfs", "fakefs", "ext4", "ext2", "btrfs", "none"]
    assert geometry_words("fakefs", filesystems.geometry("5", 4, 64 * KIB)).startswith("mkfs.fakefs: fake=3 (")


def test_a_row_is_all_that_a_raid_10_layout_of_a_known_kind_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    ten = levels.level("10")
    monkeypatch.setitem(levels.LAYOUTS_10, "f4", Layout10("far", 4, "4 copies far apart"))
    monkeypatch.setitem(levels._BY_KEY, "10", replace(ten, layouts=tuple(levels.LAYOUTS_10)))
    sizes = [100 * GB] * 4
    found = parsed_setup.parse(Setup(level="10", layout="f4", chunk="64KiB"), sizes, "4.2")
    assert found.title == "RAID 10 f4 of 4 disks, chunk 64 KiB, no file system"
    assert capacity("10", sizes, layout="f4").survives == 3
    assert predict("10", 4, 100e6, 100, layout="f4").seq_read_bytes_per_s == 400e6
    assert levels.layout_summary("f4") == "4 copies far apart"


def test_a_row_is_all_that_a_tunable_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Tunable(
        key="few-threads",
        cause="md's many threads",
        changed="two threads of md's",
        advice="write 2 to md/group_thread_cnt",
        price="slower rebuilds",
        why_not=lambda case: "" if case.parity and case.writes else "only writes with parity have them",
        setup={"group_thread_cnt": 2},
        ruled_out=lambda recorded: recorded.settings.get("group_thread_cnt") == "2",
        suspected=lambda case, recorded: recorded.settings.get("group_thread_cnt", ""),
        unit="threads",
    )
    monkeypatch.setitem(tunables.TUNABLES, row.key, row)
    plan = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=(row.key,), repeat=5)
    values = {step.value for step in shown_steps(plan) if isinstance(step, Write) and "group_thread" in step.path}
    assert values == {"2"} and {trial.suspect for trial in plan.stages[-1].trials} == {"", row.key}
    state = ablations.measured({row.key: 0.3}, base=0.7 * ablations.THEORY, plan=plan)
    (explained,) = of_run(plan, state, compare(plan, state))
    assert [effect.suspect for effect in explained.causes] == [row]
    assert any(row.advice in text and row.price in text for text in sentences(explained))
    assert answer(plan, state, compare(plan, state)).next.why == f"{row.advice} (cost: {row.price})"
    stage = len(plan.stages) - 1
    for threads, suspected in (("4", True), ("2", False)):
        built = structs.replace(state.arrays[stage], detail={"group_thread_cnt": threads})
        slow = structs.replace(state, arrays={**state.arrays, stage: built})
        (found, *_) = compare(plan, slow).rows
        assert TunableValue(row.key, threads) in found.causes.suspects
        assert f"suspect: {row.cause} ({threads} threads)" in numbers.lines(found.causes)
        assert (row.key in suspects_of(plan, slow, plan.stages[stage].trials[0])) == suspected


# What says which signatures and pools there are in the world, has names of its own.
WORLD = {"core/raid/filesystems.py", "core/raid/levels.py", "core/raid/capacity.py"}
WORLD |= {"core/disks/usage.py", "core/disks/facts.py", "core/plan/target.py", "system/signatures.py"}
WORLD.add("practice/session.py")  # it has chosen


def constants(path: Path) -> set[str]:
    return {node.value for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_other_module_names_a_file_system_or_a_layout() -> None:
    names = {row.key for row in filesystems.FILE_SYSTEMS if row.program} | set(levels.LAYOUTS_10)
    names |= {row.program for row in filesystems.FILE_SYSTEMS if row.program}
    naming = {
        str(path.relative_to(PACKAGE)): found
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in WORLD and (found := constants(path) & names)
    }
    assert naming == {}


def test_every_value_is_frozen() -> None:
    """Also where nobody hashes it yet."""
    classes = [
        (path.stem, node)
        for path in PACKAGE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & {"msgspec.Struct", "Struct"}
    ]
    assert len(classes) > 100
    thawed = [(name, of.name) for name, of in classes if "frozen=True" not in map(ast.unparse, of.keywords)]
    assert thawed == []


def test_a_setups_texts_are_read_in_one_module() -> None:
    """`level(setup.level)` and `parse_bytes(setup.chunk)` are in `parsed_setup`; a sweep is excepted."""
    asked = {"level": {"level"}, "parse_bytes": {"chunk", "allocation_unit", "member_size"}}
    reading = set()
    for path in (PACKAGE / "core").rglob("*.py"):
        for node in nodes(path):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Attribute(value=of, attr=field), *_]) if (
                    field in asked.get(name, ())
                    and "array" not in ast.unparse(of)
                    and (path.stem, ast.unparse(of)) != ("model", "self")  # an array's own: ArrayPlan.raid
                ):
                    reading.add(path.stem)
    assert reading <= {"parsed_setup", "sweep"}
