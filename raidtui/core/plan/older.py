"""Plans and journals of older versions, completed: the roles of their steps, and the members that these name.

The one place that reads them out of a command's words, which were of a fixed form then. What was made since says it.
"""

import re
from collections.abc import Sequence
from typing import Any

from raidtui.core.text import brief

_LATER_FIELDS = ("role", "members", "partition", "folder")  # fields of a command that were not there
_NOT_LATER = object()
_LEAVES = frozenset({str, int, float, bool, type(None)})  # as JSON and msgspec give them, no types beneath these
_ROLES = {
    "mdadm --create": "create",
    "mdadm --stop": "stop",
    "mdadm --fail": "fail",
    "mdadm --remove": "take-out",
    "mdadm --add": "add",
    "mdadm --zero-superblock": "zero",
    "mdadm --grow": "bitmap",
    "mdadm --wait": "sync-finished",
    "mdadm --detail": "array-built",
    "wipefs": "wipe",
    "blockdev": "reread",
    "sfdisk": "partition",
    "mkfs.ext2": "mkfs",
    "mkfs.ext4": "mkfs",
    "mkfs.xfs": "mkfs",
    "mkfs.btrfs": "mkfs",
    "mount": "mount",
    "umount": "unmount",
    "sync": "sync-caches",
    "dd": "make-file",
    "truncate": "lengthen",
    "rm": "remove",
    "udevadm": "settled",
    "show_geometry": "geometry",
    "findmnt": "mounted",
    "check_members_free": "members-free",
    "check_members_blank": "members-blank",
    "check_target": "target-same",
    "trap": "file-own",
    "for": "health",
    "true": "steady",
    "echo": "set",
    "put_back": "put-back",
}
# Fields of later versions: at their default a plan says the same without them, and its code fits as it did.
_LATER: dict[str, Any] = {
    "failed": 0,
    "rebuild_min_kib_s": 0,
    "varied": {},
    "share_of": "",
    "rounds": 0,
    "block": 0,
    "precondition": None,
    "suspect": "",
    "explain": (),
    "care": None,
    "permanent": False,
    "mount_point": "",
    "mount": "",
    "mount_owner": "",
    "mount_mode": "",
    "mailaddr": "",
    "at_top": False,
    "members": "disks",
    "outside_bytes": 0,
    "tables": (),
    "partitioned": False,
    "use": None,
    "self_test": "",
    "spares": 0,
    "between": "",
    "layer": None,
    "kind": "lvm",
    "slots": 0,
    "bytes_before": 0,
    "by_hand": (),
    "pool_name": "",
    "atime": "",
}
_MEMBER = re.compile(r"\{(?:member:(\d{1,9})|part:(\d{1,9}):(\d{1,9}))\}")
_ARRAY = re.compile(r"--uuid=([0-9a-f:]{35})")  # that mdadm creates
_DISK = re.compile(r"--filename=(/dev/(?!md).*)")  # that fio works on


def completed(value: Any) -> Any:
    """A plan as JSON gives it, with what its commands lack; ValueError for one that is of no known kind."""
    if isinstance(value, list):
        return [inner if type(inner) in _LEAVES else completed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    value = {key: inner if type(inner) in _LEAVES else completed(inner) for key, inner in value.items()}
    argv = value.get("argv")
    if value.get("type") != "command" or "role" in value or not isinstance(argv, list):
        return value
    if not all(isinstance(word, str) for word in argv) or not (by_words := fields_by_words(argv))["role"]:
        raise ValueError(f"another version made it: what {brief(repr(value.get('what')))} is for is not known")
    return value | by_words


def hashed(value: Any) -> Any:
    """What a plan says without what its commands' words say as well, and without what came later and is not used: a
    code given before fits as it did.
    """
    if isinstance(value, list | tuple):
        return [inner if type(inner) in _LEAVES else hashed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    value = {
        key: inner if type(inner) in _LEAVES else hashed(inner)
        for key, inner in value.items()
        if inner != _LATER.get(key, _NOT_LATER)
    }
    if value.get("type") == "command":
        fields = {field: value.pop(field) for field in _LATER_FIELDS}
        fields["members"] = tuple(fields["members"])
        if fields != fields_by_words(value["argv"]):
            value |= fields
    return value


def said_by(line: str) -> tuple[str, tuple[str, ...], str]:
    """The role of a command as a journal has it, "" where it is of no known kind; the nodes that fio works on; the UUID
    of the array that it creates, or "".
    """
    words = line.split()
    role = _role(words)
    arrays = [uuid for word in words for uuid in _ARRAY.findall(word)] if role == "create" else []
    return role, tuple(node for word in words for node in _DISK.findall(word)), (*arrays, "")[0]


def fields_by_words(argv: Sequence[str]) -> dict[str, Any]:
    """The role of a command of a plan, "" where no version gave such a one, the members that it names, its folder."""
    role = _role(argv)
    placeholders = [index for word in argv if "{" in word for index in _MEMBER.findall(word)]
    return {
        "role": role,
        "members": tuple(sorted({int(member or of_part) for member, of_part, _ in placeholders})),
        "partition": next((int(part) for _, _, part in placeholders if part), 0),
        "folder": argv[-1] if role in ("mount", "unmount") else "",
    }


def _role(words: Sequence[str]) -> str:
    """ "" where no version gave such a command."""
    if any(word.startswith("--raid-devices=") for word in words) and "--grow" in words:
        return ""  # that came with its role
    if words[:1] == ["fio"] or words[:1] == ("fio",):
        return "fill" if any(word.startswith("--output=fio/fill") for word in words) else "measure"
    return _ROLES.get(" ".join(words[:2])) or _ROLES.get("".join(words[:1]), "")
