"""What a run tells of the machine's own things that it changes, or looks at, while it makes an array permanent."""

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.ownership import Owned
from raidtui.core.run.event import Event


class FileEdited(Event, frozen=True, kw_only=True, tag="file-edited"):
    """Written before lines are added to a file of the system's. `backup`: where in the run's folder the file as it was
    is kept, "" where there was none; `mark` is in the comments around the `lines`.

    `in_initramfs`: the initramfs has a copy of it.
    """

    path: str
    lines: tuple[str, ...]
    mark: str
    backup: str = ""
    in_initramfs: bool = False


class LinesTakenOut(Event, frozen=True, kw_only=True, tag="lines-taken-out"):
    """The lines of the run are not in this file any more."""

    path: str


class OwnerChanged(Event, frozen=True, kw_only=True, tag="owner-changed"):
    """Written before the root of the run's file system, mounted at `folder`, gets another owner or mode."""

    folder: str
    old: Owned
    new: Owned


class MonitorTold(Event, frozen=True, kw_only=True, tag="monitor-told"):
    """Whether `mdadm --monitor` runs here, when the array was made permanent."""

    monitor: Monitor
