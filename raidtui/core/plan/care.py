"""What a plan does for an array that stands and stays: it is checked, or one of its disks is replaced. A value."""

from typing import Literal

import msgspec


class Care(msgspec.Struct, frozen=True, kw_only=True):
    """The array by its UUID (mdadm's notation), and by `name` for people; `run` is the one that keeps it.

    `old`: the identity of the disk that is replaced, `old_title` what a person knows it by, `slot` where it is; the new
    one is the plan's only member. `waits`: is it built in, or does it become a spare?
    """

    kind: Literal["check", "replace"]
    uuid: str
    name: str
    run: str
    level: str
    old: str = ""
    old_title: str = ""
    slot: int | None = None
    waits: bool = True
