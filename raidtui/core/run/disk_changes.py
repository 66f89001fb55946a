"""Disks before and after a run: SMART counts that changed, kernel settings before the run."""

from typing import Literal

import msgspec

from raidtui.core.plan.model import Member, Plan, self_tests_planned
from raidtui.core.plan.steps import chosen, nvme_cache
from raidtui.core.run.events import UNITS_WRITTEN, SelfTestResult, SelfTestsEnded
from raidtui.core.run.state import RunState, first_bytes

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


Verdict = Literal["passed", "failed", "no self-test", "not checked"]
Finding = Literal["passed", "failed", "none", "not checked"]


class DiskVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """`before`, `after`: "none": no self-test, or none with a result. `data`: all passes read back as written. `grown`:
    SMART count -> before, after; `counted`: they were read before and after.
    """

    member: Member
    before: Finding
    data: Finding
    after: Finding
    grown: dict[str, tuple[Count, Count]] = {}
    counted: bool = False
    error: str = ""

    @property
    def failed(self) -> tuple[str, ...]:
        """What failed, in its order."""
        found = (("self-test before", self.before), ("write and read back", self.data), ("self-test after", self.after))
        counts = (f"{name} {_text(old)} to {_text(new)}" for name, (old, new) in self.grown.items())
        return (*(name for name, finding in found if finding == "failed"), *counts)

    @property
    def verdict(self) -> Verdict:
        """The worst; never passed without both self-tests and the counters."""
        if self.failed:
            return "failed"
        if "not checked" in (self.before, self.data, self.after):
            return "not checked"
        if "none" in (self.before, self.after):
            return "no self-test"
        return "passed" if self.counted else "not checked"


def disk_verdicts(plan: Plan, state: RunState) -> tuple[DiskVerdict, ...]:
    """In the order of the members; none if disks were not written and verified one by one, or nothing was done yet."""
    bare = all(stage.array is None and stage.filesystem is None for stage in plan.stages if stage.trials)
    begun = state.self_tests or state.trials or state.healths
    if plan.question != "integrity" or not plan.members or not bare or not begun:
        return ()
    planned = self_tests_planned(plan)
    return tuple(
        DiskVerdict(
            member=member,
            before=_tested(state.self_tests, member, asked=False in planned),
            data=_data(plan, state, member),
            after=_tested(state.self_tests_after, member, asked=True in planned),
            grown=worsened(state, member.id),
            counted=_counted(state, member),
            error=_error(plan, state, member),
        )
        for member in plan.members
    )


def _tested(ended: SelfTestsEnded | None, member: Member, *, asked: bool) -> Finding:
    if not asked:
        return "none"
    if ended is None:
        return "not checked"
    findings: dict[bool | None, Finding] = {True: "passed", False: "failed", None: "none"}
    return findings[ended.disks.get(member.id, SelfTestResult()).passed]


def _data(plan: Plan, state: RunState, member: Member) -> Finding:
    if member.id in first_bytes(state):  # whatever a later pass found
        return "failed"
    found: list[Finding] = []
    for trial in plan.trials:
        measurement = state.measured(trial.id)
        one = measurement.each.get(member.id) if measurement else None
        if one and one.error:
            return "failed"
        whole = measurement and one and measurement.status in ("ok", "failed")  # failed: of another disk
        found.append("passed" if whole and one and 0 < one.written_bytes <= one.read_bytes else "not checked")
    return "passed" if found and set(found) == {"passed"} else "not checked"


def _error(plan: Plan, state: RunState, member: Member) -> str:
    measured = (state.measured(trial.id) for trial in plan.trials)
    each = (measurement.each.get(member.id) for measurement in measured if measurement)
    at_byte = first_bytes(state).get(member.id)
    found = "" if at_byte is None else f"gave back something else than was written, first at byte {at_byte}"
    return next((one.error for one in each if one and one.error), found)


def _counted(state: RunState, member: Member) -> bool:
    return len(state.healths) > 1 and all(
        health.disks.get(member.id) for health in (state.healths[0], state.healths[-1])
    )


def _text(count: Count) -> str:
    return count if isinstance(count, str) else f"{count:g}"
