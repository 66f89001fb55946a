"""Boot files: mdadm.conf(5), fstab(5), systemd.mount(5). Of the initramfs only the age is known."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from raidtui.core.arrays.array import AtBoot, BootMount, Upon
from raidtui.core.disks.identity import digits
from raidtui.core.text import clean

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
_KEYWORDS = ("array", "auto", "device", "homehost", "mailaddr")
_LEAST_LETTERS = 3  # of a keyword, in mdadm.conf


class ArrayLine(msgspec.Struct, frozen=True, kw_only=True):
    """An ARRAY line: `node` as written ("" if none, "<ignore>"), digits of its UUID or "", superblock name or "",
    patterns of `devices`, `super_minor` as written ("" if none or any).
    """

    file: str
    node: str = ""
    uuid: str = ""
    name: str = ""
    devices: tuple[str, ...] = ()
    super_minor: str = ""


class MdadmConf(msgspec.Struct, frozen=True, kw_only=True):
    """mdadm.conf and its folder: words of the first AUTO line and of HOMEHOST, patterns of DEVICE (empty: any device),
    the first MAILADDR.
    """

    arrays: tuple[ArrayLine, ...] = ()
    auto: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    homehost: str = "<system>"
    mailaddr: str = ""


class MountLine(msgspec.Struct, frozen=True, kw_only=True):
    """A mount at boot in fstab or a mount unit."""

    file: str
    source: str
    mountpoint: str
    nofail: bool = False


class BootFiles(msgspec.Struct, frozen=True, kw_only=True):
    """mtimes of mdadm.conf and initramfs, None if absent. `not_read`: existing unreadable files."""

    mdadm: MdadmConf = MdadmConf()
    mounts: tuple[MountLine, ...] = ()
    changed_s: float | None = None
    initramfs_s: float | None = None
    not_read: tuple[str, ...] = ()


def mdadm_conf_of(files: Sequence[tuple[str, bytes]]) -> MdadmConf:
    """From (path, content) in mdadm's order. Unknown lines are ignored."""
    arrays: list[ArrayLine] = []
    words_of: dict[str, list[list[str]]] = {keyword: [] for keyword in _KEYWORDS}
    for path, content in files:
        for keyword, words in _sentences(content):
            words_of[keyword].append(words)
            if keyword == "array":
                arrays.append(_array_line(path, words))
    auto = next(iter(words_of["auto"]), [])  # mdadm ignores a second one
    devices = [word for words in words_of["device"] for word in words]
    homehost, mailaddr = (next((words[0] for words in words_of[key] if words), "") for key in ("homehost", "mailaddr"))
    return MdadmConf(
        arrays=tuple(arrays),
        auto=tuple(word.lower() for word in auto),
        devices=() if "partitions" in map(str.lower, devices) else tuple(devices),
        homehost=homehost or "<system>",
        mailaddr=mailaddr,
    )


def _sentences(content: bytes) -> Iterator[tuple[str, list[str]]]:
    """(keyword, words); an indented line continues the one before."""
    sentences: list[list[str]] = []
    for line in content.decode(errors="replace").split("\n"):
        words = _words(line)
        if words and line[:1] in (" ", "\t") and sentences:
            sentences[-1] += words
        elif words:
            sentences.append(words)
    for first, *words_after in sentences:
        short = first.lower()
        keyword = next((word for word in _KEYWORDS if len(short) >= _LEAST_LETTERS and word.startswith(short)), "")
        if keyword:
            yield keyword, words_after


def _words(line: str) -> list[str]:
    words = []
    for word in _WORD.findall(line):
        if word.startswith("#"):
            break
        words.append(clean(re.sub("[\"']", "", word)))
    return words


def _array_line(path: str, words: list[str]) -> ArrayLine:
    options = {key.lower(): value for key, mark, value in (word.partition("=") for word in words) if mark}
    node = next((word for word in words if "=" not in word), "")
    super_minor = options.get("super-minor", "")
    return ArrayLine(
        file=path,
        node=node,
        uuid=digits(options.get("uuid", "")),
        name=options.get("name", ""),
        devices=tuple(filter(None, options.get("devices", "").split(","))),
        super_minor="" if super_minor.lower() == "any" else super_minor,
    )


def fstab_of(path: str, content: bytes, *, noauto: bool = False) -> tuple[MountLine, ...]:
    """Lines mounted at boot, swap included; with `noauto` the others too."""
    lines = []
    for line in content.split(b"\n"):
        fields = [
            clean(_OCTAL.sub(lambda match: chr(int(match[1], 8)), field.decode(errors="replace")))
            for field in line.split()
        ]
        if len(fields) < 3 or fields[0].startswith("#"):
            continue
        options = fields[3].split(",") if len(fields) > 3 else []
        if noauto or "noauto" not in options:
            mountpoint = "swap" if fields[2] == "swap" else fields[1]
            lines.append(MountLine(file=path, source=fields[0], mountpoint=mountpoint, nofail="nofail" in options))
    return tuple(lines)


def mount_unit_of(path: str, content: bytes) -> tuple[MountLine, ...]:
    """What=, Where= of a mount or swap unit. `path`: enabling link: boot waits for `requires`, not for `wants`."""
    unit_options: dict[str, str] = {}
    section = ""
    for line in content.decode(errors="replace").split("\n"):
        key, mark, value = line.strip().partition("=")
        if key.startswith("["):
            section = key
        elif mark and section in ("[Mount]", "[Swap]"):
            unit_options[key.strip()] = clean(value)
            unit_options.setdefault("Where", "swap" if section == "[Swap]" else "")
    source, mountpoint = unit_options.get("What", ""), unit_options.get("Where", "")
    if not (source and mountpoint):
        return ()
    return (MountLine(file=path, source=source, mountpoint=mountpoint, nofail=".wants/" in path),)


class AtHand(msgspec.Struct, frozen=True, kw_only=True):
    """An array as mdadm finds it at boot. `title`: superblock name, "host:name"; `members`: names of each member's
    device, the kernel's first, then links; empty: not known. `host`: this machine's.
    """

    uuid: str
    title: str
    metadata: str
    host: str
    members: tuple[tuple[str, ...], ...] = ()


def at_boot(files: BootFiles, array: AtHand) -> AtBoot:
    """As udev's rules assemble it: `mdadm --incremental` of each member (4.2: Incremental.c, config.c: conf_match). A
    line that `mdadm --assemble --scan` alone takes (Assemble.c: name_matches) counts if its node is the same.
    `tests/lab/guest/test_boot_rules.py` compares with mdadm.
    """
    conf = files.mdadm
    older = (
        files.initramfs_s < files.changed_s if files.initramfs_s is not None and files.changed_s is not None else None
    )
    matches = [(line, fits) for line in conf.arrays if (fits := _fits(line, array)) != "no"]
    if len(matches) > 1 or any(fits == "in part" for _, fits in matches):
        return AtBoot(initramfs_older=older)  # mdadm cannot decide, or the first member decides
    if not _permitted(conf.devices, array.members):
        return AtBoot(assembly="ignored", initramfs_older=older)
    for line, _ in matches:
        ignored = line.node.lower() == "<ignore>"
        node = "" if ignored else _node(line.node or _own_name(array.title))
        return AtBoot(assembly="ignored" if ignored else "ARRAY line", file=line.file, node=node, initramfs_older=older)
    if not _assembled(conf.auto, array.metadata):
        return AtBoot(assembly="ignored", initramfs_older=older)
    if not array.uuid or not array.title:
        return AtBoot(initramfs_older=older)
    if not _is_trusted(conf.homehost, array):
        return AtBoot(assembly="another name", initramfs_older=older)
    node = _node(_own_name(array.title))
    if file := next((line.file for line in conf.arrays if _scan_takes(line, array) and _node(line.node) == node), ""):
        return AtBoot(assembly="ARRAY line", file=file, node=node, initramfs_older=older)
    return AtBoot(assembly="by itself", node=node, initramfs_older=older)


def _own_name(title: str) -> str:
    return title.partition(":")[2] or title


def _fits(line: ArrayLine, array: AtHand) -> Literal["yes", "no", "in part"]:
    """Everything the line gives must match (conf_match). A 1.x superblock has no minor number."""
    named_minor = bool(line.super_minor)
    if not (line.uuid or line.name or line.devices or named_minor):
        return "no"
    if line.uuid not in ("", array.uuid) or (line.name and line.name.lower() != array.title.lower()):
        return "no"
    if named_minor and (array.metadata.startswith("1.") or not (line.uuid or line.name or line.devices)):
        return "no"
    listed = {_listed(line.devices, member[:1]) for member in array.members} if line.devices else {True}
    return "yes" if listed == {True} else "no" if listed == {False} else "in part"


def _scan_takes(line: ArrayLine, array: AtHand) -> bool:
    """By the name without its host, of an array that the line's other words do not exclude (name_matches)."""
    others = not (line.devices or line.super_minor) and line.uuid in ("", array.uuid)
    return others and bool(line.name) and line.name == _own_name(array.title)


def _listed(patterns: Sequence[str], names: Sequence[str]) -> bool:
    """fnmatch(3) with FNM_PATHNAME: a star stops at a slash."""
    return any(
        len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
        for parts, wanted in ((name.split("/"), pattern.split("/")) for name in names for pattern in patterns)
    )


def _permitted(patterns: Sequence[str], members: Sequence[Sequence[str]]) -> bool:
    """Whether DEVICE has at least one member, under any of its names."""
    return not patterns or not members or any(_listed(patterns, names) for names in members)


def _is_trusted(homehost: str, array: AtHand) -> bool:
    """Whether it gets its own name: at home here, or everywhere (Incremental.c: trustworthy)."""
    home, mark, _ = array.title.partition(":")
    if homehost.lower() in ("<none>", "<ignore>") or (mark and home == "any"):
        return True
    return bool(mark) and home == (array.host if homehost.lower() == "<system>" else homehost)


def _node(name: str) -> str:
    """Node for a name, by mdadm: a number is the kernel's, others are below /dev/md."""
    if not name or name.startswith("/"):
        return name
    return f"/dev/md{name}" if name.isdigit() else f"/dev/md/{name}"


def _assembled(auto: Sequence[str], metadata: str) -> bool:
    """Whether an array without a line is assembled (config.c: autoline, conf_test_metadata). After the word homehost a
    minus no longer excludes: mdadm gives arrays of other hosts another name.
    """
    kind = metadata.removeprefix("external:")
    kinds = {"all", kind, kind.partition(".")[0], *(("1.x",) if kind.startswith("1.") else ())}
    homehost = False
    for word in auto:
        homehost |= word == "homehost"
        if word in ("yes", "no"):
            return word == "yes" or homehost
        if word[:1] in ("+", "-") and (word[1:] in kinds or ("1.x" in kinds and word[1:3] == "1.")):
            return word[:1] == "+" or homehost
    return True


def mounted_at_boot(upon: Upon, files: BootFiles, names: Sequence[str]) -> tuple[BootMount, ...]:
    mounts = []
    for line in files.mounts:
        source = line.source.strip('"')
        kind, _, value = source.partition("=")
        same_uuid = bool(upon.uuid) and digits(value) == digits(upon.uuid)
        if (kind == "UUID" and same_uuid) or (source.startswith("/dev/disk/by-uuid/") and source in names):
            source_kind = "UUID"
        elif (kind == "LABEL" and f"/dev/disk/by-label/{value}" in names) or (
            source.startswith("/dev/disk/by-label/") and source in names
        ):
            source_kind = "label"
        elif source in names:
            source_kind = "node"
        else:
            continue
        mounts.append(
            msgspec.convert(
                {
                    "mountpoint": line.mountpoint,
                    "file": line.file,
                    "by": source_kind,
                    "source": line.source,
                    "nofail": line.nofail,
                },
                BootMount,
            )
        )
    return tuple(mounts)
