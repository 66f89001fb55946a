"""What the screens need of the outside: a machine, a maker of plans, runs. A protocol: tests bring recordings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.entries import NAME
from raidtui.core.disks.disk import Disk
from raidtui.core.documents.configuration import Configuration
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Member, Plan
from raidtui.core.plan.recipe import Recipe
from raidtui.core.run.at_work import Device
from raidtui.core.run.samples import Sample
from raidtui.core.run.state import RunState
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft

if TYPE_CHECKING:
    from raidtui.core.fleet.fleet import Fleet
    from raidtui.core.results.disk_speeds import MeasuredSpeed
    from raidtui.runs.removing import Removal
    from raidtui.ui.render.side_by_side_lines import SideBySide


Recipes = tuple[tuple[str, Recipe], ...]  # by name


class Scan(msgspec.Struct, frozen=True):
    """What one look at the machine found: its disks with verdicts, and the digest that tells machines apart.

    `kept`: identity of a disk -> the run that keeps the array it is of. `last`: what was chosen last, on any disks.
    `measured_speeds`: identity of a disk -> what it did alone in an earlier run. `at_work`: -> the run that has it now.
    `unwell`: kept arrays that are not healthy. `monitor`: whether `mdadm --monitor` watches arrays here, and whom it
    writes to. `rmapbt`: mkfs.xfs' default here. `as_root`: the command that reads what disks hold, "" if root looked.
    `free_name`: of an array that could be mounted at a folder of that name.
    """

    disks: tuple[Disk, ...]
    machine_id: str = ""
    kept: dict[str, Path] = {}
    last: Draft | None = None
    measured_speeds: "dict[str, MeasuredSpeed]" = {}
    at_work: dict[str, Path] = {}
    monitor: Monitor = Monitor()
    unwell: tuple[Array, ...] = ()
    rmapbt: bool = False
    as_root: str = ""
    free_name: str = NAME


class Resumption(msgspec.Struct, frozen=True):
    """What going on with a run would meet: its members as they are now, whoever took them meanwhile.

    `kept`: its array stands, and no disk is written to; what is left is to make the array permanent. `proof`: how the
    proof of an array that stays continues ("": nothing stays).
    """

    members: tuple[Member, ...] = ()
    kept: bool = False
    proof: str = ""


class DrivesTold(msgspec.Struct, frozen=True):
    """What drives tell of their own health: identity -> lines, the first of which judges. `why_nothing`: of none."""

    lines: dict[str, tuple[str, ...]] = {}
    why_nothing: str = ""


class DrivesSeen(msgspec.Struct, frozen=True):
    """The drives' health, and all runs there are, of which some were on them."""

    health: DrivesTold
    runs: tuple[RunStatus, ...]


class RunView(Protocol):
    """A run as its directory tells it at one moment."""

    @property
    def plan(self) -> Plan: ...
    @property
    def state(self) -> RunState: ...
    @property
    def slots(self) -> tuple[str, ...]: ...
    @property
    def history(self) -> tuple[Sample, ...]: ...
    @property
    def alive(self) -> bool: ...
    @property
    def whole(self) -> bool: ...
    @property
    def not_here(self) -> bool:
        """Are its disks another practice machine's?"""
        ...


class Feed(Protocol):
    """A run being followed: `poll` gives the newest view, None if nothing grew."""

    def poll(self) -> RunView | None: ...

    def at(self, moments_s: Sequence[float]) -> Sequence[Sample | None]:
        """The first sample at each moment or after it, else the last; of the whole run."""
        ...


def read_whole(feed: Feed) -> RunView | None:
    """The run as it stands now, read to the end of its journal; OSError or ValueError where it cannot be."""
    view = feed.poll()
    while view is not None and not view.whole and (newer := feed.poll()):
        view = newer
    return view


class AtWork(Protocol):
    """Devices of a machine at work; neither takes longer than a frame."""

    def devices(self) -> tuple[Device, ...]: ...
    def read(self, names: Sequence[str]) -> Sample:
        """Counters of these devices, all read at one moment."""
        ...


class Services(Protocol):
    """Everything that a screen may ask for. All but `feed` and `settings` may take longer than a frame: in a thread.

    Every method raises OSError or ValueError with one sentence that a person can act on.
    """

    @property
    def demo(self) -> str:
        """Of a recording: what the phrase typed on Review does, one sentence. "": this machine."""
        ...

    def host(self) -> str: ...

    def settings(self) -> Configuration:
        """The person's own keys, and what the screens begin with."""
        ...

    def scan(self) -> Scan: ...
    def health(self) -> DrivesTold: ...
    def recipes(self) -> Recipes: ...
    def plan(self, answers: Answers, scan: Scan) -> Plan: ...

    def obstacles(self, answers: Answers) -> tuple[str, ...]:
        """What keeps a run from starting here (not root, no mdadm, …): a sentence each, with what to do."""
        ...

    def why_not_here(self, answers: Answers) -> dict[str, str]:
        """Field of a name, owner or folder that this machine cannot give -> why, half a sentence."""
        ...

    def no_practice(self) -> str:
        """Why practice disks are impossible here, one sentence; "" where they are not."""
        ...

    def start(self, plan: Plan) -> Path: ...

    def remember(self, draft: Draft) -> None:
        """Keeps what was chosen, so that it can be offered next time."""
        ...

    def stop(self, path: Path) -> None: ...

    def type_passphrase(self, path: Path) -> None:
        """Has cryptsetup ask for it in this terminal, which the screen has left meanwhile. Not in a thread."""
        ...

    def removal(self, path: Path) -> "Removal":
        """What the removal of what a run built does, and what is on it."""
        ...

    def remove(self, path: Path, agreed: "Removal") -> None:
        """As a person agreed; `LookChanged` if it is something else by now."""
        ...

    def keep(self, path: Path) -> None: ...
    def resumption(self, path: Path) -> Resumption: ...

    def resume(self, path: Path, *, erases: bool, named: tuple[str, ...] = ()) -> None:
        """Goes on with a run. `erases`: a person has agreed to that; else its kept array is made permanent. `named`:
        arrays whose names were typed; `NotDone` tells which is missing.
        """
        ...

    def forget(self, path: Path) -> None: ...
    def compare(self, first: Path, second: Path) -> "SideBySide": ...
    def fleet(self, folder: Path) -> "Fleet": ...

    def runs(self) -> tuple[RunStatus, ...]:
        """All runs, oldest first."""
        ...

    def feed(self, path: Path, *, live: bool = False) -> Feed:
        """Follows a run. `live`: for a screen of what it is at, without older tests' figures until its end."""
        ...
