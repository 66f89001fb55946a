"""Drive health and RAID controllers as lines for people."""

from collections.abc import Iterator

from raidtui.core.hardware.controllers import Controller, PhysicalDisk, VirtualDisk, amiss, state_words
from raidtui.core.hardware.drive import COUNTS, DriveHealth, Judgement, Protocol, counts, verdict_words
from raidtui.core.units import KIB, both

# What a drive of a kind can be expected to tell: where it does not, that is said
_ATA = ("reallocated sectors", "pending sectors", "offline uncorrectable", "command time-outs", "link errors")
_FLASH = ("used, %", "spare, %")
_EXPECTED: dict[Protocol, tuple[str, ...]] = {
    "ATA": _ATA,
    "NVMe": ("media errors", *_FLASH),
    "SCSI": ("grown defects", "uncorrected reads", "uncorrected writes", "link errors"),
    "": (),
}
_ALWAYS = ("power-on hours", "temperature, °C")
_WIDTH = 24


def drive_page(title: str, health: DriveHealth, judgement: Judgement, why_not: str = "") -> Iterator[str]:
    """Title, judgement with sources, all values, what is unknown."""
    yield title
    yield from (f"    {text}" for text in _judged(health, judgement, why_not))
    if health.is_known:
        rows = (*_identity_rows(health), *_condition(health))
        yield from (f"    {name:<{_WIDTH}} {text}" for name, text in rows)


def health_lines(health: DriveHealth, judgement: Judgement, why_not: str = "") -> Iterator[str]:
    yield from _judged(health, judgement, why_not)
    if health.is_known:
        yield from (f"{name:<{_WIDTH}} {text}" for name, text in _condition(health))


def _judged(health: DriveHealth, judgement: Judgement, why_not: str) -> Iterator[str]:
    alone = (
        "" if counts(health).keys() - {*_ALWAYS} or judgement.reasons or not health.passed else "by its own check alone"
    )
    unjudged = "counters not judged (not in smartctl's database)" if health.counters_unnamed else ""
    yield ": ".join((judgement.fitness.value, *filter(None, (why_not or unjudged or alone,))))
    for reason in judgement.reasons:
        yield f"- {reason.words}"
        yield f"    {reason.fitness.value}; {reason.source}"


def _identity_rows(health: DriveHealth) -> Iterator[tuple[str, str]]:
    yield "model", " ".join(part for part in (health.model, health.serial) if part) or "not told"
    yield "firmware", health.firmware or "not told"
    yield "asked as", health.device_type or "not told"
    if health.size_bytes:
        yield "size", both(health.size_bytes)
    if health.rotation_rpm is not None:
        yield "medium", f"{health.rotation_rpm} rpm" if health.rotation_rpm else "flash"


def _condition(health: DriveHealth) -> Iterator[tuple[str, str]]:
    yield "its own check", verdict_words(health) or "not told"
    health_counts = counts(health)
    yield from (
        (name, f"{health_counts[name]:g}" if health_counts[name] < 10**6 else f"{health_counts[name]:.0f}")
        for name, _ in COUNTS
        if name in health_counts
    )
    for name, limit in (("slows down at, °C", health.throttle_c), ("critical at, °C", health.critical_c)):
        if limit is not None:
            yield name, f"{limit:g}"
    if health.link_gbit_s is not None:
        best = health.link_best_gbit_s
        yield "link, Gbit/s", f"{health.link_gbit_s:g}" + (f", the drive's own {best:g}" if best is not None else "")
    if missing := ", ".join(_not_told(health)):
        yield "not told", missing


def _not_told(health: DriveHealth) -> Iterator[str]:
    flash = _FLASH if health.protocol == "ATA" and health.rotation_rpm == 0 else ()
    health_counts = counts(health)
    yield from (name for name in (*_ALWAYS, *_EXPECTED[health.protocol], *flash) if name not in health_counts)
    if health.throttle_c is None and health.critical_c is None:
        yield "limits of temperature"
    if health.link_gbit_s is None and health.protocol in ("ATA", "SCSI"):
        yield "link"


def controller_page(controller: Controller, names: dict[int, str]) -> Iterator[str]:
    """`names`: target of a virtual disk -> kernel name, if known."""
    about = [controller.model or "model not told", controller.serial, f"firmware {controller.firmware or 'not told'}"]
    yield f"controller {controller.number}  {'  '.join(part for part in about if part)}"
    for battery in controller.batteries:
        heat = f", {battery.temperature_c} °C" if battery.temperature_c is not None else ""
        yield f"    cache kept by {battery.model or 'a battery'}: {battery.state or 'state not told'}{heat}"
    if not controller.batteries:
        yield f"    battery: {'none' if controller.has_battery is False else 'state not told'}"
    faults = [*amiss(controller)]
    yield from (f"    LOOK: {text}" for text in faults)
    for volume in controller.virtual_disks:
        name = names.get(volume.target, "") if volume.target is not None else ""
        yield f"    virtual disk {volume.target if volume.target is not None else '?'}  {_volume(volume, name)}"
    yield from (f"    slot {disk.place}  {_disk(disk)}" for disk in controller.physical_disks)


def _volume(volume: VirtualDisk, name: str) -> str:
    caching = {True: "cached I/O", False: "direct I/O", None: ""}[volume.is_cached]
    parts = (
        f"is {name}" if name else "",
        volume.level,
        volume.size,
        state_words(volume) or "state not told",
        f"strip {volume.strip_bytes // KIB} KiB" if volume.strip_bytes else "strip not told",
        volume.write_policy or "write policy not told",
        volume.read_policy or "read-ahead not told",
        caching,
        volume.access,
        f"disks' own cache: {volume.disk_cache}" if volume.disk_cache else "",
        f"on {' '.join(volume.places)}" if volume.places else "",
    )
    return ", ".join(part for part in parts if part)


def _disk(disk: PhysicalDisk) -> str:
    counted = (("media errors", disk.media_errors), ("predictive failures", disk.predictive_failures))
    parts = (
        " ".join(part for part in (disk.model, disk.serial) if part),
        disk.size,
        " ".join(part for part in (disk.interface, disk.medium) if part),
        state_words(disk) or "state not told",
        *(f"{name} {count if count is not None else 'not told'}" for name, count in counted),
        f"{disk.temperature_c} °C" if disk.temperature_c is not None else "",
        f"megaraid,{disk.device_id}" if disk.device_id is not None else "",
    )
    return ", ".join(part for part in parts if part)
