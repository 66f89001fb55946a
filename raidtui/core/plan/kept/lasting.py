"""What a kept array has beyond its run by udev rules of the run's own: error recovery of its disks, and its tuning.

Rules are written before the array is stopped and assembled, so that its tuning is the rules' work by then. Old values
are journalled before, and put back with the rules' removal.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from raidtui.core.boot import entries
from raidtui.core.boot.distributions import BootPlace
from raidtui.core.disks.drive import ERC_DECISECONDS, HAS_ERC, LONG_TIMEOUT_S
from raidtui.core.plan.answers import PlanRefused, Setup, given_fields
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import Member, Stage
from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import Check, Command, Edit, Restore, Step, TakeOut, Write, erc_setting, settle
from raidtui.core.units import KIB, Units, format_bytes

TIMEOUT = "device/timeout"
# Field of a setup -> attribute of the array, or of each disk
OF_ARRAY = {name: f"{row.folder}/{name}" for name, row in FIELDS.items() if row.setting in ("md", "array queue")}
OF_DISKS = {name: f"{row.folder}/{name}" for name, row in FIELDS.items() if row.setting == "queue"}
_PAGE_BYTES = 4 * KIB
_NAMED = 6  # disks in a note


class Lasting(msgspec.Struct, frozen=True, kw_only=True):
    """`of_arrays`: placeholder of the array, or of a group -> attribute -> value; `of_disks`: by index of a member;
    `erc`: indices of members whose limit a unit sets; `without`: of those that no rule can find, as they have no WWN.
    """

    of_arrays: Mapping[str, Mapping[str, str]]
    of_disks: Mapping[int, Mapping[str, str]]
    erc: tuple[int, ...]
    without: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.of_arrays or self.of_disks or self.erc)


def lasting(stage: Stage, members: Sequence[Member], *, by_unit: bool) -> Lasting:
    """Of the array that `stage` builds on `members`. `by_unit`: ERC can be set at boot."""
    tuned, redundant = _tuned(stage.setup, OF_DISKS), bool(stage.array and stage.array.raid.has_sync)
    of_disks: dict[int, dict[str, str]] = {}
    erc, without = [], []
    for index, member in enumerate(members):
        limited = redundant and by_unit and member.erc in HAS_ERC
        waits = member.erc != "not applicable" and not limited
        values = {**({TIMEOUT: str(LONG_TIMEOUT_S)} if waits else {}), **tuned}
        if (limited or values) and not entries.match_of(member.id):
            without.append(index)
            continue
        erc += [index] if limited else []
        of_disks |= {index: values} if values else {}
    return Lasting(of_arrays=_of_arrays(stage), of_disks=of_disks, erc=tuple(erc), without=tuple(without))


def _of_arrays(stage: Stage) -> dict[str, dict[str, str]]:
    """md's own settings are those of each group."""
    found: dict[str, dict[str, str]] = {}
    tuned = _tuned(stage.setup, OF_ARRAY)
    for name, attribute in OF_ARRAY.items():
        if attribute in tuned:
            for node in stage.array.parts if stage.array and FIELDS[name].setting == "md" else ("{array}",):
                found.setdefault(node, {})[attribute] = tuned[attribute]
    return found


def _tuned(setup: Setup | None, attributes: Mapping[str, str]) -> dict[str, str]:
    given = given_fields(setup or Setup())
    return {attribute: str(getattr(setup, name)) for name, attribute in attributes.items() if name in given}


def written_by(stage: Stage, members: Sequence[Member], *, by_unit: bool) -> dict[str, tuple[str, ...]]:
    """Path -> lines, of `stage`'s array."""
    assert stage.array
    kept, name = lasting(stage, members, by_unit=by_unit), stage.array.name
    matches = [entries.match_of(member.id) for member in members]
    rules = [entries.of_disk(matches[index], values) for index, values in kept.of_disks.items()]
    rules += [entries.starts_unit(matches[index], name) for index in kept.erc]
    uuids = {"{array}": stage.array.uuid, **stage.array.uuids_of_groups}
    rules += [entries.of_array(uuids[node], values) for node, values in kept.of_arrays.items()]
    files = {entries.unit_file(name): entries.erc_unit(ERC_DECISECONDS)} if kept.erc else {}
    return {**files, **({entries.rules_file(name): tuple(rules)} if rules else {})}


def check(setup: Setup, members: Sequence[Member], place: BootPlace | None) -> None:
    """PlanRefused for tuning of an array that no rule can set again at boot."""
    given = given_fields(setup)
    if not (names := [name for name in (*OF_ARRAY, *OF_DISKS) if name in given]):
        return
    lost = f"{', '.join(names)} would be lost at the next boot"
    if place is None or not place.udev_rules:
        why = f"there is no {entries.RULES_FOLDER} here" if place else "this distribution's udev rules are not known"
        raise PlanRefused(f"{lost}, as {why}; leave that out", f"setup.{names[0]}")
    if not (of_disks := [name for name in OF_DISKS if name in given]):
        return
    if without := [member for member in members if not entries.match_of(member.id)]:
        disk = without[0].name or without[0].id
        sentence = f"{of_disks[0]} of {disk} would be lost at the next boot, as it has no WWN for a udev rule"
        raise PlanRefused(f"{sentence}; leave that out", f"setup.{of_disks[0]}")


def can_limit(place: BootPlace) -> bool:
    return place.systemd and place.smartctl


def steps_before(kept: Stage, members: Sequence[Member], place: BootPlace, reload: tuple[Step, ...]) -> Iterator[Step]:
    """Old values, unit, rules; the disks' values by them. Undo: last first."""
    by_unit = can_limit(place)
    wanted = lasting(kept, members, by_unit=by_unit)
    if not place.udev_rules or wanted.is_empty:
        return
    tested = {step.path for step in kept.steps if isinstance(step, Write) and step.restore}
    writes = [*_writes(wanted)]
    for write in writes:
        if write.path in tested:
            yield Restore(what=f"Restore {write.path.rpartition('/')[2]}; its rule sets it again", path=write.path)
    yield from writes
    by_rule = _udevadm("Reload the udev rules", "udev-reload", "control", "--reload")
    for path, lines in written_by(kept, members, by_unit=by_unit).items():
        after = (by_rule,) if path.startswith(entries.RULES_FOLDER) else reload
        taken_out = TakeOut(what=f"Remove the run's lines from {path}", path=path)
        yield Edit(what=f"Write {path}", path=path, lines=lines, undo=(taken_out, *after))
        yield from after
    if wanted.of_disks:
        matches = (f"--property-match={entries.match_of(members[index].id)}" for index in wanted.of_disks)
        argv = ("trigger", "--action=change", "--subsystem-match=block", *matches)
        yield _udevadm("Apply the rules to the disks", "udev-trigger", *argv)
        yield settle()


def steps_after(kept: Stage, members: Sequence[Member], place: BootPlace) -> Iterator[Step]:
    """Once it was stopped and assembled: its own values are the rules'."""
    wanted = lasting(kept, members, by_unit=can_limit(place))
    if place.udev_rules and not wanted.is_empty:
        yield Check(what="Are the values of the rules in force?", question="kept-settings")


def _writes(wanted: Lasting) -> Iterator[Write]:
    for node, values in wanted.of_arrays.items():
        for attribute, value in values.items():
            yield _write(node, attribute, value)
    for index, values in wanted.of_disks.items():
        for attribute, value in values.items():
            yield _write(f"{{member:{index}}}", attribute, value)
    value = f"{ERC_DECISECONDS},{ERC_DECISECONDS}"
    for index in wanted.erc:
        device = f"{{member:{index}}}"
        yield Write(
            what=f"Limit the error recovery of {device} to {ERC_DECISECONDS / 10:g} s",
            path=erc_setting(device),
            value=value,
            optional=True,
            lasts=True,
        )


def _write(device: str, attribute: str, value: str) -> Write:
    return Write(
        what=f"Record {attribute.rpartition('/')[2]} of {device}; its rule sets {value}",
        path=f"/sys/block/{device}/{attribute}",
        value=value,
        optional=device.startswith("{member:"),
        lasts=True,
        by_rule=True,
    )


def _udevadm(what: str, role: CommandRole, *argv: str) -> Command:
    return Command(what=what, role=role, argv=("udevadm", *argv))


def notes(kept: Stage, members: Sequence[Member], place: BootPlace) -> Iterator[str]:
    """What lasts, for Review."""
    wanted = lasting(kept, members, by_unit=can_limit(place))
    if pages := kept.setup.stripe_cache_size if kept.setup else 0:
        disks = (kept.setup.disks if kept.setup else 0) or len(members) - kept.spares - kept.journals
        memory = format_bytes(pages * _PAGE_BYTES * disks, Units.BINARY)
        yield f"Stripe cache: {pages} pages × 4 KiB × {disks} disks = {memory} of memory, from each boot on."
    if not place.udev_rules:
        yield f"Error recovery of the disks stays as it is: there is no {entries.RULES_FOLDER} here."
        return
    waiting = [index for index, values in wanted.of_disks.items() if TIMEOUT in values]
    if wanted.erc:
        seconds = ERC_DECISECONDS / 10
        yield f"Error recovery (ERC): {_of(wanted.erc, members)} limited to {seconds:g} s at each boot."
    unchecked = [index for index in waiting if members[index].erc == "not checked"]
    for indices, why in (
        ([index for index in waiting if index not in unchecked], "no ERC limit is set"),
        (unchecked, "smartctl did not tell whether they have ERC"),
    ):
        if indices:
            yield f"Command time-out: {_of(indices, members)} get {LONG_TIMEOUT_S} s, as {why}."
    if wanted.without:
        yield f"No WWN: {_of(wanted.without, members)} get no udev rule for error recovery."


def _of(indices: Sequence[int], members: Sequence[Member]) -> str:
    if len(indices) == len(members):
        return "all disks"
    names = [members[index].name or members[index].id for index in indices]
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} of {len(members)} disks"
