"""The part of a sweep's report that tells facts of its setups, a line each: capacity, settings, geometry, sync."""

from raidtui.core.plan import cell
from raidtui.core.plan.failures import may_fail
from raidtui.core.plan.fields import given_fields
from raidtui.core.plan.model import Plan, Stage, goes_on
from raidtui.core.raid.levels import level
from raidtui.core.report.charts import Bar, Bars, Block
from raidtui.core.report.facts import pools, sync_words
from raidtui.core.report.tables import escape, table
from raidtui.core.results.joined import built
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, GIB, both


def setups(plan: Plan, state: RunState) -> list[Block]:
    """What was built, and what it was: as planned beside as read back."""
    stages = built(plan)
    raw = sum(member.size_bytes for member in plan.members)
    blocks: list[Block] = ["## Setups", f"{len(plan.members)} disks hold {both(raw)}."]
    arrays = [(number, stage) for number, stage in stages if stage.array and not goes_on(plan, number)]
    if arrays:
        headers = ["Array", "Usable, GB", "Usable, GiB", "Parity, GB", "Copies, GB", "Else lost, GB", "May fail, disks"]
        headers += ["Kernel's size, bytes", "Settings", "First sync"]
        lines = [_array(number, stage, state, plan) for number, stage in arrays]
        named = [
            (_array_words(stage, len(plan.members)), stage.array.capacity.array_bytes)
            for _, stage in arrays
            if stage.array
        ]
        usable = Bars("Usable bytes", tuple(Bar(name, size, both(size)) for name, size in named))
        blocks += [table(headers, lines), "Usable:", usable]
    if filesystem_lines := [_filesystem(number, stage, state) for number, stage in stages if stage.filesystem]:
        headers = ["Setup", "Geometry asked", "Geometry read back", "Offered, GB", "Free, GB"]
        blocks.append(table(headers, filesystem_lines, word_columns=3))
    blocks += pools(plan, stages, state)
    return blocks


def _array(number: int, stage: Stage, state: RunState, plan: Plan) -> list[str]:
    assert stage.array is not None
    holds, standing = stage.array.capacity, state.arrays.get(number)
    detail, members = standing.detail if standing else {}, len(plan.members)
    lost = holds.lost
    other_lost = lost.total_bytes - lost.parity_bytes - lost.mirror_bytes
    size = ""
    if standing:
        off = standing.size_bytes - holds.array_bytes
        size = f"{standing.size_bytes} ({off:+d})" if off else f"{standing.size_bytes} as computed"
    settings = ", ".join(f"{escape(key)} {_setting(plan, stage, key, value)}" for key, value in detail.items())
    has_sync = level(stage.array.level).has_sync
    return [
        escape(_array_words(stage, members)),
        *(f"{value / GB:.2f}" if value else "" for value in (holds.array_bytes,)),
        f"{holds.array_bytes / GIB:.2f}",
        *(f"{value / GB:.2f}" if value else "" for value in (lost.parity_bytes, lost.mirror_bytes, other_lost)),
        str(may_fail(stage.setup, holds.survives)),
        size,
        settings,
        sync_words(stage, state, number) if has_sync else "",
    ]


def _setting(plan: Plan, stage: Stage, key: str, value_read: str) -> str:
    """As it was read when the array had been built; the values that setups on it ask for, where they do."""
    array_words = _array_words(stage, len(plan.members))
    alike = [
        other.setup for _, other in built(plan) if other.array and _array_words(other, len(plan.members)) == array_words
    ]
    asked_values = dict.fromkeys(str(getattr(setup, key)) for setup in alike if setup and key in given_fields(setup))
    return escape(
        " and ".join(asked_values) + (" in turn" if len(asked_values) > 1 else "") if asked_values else value_read
    )


def _array_words(stage: Stage, members: int) -> str:
    """What a stage's title says of its array."""
    assert stage.setup is not None
    return cell.array_title(stage.setup, members)


def _filesystem(number: int, stage: Stage, state: RunState) -> list[str]:
    assert stage.filesystem is not None
    read_back = state.filesystems.get(number)
    geometry = stage.filesystem.geometry
    geometry_read = read_back.geometry if read_back and geometry else {}
    wrong = bool(geometry_read) and geometry_read != geometry
    return [
        escape(stage.title),
        _geometry(geometry),
        _geometry(geometry_read) + (" NOT as asked" if wrong else ""),
        f"{read_back.total_bytes / GB:.2f}" if read_back and read_back.total_bytes else "",
        f"{read_back.free_bytes / GB:.2f}" if read_back and read_back.free_bytes else "",
    ]


def _geometry(geometry: dict[str, int]) -> str:
    return ", ".join(f"{escape(key)} {value}" for key, value in geometry.items())
