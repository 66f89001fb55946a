"""The rows of cuts: the plug is pulled in each step that makes a kept array, and the run is gone on with or undone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from raidtui.core.plan.steps import Role
from raidtui.core.run import events
from raidtui.core.units import MB, MIB
from tests.endurance import windows
from tests.server import boot_files, permanent, plug, rack, runs
from tests.server.machine import NOT_CONNECTED, Broken, Server
from tests.server.row import Act, Row


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """The plug is pulled at this moment, when the run is at a step of this role. `kept`: its array is to stay by then.

    `undone`: then what made it permanent is taken back before it is gone on with.
    """

    title: str
    role: Role
    moment: plug.Moment
    kept: bool = False
    undone: bool = False


def _step(title: str, role: Role, delay_s: float) -> Cut:
    """So long after a step of this role has begun, by the journal."""
    text = f'"role":"{role}"'
    return Cut(
        title=title,
        role=role,
        moment=plug.Moment(folder=f"{runs.ROOT}/*", name="journal.jsonl", text=text, delay_s=delay_s),
    )


_OF_BUILD = (
    _step("create", "create", 0.3),
    _step("first-sync", "sync-finished", 3.0),
    _step("mkfs", "mkfs", 0.3),
)
_OF_BOOT_FILES = (
    Cut(
        title="mdadm.conf",
        role="edit",
        moment=plug.Moment(folder="/etc/mdadm", name=".mdadm.conf.raidtui-*"),  # beside it: not in its place yet
        kept=True,
    ),
    Cut(
        title="initramfs",
        role="initramfs",
        moment=plug.Moment(folder="/boot", name="initrd.img-*.new", least_bytes=MIB),  # of eleven
        kept=True,
        undone=True,
    ),
    Cut(title="fstab", role="edit", moment=plug.Moment(folder="/etc", name="fstab"), kept=True),  # it is in its place
)
_MEMBER, _OTHER = 128 * MIB, 16 * MIB
_RACK = (
    *rack.rack(_MEMBER, sas=2, sata=1, bytes_per_s=8 * MB),
    rack.Disk("sas", 3, _OTHER),  # with a file system
    rack.Disk("sata", 2, _OTHER),  # with data without a signature
)
_OTHERS = ("sas3", "sata2")
_BESIDE = "ls -A /etc/mdadm /etc /boot | grep -e raidtui- -e '[.]new$'"


def _cuts(cuts: Sequence[Cut], *, permanent_too: bool) -> Act:
    """One run that is cut off at each of these, one after the other, and comes to its end."""

    def act(server: Server, out: Path) -> str:
        seen = runs.by_kind(server, runs.disks(server))
        members = [*seen["sas"][:2], *seen["sata"][:1]]
        server.run(f"mkfs.ext4 -q -F {seen['sas'][2].path}; head -c 4M /dev/urandom > {seen['sata'][1].path}; sync")
        before, others = permanent.boot_contents(server), _digests(server)
        failed, run, told = _failed_units(server), None, []
        for cut in cuts:
            with server.cut_at(cut.moment):
                if run is None:
                    run = runs.begin(server, permanent.answers(server, members, permanent=permanent_too))
                else:
                    run.go_on(ok=(0, NOT_CONNECTED))
            took_s = server.boot()
            server.take(str(run.path), out / cut.title)
            if wrong := _others_changed(server, others) + sorted(_failed_units(server) - failed):
                raise Broken(f"{cut.title}: after the boot this changed, or failed: {', '.join(wrong)}")
            told.append(f"{cut.title}: {_seen_after(server, run, cut, before)}, booted in {took_s:.0f} s")
            if cut.undone:
                run.undo()
                if (contents := permanent.boot_contents(server)) != before:
                    raise Broken(f"{cut.title}: after `raidtui undo` the files of boot are {contents}")
                told[-1] += ", undone byte for byte"
        assert run
        run.resume()
        server.take(str(run.path), out / "run")
        if (contents := permanent.boot_contents(server)) != (after := boot_files.written(run.plan, run.name, before)):
            raise Broken(f"at the end the files of boot are {contents}, not {after}")
        if wrong := server.run(_BESIDE, ok=(0, 1)).split() + _others_changed(server, others):
            raise Broken(f"at the end this lies about, or changed: {', '.join(wrong)}")
        ended, arrays = runs.status(server)
        if [one.run for one in arrays] != [run.name]:
            raise Broken(f"at the end `raidtui status` tells {arrays}")
        mounted = f", {permanent.node(server)} mounted" if permanent_too else ""
        return f"{'; '.join(told)}; at the end kept{mounted}, status {ended}; other disks as before"

    return act


def _seen_after(server: Server, run: runs.Run, cut: Cut, before: boot_files.Contents) -> str:
    """What raidtui says of the run after the boot. Broken where that, or a file of boot, is not as it should be."""
    journal = run.journal()
    last = next(event for event in reversed(journal) if isinstance(event, events.StepStarted))
    if last.role != cut.role:
        raise Broken(f"{cut.title}: the plug was pulled at: {windows.where(journal, None)}")
    printed = server.raidtui("runs")
    remedies = ("resume", "undo") if cut.kept else ("resume", "clean")
    wanted = (f"{run.name}  cut off", *(f"`raidtui {command} {run.name}`" for command in remedies))
    if missed := [words for words in wanted if words not in printed]:
        raise Broken(f"{cut.title}: `raidtui runs` does not say {missed}: {printed}")
    files = boot_files.standing(permanent.boot_contents(server), before, boot_files.written(run.plan, run.name, before))
    if "neither" in files.values():
        raise Broken(f"{cut.title}: the files of boot are {permanent.boot_contents(server)}")
    ended, arrays = runs.status(server)
    array, _ = permanent.built(run.plan)
    own = [one for one in arrays if one.uuid == array.uuid]
    if cut.kept and (ended > 1 or [one.run for one in own] != [run.name]):
        raise Broken(f"{cut.title}: `raidtui status` ends with {ended}, and tells {own}")
    conditions = ", ".join(condition.kind for one in own for condition in one.conditions) or "no array"
    written = ", ".join(f"{Path(path).name} {how}" for path, how in files.items())
    return f"pulled at “{windows.where(journal, None)}”, {written}, status {ended} ({conditions})"


def _digests(server: Server) -> dict[str, str]:
    return {name: server.digest(name) for name in _OTHERS}


def _others_changed(server: Server, before: Mapping[str, str]) -> list[str]:
    return [name for name, digest in _digests(server).items() if digest != before[name]]


def _failed_units(server: Server) -> set[str]:
    return set(server.run("systemctl list-units --failed --plain --no-legend | cut -d' ' -f1").split())


ROWS = (
    Row(name="cut-build", disks=_RACK, act=_cuts(_OF_BUILD, permanent_too=False)),
    Row(name="cut-boot", disks=_RACK, act=_cuts(_OF_BOOT_FILES, permanent_too=True)),
)
