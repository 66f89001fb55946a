"""Disks before and after a run: SMART counts that changed, kernel settings before the run."""

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import chosen, nvme_cache
from raidtui.core.run.events import UNITS_WRITTEN
from raidtui.core.run.state import RunState

CACHE = "write cache"
SETTINGS = {  # as they are told -> where they are, below /sys/block/NAME
    CACHE: "device/scsi_disk/*/cache_type",
    "caching": "queue/write_cache",
    "scheduler": "queue/scheduler",
    "read_ahead_kb": "queue/read_ahead_kb",
    "nr_requests": "queue/nr_requests",
    "wbt_lat_usec": "queue/wbt_lat_usec",
    "logical block, bytes": "queue/logical_block_size",
    "physical block, bytes": "queue/physical_block_size",
    "NUMA node": "device/numa_node",
}


def before_run(plan: Plan, state: RunState) -> dict[str, dict[str, str]]:
    """Member identity -> setting -> value: as changed from by the run, else first recorded."""
    values = {disk: dict(settings) for disk, settings in (state.queues[0].disks if state.queues else {}).items()}
    for number, member in enumerate(plan.members):
        for name, path in SETTINGS.items():
            changed = f"/sys/block/{{member:{number}}}/{path}"
            if old := next(
                (setting_changed.old for setting_changed in state.changes if setting_changed.path == changed), ""
            ):
                values.setdefault(member.id, {})[name] = chosen(old)
                if name == CACHE:  # the kernel follows the disk
                    values[member.id]["caching"] = chosen(old)
        cache_path = nvme_cache(f"{{member:{number}}}")  # the kernel does not follow this one
        if old := next((change.old for change in state.changes if change.path == cache_path), ""):
            values.setdefault(member.id, {})[CACHE] = old
    return values


_NO_SIGN = frozenset({"power-on hours", "temperature, °C", UNITS_WRITTEN})  # counts that change in any disk
_WEAR, _SPARE = "used, %", "spare, %"  # what is written wears in any case; of spare blocks fewer are worse
Count = float | str


def changed(state: RunState, member: str) -> dict[str, tuple[Count, Count]]:
    """Health counts that changed, except hours, temperature, writes: name -> (before, after)."""
    if not state.healths:
        return {}
    first, last = (event.disks.get(member, {}) for event in (state.healths[0], state.healths[-1]))
    return {
        name: (count, last[name])
        for name, count in first.items()
        if name in last and last[name] != count and name not in _NO_SIGN
    }


def worsened(state: RunState, member: str) -> dict[str, tuple[Count, Count]]:
    """As `changed`, only for the worse: more errors, fewer spare blocks, a failed verdict."""
    return {
        name: (before, after)
        for name, (before, after) in changed(state, member).items()
        if name != _WEAR and _is_worse(name, before, after)
    }


def _is_worse(name: str, before: Count, after: Count) -> bool:
    if isinstance(before, str) or isinstance(after, str):
        return after != "passed"
    return after < before if name == _SPARE else after > before
