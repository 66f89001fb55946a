"""The stage that makes a kept array permanent: mdadm.conf, initramfs, fstab or mount unit, each proved at once by a
stop and assembly from the written files before a mount. Undo order: unmount, fstab, mdadm.conf.
"""

from collections.abc import Collection, Iterator, Sequence

from raidtui.core.boot import entries
from raidtui.core.boot.distributions import MAILERS, SENDMAIL, TEST_MAIL, BootPlace
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.kept import lasting, pool_steps, watching
from raidtui.core.plan.member_steps import by_hand
from raidtui.core.plan.model import ArrayPlan, Member, Plan, Stage
from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import (
    SMARTCTL,
    Check,
    Command,
    Edit,
    SetOwner,
    Step,
    TakeOut,
    Write,
    immutable_setting,
)
from raidtui.core.plan.storage_layers import layers
from raidtui.core.raid.filesystems import filesystem

TITLE = "Add boot entries"
_INITRAMFS_S = 60.0  # of one kernel, on a server
_SYSTEMCTL = "systemctl"
UNKNOWN = (
    "At each boot: this distribution is none whose rules are known (Debian, Ubuntu, Red Hat, SUSE, Arch). It is left as"
    " it is; the report says what to do by hand."
)


def stage_of(answers: Answers, kept: Stage, members: Sequence[Member], place: BootPlace) -> Stage:
    folder = folder_of(answers)
    if kept.filesystem and kept.filesystem.tables:
        of_pool = pool_steps.permanent_steps(answers, kept, place, folder)
        return Stage(title=TITLE, steps=tuple(of_pool), trials=(), permanent=True)
    if answers.mount == "unit" and not place.systemd:
        raise PlanRefused('systemd does not run here; choose mount = "fstab"', "mount")
    steps: list[Step] = []
    if kept.filesystem:
        steps.append(Check(what=f"May it be mounted at {folder}?", question="place-free", where=folder))
    steps += _known_at_boot(answers, kept, place)
    steps += lasting.steps_before(kept, members, place, _reload(place))
    steps += _put_together(kept, place)
    steps += lasting.steps_after(kept, members, place)
    if kept.filesystem:
        steps += _mounted(answers, kept, place, folder)
    steps += watching.steps(answers, members, place)
    steps.append(Check(what="Are mail alerts configured?", question="monitored"))
    return Stage(title=TITLE, steps=tuple(steps), trials=(), permanent=True)


def notes(answers: Answers, place: BootPlace | None) -> tuple[str, ...]:
    """What can be written here; None: unknown distribution."""
    if place is None:
        return (UNKNOWN,)
    notices = []
    if place.by_hand:
        by_hand = " ".join(place.by_hand)
        notices.append(
            f"At each boot: {place.by_hand[0]} overwrites the initramfs in place, and is left to you: `{by_hand}`."
        )
    elif place.initramfs is None:
        makers = " or ".join(maker.argv[0] for maker in place.distribution.makers)
        usual = place.distribution.makers[0].package
        notices.append(
            f"At each boot: {makers} is not installed, so no initramfs is made again; an array of data alone needs"
            f" none. Where this system boots from one all the same (`ls /boot/init*` shows it), install {usual} first."
        )
    if answers.mailaddr and place.mailaddr not in ("", answers.mailaddr):
        notices.append(
            f"mailaddr: {answers.mailaddr} replaces {place.mailaddr} for all arrays of this machine: the first MAILADDR"
            " line is used, and the run's comes first."
        )
    return tuple(notices)


def program_notes(answers: Answers, programs: Collection[str], *, asks_health: bool) -> tuple[str, ...]:
    """Missing programs: for SMART, for mail alerts. `programs`: installed ones (empty: assumed)."""
    notices = []
    if programs and asks_health and SMARTCTL not in programs:
        notices.append("smartctl is not installed: no SMART counters; `raidtui doctor` names its package.")
    if programs and answers.after == "keep" and SENDMAIL not in programs:
        notices.append(
            f"Mail alerts: no mail program installed, nobody is told of a failed disk; {MAILERS}. Then {TEST_MAIL}."
        )
    return tuple(notices)


def folder_of(answers: Answers) -> str:
    return answers.mount_point or entries.MOUNTED_AT


def mount_point(plan: Plan) -> str:
    steps = plan.stages[plan.permanence].steps if plan.permanence is not None else ()
    return next((step.folder for step in steps if isinstance(step, Command) and step.role == "mount"), "")


def _known_at_boot(answers: Answers, kept: Stage, place: BootPlace) -> Iterator[Step]:
    """Its line in mdadm.conf, and in the initramfs; MAILADDR if asked for."""
    assert kept.array
    remake_initramfs: tuple[Command, ...] = ()
    if place.initramfs:
        new_initramfs = Command(
            what="Rebuild the initramfs", role="initramfs", argv=place.initramfs.argv, estimate_s=_INITRAMFS_S
        )
        remake_initramfs = (new_initramfs, _command("Flush it to the disk", "sync-caches", "sync"))
    # Though another's line says the same: it may be another run's, and go with it.
    mail = (entries.mailaddr(answers.mailaddr),) if answers.mailaddr else ()
    yield Edit(
        what=f"Write the array into {place.mdadm_conf}",
        path=place.mdadm_conf,
        lines=(*array_lines(kept.array, kept.spares), *mail),
        at_top=bool(mail),
        in_initramfs=bool(remake_initramfs),
        undo=(_take_out(place.mdadm_conf), *remake_initramfs),
    )
    yield from remake_initramfs
    if remake_initramfs:
        yield Check(what=f"Is {place.mdadm_conf} in the initramfs?", question="initramfs-holds", where=place.mdadm_conf)
    if kept.layer and (known_at_boot := layers.steps_of(kept.layer).known_at_boot):
        yield known_at_boot(kept.layer, _reload(place))


def array_lines(array: ArrayPlan, spares: int) -> tuple[str, ...]:
    """Groups before the array over them; they share its spares."""
    shared = array.name if spares else ""
    of_groups = (
        entries.array(group.name, group.uuid, len(group.spares) if spares else 0, shared) for group in array.groups
    )
    return (*of_groups, entries.array(array.name, array.uuid, 0 if array.groups else spares))


def conf_of(array: ArrayPlan) -> str:
    """A mdadm.conf of its lines alone."""
    return "".join(f"{line}\n" for line in array_lines(array, 0))


def _put_together(kept: Stage, place: BootPlace) -> list[Step]:
    array = kept.array
    assert array
    created = sum(len(step.members) for step in kept.steps if isinstance(step, Command) and step.role == "create")
    members = range(created + kept.spares)
    conf = place.mdadm_conf
    return layers.reassembled(array, kept.layer, conf, conf, by_hand(array, members))


def _mounted(answers: Answers, kept: Stage, place: BootPlace, folder: str) -> Iterator[Step]:
    assert kept.filesystem
    uuid, kind = kept.filesystem.uuid, kept.filesystem.kind
    unit = entries.unit_name(folder)
    yield Command(
        what=f"Make {folder}, if it is missing",
        role="make-folder",
        argv=("mkdir", "--parents", "--mode=0755", folder),
        folder=folder,
        undo=(_command("Remove it, if it is the run's and empty", "remove-folder", "rmdir", folder, folder=folder),),
    )
    if answers.mount_guard:
        yield Write(
            what=f"Make the empty {folder} immutable",
            path=immutable_setting(folder),
            value="on",
            optional=True,
            lasts=True,
        )
    reload = _reload(place)
    if answers.mount == "unit":
        path, mount_lines = f"{entries.UNITS}/{unit}", entries.mount_unit(uuid, folder, kind, answers.mount_options)
    else:
        line = entries.fstab(uuid, folder, kind, filesystem(kind).fsck_pass, answers.mount_options)
        path, mount_lines = entries.FSTAB, (line,)
    yield Edit(what=f"Write the file system into {path}", path=path, lines=mount_lines, undo=(_take_out(path), *reload))
    yield from reload
    unmount = (_command("Unmount", "unmount", "umount", folder, folder=folder),)
    if answers.mount == "unit":
        disable = (_command("Do not mount it at boot", "disable", _SYSTEMCTL, "disable", unit, folder=path),)
        yield _command("Mount it at boot", "enable", _SYSTEMCTL, "enable", unit, folder=path, undo=disable)
        yield _command("Mount it", "mount", _SYSTEMCTL, "start", unit, folder=folder, undo=unmount)
    else:
        yield Check(what="Does findmnt accept the line?", question="boot-mounts", where=folder)
        yield _command("Mount it", "mount", "mount", folder, folder=folder, undo=unmount)
    yield Check(what="Is it the run's file system that is mounted?", question="own-mounted", where=folder)
    if answers.mount_owner or answers.mount_mode:
        yield SetOwner(
            what=f"Set the owner of {folder}", folder=folder, owner=answers.mount_owner, mode=answers.mount_mode
        )


def _reload(place: BootPlace) -> tuple[Command, ...]:
    return (_command("Tell systemd", "reload", _SYSTEMCTL, "daemon-reload"),) if place.systemd else ()


def _take_out(path: str) -> Step:
    return TakeOut(what=f"Remove the run's lines from {path}", path=path)


def _command(what: str, role: CommandRole, *argv: str, folder: str = "", undo: tuple[Step, ...] = ()) -> Command:
    return Command(what=what, role=role, argv=argv, folder=folder, undo=undo)


def mount_line(plan: Plan, number: int, folder: str) -> str:
    """Shell line; "" if the UUID is unknown (plan without a run) or a pool mounts itself."""
    try:
        made = slots.filled(plan).stages[number].filesystem
    except ValueError:
        return ""
    return f"mount UUID={made.uuid} {folder}" if made and not made.tables else ""


def shell_lines(plan: Plan) -> tuple[str, ...]:
    """Shell lines, each complete by itself, for a person to make a kept array permanent; empty if the plan keeps none.
    Debian's paths; others in a comment line of its own: a line wrapped by a window would be run.
    """
    if plan.kept_stage is None or plan.stages[plan.kept_stage].array is None:
        return ()
    try:
        stage = slots.filled(plan).stages[plan.kept_stage]
    except ValueError:  # of no run that could have kept anything
        return ()
    assert stage.array
    commands = [
        "# elsewhere than on Debian: /etc/mdadm.conf, and `dracut -f` for update-initramfs",
        *(f"echo '{line}' >> /etc/mdadm/mdadm.conf" for line in array_lines(stage.array, stage.spares)),
        "update-initramfs -u",
    ]
    if stage.layer and stage.layer.kind == "luks":
        commands.append(f"echo '{entries.crypttab(stage.layer.group, stage.layer.uuid)}' >> {entries.CRYPTTAB}")
    if stage.filesystem:
        folder, kind = entries.MOUNTED_AT, stage.filesystem.kind
        entry = entries.fstab(stage.filesystem.uuid, folder, kind, filesystem(kind).fsck_pass)
        commands += [f"mkdir -p {folder}", f"echo '{entry}' >> /etc/fstab", f"mount {folder}"]
    return tuple(commands)


def kept_words(plan: Plan) -> str:
    """Which array stays, or ""; its name has digits that are drawn at the start."""
    if plan.kept_stage is None:
        return ""
    names = ", ".join(slots.names(plan.stages[plan.kept_stage :], ""))
    return " ".join(("array", *filter(None, (slots.substitute(names, lambda *_: "…"),)), "kept"))
