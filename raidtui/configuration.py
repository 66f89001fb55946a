"""A user's folder (recipes, themes, config.toml, last choices) and config.toml. Owned by the user also behind sudo."""

import errno
import os
import pwd
import stat
from pathlib import Path

import msgspec

from raidtui.core.documents.configuration import Configuration

FILE = "config.toml"
_MOST_S = 3600.0
_MOST_BYTES = 1 << 20
_LINK = "this is a link, and none is followed; put the file itself there"
_TEMPLATE = """\
# raidtui's configuration: {path}
# Every key is optional; lines with a # show the defaults.

# Program to run at the end of each run, as you and not as root: a program and its arguments, no shell. Run and answer
# are JSON on its standard input. A failure is recorded in the run's journal and does not change the run.
# on_end = ["/home/me/bin/tell-me", "--subject", "raidtui"]
{on_end}
# How long that may take, seconds; then it is ended.
{on_end_limit_s}

# Theme to start with, if RAIDTUI_THEME names none; `raidtui themes` lists all.
{theme}
# Units of sizes at the start: decimal (TB) or binary (TiB).
{units}
# Recipe that measures an array that is built to be kept; `raidtui recipes` lists all. Default: quick.
{recipe}

# Filled in for arrays that are mounted at boot; each can be changed on Measure.
# Recipient of `mdadm --monitor`; mount options beside defaults and nofail.
{mailaddr}
{mount_options}

# Other keys for the screens: what they do is on the left, as docs/commands.md lists it.
# [keys]
# "disks.all" = "ctrl+a"
{keys}"""


class BadConfiguration(ValueError):
    """One sentence with the path."""


def folder() -> Path:
    """`~/.config/raidtui`, of the user behind sudo."""
    person = os.environ.get("SUDO_USER", "")
    if person and os.geteuid() == 0:
        try:
            return Path(pwd.getpwnam(person).pw_dir) / ".config" / "raidtui"
        except KeyError:
            pass
    from raidtui.system.programs import xdg_folder

    return xdg_folder("XDG_CONFIG_HOME", "~/.config") / "raidtui"


def read(owner: int | None = None) -> Configuration:
    """Defaults without file. BadConfiguration if unreadable, invalid, or writable by others than `owner` (None: caller)
    and root. Root reads with the user's rights, follows no link to the file, and waits for nothing.
    """
    from raidtui.core import document

    path = folder() / FILE
    try:
        document_read = document.read(own_content(FILE, owner))
    except FileNotFoundError:
        return Configuration()
    except OSError as error:
        raise BadConfiguration(f"{path}: {_LINK if error.errno == errno.ELOOP else error.strerror}") from error
    except document.NotToml as error:
        raise BadConfiguration(f"{path}: not TOML: {error}") from error
    if reason := document.misfit(document_read, Configuration):
        raise BadConfiguration(f"{path}: {reason}")
    settings = msgspec.convert(document_read, Configuration)
    if reason := _why_not(settings):
        raise BadConfiguration(f"{path}: {reason}")
    return settings


def own_content(name: str, owner: int | None = None) -> bytes:
    """A plain file of the owner or root (see `read`). OSError, or BadConfiguration if untrusted."""
    return _trusted(folder() / name, os.geteuid() if owner is None else owner)


def content(path: Path) -> bytes:
    """A recipe or theme, read safely by root behind sudo. ValueError, OSError as `own_content`; no linked folder."""
    person = os.environ.get("SUDO_UID", "")
    if os.geteuid() or not person.isdecimal() or folder() not in path.parents:
        return path.read_bytes()
    try:
        return _trusted(path, int(person), own_folder=True)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise BadConfiguration(f"{path}: {_LINK}") from error
        raise


def _trusted(path: Path, owner: int, *, own_folder: bool = False) -> bytes:
    """By the owner's rights, also for root."""
    from raidtui.system.files import as_person

    descriptor = as_person.opened(path, owner, own_folder=own_folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise BadConfiguration(f"{path}: this is no file")
        if status.st_uid not in (owner, 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise BadConfiguration(f"{path}: others may write to it; make it your own: chmod go-w {path}")
        if status.st_size > _MOST_BYTES:
            raise BadConfiguration(f"{path}: it has {status.st_size} bytes; {_MOST_BYTES} are the most")
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)


def _why_not(settings: Configuration) -> str:
    if not 0 < settings.on_end_limit_s <= _MOST_S:  # nor NaN
        return f"`on_end_limit_s` is {settings.on_end_limit_s:g}; give seconds, {_MOST_S:.0f} at most"
    if any("\0" in word for word in settings.on_end):
        return "`on_end` has a zero byte in it"
    program = settings.on_end[0] if settings.on_end else "on"
    if not program or ("/" in program and not program.startswith("/")):
        return f"`on_end` begins with {program!r}; give a program's name, or its whole path"
    from raidtui.core.boot import entries

    for name, why_not in (("mailaddr", entries.why_not_mailaddr), ("mount_options", entries.why_not_options)):
        if (value := getattr(settings, name)) and (reason := why_not(value)):
            return f"`{name}`: {reason}"
    return ""


def template(settings: Configuration) -> str:
    words = ", ".join(f'"{_quoted(word)}"' for word in settings.on_end)
    usual = Configuration()
    limit = f"on_end_limit_s = {settings.on_end_limit_s:g}"
    keys = [f'"{_quoted(name)}" = "{_quoted(key)}"\n' for name, key in settings.keys.items()]
    return _TEMPLATE.format(
        path=folder() / FILE,
        on_end=f"on_end = [{words}]" if settings.on_end else "# on_end = []",
        on_end_limit_s=limit if settings.on_end_limit_s != usual.on_end_limit_s else f"# {limit}",
        **{name: _line(settings, name) for name in ("theme", "units", "recipe", "mailaddr", "mount_options")},
        keys="".join(("[keys]\n", *keys)) if keys else "",
    )


def _line(settings: Configuration, name: str) -> str:
    value = getattr(settings, name)
    return f'{"" if value != getattr(Configuration(), name) else "# "}{name} = "{_quoted(value)}"'


def _quoted(word: str) -> str:
    return "".join(
        f"\\{char}" if char in '"\\' else char if char.isprintable() else f"\\U{ord(char):08x}" for char in word
    )
