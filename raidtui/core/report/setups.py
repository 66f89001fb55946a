"""The part of a sweep's report that tells facts of its setups, a line each: capacity, settings, geometry, sync."""

from collections.abc import Iterator

from raidtui.core.page.blocks import Bar, Bars, Block, Heading, PageTable, Text, Words
from raidtui.core.plan.failures import may_fail
from raidtui.core.plan.fields import given_fields
from raidtui.core.plan.model import ArrayPlan, Plan, Stage, goes_on
from raidtui.core.plan.parsed_setup import array_title
from raidtui.core.raid.levels import level
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import pools, setup, sync_words
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, GIB, both


def setups(run: RunContext) -> Iterator[Block]:
    """What was built, and what it was: as planned beside as read back; of one setup alone in its own sentences."""
    if not run.is_sweep:
        yield from setup(run)
        return
    plan, state = run.joined_plan, run.state
    yield Heading("Setups")
    yield Text(f"{len(plan.members)} disks hold {both(sum(member.size_bytes for member in plan.members))}.")
    arrays = [(number, stage, stage.array) for number, stage in run.built if stage.array and not goes_on(plan, number)]
    if arrays:
        heads = ["Array", "Usable, GB", "Usable, GiB", "Parity, GB", "Copies, GB", "Other loss, GB", "May fail, disks"]
        heads += ["Kernel's size, bytes", "Settings", "Initial resync"]
        yield PageTable(heads, [_array(run, number, stage, array) for number, stage, array in arrays])
        yield Text("Usable:")
        sizes = [(_array_words(stage, plan), array.capacity.array_bytes) for _, stage, array in arrays]
        yield Bars("Usable bytes", [Bar(name, size, both(size)) for name, size in sizes])
    heads = ["Setup", "Geometry asked", "Geometry read back", "Offered, GB", "Free, GB"]
    yield PageTable(heads, [_filesystem(number, stage, state) for number, stage in run.built if stage.filesystem], 3)
    yield from pools(plan, run.built, state)


def _array(run: RunContext, number: int, stage: Stage, array: ArrayPlan) -> list[Words]:
    holds, lost, made = array.capacity, array.capacity.lost, run.state.arrays.get(number)
    other_lost = lost.total_bytes - lost.parity_bytes - lost.mirror_bytes
    size = ""
    if made:
        off = made.size_bytes - holds.array_bytes
        size = f"{made.size_bytes} ({off:+d})" if off else f"{made.size_bytes} as computed"
    settings = made.detail if made else {}
    return [
        _array_words(stage, run.plan),
        _gb(holds.array_bytes),
        f"{holds.array_bytes / GIB:.2f}",
        *map(_gb, (lost.parity_bytes, lost.mirror_bytes, other_lost)),
        str(may_fail(stage.setup, holds.survives)),
        size,
        ", ".join(f"{key} {_setting(run, stage, key, value)}" for key, value in settings.items()),
        sync_words(stage, run.state, number) if level(array.level).has_sync else "",
    ]


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / GB:.2f}" if size_bytes else ""


def _setting(run: RunContext, stage: Stage, key: str, value_read: str) -> str:
    """As it was read when the array had been built; the values that setups on it ask for, where they do."""
    array = _array_words(stage, run.plan)
    alike = [other.setup for _, other in run.built if other.array and _array_words(other, run.plan) == array]
    asked = dict.fromkeys(str(getattr(setup, key)) for setup in alike if setup and key in given_fields(setup))
    return " and ".join(asked) + (" in turn" if len(asked) > 1 else "") if asked else value_read


def _array_words(stage: Stage, plan: Plan) -> str:
    assert stage.setup is not None
    return array_title(stage.setup, len(plan.members))


def _filesystem(number: int, stage: Stage, state: RunState) -> list[str]:
    assert stage.filesystem is not None
    read_back = state.filesystems.get(number)
    geometry = stage.filesystem.geometry
    geometry_read = read_back.geometry if read_back and geometry else {}
    wrong = bool(geometry_read) and geometry_read != geometry
    return [
        stage.title,
        _geometry(geometry),
        _geometry(geometry_read) + (" NOT as asked" if wrong else ""),
        *(
            _gb(size_bytes or 0)
            for size_bytes in ((read_back.total_bytes, read_back.free_bytes) if read_back else (0, 0))
        ),
    ]


def _geometry(geometry: dict[str, int]) -> str:
    return ", ".join(f"{key} {value}" for key, value in geometry.items())
