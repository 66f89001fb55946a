"""Allowed steps: by role the program, the form of each argument, and allowed places: members by number, the array and
what is on it, a file of the run, listed settings and boot files. Own names (array, group, container, pool, folder,
UUIDs) must be the stage's. All else is refused; whether a step makes sense is not checked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from raidtui.core.boot import entries, ownership
from raidtui.core.boot.distributions import DISTRIBUTIONS, MDADM_CONFS, SMARTD_UNITS
from raidtui.core.fio import job
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.checked import allowed_settings, boot_lines
from raidtui.core.plan.kept import permanence, pool_steps
from raidtui.core.plan.model import CONF_FILE, KEPT_FILE, MOUNTPOINT, Member, Stage
from raidtui.core.plan.roles import PersonRole, Question
from raidtui.core.plan.steps import Check, Command, Edit, ManualStep, Restore, SetOwner, Step, TakeOut, Wait, Write
from raidtui.core.proof.pattern import MARK, MARK_AT
from raidtui.core.raid import containers, filesystems, layers, zfs
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.raid.levels import LEVELS, POOLS
from raidtui.core.text import brief

_FILE = r"mnt[0-9]{0,9}/(?:[0-9]{1,9}-)?raidtui\.fio"
_MEMBER = r"\{member:[0-9]{1,9}\}"
_PART = rf"\{{part:[0-9]{{1,9}}:{layers.PARTITION_NUMBER}\}}"
GROUP = r"\{group:[0-9]{1,4}\}"
ON_ARRAY = r"\{array\}|\{array:1\}|\{volume\}"
_BENEATH = r"\{beneath:[0-9]{1,9}(?::[0-9]{1,9})?\}"
_LAYOUTS = dict.fromkeys(layout for row in LEVELS for layout in row.layouts)
_FRAGMENTS = {
    "n": "[0-9]{1,19}",
    "percent": "[0-9]|[1-4][0-9]|50",
    "member": _MEMBER,
    "part": _PART,
    "carrier": f"{_MEMBER}|{_PART}",
    "parts": rf"{_PART}(?:\n{_PART})+",
    "any_part": rf"{_MEMBER}|\{{part:[0-9]{{1,9}}:[0-9]{{1,9}}\}}",
    "stable": rf"\{{stable:[0-9]{{1,9}}:{layers.PARTITION_NUMBER}\}}",
    "old": _BENEATH,
    "on_array": ON_ARRAY,
    "md": GROUP,
    "made_of_disks": rf"\{{array\}}|{GROUP}",
    "device": f"{ON_ARRAY}|{_MEMBER}",
    "file": _FILE,
    "mnt": "(?P<mnt>mnt[0-9]{0,9})",
    "level": "|".join(re.escape(row.key) for row in LEVELS if row.md_name),
    "layout": "|".join(map(re.escape, _LAYOUTS)),
    "lazy": "(?:,lazy_itable_init=0,lazy_journal_init=0)?",
    "profile": "|".join(row.profile for row in POOLS if row.filesystem != zfs.KIND),
    "wwn": r"ID_WWN(?:_WITH_EXTENSION)?=[0-9A-Za-z.:-]{1,210}",
    "conf": "|".join(map(re.escape, MDADM_CONFS)),
    "mounted": r"(?![^\n]*/dev(?![\w-]))/[^\n{]{0,4000}",  # somebody's folder, at which a grown file system is
}
# What is named as the stage itself says it, and nothing else: these become groups, whose text is looked up.
_OWN = r"raidtui-(?:\{name:[0-9]{1,5}\}|[0-9a-f]{8})"
_GIVEN = entries.ARRAY_NAME.pattern
_NAMES = {
    "uuid": re.compile(r"\{uuid:[0-9]{1,5}\}|[0-9A-Za-z:-]{32,40}", re.ASCII),
    "name": re.compile(f"{_OWN}(?:-g[0-9]{{1,4}})?|{_GIVEN}", re.ASCII),
    "group": re.compile(f"{_OWN}|{_GIVEN}", re.ASCII),
    "container": re.compile(f"luks-(?:{_OWN}|{_GIVEN})", re.ASCII),
    "label": entries.LABEL,
    "pool": re.compile(rf"{_OWN}|[A-Za-z][A-Za-z0-9_.-]{{0,63}}", re.ASCII),
}
_NAMED = ("uuid", "name", "label", "group", "container", "pool", "folder", "unit", "kind", "backup", "lines")


class _Row(NamedTuple):
    """A command's form, words apart by spaces: `(…)` optional or repeated by `?`, `*`, `+`; `~`: a space in it; `<…>`:
    a fragment or a name of the stage. `folder`: a group's name, `unit-file`, a unit's folder, or "". `stdin`: its form.
    """

    words: str
    folder: str = ""
    stdin: str = ""


_TABLE_OF_MEMBER = (
    r"(?:label-id: (?P<uuid>[^\n]+)\n)?"
    rf"start=1MiB, size=[0-9]{{1,19}}MiB, type=(?:{layers.LINUX_RAID}|{zfs.PARTITION_TYPE})\n"
)
_RECORD = (
    r"raidtui run \{run\}, plan \{code\}\narray (?P<uuid>[^\n]+)\n"
    r"file system (?:\{uuid:[0-9]{1,5}\}|[0-9a-f-]{36})\n"
)
_LINES = r"(?P<lines>(?:ARRAY [^\n]+\n)+)"
_SFDISK = "--wipe=always --wipe-partitions=always"
_POOL = (
    "zpool create -o ashift=<n> -o cachefile=none (-o~failmode=continue)? (-O~compression=off|-O~compression=on)?"
    " (-O~atime=off)? (-O~primarycache=metadata)? -O recordsize=<n> -m legacy <pool>"
)
_ROWS: dict[str, tuple[_Row, ...]] = {
    "create": (
        _Row(
            "mdadm --create {array} --uuid=<uuid> --name=<name> --homehost=any --metadata=1.2 --level=<level>"
            " --raid-devices=<n> (--chunk=<n>)? (--layout=<layout>)?"
            " (--bitmap=internal|--bitmap=none|--consistency-policy=ppl)? (--size=<n>)? (--assume-clean)? --run"
            " (<carrier>)+ (--write-mostly~<carrier>)? (<carrier>)* (--write-journal=<carrier>)?"
        ),
        _Row(
            "mdadm --create <md> --uuid=<uuid> --name=<name> --homehost=any --metadata=1.2 (--level=5|--level=6)"
            " --raid-devices=<n> --chunk=<n> (--layout=<layout>)?"
            " (--bitmap=internal|--bitmap=none|--consistency-policy=ppl)? --size=<n> (--assume-clean)? --run"
            " (<carrier>)+"
        ),
        _Row(
            "mdadm --create {array} --uuid=<uuid> --name=<name> --homehost=any --metadata=1.2 --level=0"
            " --raid-devices=<n> --chunk=<n> --data-offset=<n> --run (<md>)+"
        ),
    ),
    "stop": (_Row("mdadm --stop <made_of_disks>"),),
    "fail": (_Row("mdadm --fail <made_of_disks> <carrier>"), _Row("mdadm --fail {array} detached --remove detached")),
    "take-out": (_Row("mdadm --remove {array} <old>"), _Row("mdadm --remove <made_of_disks> <carrier>")),
    "add": (_Row("mdadm --add {array} (--write-mostly)? <carrier>"), _Row("mdadm --add <md> <carrier>")),
    "replace": (_Row("mdadm --replace {array} <old> --with <carrier>"),),
    "writable": (_Row("mdadm --readwrite {array}"),),
    "check": (_Row("mdadm --action=check <made_of_disks>"),),
    "idle": (_Row("mdadm --action=idle <made_of_disks>"),),
    "zero": (_Row("mdadm --zero-superblock <carrier>"), _Row("mdadm --zero-superblock <md>")),
    "wipe": (
        _Row("wipefs --all <md>"),
        _Row("dd if=/dev/zero of=<member> bs=1048576 count=1 seek=<n> oflag=seek_bytes conv=fsync status=none"),
        _Row("wipefs --all <on_array>"),
        _Row("dd if=/dev/zero of=<on_array> bs=1048576 count=1 (seek=<n>~oflag=seek_bytes)? conv=fsync status=none"),
        _Row("wipefs --all <member>"),
        _Row("wipefs --all --backup <any_part>"),
    ),
    "reread": (_Row("blockdev --rereadpt <member>"),),
    "partition": (
        _Row(f"sfdisk --quiet --label=gpt {_SFDISK} <member>", stdin=_TABLE_OF_MEMBER),
        _Row(f"sfdisk (--label=dos|--label=gpt) {_SFDISK} {{array}}", stdin=r"start=[0-9]{1,19}\n"),
    ),
    "bitmap": (
        _Row("mdadm --grow (--bitmap=internal|--bitmap=none) <made_of_disks>"),
        _Row("mdadm --grow (--consistency-policy=ppl|--consistency-policy=resync) <made_of_disks>"),
    ),
    "reshape": (_Row("mdadm --grow {array} --raid-devices=<n>"),),
    "grow-filesystem": (
        _Row("resize2fs {array}"),
        _Row("xfs_growfs <mounted>"),
        _Row("btrfs filesystem resize max <mounted>"),
    ),
    "pvcreate": (_Row("pvcreate --norestorefile --uuid <uuid> --dataalignment <n>k {array}"),),
    "vgcreate": (_Row("vgcreate <group> {array}"),),
    "lvcreate": (_Row("lvcreate --yes --wipesignatures y --extents (100%FREE|<n>) --name data <group>"),),
    "lvremove": (_Row("lvremove --yes <group>/data"),),
    "vgremove": (_Row("vgremove --select pv_uuid=<uuid>"),),
    "pvremove": (_Row("pvremove {array}"),),
    "deactivate": (_Row("vgchange --activate n --select pv_uuid=<uuid>"),),
    "activate": (_Row("vgchange --activate y --select pv_uuid=<uuid>"),),
    "header-backup": (_Row("cryptsetup luksHeaderBackup {array} --header-backup-file <backup>"),),
    "lock": (_Row("cryptsetup close <container>"),),
    "create-pool": (
        _Row(f"{_POOL} (<part>)+"),
        _Row(f"{_POOL} (mirror~<part>~<part>)+"),
        *(_Row(f"{_POOL} ({row.profile}~<parts>)+") for row in POOLS if row.parity_disks),
    ),
    "destroy-pool": (_Row("zpool destroy <pool>"),),
    "clear-label": (_Row("zpool labelclear -f <part>"),),
    "export-pool": (_Row("zpool export <pool>"),),
    "import-pool": (_Row("zpool import -N (-d~<stable>)+ {pool}"),),
    "place-pool": (
        _Row("zfs set mountpoint=<folder> <pool>", folder="folder"),
        _Row(f"zfs set mountpoint={zfs.NOWHERE} <pool>", folder="its-own"),
    ),
    "forget-pool": (_Row("zpool set cachefile=none <pool>"),),
    "mount": (
        _Row("mount -t <kind> <device> <mnt>", folder="mnt"),
        _Row(f"mount -t {zfs.KIND} <pool> <mnt>", folder="mnt"),
        _Row("mount <folder>", folder="folder"),
        _Row("systemctl start <unit>", folder="its-own"),
        _Row("zfs mount <pool>", folder="its-own"),
    ),
    "unmount": (_Row("umount <mnt>", folder="mnt"), _Row("umount <folder>", folder="folder")),
    "sync-caches": (_Row("sync"),),
    "make-file": (_Row("dd if=/dev/null of={file} conv=excl status=none"),),
    "lengthen": (_Row("truncate --size=<n> {held}"),),
    "remove": (_Row("rm --force {file}"), _Row("rm --force <file>")),
    "record": (
        _Row(f"dd of={MOUNTPOINT}/{KEPT_FILE} oflag=nofollow,nonblock status=none", stdin=_RECORD),
        _Row(f"dd of={CONF_FILE} oflag=nofollow,nonblock status=none", stdin=_LINES),
        _Row(f"dd of=<on_array> seek={MARK_AT} oflag=seek_bytes conv=fsync,notrunc status=none", stdin=re.escape(MARK)),
    ),
    "assemble": (
        _Row("mdadm --assemble --uuid=<uuid> <made_of_disks> (<carrier>)+"),
        _Row("mdadm --assemble --uuid=<uuid> {array} (<md>)+"),
        _Row(f"mdadm --assemble --scan --no-degraded (--config=<conf>|--config={CONF_FILE}) <made_of_disks>"),
    ),
    "initramfs": tuple(
        dict.fromkeys(_Row(" ".join(maker.argv)) for row in DISTRIBUTIONS for maker in row.makers if maker.keeps_old)
    ),
    "reload": (
        _Row("systemctl daemon-reload"),
        _Row(f"systemctl try-reload-or-restart ({'|'.join(SMARTD_UNITS)})"),
    ),
    "test-mail": (_Row("mdadm --monitor --oneshot --test {array}"),),
    "udev-reload": (_Row("udevadm control --reload"),),
    "udev-trigger": (_Row("udevadm trigger --action=change --subsystem-match=block (--property-match=<wwn>)+"),),
    "enable": (_Row("systemctl enable <unit>", folder="unit-file"),),
    "disable": (_Row("systemctl disable <unit>", folder="unit-file"),),
    "make-folder": (_Row("mkdir --parents --mode=0755 <folder>", folder="folder"),),
    "remove-folder": (_Row("rmdir <folder>", folder="folder"),),
}
_FIO_PLACE = re.compile(rf"--filename=(?:\{{held\}}|\{{file\}}|\{{target\}}|{ON_ARRAY}|{_MEMBER}|{_FILE})", re.ASCII)
_FIO_NAME = re.compile(r"--name=[A-Za-z0-9_.-]{1,200}", re.ASCII)
_FILL = re.compile(r"--output=fio/fill[0-9]{0,9}\.json", re.ASCII)
_OTHERS = "--filename={target}"  # a device that somebody uses
_WHERE: dict[Question, re.Pattern[str]] = {
    "geometry": re.compile(rf"|{ON_ARRAY}"),
    "mounted": re.compile("|mnt[0-9]{1,9}"),
    "initramfs-holds": re.compile(_FRAGMENTS["conf"]),
}
_AT_FOLDER: tuple[Question, ...] = ("place-free", "boot-mounts", "own-mounted")


def _compiled(row: _Row) -> re.Pattern[str]:
    """Each word ends with a newline; stdin follows."""

    words = []
    for word in row.words.split():
        body, _, many = word[1:].rpartition(")") if word.startswith("(") else (word, "", "")
        words.append("(?:" + "|".join(f"{_with_fragments(form)}\n" for form in body.split("|")) + f"){many}")
    return re.compile("".join(words) + f"\n{row.stdin}", re.ASCII)


def _with_fragments(text: str) -> str:
    parts = re.split(r"<(\w+)>", text.replace("~", "\n"))  # literal, fragment, literal, …
    parts[1::2] = [f"(?P<{name}>[^\n]+)" if name in _NAMED else f"(?:{_FRAGMENTS[name]})" for name in parts[1::2]]
    parts[::2] = map(re.escape, parts[::2])
    return "".join(parts)


@lru_cache(maxsize=256)
def _forms(role: str, kinds: tuple[str, ...]) -> tuple[tuple[_Row, re.Pattern[str]], ...]:
    return tuple((row, _compiled(row)) for row in (_mkfs(kinds) if role == "mkfs" else _ROWS.get(role, ())))


def _mkfs(kinds: tuple[str, ...]) -> Iterator[_Row]:
    for row in filter(lambda row: row.program, map(filesystem, kinds)):
        larger = [f"({'~'.join(options)})?" for options in (row.unit_options, row.reserved_options) if options]
        words = (row.program or "", row.geometry_form, *larger, " ".join(row.uuid_options))
        form = " ".join((*filter(None, words), "(-L~<label>)?", "<device>")).replace("{uuid}", "<uuid>")
        yield _Row(form.replace("{unit_bytes}", "<n>").replace("{percent}", "<percent>"))
    for kind in dict.fromkeys(row.filesystem for row in POOLS if row.filesystem != zfs.KIND):
        program = filesystem(kind).program
        yield _Row(f"{program} --uuid <uuid> --data <profile> --metadata (raid1|raid10) (<member>)+")


class StageNames(msgspec.Struct, frozen=True):
    """Names that a stage's steps may use: `texts` by group of a row; `typed`: whole commands by role; `boot_lines` by
    file; `folder`, `owner`: of the permanent mount; `matches`: options by which udev finds a member.
    """

    texts: Mapping[str, frozenset[str]]
    typed: Mapping[PersonRole, tuple[str, ...]] = {}
    boot_lines: Mapping[str, tuple[str, ...]] = {}
    folder: str = ""
    owner: tuple[str, str] = ("", "")
    matches: frozenset[str] = frozenset()
    jobs: frozenset[str] = frozenset()
    trials: frozenset[str] = frozenset()


def named_by(stage: Stage, answers: Answers, members: Sequence[Member]) -> StageNames:
    """With the array of the stage before it, for a permanence stage. ValueError, one sentence, for an invalid name."""
    array, layer, made = stage.array, stage.layer, stage.filesystem
    pool = made if made and made.kind == zfs.KIND else None
    uuids = {of.uuid for of in (layer, made) if of}.union(array.uuids if array else ())
    uuids.update(uuid for of in (array, stage.care) if of for uuid in of.tables)
    texts = {
        "uuid": frozenset(uuids.union(made.uuids if made else ())),
        "name": frozenset([array.name, *(group.name for group in array.groups)] if array else []),
        "group": frozenset([layer.group] if layer and layer.kind == "lvm" else []),
        "container": frozenset([layer.group] if layer and layer.kind == "luks" else []),
        "pool": frozenset([pool_steps.name_of(pool)] if pool else []),
        "kind": frozenset([made.kind] if made else []),
        "label": frozenset([made.label] if made and made.label else []),
        "lines": frozenset([permanence.conf_of(array)] if array else []),
        "backup": frozenset([answers.luks_header_backup] if layer and answers.luks_header_backup else []),
    }
    if reason := entries.why_not_file(answers.luks_header_backup) if texts["backup"] else "":
        raise ValueError(reason)
    for kind, form in _NAMES.items():
        if (wrong := next((text for text in texts[kind] if not form.fullmatch(text)), None)) is not None:
            raise ValueError(f"its {kind} cannot be {brief(repr(wrong))}")
    if pool and pool.pool_name not in ("", answers.pool_name):
        raise ValueError(f"its answers ask for no pool called {brief(repr(pool.pool_name))}")
    boot_lines.check_names(array, made, answers, _OWN)
    jobs, trials = frozenset(trial.job for trial in stage.trials), frozenset(trial.id for trial in stage.trials)
    typed: dict[PersonRole, tuple[str, ...]] = {}
    if layer and layer.kind == "luks":
        typed["encrypt"] = containers.format_argv("{array}", layer.uuid, layer.align_bytes)
        typed["unlock"] = containers.open_argv("{array}", layer.group)
    if not stage.permanent:
        return StageNames(texts, typed, jobs=jobs, trials=trials)
    folder = permanence.folder_of(answers)
    owner = (answers.mount_owner, answers.mount_mode)
    if reason := (
        entries.why_not_folder(folder)
        or (ownership.why_not_owner(owner[0]) if owner[0] else "")
        or (ownership.why_not_mode(owner[1]) if owner[1] else "")
        or (entries.why_not_mailaddr(answers.mailaddr) if answers.mailaddr else "")
    ):
        raise ValueError(reason)
    matches = frozenset(f"--property-match={entries.match_of(member.id)}" for member in members)
    texts |= {"folder": frozenset([folder]), "unit": frozenset([entries.unit_name(folder)])}
    return StageNames(
        texts, typed, boot_lines.of_stage(stage, answers, folder, members), folder, owner, matches, jobs, trials
    )


def why_not(step: Step, named: StageNames) -> str:
    """Why no plan may have this step, half a sentence; "" if allowed. Its undo is not checked."""
    match step:
        case Command(role="fill" | "measure"):
            return _why_not_fio(step, named)
        case Command(role="udev-trigger", argv=argv) if not named.matches.issuperset(argv[4:]):
            return "it is of disks that are none of its stage"
        case Command(argv=argv, stdin=stdin, folder=folder, trial=trial):
            return _why_not_argv(step.role, argv, stdin, folder, named) or ("it has a trial" if trial else "")
        case ManualStep(role=role, argv=argv):
            return "" if named.typed.get(role) == argv else "nobody types that for a layer of its stage"
        case Write(path=path, value=value, lasts=True):
            fits = bool(named.boot_lines) and boot_lines.may_last(step, named.folder)
            return "" if fits else f"no plan sets {brief(path)} to {brief(value)} beyond the run"
        case Write(by_rule=True):
            return "no rule sets what does not last"
        case Write(path=path, value=value, restore=restore):
            fits = allowed_settings.may_set(path, value, restore=restore)
            return "" if fits else f"no plan sets {brief(path)} to {brief(value)}"
        case Restore(path=path):
            fits = allowed_settings.may_put_back(path) or (
                bool(named.boot_lines) and boot_lines.may_put_back(path, named.folder)
            )
            return "" if fits else f"no plan sets {brief(path)}"
        case Edit(path=path) | TakeOut(path=path) if path not in named.boot_lines:
            return f"its array has no lines in {brief(path)}"
        case Edit(path=path, lines=added):
            return "" if named.boot_lines.get(path) == added else f"those are not this array's lines in {brief(path)}"
        case SetOwner(folder=folder, owner=owner, mode=mode):
            fits = (folder, (owner, mode)) == (named.folder, named.owner)
            return "" if fits else f"that is not what its answers say of {brief(folder)}"
        case Check(question=question, where=where):
            return _why_not_where(question, where, named)
        case Wait() | TakeOut():
            return ""


def _why_not_argv(role: str, argv: tuple[str, ...], stdin: str, folder: str, named: StageNames) -> str:
    if any("\n" in word for word in argv):
        return "a word of it has a line's end"
    text, reason = "\n".join((*argv, "", stdin)), ""
    for row, form in _forms(role, tuple(row.key for row in filesystems.FILE_SYSTEMS)):
        if (match := form.fullmatch(text)) is None:
            continue
        groups = {name: value for name, value in match.groupdict().items() if value is not None}
        foreign = [name for name in groups if name in _NAMED and groups[name] not in named.texts.get(name, ())]
        if foreign:
            reason = f"{brief(groups[foreign[0]])} is no {foreign[0]} of its stage"
            continue
        return "" if folder == _folder_of(row, groups, named) else f"its folder is not {brief(folder) or 'left out'}"
    return reason or _no_plan_has(argv)


def _no_plan_has(argv: Sequence[str]) -> str:
    return f"no plan has {brief(repr(' '.join(argv)))}; disks are members by their number"


def _folder_of(row: _Row, groups: Mapping[str, str], named: StageNames) -> str:
    match row.folder:
        case "its-own":
            return named.folder
        case "unit-file":
            return f"{entries.UNITS}/{groups['unit']}"
    return groups.get(row.folder, "")


def _why_not_fio(step: Command, named: StageNames) -> str:
    """fio's output must be the step's trial's; a device in use is opened read-only."""
    trial, argv = step.trial, step.argv
    if (step.role == "measure") != (trial in named.trials) or step.stdin or step.folder:
        return "its trial is none of its stage"
    output, *words = argv[2:] or ("",)
    is_its_own = output == f"--output=fio/{trial}.json" if trial else _FILL.fullmatch(output)
    if argv[:2] != ("fio", "--output-format=json") or not is_its_own:
        return _no_plan_has(argv)
    is_read_only = words[:1] == ["--readonly"]
    del words[: int(is_read_only)]
    count = next((number for number, word in enumerate(words) if not job.is_option(word)), len(words))
    places = words[count + (words[count : count + 1] == ["--allow_file_create=0"]) :]
    if not places or len(places) % 2 or not all(map(_FIO_NAME.fullmatch, places[::2])):
        return f"no plan gives fio {brief(repr((places or ['nothing to work on'])[0]))}"
    for place in places[1::2]:
        if not _FIO_PLACE.fullmatch(place) or (place == _OTHERS and not is_read_only):
            return f"no plan has fio work on {brief(repr(place))}"
    return ""


def _why_not_where(question: Question, where: str, named: StageNames) -> str:
    if question in _AT_FOLDER:
        fits = where == named.folder != ""
    elif question == "steady":
        fits = where in named.jobs
    else:
        fits = bool(_WHERE[question].fullmatch(where)) if question in _WHERE else not where
    return "" if fits else f"no plan looks at {brief(repr(where))}"
