"""Steps of a plan as values, and their shell form; nothing is carried out. Placeholders, filled by `resolve` just
before execution (shell variables in a script):

`{member:0}` a member's device, `{part:0:1}` its partition 1, `{stable:0:1}` a persistent link to that, `{array}` the
array, `{group:0}` one of the arrays under it, `{array:1}` its partition, `{volume}` the volume on it, `{pool}` the
pool's GUID; kernel names (md127, sda) in settings. Target or cared-for array: `{beneath:0}` a disk under it,
`{beneath:0:1}` its partition, `{target}` the device, `{file}` the run's file by name, `{held}` the same as held open by
the worker. `{rate:TRIAL:30:2}` 30 % of that trial's IOPS for one of 2 jobs; `{run}`, `{code}` of the run; `{uuid:0}`,
`{name:0}` are filled in before (see `slots`).
"""

import re
import shlex
from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.plan.roles import CommandRole, Condition, PersonRole, Question, Role

PLACEHOLDER = re.compile(
    r"\{(member:\d+|part:\d+:\d+|stable:\d+:\d+|pool|array:1|array|group:\d+|volume|beneath:\d+(?::\d+)?|target|file|held|run|code"
    r"|uuid:\d+|name:\d+|rate:[\w.-]{1,200}:\d{1,3}:\d{1,3})\}"
)


class Command(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """Run `argv` (no shell). `trial`: owner of its result. `members`: indices of those named, or of their `partition`
    (0: whole). `folder`: mounted or unmounted. `locked`: flock on the members' whole-disk nodes, against udev. `undo`:
    in order; a teardown is the steps' undo, last first. `stdin`: input. `estimate_s`: 0 for moments.
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


class ManualStep(msgspec.Struct, frozen=True, kw_only=True, tag="by-person"):
    """A person runs `argv` in a terminal (`raidtui passphrase`); the run waits without limit. `undo` as of Command."""

    what: str
    role: PersonRole
    argv: tuple[str, ...]
    undo: tuple["Step", ...] = ()


class Write(msgspec.Struct, frozen=True, kw_only=True, tag="write"):
    """Set the kernel setting `path` (`*` matches any name), or `nvme/DISK/volatile-write-cache` by nvme-cli,
    `smartctl/DISK/scterc` by smartctl. The old
    value is journalled before and restored by undo, at the latest at the end. `restore` False: an order, nothing to
    restore. `optional`: a missing path or refused value is a warning. `lifts`: a limit of md's, left as it is where
    somebody set another than the kernel's, or while another array syncs. `lasts`: beyond the run, until its permanence
    is undone; `by_rule`: the old value is journalled, and a udev rule sets the new one.
    """

    what: str
    path: str
    value: str
    restore: bool = True
    optional: bool = False
    lifts: bool = False
    lasts: bool = False
    by_rule: bool = False


class Restore(msgspec.Struct, frozen=True, kw_only=True, tag="restore"):
    """Restore the journalled value; nothing if unchanged or gone."""

    what: str
    path: str


class Edit(msgspec.Struct, frozen=True, kw_only=True, tag="edit"):
    """Add `lines` to the boot file `path` (made if missing); the old file is kept in the run's folder. `in_initramfs`:
    rebuilt after. `at_top`: before everything else. `undo` removes the lines first.
    """

    what: str
    path: str
    lines: tuple[str, ...]
    in_initramfs: bool = False
    at_top: bool = False
    undo: tuple["Step", ...] = ()


class TakeOut(msgspec.Struct, frozen=True, kw_only=True, tag="take-out-lines"):
    """Remove the run's lines from `path`; nothing if there are none."""

    what: str
    path: str


class SetOwner(msgspec.Struct, frozen=True, kw_only=True, tag="set-owner"):
    """Of the file system's root at `folder`, as chown(1), chmod(1) take them; "": keep. Stored in it: no undo."""

    what: str
    folder: str
    owner: str = ""
    mode: str = ""


class Wait(msgspec.Struct, frozen=True, kw_only=True, tag="wait"):
    what: str
    condition: Condition
    estimate_s: float = 0.0
    locked: bool = False


class Check(msgspec.Struct, frozen=True, kw_only=True, tag="check"):
    """End the run unless `question` holds; `expected` is compared with what was read. `where`: device (geometry; "":
    the array), job (steady), folder (mounted; "": the run's) or file (initramfs-holds).
    """

    what: str
    question: Question
    expected: dict[str, int] = {}
    where: str = ""
    locked: bool = False


Step = Command | ManualStep | Write | Restore | Wait | Check | Edit | TakeOut | SetOwner

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
    "power-cut": "true  # raidtui writes here until the power is cut",
    "rebuild-began": "sleep 2; cat /proc/mdstat",
    "rebuild-alone": "cat /proc/mdstat; sleep 20; cat /proc/mdstat",
    **{condition: f"self_tests {length}" for condition, length in SELF_TESTS.items()},
}
_SHELL_CHECK: dict[Question, str] = {
    "members-free": "check_members_free",
    "array-built": 'mdadm --detail "$array"',
    "groups-built": "true  # raidtui compares the sizes of the groups here",
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
    "kept-settings": "true  # raidtui reads the values here",
    "copies-agree": 'grep --line-regexp 0 "/sys/block/$(name "$array")/md/mismatch_cnt"',
    "acknowledged": "true  # raidtui reads its acknowledged writes here",
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
    match step:
        case Command(role=role) | ManualStep(role=role):
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


def group_node(number: int) -> str:
    return f"{{group:{number}}}"


def array_nodes(groups: int) -> tuple[str, ...]:
    """Placeholders of the arrays that are made of disks: each group, or the array."""
    return tuple(map(group_node, range(groups))) if groups > 1 else ("{array}",)


def settle() -> Wait:
    return Wait(what="Wait for udev", condition="settled")


def resolve(text: str, device_of: Callable[[str], str]) -> str:
    """Placeholders replaced by `device_of("member:0")`, `device_of("array")`."""
    return PLACEHOLDER.sub(lambda match: device_of(match.group(1)), text)


def chosen(text: str) -> str:
    """A setting's value: b of "a [b] c"; md's sync speeds: "system" of "1000 (system)", 1000 of "1000 (local)"."""
    if of_md := re.fullmatch(r"(\d+) \((system|local)\)", text):
        return of_md[1] if of_md[2] == "local" else of_md[2]
    return re.sub(r".*\[(.*)\].*", r"\1", text)


def nvme_cache(disk: str) -> str:
    """`write back`, or `write through` if off."""
    return f"nvme/{disk}/volatile-write-cache"


def nvme_disk(path: str) -> str:
    parts = path.split("/")
    return parts[1] if len(parts) == 3 and parts[1] not in ("", "..") and path == nvme_cache(parts[1]) else ""


def erc_setting(disk: str) -> str:
    """`READ,WRITE`, deciseconds; 0: no limit."""
    return f"smartctl/{disk}/scterc"


def erc_disk(path: str) -> str:
    parts = path.split("/")
    return parts[1] if len(parts) == 3 and parts[1] not in ("", "..") and path == erc_setting(parts[1]) else ""


def immutable_setting(folder: str) -> str:
    """`on` or `off`: chattr(1), i."""
    return f"immutable{folder}"


def immutable_folder(path: str) -> str:
    folder = path.removeprefix("immutable")
    return folder if folder != path and folder.startswith("/") and ".." not in folder.split("/") else ""


def is_setting(path: str) -> bool:
    """A kernel setting, an NVMe disk's cache, a disk's ERC or a folder's attribute, with any placeholders."""
    if nvme_disk(path) or erc_disk(path) or immutable_folder(path):
        return True
    return path.startswith(("/sys/", "/proc/sys/")) and ".." not in path.split("/")


def shell_word(text: str) -> str:
    """As bash reads it, placeholders as quoted variables."""
    return _with_placeholders(text, _variable)


def shell_path(text: str) -> str:
    """The script's `name` gives a device's kernel name."""
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
    match step:
        case Command(undo=undo) | ManualStep(undo=undo) | Edit(undo=undo):
            return undo
        case Write(restore=True):
            return (put_back(step),)
    return ()


def put_back(step: Write) -> Restore:
    """The old value is in the run's journal."""
    name = step.path.rpartition("/")[2]
    device = PLACEHOLDER.search(step.path)
    return Restore(what=f"Restore {name}{f' of {device[0]}' if device else ''}", path=step.path)


def _variable(name: str) -> str:
    if name.startswith("rate:"):
        _, trial, percent, jobs = name.split(":")
        return f'"$(rate fio/{trial}.json {percent} {jobs})"'
    return f'"${{{name.replace(":", "_")}}}"' if name != "array:1" else '"$(partition)"'  # it comes and goes


def printed_file(trial: str) -> str:
    """What fio prints in a trial, in the run directory: later workers read it."""
    return f"fio/{trial}.log"


def shell(step: Step) -> str:
    match step:
        case Command(argv=argv, stdin=stdin):
            here_string = f" <<< {shell_word(stdin.rstrip())}" if stdin else ""
            return " ".join(shell_word(word) for word in argv) + here_string
        case ManualStep(argv=argv):  # from nowhere else: a line that is piped in would be taken for the passphrase
            return f"{' '.join(map(shell_word, argv))} < /dev/tty"
        case Write(path=path, value=value) if nvme_disk(path):
            return f"nvme_setting {shell_path(path)} {shell_word(value)}"
        case Write(path=path, value=value) if disk := erc_disk(path):
            return f"smartctl --log=scterc,{value} /dev/{shell_path(disk)} || true"
        case Write(path=path) if immutable_folder(path):
            return "true  # raidtui does, where it made the folder"
        case Write(by_rule=True):
            return "true  # the rule does"
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
            return " ".join((function, shell_word(path), *map(shell_word, lines)))
        case TakeOut(path=path):
            return f"take_out_lines {shell_word(path)}"
        case SetOwner(folder=folder, owner=owner, mode=mode):
            commands = (("chown", owner), ("chmod", mode))
            return "; ".join(shlex.join((program, argument, folder)) for program, argument in commands if argument)
