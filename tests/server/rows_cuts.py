"""The rows of cuts: the plug is pulled in a step that makes a kept array, and the run is gone on with or undone."""

from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Grade
from raidtui.core.plan.roles import Role
from raidtui.core.run import events
from raidtui.core.units import MB, MIB
from tests.endurance import windows
from tests.server import boot_files, permanent, plug, rack, runs
from tests.server.machine import Broken, Server
from tests.server.row import Act, Row


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """The plug is pulled at this moment, when the run is at a step of this role. `kept`: its array stays, and is being
    made permanent. `undone`: then that is taken back; else the run is gone on with.
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


CUTS = (
    _step("create", "create", 0.3),
    _step("first-sync", "sync-finished", 0.3),
    _step("mkfs", "mkfs", 0.3),
    Cut(
        title="mdadm-conf",
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


def _cut_off(cut: Cut) -> Act:
    """A run that is cut off there, and then comes to its end, or is undone."""

    def act(server: Server, out: Path) -> str:
        seen = runs.by_kind(server, runs.disks(server))
        members = [*seen["sas"][:2], *seen["sata"][:1]]
        server.run(f"mkfs.ext4 -q -F {seen['sas'][2].path}; head -c 4M /dev/urandom > {seen['sata'][1].path}; sync")
        before, others, failed = permanent.boot_contents(server), _digests(server), _failed_units(server)
        with server.cut_at(cut.moment):
            run = runs.begin(server, permanent.answers(server, members, permanent=cut.kept))
        took_s = server.boot()
        server.take(str(run.path), out / "cut-off")
        if news := sorted(_failed_units(server) - failed):
            raise Broken(f"after the boot {', '.join(news)} failed")
        told = f"{_seen_after(server, run, cut, before)}, up after {took_s:.0f} s"
        if cut.undone:
            run.undo()
        else:
            run.resume()
        server.take(str(run.path), out / "run")
        wanted = before if cut.undone else boot_files.written(run.plan, run.name, before)
        if (contents := permanent.boot_contents(server)) != wanted:
            raise Broken(f"at the end the files of boot are {contents}, not {wanted}")
        changed = [name for name, digest in _digests(server).items() if digest != others[name]]
        if wrong := server.run(_BESIDE, ok=(0, 1)).split() + changed:
            raise Broken(f"at the end this lies about, or changed: {', '.join(wrong)}")
        ended, arrays = runs.status(server)
        wants = {one.kind for array in arrays for one in array.conditions if one.grade is not Grade.GOOD}
        # What was undone is put together and not written to since: of a cut its resync waits for that.
        if [one.run for one in arrays] != [run.name] or wants - ({"resync-waits"} if cut.undone else set()):
            raise Broken(f"at the end `raidtui status` ends with {ended}, and tells {arrays}")
        mounted = cut.kept and not cut.undone and permanent.node(server)
        how = "undone byte for byte, its array kept" if cut.undone else f"resumed; {mounted or 'its array'} stays"
        ending = " ".join((str(ended), *sorted(wants)))
        return f"{told}; {how}, status {ending}; other disks as before"

    return act


def _seen_after(server: Server, run: runs.Run, cut: Cut, before: boot_files.Contents) -> str:
    """What raidtui says of the run after the boot. Broken where that, or a file of boot, is not as it should be."""
    journal = run.journal()
    last = next(event for event in reversed(journal) if isinstance(event, events.StepStarted))
    if last.role != cut.role:
        raise Broken(f"the plug was pulled at: {windows.where(journal, None)}")
    printed = server.raidtui("runs")
    remedies = ("resume", "undo") if cut.kept else ("resume", "clean")
    wanted = (f"{run.name}  interrupted", *(f"`raidtui {command} {run.name}`" for command in remedies))
    if missed := [words for words in wanted if words not in printed]:
        raise Broken(f"`raidtui runs` does not say {missed}: {printed}")
    files = boot_files.standing(permanent.boot_contents(server), before, boot_files.written(run.plan, run.name, before))
    if "neither" in files.values():
        raise Broken(f"the files of boot are {permanent.boot_contents(server)}")
    ended, arrays = runs.status(server)
    array, _ = permanent.built(run.plan)
    own = [one for one in arrays if one.uuid == array.uuid]
    if cut.kept and (ended > 1 or [one.run for one in own] != [run.name]):
        raise Broken(f"`raidtui status` ends with {ended}, and tells {own}")
    conditions = ", ".join(condition.kind for one in own for condition in one.conditions) or "no array"
    written = ", ".join(f"{Path(path).name} {how}" for path, how in files.items())
    return f"pulled at “{windows.where(journal, None)}”, {written}, status {ended} ({conditions})"


def _digests(server: Server) -> dict[str, str]:
    return {name: server.digest(name) for name in _OTHERS}


def _failed_units(server: Server) -> set[str]:
    return set(server.run("systemctl list-units --failed --plain --no-legend | cut -d' ' -f1").split())


ROWS = tuple(Row(name=f"cut-{cut.title}", disks=_RACK, act=_cut_off(cut)) for cut in CUTS)
