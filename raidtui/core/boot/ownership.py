"""Owner and mode of a mounted file system, as chown(1), chmod(1) take them. Resolves no names."""

import re

import msgspec

from raidtui.core.text import brief

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}"  # of a user or a group, or its number
_OWNER = re.compile(rf"{_NAME}(:{_NAME})?")
_MODE = re.compile(r"[0-7]{3,4}")


class Owned(msgspec.Struct, frozen=True, kw_only=True):
    """As in stat(2)."""

    uid: int
    gid: int
    mode: int

    @property
    def description(self) -> str:
        return f"{self.uid}:{self.gid} {self.mode:04o}"


def why_not_owner(owner: str) -> str:
    """Half a sentence; "" if its form is valid."""
    if _OWNER.fullmatch(owner):
        return ""
    return f"{brief(repr(owner))} is no owner; write USER, or USER:GROUP"


def why_not_mode(mode: str) -> str:
    """Half a sentence; "" if valid for a mounted folder."""
    if not _MODE.fullmatch(mode):
        return f"{brief(repr(mode))} is no mode; write three or four octal digits, as 2775"
    if not int(mode, 8) & 0o100:
        return f"with {mode} its owner could not enter it; write 7 for 6, as 0755"
    return ""


def split(owner: str) -> tuple[str, str]:
    user, _, group = owner.partition(":")
    return user, group
