"""Boot files: mdadm.conf(5), fstab(5), systemd.mount(5). Of the initramfs only the age is known."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.arrays.array import AtBoot, BootMount, Upon
from raidtui.core.disks.uuids import digits
from raidtui.core.text import clean

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
_KEYWORDS = ("array", "auto", "homehost", "mailaddr")
_LEAST_LETTERS = 3  # of a keyword, in mdadm.conf


class ArrayLine(msgspec.Struct, frozen=True, kw_only=True):
    """An ARRAY line: `node` as written ("" if none, "<ignore>"), digits of its UUID or "", superblock name or ""."""

    file: str
    node: str = ""
    uuid: str = ""
    name: str = ""


class MdadmConf(msgspec.Struct, frozen=True, kw_only=True):
    """mdadm.conf and its folder: words of AUTO and HOMEHOST, the first MAILADDR."""

    arrays: tuple[ArrayLine, ...] = ()
    auto: tuple[str, ...] = ()
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
    auto: list[str] = []
    homehost = mailaddr = ""
    for path, content in files:
        for keyword, words in _sentences(content):
            if keyword == "array":
                arrays.append(_array_line(path, words))
            elif keyword == "auto":
                auto += [word.lower() for word in words]
            elif keyword == "mailaddr":
                mailaddr = mailaddr or next(iter(words), "")
            elif not homehost:
                homehost = next(iter(words), "")
    return MdadmConf(arrays=tuple(arrays), auto=tuple(auto), homehost=homehost or "<system>", mailaddr=mailaddr)


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
    return ArrayLine(file=path, node=node, uuid=digits(options.get("uuid", "")), name=options.get("name", ""))


def fstab_of(path: str, content: bytes, *, noauto: bool = False) -> tuple[MountLine, ...]:
    """Lines mounted at boot, swap included; with `noauto` the others too."""
    lines = []
    for line in content.split(b"\n"):
        fields = [_unescaped(field) for field in line.split()]
        if len(fields) < 3 or fields[0].startswith("#"):
            continue
        options = fields[3].split(",") if len(fields) > 3 else []
        if noauto or "noauto" not in options:
            mountpoint = "swap" if fields[2] == "swap" else fields[1]
            lines.append(MountLine(file=path, source=fields[0], mountpoint=mountpoint, nofail="nofail" in options))
    return tuple(lines)


def _unescaped(field: bytes) -> str:
    text = field.decode(errors="replace")
    return clean(_OCTAL.sub(lambda match: chr(int(match[1], 8)), text))


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


def at_boot(files: BootFiles, uuid: str, title: str, metadata: str, host: str) -> AtBoot:
    """Of the array with these UUID digits. `title`: superblock name, "host:name"."""
    home, mark, name = title.partition(":")
    homehost = files.mdadm.homehost.lower()
    own_host = homehost if homehost not in ("<system>", "<none>", "<ignore>") else host.lower()
    at_home = bool(mark) and home.lower() == own_host
    names = {title.lower(), *((name.lower(),) if at_home else ())}
    line = next((line for line in files.mdadm.arrays if _names(line, uuid, names)), None)
    older = (
        files.initramfs_s < files.changed_s if files.initramfs_s is not None and files.changed_s is not None else None
    )
    if line is not None:
        ignored = line.node.lower() == "<ignore>"
        node = "" if ignored else _node(line.node)
        return AtBoot(assembly="ignored" if ignored else "ARRAY line", file=line.file, node=node, initramfs_older=older)
    if not _assembled(files.mdadm.auto, metadata, at_home=at_home):
        return AtBoot(assembly="ignored", initramfs_older=older)
    if not uuid or not mark:
        return AtBoot(initramfs_older=older)
    # Incremental.c: one made with --homehost=any is at home everywhere, but for AUTO's word homehost
    if at_home or home.lower() == "any" or homehost in ("<ignore>", "any"):
        return AtBoot(assembly="by itself", node=_node(name), initramfs_older=older)
    return AtBoot(assembly="another name", initramfs_older=older)


def _names(line: ArrayLine, uuid: str, names: set[str]) -> bool:
    """Everything the line gives must match (Config.c: conf_match)."""
    return bool(line.uuid or line.name) and line.uuid in ("", uuid) and (not line.name or line.name.lower() in names)


def _node(name: str) -> str:
    """Node for a name, by mdadm: a number is the kernel's, others are below /dev/md."""
    if not name or name.startswith("/"):
        return name
    return f"/dev/md{name}" if name.isdigit() else f"/dev/md/{name}"


def _assembled(auto: Sequence[str], metadata: str, *, at_home: bool) -> bool:
    """Whether an array without a line is assembled: first matching word of AUTO, else yes."""
    kinds = {"all", metadata, *(("1.x",) if metadata.startswith("1.") else ())}
    for word in auto:
        sign, kind = word[:1], word[1:]
        if word in ("homehost", "+homehost") and at_home:
            return True
        if sign in ("+", "-") and kind in kinds:
            return sign == "+"
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
