"""The steps of a plan: what will be done, as values. Knows their shell rendering; carries nothing out.

Placeholders stand for what is only known just before execution: `{member:0}` the first member's device, `{part:0:1}`
its first partition, `{stable:0:1}` a link to that which outlives a boot, `{pool}` the GUID of the run's pool,
`{array}` the array's device, `{array:1}` the partition on it, `{volume}` the one volume that lies on it; in the path of
a setting they are kernel names (md127, sda). Of what is measured as it stands or cared for `{beneath:0}` is the first
disk under it, `{beneath:0:1}` that one's first partition, `{target}` the device, `{file}` the run's own file in the
folder by its name, and `{held}` the same one as the worker holds it open, whatever has the name. `{rate:TRIAL:30:2}`
are 30 % of the IOPS that this trial gave, for one of 2 jobs.
`{run}` is the run's name and `{code}` its plan's code.
`{uuid:0}` and `{name:0}` are of one run's own, and filled in before it (see `slots`).
`resolve` fills them in; in a script they are shell variables.
"""

import re
import shlex
from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.plan.roles import CommandRole, Condition, PersonRole, Question, Role

PLACEHOLDER = re.compile(
    r"\{(member:\d+|part:\d+:\d+|stable:\d+:\d+|pool|array:1|array|volume|beneath:\d+(?::\d+)?|target|file|held|run|code"
    r"|uuid:\d+|name:\d+|rate:[\w.-]{1,200}:\d{1,3}:\d{1,3})\}"
)


class Command(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """Run `argv` (no shell). `trial` names the trial that its result belongs to.

    `members`: indices of those that it names, themselves or by their `partition` of this number (0: themselves).
    `folder` is where it mounts, or what it unmounts.
    `locked`: the members' whole-disk nodes are held with flock, so that udev does not probe them meanwhile.
    `undo` is what takes back what the step did, in order; a plan's teardown is the undos of its steps, last first.
    `stdin` is what the program reads; `estimate_s` how long it may take, 0 for moments.
    """

    what: str
    role: CommandRole
    argv: tuple[str, ...]
    members: tuple[int, ...] = ()
    partition: int = 0
    folder: str = ""
    trial: str = ""
    locked: bool = False
    undo: tuple["Step", ...] = ()
    stdin: str = ""
    estimate_s: float = 0.0


class ByPerson(msgspec.Struct, frozen=True, kw_only=True, tag="by-person"):
    """A person runs `argv` in a terminal (`raidtui passphrase`) and answers what it asks there; the run waits for it,
    however long that takes. `undo` is as a command's.
    """

    what: str
    role: PersonRole
    argv: tuple[str, ...]
    undo: tuple["Step", ...] = ()


class Write(msgspec.Struct, frozen=True, kw_only=True, tag="write"):
    """Write `value` to the kernel setting `path`, in which one `*` may stand for whatever is there.

    `nvme/DISK/volatile-write-cache` is no file: a feature of the controller of that disk, which nvme-cli sets.

    The old value is journalled before, and put back when the step is undone, at the latest at the end. `restore`
    False: what is no setting but an order, with nothing to put back. `optional`: where the path is not there, or the
    kernel refuses the value, a warning says so and the run goes on.
    """

    what: str
    path: str
    value: str
    restore: bool = True
    optional: bool = False


class Restore(msgspec.Struct, frozen=True, kw_only=True, tag="restore"):
    """Put the journalled old value of the setting `path` back; nothing to do where it was not changed or is gone."""

    what: str
    path: str


class Edit(msgspec.Struct, frozen=True, kw_only=True, tag="edit"):
    """Add `lines` to the file `path` of the system's, which boot reads; the file is made where there is none.

    The file as it was is kept in the run's folder. `in_initramfs`: it has a copy, which is made again after. `at_top`:
    they stand before all else in it. `undo` is as a command's: it takes the lines out again first.
    """

    what: str
    path: str
    lines: tuple[str, ...]
    in_initramfs: bool = False
    at_top: bool = False
    undo: tuple["Step", ...] = ()


class TakeOut(msgspec.Struct, frozen=True, kw_only=True, tag="take-out-lines"):
    """Take the lines that the run added to the file `path` out of it; nothing to do where it added none."""

    what: str
    path: str


class SetOwner(msgspec.Struct, frozen=True, kw_only=True, tag="set-owner"):
    """Give the root of the file system that is mounted at `folder` this owner and mode; "" leaves one as it is.

    As chown(1) and chmod(1) take them. They belong to the file system, whoever mounts it: no undo puts them back.
    """

    what: str
    folder: str
    owner: str = ""
    mode: str = ""


class Wait(msgspec.Struct, frozen=True, kw_only=True, tag="wait"):
    """Wait until `condition` holds; `estimate_s` is how long that may take, 0 for moments."""

    what: str
    condition: Condition
    estimate_s: float = 0.0
    locked: bool = False


class Check(msgspec.Struct, frozen=True, kw_only=True, tag="check"):
    """Look, and end the run if the answer to `question` is no. `expected` is compared with what was read back.

    `where` is the device (geometry; empty: the array), the job (steady), the folder (mounted; empty: the run's one) or
    the file (initramfs-holds) that is looked at.
    """

    what: str
    question: Question
    expected: dict[str, int] = {}
    where: str = ""
    locked: bool = False


Step = Command | ByPerson | Write | Restore | Wait | Check | Edit | TakeOut | SetOwner

SMARTCTL = "smartctl"  # asks disks what SMART counts
SELF_TESTS: dict[Condition, Literal["short", "long"]] = {
    "short-self-tests-ended": "short",
    "long-self-tests-ended": "long",
}
# What mdadm waits for has ended then, well or not: the second command fails where a disk is missing or has failed.
_SHELL_WAIT_FOR_MD = 'mdadm --wait "$array" || true; mdadm --detail --test "$array"'
_SHELL_WAIT: dict[Condition, str] = {
    **dict.fromkeys(("sync-finished", "check-ended", "rebuild-ended", "growth-ended"), _SHELL_WAIT_FOR_MD),
    "settled": "udevadm settle",
    "rebuild-began": "sleep 2; cat /proc/mdstat",
    "rebuild-alone": "cat /proc/mdstat; sleep 20; cat /proc/mdstat",
    **{condition: f"self_tests {length}" for condition, length in SELF_TESTS.items()},
}
_SHELL_CHECK: dict[Question, str] = {
    "members-free": "check_members_free",
    "array-built": 'mdadm --detail "$array"',
    "pool-made": "pool_made",
    "pools-start": "pools_start",
    "pool-came-back": "pool_came_back",
    "pool-at-boot": "pool_at_boot",
    "pool-forgotten": "! pool_at_boot",
    "members-blank": "check_members_blank",
    "partitions-own": "check_partitions",
    "array-kept": 'mdadm --detail "$array"',
    "health": 'for member in "${members[@]}"; do smartctl --all "$member" || true; done',
    "target-same": "check_target",
    "steady": "true  # raidtui ends the rounds here once they are steady",
    "file-own": """trap 'rm --force "$file"' EXIT""",
    "came-back": 'mdadm --detail "$array"',
    "volume-aligned": 'pvs --options +pe_start --units b "$array"',
    "container-aligned": 'cryptsetup luksDump "$array"',
    "monitored": "pgrep --full --list-full 'mdadm .*(--monitor|--follow|-F)' || true",
}
# Of checks that name what they look at: {} stands for it.
_SHELL_CHECK_OF: dict[Question, str] = {
    "geometry": "show_geometry {}",
    "mounted": "findmnt --target {}",
    "place-free": "check_place {}",
    "initramfs-holds": "true  # raidtui lists the initramfs here, to see whether {} is in it",
    "boot-mounts": "findmnt --verify || true",
    "own-mounted": "findmnt --mountpoint {}",
}
_WHERE: dict[Question, str] = {"geometry": "{array}", "mounted": "mnt"}


def role_of(step: Step) -> Role:
    """What a step is for; of a wait its condition, of a check its question."""
    match step:
        case Command(role=role) | ByPerson(role=role):
            return role
        case Wait(condition=condition):
            return condition
        case Check(question=question):
            return question
        case Write():
            return "set"
        case Restore():
            return "put-back"
        case Edit():
            return "edit"
        case TakeOut():
            return "take-out-lines"
        case SetOwner():
            return "set-owner"


def settle() -> Wait:
    """Until udev has made the nodes, and done with them."""
    return Wait(what="Wait for udev", condition="settled")


def resolve(text: str, device_of: Callable[[str], str]) -> str:
    """`text` with every placeholder replaced by `device_of("member:0")`, `device_of("array")`."""
    return PLACEHOLDER.sub(lambda match: device_of(match.group(1)), text)


def chosen(text: str) -> str:
    """The value of a setting as the kernel writes it: of "a [b] c" it is b. Of md's sync speeds "1000 (system)" is what
    is set by writing "system", and "1000 (local)" a value of the array's own.
    """
    if of_md := re.fullmatch(r"(\d+) \((system|local)\)", text):
        return of_md[1] if of_md[2] == "local" else of_md[2]
    return re.sub(r".*\[(.*)\].*", r"\1", text)


def nvme_cache(disk: str) -> str:
    """The setting that is an NVMe disk's volatile write cache: `write back`, or `write through` where it is off."""
    return f"nvme/{disk}/volatile-write-cache"


def nvme_disk(path: str) -> str:
    """The disk whose volatile write cache this setting is; "" for a file of the kernel's."""
    parts = path.split("/")
    return parts[1] if len(parts) == 3 and parts[1] not in ("", "..") and path == nvme_cache(parts[1]) else ""


def is_setting(path: str) -> bool:
    """Is this a path of the kernel's settings, or an NVMe disk's, whatever its placeholders stand for?"""
    if nvme_disk(path):
        return True
    return path.startswith(("/sys/", "/proc/sys/")) and ".." not in path.split("/")


def shell_word(text: str) -> str:
    """One argument as bash reads it, placeholders as quoted variables."""
    return _with_placeholders(text, _variable)


def shell_path(text: str) -> str:
    """The path of a setting as bash reads it: the script's `name` gives a device's kernel name."""
    return _with_placeholders(text, lambda name: f'"$(name {_variable(name)})"')


def _with_placeholders(text: str, rendered: Callable[[str], str]) -> str:
    if not PLACEHOLDER.search(text):
        return shlex.quote(text)
    parts = PLACEHOLDER.split(text)  # literal, name, literal, name, …
    return "".join(
        (rendered(part) if odd else shlex.quote(part)) if part else ""
        for part, odd in zip(parts, [False, True] * len(parts), strict=False)
    )


def undo_of(step: Step) -> tuple[Step, ...]:
    """What takes back one step, in order."""
    match step:
        case Command(undo=undo) | ByPerson(undo=undo) | Edit(undo=undo):
            return undo
        case Write(restore=True):
            return (put_back(step),)
    return ()


def put_back(step: Write) -> Restore:
    """What gives a setting the value that it had before `step`: which one that is, the run's journal says."""
    name = step.path.rpartition("/")[2]
    device = PLACEHOLDER.search(step.path)
    return Restore(what=f"Restore {name}{f' of {device[0]}' if device else ''}", path=step.path)


def _variable(name: str) -> str:
    if name.startswith("rate:"):
        _, trial, percent, jobs = name.split(":")
        return f'"$(rate fio/{trial}.json {percent} {jobs})"'
    return f'"${{{name.replace(":", "_")}}}"' if name != "array:1" else '"$(partition)"'  # it comes and goes


def shell(step: Step) -> str:
    """The line of bash that does what `step` does."""
    match step:
        case Command(argv=argv, stdin=stdin):
            here_string = f" <<< {shell_word(stdin.rstrip())}" if stdin else ""
            return " ".join(shell_word(word) for word in argv) + here_string
        case ByPerson(argv=argv):  # from nowhere else: a line that is piped in would be taken for the passphrase
            return f"{' '.join(map(shell_word, argv))} < /dev/tty"
        case Write(path=path, value=value) if nvme_disk(path):
            return f"nvme_setting {shell_path(path)} {shell_word(value)}"
        case Write(path=path, value=value):
            return f"echo {shell_word(value)} > {shell_path(path)}"
        case Restore(path=path):
            return f"put_back {shell_path(path)}"
        case Wait(condition=condition):
            return _SHELL_WAIT[condition]
        case Check(question=question, where=where) if question in _SHELL_CHECK_OF:
            return _SHELL_CHECK_OF[question].format(shell_word(where or _WHERE[question]))
        case Check(question=question):
            return _SHELL_CHECK[question]
        case Edit(path=path, lines=lines, at_top=at_top):
            function = "add_lines_at_top" if at_top else "add_lines"
            return " ".join((function, shlex.quote(path), *map(shell_word, lines)))
        case TakeOut(path=path):
            return f"take_out_lines {shlex.quote(path)}"
        case SetOwner(folder=folder, owner=owner, mode=mode):
            commands = (("chown", owner), ("chmod", mode))
            return "; ".join(shlex.join((program, argument, folder)) for program, argument in commands if argument)
