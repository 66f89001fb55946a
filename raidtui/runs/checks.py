"""What a Check looks at, question by question. A look changes nothing; it ends the run, warns, or journals facts."""

import os
import time
from collections.abc import Callable

import msgspec

from raidtui.core.plan import steps
from raidtui.core.plan.model import MOUNTPOINT
from raidtui.core.plan.steps import Check, Question
from raidtui.core.raid import filesystems
from raidtui.core.run import events
from raidtui.core.run.samples import ARRAY
from raidtui.runs import target
from raidtui.runs.context import Site
from raidtui.runs.waiting import StepFailed
from raidtui.system import block, health, md, members, signatures
from raidtui.system.process import run

_QUERY_S = 60.0


def look(site: Site, check: Check) -> None:
    """Answer `check`; StepFailed if the answer is no."""
    _LOOKS[check.question](site, check)


def _members_free(site: Site, _: Check) -> None:
    site.check_free(tuple(member.id for member in site.plan.members))


def _array_built(site: Site, check: Check) -> None:
    assert site.stage and site.stage.array
    name = site.find_array()
    if name is None:
        raise StepFailed(f"no array with the UUID {site.stage.array.uuid} came up; see `cat /proc/mdstat`")
    site.sampler.names[ARRAY] = name
    first = site.muster.disk(site.plan.members[0]).name
    built = {"array_bytes": block.size_bytes(name), "data_offset_bytes": md.data_offset_bytes(name, first)}
    node = f"/dev/{name}"
    site.journal.add(
        events.ArrayBuilt(at_s=time.time(), node=node, size_bytes=built["array_bytes"], detail=md.settings(name))
    )
    for key, planned in check.expected.items():
        if built[key] != planned:
            site.pace.warn(f"{node}: {key} is {built[key]}, planned were {planned}: this mdadm lays out otherwise")


def _geometry(site: Site, check: Check) -> None:
    assert site.stage and site.stage.filesystem
    kind = site.stage.filesystem.kind
    argv = filesystems.readback_argv(kind, steps.resolve(check.where or "{array}", site.device_of))
    assert argv
    done = run(argv, timeout_s=_QUERY_S)
    try:
        site.geometry = msgspec.to_builtins(filesystems.parse_geometry(kind, done.stdout))
    except ValueError as error:
        raise StepFailed(f"the geometry of {kind} cannot be read back: {error}") from error
    if site.geometry != check.expected:
        site.pace.warn(f"{kind} has the geometry {site.geometry}, asked for was {check.expected}")


def _mounted(site: Site, check: Check) -> None:
    assert site.stage and site.stage.filesystem
    folder = site.path / (check.where or MOUNTPOINT)
    if not block.is_mounted(folder):
        raise StepFailed(f"nothing is mounted at {folder}")
    status = os.statvfs(folder)
    site.journal.add(
        events.FilesystemMade(
            at_s=time.time(),
            filesystem=site.stage.filesystem.kind,
            geometry=site.geometry,
            total_bytes=status.f_blocks * status.f_frsize,
            free_bytes=status.f_bavail * status.f_frsize,
        )
    )


def _members_blank(site: Site, _: Check) -> None:
    """Nothing recognises anything on the members, and no array of ours is left."""
    left = [f"the array {name}" for name in [site.find_array()] if name]
    for member in site.plan.members:
        disk = site.muster.disk(member)
        seen = run(("wipefs", "--no-act", "--parsable", disk.path), timeout_s=_QUERY_S)
        if seen.returncode != 0:
            left.append(f"{disk.name} ({disk.title}) cannot be read: {seen.stderr.strip()}")
        elif seen.stdout.strip() or md.superblock(disk.path):
            left.append(f"signatures on {disk.name} ({disk.title}): {seen.stdout.strip() or 'md superblock'}")
    if left:
        raise StepFailed("; ".join(left))
    site.muster.blanked = True
    for index, member in enumerate(site.plan.members):  # our own test's data; after an erasure it would not be
        ours = member.id in site.muster.written or f"{{member:{index}}}" in site.ours
        if ours and site.stage and site.stage.setup:
            site.muster.remember(member)


def _health(site: Site, _: Check) -> None:
    """What SMART counts now, for the report; nothing that it says ends the run."""
    names = {site.muster.disk(member).name: member.id for member in site.plan.members}
    told = {names[name]: counts for name, counts in health.counts(names).items()}
    why_not = "" if told else health.why_nothing()
    site.journal.add(events.HealthTold(at_s=time.time(), stage=site.number, disks=told, why_not=why_not))


_LOOKS: dict[Question, Callable[[Site, Check], None]] = {
    "members-free": _members_free,
    "array-built": _array_built,
    "geometry": _geometry,
    "mounted": _mounted,
    "members-blank": _members_blank,
    "health": _health,
    "target-same": target.check_same,
    "file-own": target.own_file,
}


def array_is_free(site: Site, kept: bool) -> None:
    """StepFailed if the stage's array stands and somebody else uses it: one that was `kept` may carry data by now."""
    if held := site.held():
        raise StepFailed(held)
    name = site.find_array()
    if name is None:
        if kept and any(site.carries_array(f"{{member:{index}}}") for index in range(len(site.plan.members))):
            raise StepFailed(
                "the array that was kept is not running, so that it cannot be looked at: assemble it first"
            )
        return
    folder = site.path / MOUNTPOINT
    if block.is_mounted(folder):
        site.run(("umount", str(folder)))
    if reason := members.why_not_free(f"/dev/{name}"):
        raise StepFailed(f"the array /dev/{name} is in use: {reason}")
    assert site.stage
    made = {site.stage.filesystem.uuid} if site.stage.filesystem else set()
    has_table = bool(site.stage.setup and site.stage.setup.partition_start_sectors)
    own_partition = block.partition(name, 1) if has_table else None
    for device in (name, *block.partitions(name)):
        if device != name and f"/dev/{device}" != own_partition:
            raise StepFailed(f"the array has the partition /dev/{device}, which this run did not make; remove it first")
        found = signatures.read((device,))[device].signatures
        if found is None:
            raise StepFailed(f"/dev/{device} cannot be read, so that nobody knows what it holds")
        for one in found:
            if one.uuid not in made and not (has_table and device == name and one.kind in ("dos", "gpt")):
                raise StepFailed(
                    f"the array's /dev/{device} holds {one.kind} {one.uuid}, which this run did not make;"
                    f" if it is to be lost, wipe it first: wipefs --all /dev/{device}"
                )
