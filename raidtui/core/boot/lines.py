"""Boot lines of array and file system: mdadm.conf(5), fstab(5), systemd.mount(5). UUIDs may be slots."""

import posixpath
import re
import string

from raidtui.core.text import brief, clean

FOLDER = "/srv/array"  # where it is mounted, unless something else is said
FSTAB = "/etc/fstab"
CRYPTTAB = "/etc/crypttab"
UNITS = "/etc/systemd/system"
_MAILADDR = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!%+=_-]{0,63}(@[A-Za-z0-9][A-Za-z0-9.-]{0,253})?")
_ESCAPED = {" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134", "#": "\\043"}
_PLAIN = string.ascii_letters + string.digits + ":_."
# Folders of the system itself: what is mounted over them hides what it needs.
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "root", "run", "sbin", "sys", "tmp")
_NOT_THEMSELVES = ("/", "/home", "/media", "/mnt", "/opt", "/srv", "/usr", "/var")
_LONGEST_NAME = 255  # NAME_MAX, include/uapi/linux/limits.h
_NOT_BELOW = ("/usr/bin", "/usr/lib", "/usr/sbin", "/var/lib/raidtui", "/var/log", "/var/run", "/var/tmp")


def array(name: str, uuid: str, spares: int = 0) -> str:
    """`uuid` in mdadm's notation. `mdadm --monitor` reports fewer spares."""
    return f"ARRAY /dev/md/{name} UUID={uuid}" + (f" spares={spares}" if spares else "")


def mailaddr(address: str) -> str:
    return f"MAILADDR {address}"


def fstab(uuid: str, folder: str, kind: str, fsck_pass: int) -> str:
    """nofail: boot continues with a degraded array."""
    return f"UUID={uuid} {escaped(folder)} {kind} defaults,nofail 0 {fsck_pass}"


def crypttab(name: str, uuid: str) -> str:
    """crypttab(5): asks for the passphrase; nofail."""
    return f"{name} UUID={uuid} none luks,nofail"


def mount_unit(uuid: str, folder: str, kind: str) -> tuple[str, ...]:
    """Boot continues without; file name: `unit_name`."""
    return (
        "[Unit]",
        "Description=An array that raidtui built",
        "",
        "[Mount]",
        f"What=/dev/disk/by-uuid/{uuid}",
        f"Where={folder.replace('%', '%%')}",
        f"Type={kind}",
        "Options=defaults,nofail",
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
        return f"{quoted} is no whole path; write one, as {FOLDER}"
    if posixpath.normpath(folder) != folder or folder.startswith("//"):
        return f"{quoted} is not written plainly; write {posixpath.normpath('/' + folder.lstrip('/'))}"
    if any(len(name.encode()) > _LONGEST_NAME for name in folder.split("/")):
        return f"{quoted} has a name of more than {_LONGEST_NAME} bytes, too many for a name"
    top = folder.split("/")[1]
    below_reserved = any(folder == path or folder.startswith(f"{path}/") for path in _NOT_BELOW)
    if top in _SYSTEM or folder in _NOT_THEMSELVES or below_reserved:
        return f"{quoted} is the system's own; choose a folder of its own, as {FOLDER}"
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
