"""Boot lines of array and file system: mdadm.conf(5), fstab(5), systemd.mount(5). UUIDs may be slots.

Lines added to a system file between marked comments, at its end or top, and removed byte for byte unless others
edited the file. Content is bytes, None: no file. No I/O.

Lines of a run's own udev rules, and of the unit that sets a disk's ERC: udev(7), systemd.unit(5).

The rules match an array by MD_UUID (set by 63-md-raid-arrays.rules, hence the file's number) and a disk by its WWN.
They set what is listed here; no write cache is among it.
"""

import posixpath
import re
import string
from collections.abc import Mapping, Sequence

from raidtui.core import digest
from raidtui.core.text import brief, clean

NAME, MOUNTED_BELOW = "store", "/srv"  # of an array, and of its folder, as the wizard proposes
MOUNTED_AT = f"{MOUNTED_BELOW}/array"  # where it is mounted, unless something else is said
FSTAB = "/etc/fstab"
CRYPTTAB = "/etc/crypttab"
UNITS = "/etc/systemd/system"
_MAILADDR = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!%+=_-]{0,63}(@[A-Za-z0-9][A-Za-z0-9.-]{0,253})?")
_OPTION = r"[a-z0-9_.-]{1,64}(=[A-Za-z0-9_.:/@+-]{1,64})?"
_MOUNT_OPTIONS = re.compile(f"{_OPTION}(,{_OPTION}){{0,15}}", re.ASCII)
_NO_MOUNT = ("noauto", "remount", "bind", "rbind", "move", "loop", "fail")
MOST_NAME = 32  # characters of an array's name: superblock 1.x (set_name of mdp_superblock_1)
ARRAY_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{MOST_NAME - 1}}}", re.ASCII)
_KERNEL_NAME = re.compile(r"md[_0-9d]*p?[0-9]*", re.ASCII)
LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,255}", re.ASCII)
_ESCAPED = {" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134", "#": "\\043"}
_PLAIN = string.ascii_letters + string.digits + ":_."
# Folders of the system itself: what is mounted over them hides what it needs.
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "tmp")
_NOT_THEMSELVES = ("/", "/home", "/media", "/mnt", "/opt", "/srv", "/usr", "/var")
_NOT_LASTING = ("dev", "proc", "run", "sys", "tmp")
_LONGEST_NAME = 255  # NAME_MAX, include/uapi/linux/limits.h
_NOT_BELOW = (
    *("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/sbin"),  # /bin, /lib64 lead there
    *("/var/lib/raidtui", "/var/log", "/var/run", "/var/tmp"),
)


def array(name: str, uuid: str, spares: int = 0, shared: str = "") -> str:
    """`uuid` in mdadm's notation. `mdadm --monitor` reports fewer spares, and moves them between arrays of one
    spare-group, `shared`.
    """
    words = (f"spares={spares}" if spares else "", f"spare-group={shared}" if shared else "")
    return " ".join(filter(None, (f"ARRAY /dev/md/{name} UUID={uuid}", *words)))


def mailaddr(address: str) -> str:
    return f"MAILADDR {address}"


def fstab(uuid: str, folder: str, kind: str, fsck_pass: int, options: str = "") -> str:
    """nofail: boot continues with a degraded array."""
    return f"UUID={uuid} {escaped(folder)} {kind} {_options(options)} 0 {fsck_pass}"


def _options(own: str) -> str:
    return f"defaults,nofail{',' if own else ''}{own}"


def crypttab(name: str, uuid: str) -> str:
    """crypttab(5): asks for the passphrase; nofail."""
    return f"{name} UUID={uuid} none luks,nofail"


def mount_unit(uuid: str, folder: str, kind: str, options: str = "") -> tuple[str, ...]:
    """Boot continues without; file name: `unit_name`."""
    return (
        "[Unit]",
        "Description=An array that raidtui built",
        "",
        "[Mount]",
        f"What=/dev/disk/by-uuid/{uuid}",
        f"Where={folder.replace('%', '%%')}",
        f"Type={kind}",
        f"Options={_options(options)}",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    )


def escaped(field: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in field)


def unit_name(folder: str) -> str:
    """As `systemd-escape --path`."""
    path = folder.strip("/")
    escapes = (
        "-" if char == "/" else char if char in _PLAIN and (char != "." or index) else _hex(char)
        for index, char in enumerate(path)
    )
    return "".join(escapes) + ".mount"


def _hex(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode())


def why_not_folder(folder: str) -> str:
    """Why it is no mount point, half a sentence; "" if its name is valid."""
    quoted = brief(repr(folder))
    if not folder.startswith("/") or clean(folder) != folder or "{" in folder:
        return f"{quoted} is no whole path; write one, as {MOUNTED_AT}"
    if posixpath.normpath(folder) != folder or folder.startswith("//"):
        return f"{quoted} is not written plainly; write {posixpath.normpath('/' + folder.lstrip('/'))}"
    if any(len(name.encode()) > _LONGEST_NAME for name in folder.split("/")):
        return f"{quoted} has a name of more than {_LONGEST_NAME} bytes, too many for a name"
    top = folder.split("/")[1]
    below_reserved = any(folder == path or folder.startswith(f"{path}/") for path in _NOT_BELOW)
    if top in _SYSTEM or folder in _NOT_THEMSELVES or below_reserved:
        return f"{quoted} is the system's own; choose a folder of its own, as {MOUNTED_AT}"
    return ""


def why_not_file(path: str) -> str:
    """Why it is no file for something to be kept, half a sentence; "" if its name is valid."""
    quoted = brief(repr(path))
    if not path.startswith("/") or clean(path) != path or "{" in path or path.endswith("/"):
        return f"{quoted} is no whole path of a file; write one, as /root/luks-header.img"
    if posixpath.normpath(path) != path or path.startswith("//"):
        return f"{quoted} is not written plainly; write {posixpath.normpath('/' + path.lstrip('/'))}"
    if path.split("/")[1] in _NOT_LASTING:
        return f"{quoted} does not outlive a boot; choose another folder, as /root/luks-header.img"
    return ""


def why_not_options(options: str) -> str:
    """Half a sentence; "" if their form is valid: mounting decides on the rest."""
    if not _MOUNT_OPTIONS.fullmatch(options):
        return f"{brief(repr(options))} are no mount options; write them as fstab does, as noatime,commit=30"
    if wrong := next((option for option in options.split(",") if option in _NO_MOUNT), ""):
        return f"with {wrong} boot would not mount it as planned; leave {wrong} out"
    return ""


def why_not_array_name(name: str) -> str:
    """Half a sentence; "" if valid below /dev/md, in a unit's name and in a volume group's."""
    if _KERNEL_NAME.fullmatch(name):
        return f"{brief(repr(name))} is a name that the kernel gives arrays; write another one, such as store"
    if not ARRAY_NAME.fullmatch(name):
        return f"{brief(repr(name))} is no name; write a letter, then up to 31 of letters, digits, _ and -"
    return ""


def why_not_label(label: str) -> str:
    """Half a sentence; "" if its form is valid. How long it may be depends on the file system."""
    if not LABEL.fullmatch(label):
        return f"{brief(repr(label))} is no label; write letters, digits, and . _ + -"
    return ""


def why_not_mailaddr(address: str) -> str:
    """Half a sentence; "" if its form is valid."""
    if _MAILADDR.fullmatch(address):
        return ""
    return f"{brief(repr(address))} is no address; write one, as root or storage@example.org"


def errors_of(printed: str, folder: str) -> tuple[str, ...]:
    """Errors for this folder in `findmnt --verify`'s output; no warnings, no other lines."""
    errors, in_folder = [], False
    for line in printed.splitlines():
        if not line.startswith(" "):
            in_folder = line == folder
        elif in_folder and line.strip().startswith("[E]"):
            errors.append(line.strip().removeprefix("[E]").strip())
    return tuple(errors)


_FIRST, _LAST = "# {mark}: from here", "# {mark}: to here"


class LinesChanged(ValueError):
    """Half a sentence, with the fix."""


def block(lines: Sequence[str], mark: str) -> bytes:
    return "".join(f"{line}\n" for line in (_FIRST.format(mark=mark), *lines, _LAST.format(mark=mark))).encode()


def with_lines(old_content: bytes | None, lines: Sequence[str], mark: str, *, at_top: bool = False) -> bytes:
    """Unchanged if they are in it. LinesChanged if others are in their place."""
    old_content, added = old_content or b"", block(lines, mark)
    if holds(old_content, lines, mark):
        return old_content
    if _marks(old_content, mark):
        raise _changed(mark)
    at = _top(old_content) if at_top else len(old_content)
    return _ended(old_content[:at]) + added + old_content[at:]


def _top(content: bytes) -> int:
    """Insert position: after leading indented lines, which would continue an inserted one."""
    insert_at = next_line = 0
    for line in content.splitlines(keepends=True):
        if not line[:1].isspace() and not line.startswith(b"#"):
            break
        next_line += len(line)
        insert_at = next_line if line.strip() and line[:1].isspace() else insert_at
    return insert_at


def _ended(content: bytes) -> bytes:
    return content + b"\n" if content and not content.endswith(b"\n") else content


def holds(content: bytes | None, lines: Sequence[str], mark: str) -> bool:
    """Complete, once, as own lines."""
    added, content = block(lines, mark), content or b""
    at = content.find(added)
    alone = content.count(added) == 1 and _marks(content, mark) == 2
    return alone and (at == 0 or content[at - 1 : at] == b"\n")


def _marks(content: bytes, mark: str) -> int:
    mark_lines = {text.format(mark=mark).encode() for text in (_FIRST, _LAST)}
    return sum(line in mark_lines for line in content.split(b"\n"))


def _changed(mark: str) -> LinesChanged:
    return LinesChanged(f"the lines between “{_FIRST.format(mark=mark)}” and “to here” were changed since")


def without_lines(current: bytes | None, content_before: bytes | None, lines: Sequence[str], mark: str) -> bytes | None:
    """`content_before` if nothing else changed; else `current`, others' edits kept. LinesChanged if edited."""
    if current is None or not _marks(current, mark):
        return current  # or somebody took them out
    if not holds(current, lines, mark):
        raise _changed(mark)
    without_block = current.replace(block(lines, mark), b"")
    return content_before if without_block == _ended(content_before or b"") else without_block


def diff(path: str, old: bytes | None, new: bytes | None) -> tuple[str, ...]:
    (old_lines, old_name), (new_lines, new_name) = _lines_and_name(path, old), _lines_and_name(path, new)
    from difflib import unified_diff

    return tuple(unified_diff(old_lines, new_lines, old_name, new_name, lineterm=""))


def _lines_and_name(path: str, content: bytes | None) -> tuple[list[str], str]:
    return (content or b"").decode(errors="replace").splitlines(), path if content is not None else "/dev/null"


def sha256(content: bytes | None) -> str:
    return "" if content is None else digest.sha256(content).hexdigest()


RULES_FOLDER = "/etc/udev/rules.d"
_NUMBER = 65
_WWN = re.compile(r"(0x|eui\.|nvme\.|uuid\.)[0-9A-Za-z.:-]{4,200}", re.ASCII)  # no pattern, quote or blank of udev's
_EACH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk"'
_ERC_LIMIT_S = 10  # smartctl may wait for a disk that does not answer


def rules_file(array: str) -> str:
    return f"{RULES_FOLDER}/{_NUMBER}-{array}.rules"


def unit_file(array: str) -> str:
    return f"{UNITS}/{array}-erc@.service"


def match_of(identity: str) -> str:
    """`PROPERTY=VALUE` of udev, by which a rule finds the disk of this identity; "" if it has no WWN."""
    kind, _, wwn = identity.partition("-")
    if kind != "wwn" or not _WWN.fullmatch(wwn):
        return ""
    return f"{'ID_WWN_WITH_EXTENSION' if wwn.startswith('0x') else 'ID_WWN'}={wwn}"


def of_array(uuid: str, values: Mapping[str, str]) -> str:
    """`uuid` in mdadm's notation, `values` by attribute."""
    return ", ".join((_EACH, 'KERNEL=="md*"', f'ENV{{MD_UUID}}=="{uuid}"', *_set(values)))


def of_disk(match: str, values: Mapping[str, str]) -> str:
    return ", ".join((_EACH, _matched(match), *_set(values)))


def starts_unit(match: str, array: str) -> str:
    """systemd starts it once udev is done with the disk, which does not wait for it."""
    return ", ".join((_EACH, _matched(match), f'ENV{{SYSTEMD_WANTS}}+="{array}-erc@%k.service"'))


def erc_unit(deciseconds: int) -> tuple[str, ...]:
    """An instance for each disk, by its kernel name."""
    return (
        "[Unit]",
        "Description=Error recovery limit of /dev/%I, a disk of an array that raidtui built",
        "",
        "[Service]",
        "Type=oneshot",
        f"ExecStart=smartctl --log=scterc,{deciseconds},{deciseconds} /dev/%I",
        f"TimeoutStartSec={_ERC_LIMIT_S}s",
    )


def _matched(match: str) -> str:
    key, _, value = match.partition("=")
    return f'ENV{{{key}}}=="{value}"'


def _set(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f'ATTR{{{attribute}}}="{value}"' for attribute, value in values.items())
