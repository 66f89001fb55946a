"""Machines and services built by hand, for pilot tests: nothing is looked up, nothing is started."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from raidtui import recipes
from raidtui.core.boot.entries import MOUNTED_AT
from raidtui.core.disks.disk import Content, Disk, Usability, Verdict
from raidtui.core.documents.configuration import Configuration
from raidtui.core.fleet.fleet import Fleet, fleet_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Member, Plan
from raidtui.core.run.samples import Sample, first_at
from raidtui.runs.directory import NotDone
from raidtui.runs.removing import LookChanged, Removal
from raidtui.runs.status import RunStatus
from raidtui.ui.draft import Draft
from raidtui.ui.render.side_by_side_lines import SideBySide
from raidtui.ui.services import DrivesTold, Feed, Recipes, Resumption, RunView, Scan

TB = 10**12
_plans: dict[bytes, Plan] = {}
FOUND = Removal("vms", ("stop vms, erase what is on its 3 disks",), "is planned to be kept")
REMOVE = (*"remove", "space", *"vms", "enter")  # keys


def disk(name: str, **fields: object) -> Disk:
    """A blank rotating disk of 4 TB, unless `fields` say otherwise."""
    mark = hashlib.sha256(name.encode()).hexdigest()
    plain: dict[str, object] = {
        "name": name,
        "path": f"/dev/{name}",
        "id": f"wwn-0x5000c500{mark[:8]}",
        "size_bytes": 4_000_787_030_016,
        "verdict": Verdict(Usability.OK),
        "serial": f"ZC1{mark[:5].upper()}",
        "model": "ST4000NM0035-1V4107",
        "rotational": True,
        "transport": "sata",
    }
    return Disk(**(plain | fields))  # type: ignore[arg-type]


def rack(count: int) -> tuple[Disk, ...]:
    """So many equal blank disks."""
    names = [f"sd{chr(97 + i)}" if i < 26 else f"sda{chr(71 + i)}" for i in range(count)]
    return tuple(disk(name) for name in names)


SYSTEM = disk(
    "sda",
    model="Samsung SSD 870 EVO 500GB",
    size_bytes=500_107_862_016,
    rotational=False,
    contents=(Content("sda", "gpt"), Content("sda2", "ext4", "root")),
    verdict=Verdict(Usability.REFUSE, "sda2 is mounted on /", "this is the running system; choose another disk"),
)
OLD_DATA = disk(
    "sdf",
    contents=(Content("sdf1", "ext4", "backup"),),
    verdict=Verdict(Usability.WARN, "ext4 on sdf1 (backup), not mounted", "save what is on it, or choose it knowingly"),
)
UNREAD = Verdict(Usability.WARN, "not checked: contents", "run raidtui as root")
HOSTILE = disk("sdg", model="X[/]Y :cd:", serial="\x1b[31mRED\x1b]0;t\x07")
MIXED = (
    SYSTEM,
    disk("sdb"),
    disk("sdc"),
    disk("sdd"),
    disk("sde", size_bytes=6_001_175_126_016),
    OLD_DATA,
    HOSTILE,
)


@dataclass
class ListFeed:
    """A run that is a list of views, one a poll."""

    views: list[RunView]
    history: tuple[Sample, ...] = ()

    def poll(self) -> RunView | None:
        view = self.views.pop(0) if self.views else None
        self.history = view.history if view else self.history
        return view

    def at(self, moments_s: Sequence[float]) -> Sequence[Sample | None]:
        return first_at(self.history, moments_s)


@dataclass
class RecordedServices:
    """A machine as data. What was asked for is kept, nothing is done."""

    disks: tuple[Disk, ...] = MIXED
    hindrances: tuple[str, ...] = ()
    views: list[RunView] = field(default_factory=list)
    all_runs: tuple[RunStatus, ...] = ()
    started: list[Plan] = field(default_factory=list)
    stopped: list[Path] = field(default_factory=list)
    cleaned: list[Path] = field(default_factory=list)
    typed: list[Path] = field(default_factory=list)
    resumed: list[Path] = field(default_factory=list)
    made_permanent: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    keepers: dict[str, Path] = field(default_factory=dict)
    at_work: dict[str, Path] = field(default_factory=dict)
    forgotten: list[Path] = field(default_factory=list)
    taken: tuple[Member, ...] = ()
    own_keys: dict[str, str] = field(default_factory=dict)
    as_root: str = ""
    not_here: dict[tuple[str, str], str] = field(default_factory=dict)  # field and text -> why
    configured: Configuration = field(default_factory=Configuration)
    last: Draft | None = None
    hosts: Fleet = field(default_factory=lambda: fleet_of(()))
    missing: tuple[NotDone, ...] = ()  # in this order, each until its name is typed
    looks: list[Removal] = field(default_factory=lambda: [FOUND])  # one after the other, the last one for ever
    demo: str = ""
    without_practice: str = ""
    drives: DrivesTold = field(default_factory=lambda: DrivesTold(why_nothing="smartctl is not installed"))

    def host(self) -> str:
        return "rack7"

    def settings(self) -> Configuration:
        return msgspec.structs.replace(self.configured, keys=self.own_keys)

    def scan(self) -> Scan:
        return Scan(self.disks, "a-machine", self.keepers, self.last, at_work=self.at_work, as_root=self.as_root)

    def health(self) -> DrivesTold:
        return self.drives

    def recipes(self) -> Recipes:
        return tuple((name, recipes.load(name)) for name in recipes.names())

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        """Made once: the same answers on the same disks are one plan."""
        asked = answers, recipes.load(answers.recipe), scan.disks, scan.machine_id
        key = msgspec.msgpack.encode(asked)
        if key not in _plans:
            _plans[key] = planner.make(*asked)
        return _plans[key]

    def obstacles(self, answers: Answers) -> tuple[str, ...]:
        return self.hindrances

    def why_not_here(self, answers: Answers) -> dict[str, str]:
        return {
            key: reason
            for (key, text), reason in self.not_here.items()
            if text == (getattr(answers, key) or (answers.permanent and MOUNTED_AT))
        }

    def no_practice(self) -> str:
        return self.without_practice

    def start(self, plan: Plan) -> Path:
        self.started.append(plan)
        return Path("/var/lib/raidtui/runs/20260101T000000Z-abcd")

    def remember(self, draft: Draft) -> None:
        self.last = draft

    def type_passphrase(self, path: Path) -> None:
        self.typed.append(path)

    def stop(self, path: Path) -> None:
        self.stopped.append(path)

    def _want_names(self, named: tuple[str, ...]) -> None:
        for missing in self.missing:
            if not missing.name or missing.name not in named:
                raise missing

    def removal(self, path: Path) -> Removal:
        self._want_names(())
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def remove(self, path: Path, agreed: Removal) -> None:
        if (now := self.removal(path)) != agreed:
            raise LookChanged(now)
        self.cleaned.append(path)

    def resume(self, path: Path, *, erases: bool, named: tuple[str, ...] = ()) -> None:
        self._want_names(named)
        (self.resumed if erases else self.made_permanent).append(path)

    def keep(self, path: Path) -> None:
        self.kept.append(path)

    def resumption(self, path: Path) -> Resumption:
        return Resumption(self.taken, any(run.path == path and run.kept for run in self.all_runs))

    def runs(self) -> tuple[RunStatus, ...]:
        gone = (*self.forgotten, *self.cleaned, *self.kept)
        return tuple(run for run in self.all_runs if run.path not in gone)

    def forget(self, path: Path) -> None:
        self.forgotten.append(path)

    def fleet(self, folder: Path) -> Fleet:
        return self.hosts

    def compare(self, first: Path, second: Path) -> SideBySide:
        return SideBySide(first.name, second.name, ())

    def feed(self, path: Path, *, live: bool = False) -> Feed:
        return ListFeed(list(self.views))


def unread(count: int) -> tuple[Disk, ...]:
    """`rack` as somebody sees it who may not read the disks."""
    return tuple(msgspec.structs.replace(one, verdict=UNREAD, checked=False) for one in rack(count))
