"""Health and temperature of disks by hwmon or smartctl, bridges and controllers included. Health is queried once per
disk and process; disks without temperature only once. Sleeping disks stay asleep. No answer means nothing (virtual
disks). Parsed in `raidtui.core.hardware.smartctl`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from raidtui.core.disks.drive import TOLD, Recovery, with_timeout
from raidtui.core.hardware.drive import DriveHealth, counts_in_words, verdict_words
from raidtui.core.hardware.smartctl import SmartError, does_not_know_bridge, parse, scanned, sleeps
from raidtui.system.block import text
from raidtui.system.process import ProcessError, run, side_by_side
from raidtui.system.programs import which

_TIMEOUT_S = 5.0
_COUNTS_S = 20.0  # of a disk that has just been busy for hours
# As much of `--xall` as is read, since 7.0. `--xall` itself would have smartctl ask a SAS drive for its environment in
# place of its temperature and the limit of it.
_ALL = (
    "--all",
    "--log=scterc",
    "--log=scttempsts",
    "--log=devstat",
    "--log=xselftest",
    "--log=sasphy",
    "--log=defects",
)
_answers: dict[tuple[str, str], dict[str, str]] = {}
_without_temperature: set[str] = set()  # kernel names
# What a USB box that smartctl does not know is asked as: the standard's own translation, which it also tries by itself.
# The others are makers' own commands, which may mean anything to another maker's bridge: for a person to choose.
_GUESSED = ("sat", "sat,12")
_BY_HAND = "usbjmicron, usbsunplus, usbprolific, usbcypress, sntasmedia, sntrealtek, sntjmicron"


class Celsius(msgspec.Struct, frozen=True):
    """`limit`: throttles; `critical`: damage possible. None if unknown."""

    now: float
    limit: float | None = None
    critical: float | None = None

    @property
    def is_critical(self) -> bool:
        return self.critical is not None and self.now >= self.critical


class DriveAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`why_not`: a sentence without answer."""

    path: str
    device_type: str = ""
    health: DriveHealth = DriveHealth()
    why_not: str = ""


def ask(disks: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Kernel name -> `health`: "passed", or "failing" with the disk's words; `erc`. `disks`: name -> diskseq."""
    if which("smartctl") is None:
        return {}
    new = [name for name, diskseq in disks.items() if (name, diskseq) not in _answers]
    for name, health in zip(new, _all(new, ("--health", "--capabilities"), _TIMEOUT_S), strict=True):
        erc = "" if health.recovery.erc == "not checked" else health.recovery.erc
        _answers[name, disks[name]] = {
            key: told for key, told in (("health", verdict_words(health)), (TOLD, erc)) if told
        }
    return {name: answered for name, diskseq in disks.items() if (answered := _answers[name, diskseq])}


def temperatures(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Celsius]:
    """By kernel name, where known. Sleeping disks stay asleep."""
    disks_asked = list(names)
    by_name = temperatures_by_kernel(disks_asked, sysfs)
    unread = [name for name in disks_asked if name not in by_name and name not in _without_temperature]
    if not unread or which("smartctl") is None:
        return by_name
    # --all does not ask a SATA drive for its limits
    for name, health in zip(unread, _all(unread, ("--all", "--log=scttempsts"), _TIMEOUT_S), strict=True):
        if health.temperature_c is None:
            _without_temperature.add(name)
        else:
            by_name[name] = Celsius(health.temperature_c, health.throttle_c, health.critical_c)
    return by_name


def temperatures_by_kernel(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Celsius]:
    """From kernel drivers only: instant, also in a test."""
    return {name: celsius for name in names if (celsius := _of_kernel(sysfs / "block" / name / "device"))}


def _of_kernel(device: Path) -> Celsius | None:
    """nvme and drivetemp: thousandths of a degree."""
    for pattern in ("hwmon*/temp1_input", "hwmon/hwmon*/temp1_input"):
        for file in device.glob(pattern):
            millidegrees = (text(file), *(text(file.with_name(f"temp1_{name}")) for name in ("max", "crit")))
            now_c, limit_c, critical_c = map(_thousandths, millidegrees)
            if now_c is not None:
                return Celsius(now_c, limit_c, critical_c)
    return None


def _thousandths(millidegrees: str) -> float | None:
    if not millidegrees.removeprefix("-").isdecimal() or not millidegrees.isascii():
        return None
    celsius = int(millidegrees) / 1000
    return celsius if -60 < celsius < 200 else None  # one that a disk can have


def counts(names: Iterable[str]) -> dict[str, dict[str, float | str]]:
    """Kernel name -> SMART counts, where known. Not cached."""
    return counts_told(drives(names))


def counts_told(healths: Mapping[str, DriveHealth]) -> dict[str, dict[str, float | str]]:
    return {name: told for name, health in healths.items() if (told := counts_in_words(health))}


def drives(names: Iterable[str]) -> dict[str, DriveHealth]:
    """Kernel name -> health, unknown where it did not answer. Not cached."""
    disks_asked = list(names) if which("smartctl") else []
    return dict(zip(disks_asked, _all(disks_asked, _ALL, _COUNTS_S), strict=True))


def recoveries(names: Iterable[str], sysfs: Path = Path("/sys")) -> dict[str, Recovery]:
    """By kernel name. Not cached."""
    disks_asked = list(names)
    known = _all(disks_asked, ("--capabilities", "--log=scterc"), _TIMEOUT_S) if which("smartctl") else []
    told = dict(zip(disks_asked, (health.recovery for health in known), strict=False))
    return {
        name: with_timeout(told.get(name, Recovery()), text(sysfs / f"block/{name}/device/timeout"))
        for name in disks_asked
    }


def why_nothing() -> str:
    if which("smartctl") is None:
        return "smartctl is not installed: no SMART data; `raidtui doctor` names its package"
    return "no disk answered smartctl: virtual disks and volumes of a RAID controller do not"


def whole(disks: Mapping[str, str]) -> dict[str, DriveAnswer]:
    """`disks`: path -> transport ("usb", "sata", …)."""
    return dict(zip(disks, side_by_side(lambda disk: _whole_answer(*disk), disks.items()), strict=True))


def behind_controllers() -> list[DriveAnswer]:
    try:
        paths_types = scanned(run(("smartctl", "--json", "--scan"), _COUNTS_S).stdout)
    except (ProcessError, SmartError):
        return []
    return side_by_side(lambda drive: _answer_as(*drive), paths_types)


def _whole_answer(path: str, transport: str) -> DriveAnswer:
    """By smartctl's default; an unknown USB bridge as SATA types, until one answers or sleeps."""
    first = _answer_as(path, "")
    if transport != "usb" or not does_not_know_bridge(first.health):
        return first
    for device_type in _GUESSED:
        answer = _answer_as(path, device_type)
        if answer.health.is_known or sleeps(answer.health):
            return answer
    by_hand = f"`smartctl -d TYPE {path}` by hand, with its maker's TYPE: {_BY_HAND}"
    return msgspec.structs.replace(first, why_not=f"{first.why_not}; {by_hand}")


def _answer_as(path: str, device_type: str) -> DriveAnswer:
    how = (f"--device={device_type}",) if device_type else ()
    try:
        smartctl = run(("smartctl", "--json", *_ALL, "--nocheck=standby", *how, path), _COUNTS_S)
        health = parse(smartctl.stdout)
    except (ProcessError, SmartError) as error:
        return DriveAnswer(path=path, device_type=device_type, why_not=str(error))
    return DriveAnswer(
        path=path,
        device_type=device_type or health.device_type,
        health=health,
        why_not="" if health.is_known else "; ".join(health.messages) or "it told nothing of its health",
    )


def _all(names: Iterable[str], options: tuple[str, ...], timeout_s: float) -> list[DriveHealth]:
    return side_by_side(lambda name: _answer(name, options, timeout_s), names)


def _answer(name: str, options: tuple[str, ...], timeout_s: float) -> DriveHealth:
    try:
        return parse(run(("smartctl", "--json", *options, "--nocheck=standby", f"/dev/{name}"), timeout_s).stdout)
    except (ProcessError, SmartError):
        return DriveHealth()
