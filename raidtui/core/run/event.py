"""Base of a journal's events, and the bounds of their numbers."""

from typing import Annotated

import msgspec
from msgspec import Meta

from raidtui.core.text import MOST_COUNTED

Moment = Annotated[float, Meta(ge=0, le=253402300799)]  # to the end of the year 9999
Seconds = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]
Rate = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]  # bytes/s
Count = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]
Pid = Annotated[int, Meta(ge=1, le=2**31)]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    at_s: Moment
