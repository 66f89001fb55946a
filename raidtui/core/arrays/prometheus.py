"""Status of arrays in Prometheus' text format 0.0.4 for node_exporter's textfile collector. Names as in
prometheus.io/docs/practices/naming. Unknown values have no sample: a missing series is not a zero. Age:
node_textfile_mtime_seconds.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

import msgspec

from raidtui.core.arrays.array import GRADES, Array, ArrayMember, Health, Role
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.arrays.pools import Pool
from raidtui.core.text import visible

_SECTOR_BYTES = 512
_ROLES: tuple[Role, ...] = get_args(Role)
_HEALTHS: tuple[Health, ...] = get_args(Health)
Labels = tuple[tuple[str, str], ...]
Sample = tuple[Labels, float | None]
_Samples = Callable[[Array, Labels], Iterable[Sample]]


class Metric(msgspec.Struct, frozen=True):
    name: str
    help: str
    type: str = "gauge"


ARRAY_INFO = Metric("raidtui_array_info", "Name, level and run of an array as labels; always 1.")
HEALTH = Metric("raidtui_array_health", "Health of the array: 1 for the present one, 0 for the others.")
GRADE = Metric("raidtui_array_grade", "Urgency of the array's state: 1 for its grade, 0 for the others.")
SLOTS = Metric("raidtui_array_slots", "Number of working members that the array is made for.")
MEMBERS = Metric("raidtui_array_members", "Number of members, empty slots and disks left out, by role.")
SIZE = Metric("raidtui_array_size_bytes", "Capacity of the array in bytes.")
SYNC = Metric("raidtui_array_sync_progress_ratio", "Progress of the running sync, from 0 to 1.")
SYNC_LEFT = Metric("raidtui_array_sync_left_seconds", "Time left of the running sync in seconds, at its present speed.")
SPEED = Metric(
    "raidtui_array_sync_bytes_per_second", "Present speed of the running sync in bytes per second of each member."
)
MISMATCH = Metric("raidtui_array_mismatch_bytes", "Bytes that the last check or repair found unequal, in whole pages.")
CHECKED = Metric("raidtui_array_last_check_timestamp_seconds", "Unix time of the last check of the array.")
CHECKED_WHOLE = Metric(
    "raidtui_array_last_check_complete", "1 if raidtui saw the end of the last check; no sample if not known."
)
CONDITIONS = Metric("raidtui_array_condition", "Conditions of the array, with their grade; always 1.")
CORRECTED = Metric(
    "raidtui_array_member_corrected_bytes_total",
    "Bytes that a member could not read and md read from the others.",
    "counter",
)
HEALTHY = Metric("raidtui_array_member_smart_healthy", "SMART health of the member's disk: 1 passed, 0 failed.")
CELSIUS = Metric("raidtui_array_member_temperature_celsius", "Temperature of the member's disk in degrees Celsius.")
WEAR = Metric(
    "raidtui_array_member_wear_ratio", "Share of the rated writes of the member's disk that is used, from 0 to 1."
)
POOL_INFO = Metric("raidtui_pool_info", "Run of a ZFS pool as label; always 1.")
POOL_HEALTH = Metric("raidtui_pool_health", "Health of the ZFS pool as label, in ZFS' own word; always 1.")
POOL_GRADE = Metric("raidtui_pool_grade", "Urgency of the ZFS pool's state: 1 for its grade, 0 for the others.")
POOL_SIZE = Metric("raidtui_pool_size_bytes", "Size of the ZFS pool's disks in bytes, parity included.")
POOL_USED = Metric("raidtui_pool_allocated_bytes", "Allocated bytes of the ZFS pool, parity included.")
SCRUBBED = Metric("raidtui_pool_last_scrub_timestamp_seconds", "Unix time of the last scrub of the whole ZFS pool.")
POOL_CONDITIONS = Metric("raidtui_pool_condition", "Conditions of the ZFS pool, with their grade; always 1.")
UNREAD = Metric("raidtui_status_not_read", "Number of sources of the status that could not be read.")


def text_of(status: ArraysStatus) -> str:
    lines = [line for metric, samples in _FAMILIES for line in family(metric, _of(samples, status.arrays))]
    lines += [line for metric, of in _OF_POOLS for line in family(metric, _pool_samples(of, status.pools))]
    return "".join((*lines, *family(UNREAD, [((), len(status.not_read))])))


def _of(samples: _Samples, arrays: Iterable[Array]) -> list[Sample]:
    return [sample for array in arrays for sample in samples(array, (("device", array.name), ("uuid", array.uuid)))]


def _pool_samples(samples_of: "_PoolSamples", pools: Iterable[Pool]) -> list[Sample]:
    return [
        ((("pool", pool.name), ("guid", pool.guid), *labels), value)
        for pool in pools
        for labels, value in samples_of(pool)
    ]


def family(metric: Metric, samples: list[Sample]) -> Iterator[str]:
    finite = [(labels, value) for labels, value in samples if value is not None and math.isfinite(value)]
    if finite:
        yield f"# HELP {metric.name} {metric.help}\n# TYPE {metric.name} {metric.type}\n"
    for labels, value in finite:
        inner = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
        yield f"{metric.name}{{{inner}}} {value:.15g}\n" if inner else f"{metric.name} {value:.15g}\n"


def _escaped(text: str) -> str:
    return visible(text).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _word(text: str) -> str:
    """A label's value without blanks, as a query types it."""
    return text.replace(" ", "-")


def _info_samples(array: Array, labels: Labels) -> Iterator[Sample]:
    labels_more = (("name", array.title), ("level", array.level), ("run", array.run))
    yield (*labels, *labels_more, *((("part_of", array.part_of),) if array.part_of else ())), 1.0


def _healths(array: Array, labels: Labels) -> Iterator[Sample]:
    for health in _HEALTHS:
        yield (*labels, ("health", _word(health))), float(array.health == health)


def _grades(array: Array, labels: Labels) -> Iterator[Sample]:
    for grade in GRADES:
        yield (*labels, ("grade", grade)), float(array.grade is grade)


def _members(array: Array, labels: Labels) -> Iterator[Sample]:
    for role in _ROLES:
        yield (*labels, ("role", _word(role))), len(array.of_role(role))


def _sync(array: Array, labels: Labels) -> Labels:
    return (*labels, ("action", array.sync.action if array.sync else ""))


def _progress(array: Array, labels: Labels) -> Iterator[Sample]:
    if array.sync and array.sync.total_bytes:
        yield _sync(array, labels), array.sync.done_bytes / array.sync.total_bytes


def _sync_left_samples(array: Array, labels: Labels) -> Iterator[Sample]:
    yield _sync(array, labels), array.sync.left_s if array.sync else None


def _speed(array: Array, labels: Labels) -> Iterator[Sample]:
    if array.sync and not array.sync.waits:
        yield _sync(array, labels), array.sync.bytes_per_s


def _mismatches(array: Array, labels: Labels) -> Iterator[Sample]:
    mismatches = array.mismatches
    if mismatches and mismatches.final and mismatches.counted_by in ("check", "repair"):
        yield labels, mismatches.sectors * _SECTOR_BYTES


def _conditions(array: Array, labels: Labels) -> Iterator[Sample]:
    kinds = {condition.kind: condition.grade for condition in array.conditions}
    for kind, grade in kinds.items():
        yield (*labels, ("kind", kind), ("grade", grade)), 1.0


def _of_members(value: Callable[[ArrayMember], float | None]) -> _Samples:
    def samples(array: Array, labels: Labels) -> Iterator[Sample]:
        for member in array.members:
            slot = "" if member.slot is None else str(member.slot)
            disk = member.disk.id if member.disk else ""
            if member.device:  # an empty slot tells nothing
                yield (*labels, ("slot", slot), ("member", member.device), ("disk", disk)), value(member)

    return samples


def _healthy(member: ArrayMember) -> float | None:
    health = member.smart.get("health")
    return None if health is None else float(health == "passed")


def _smart(key: str, divided_by: float = 1.0) -> Callable[[ArrayMember], float | None]:
    def value(member: ArrayMember) -> float | None:
        smart_value = member.smart.get(key)
        return smart_value / divided_by if isinstance(smart_value, int | float) else None

    return value


_FAMILIES: tuple[tuple[Metric, _Samples], ...] = (
    (ARRAY_INFO, _info_samples),
    (HEALTH, _healths),
    (GRADE, _grades),
    (SLOTS, lambda array, labels: [(labels, array.slots)]),
    (MEMBERS, _members),
    (SIZE, lambda array, labels: [(labels, array.size_bytes)]),
    (SYNC, _progress),
    (SYNC_LEFT, _sync_left_samples),
    (SPEED, _speed),
    (MISMATCH, _mismatches),
    (CHECKED, lambda array, labels: [(labels, array.checked.at_s)]),
    (CHECKED_WHOLE, lambda array, labels: [(labels, 1.0 if array.checked.complete else None)]),
    (CONDITIONS, _conditions),
    (CORRECTED, _of_members(lambda member: member.corrected_sectors and member.corrected_sectors * _SECTOR_BYTES)),
    (HEALTHY, _of_members(_healthy)),
    (CELSIUS, _of_members(_smart("temperature, °C"))),
    (WEAR, _of_members(_smart("used, %", 100.0))),
)

_PoolSamples = Callable[[Pool], Iterable[Sample]]
_OF_POOLS: tuple[tuple[Metric, _PoolSamples], ...] = (
    (POOL_INFO, lambda pool: [((("run", pool.run),), 1.0)]),
    (POOL_HEALTH, lambda pool: [((("health", pool.health),), 1.0)]),
    (POOL_GRADE, lambda pool: [((("grade", grade),), float(pool.grade is grade)) for grade in GRADES]),
    (POOL_SIZE, lambda pool: [((), pool.size_bytes)]),
    (POOL_USED, lambda pool: [((), pool.allocated_bytes)]),
    (SCRUBBED, lambda pool: [((), pool.scan.scrubbed_s)]),
    (
        POOL_CONDITIONS,
        lambda pool: [
            ((("kind", kind), ("grade", grade)), 1.0)
            for kind, grade in {condition.kind: condition.grade for condition in pool.conditions}.items()
        ],
    ),
)
