"""A written machine on which a run makes a ZFS pool: what is on each device comes and goes with its commands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from raidtui.core.boot.distributions import BootPlace
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import FilesystemPlan, Plan
from raidtui.core.raid import layers, zfs
from raidtui.runs.waiting import Ended
from raidtui.system.process import Done
from raidtui.system.signatures import Reading
from tests.builders.machines import part
from tests.builders.plans import DEBIAN, planned
from tests.runs.rig import SEEN, Argv, Rig

NAMES = ("sda", "sdb", "sdc")
GUID, OTHER_GUID = "13473334552955258669", "7"
LABEL = "LABEL 0\n    version: 5000\n    name: '{name}'\n    state: {state}\n    pool_guid: {guid}\n    guid: 12\n"


def plan(level: str = "zfs-raidz1", where: BootPlace | None = None, **given: Any) -> Plan:
    programs = (*zfs.PROGRAMS, zfs.MODULE)
    setup = Setup(level=level)
    return planned(disks_of(SEEN), setup, where, programs, baseline="none", jobs=("seq_write",), **given)


class OnDisks(Rig):
    """Devices show the signatures that are `on` them, partitions too."""

    on: dict[str, tuple[Signature, ...]]

    def read_machine(self) -> Machine:
        disks = [replace(one, signatures=self.on.get(one.name, ())) for one in self.seen.devices]
        parts = [
            replace(part(name, disk), signatures=self.on.get(name, ()))
            for disk, names in self.partitions.items()
            for name in names
        ]
        return replace(self.seen, devices=(*disks, *parts))

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        return {name: Reading(signatures=self.on.get(name, ())) for name in names}

    def text(self, path: str | Path) -> str:
        return {"start": "2048", "dev": "259:1"}.get(Path(path).name, "") or super().text(path)


class Pool(OnDisks):
    """What is `on` each device comes and goes with sfdisk, zpool and wipefs. `pools` are imported: name -> GUID, and
    `stands` on these partitions; `labels`: partition -> pool and GUID; `datasets` are those of the run's pool.

    `fails`: the second word of zpool that does not work.
    """

    def __init__(self, folder: Path, of: Plan | None = None) -> None:
        self.on = {}
        self.pools: dict[str, str] = {}
        self.stands = tuple(f"{name}1" for name in NAMES)
        self.labels: dict[str, tuple[str, str]] = {}
        self.datasets: tuple[str, ...] = ()
        self.fails = ""
        self.state = 0  # of the pool, as its labels say
        super().__init__(folder, of or plan())
        self.answer = self._told

    @property
    def own(self) -> str:  # type: ignore[override]
        return self.made.pool

    @property
    def made(self) -> FilesystemPlan:
        return next(stage.filesystem for stage in reversed(self.plan.stages) if stage.filesystem)

    def size_bytes(self, name: str) -> int:
        return layers.partition_bytes(SEEN.devices[0].size_bytes or 0) if name.endswith("1") else 0

    def devnum_of(self, path: str) -> str:
        return "259:1"

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        match argv[0], argv[1]:
            case "zpool", "list":
                return Done(0, "".join(f"{name}\t{guid}\n" for name, guid in self.pools.items()), "")
            case "zpool", "status":
                return Done(0, "config:\n\n" + "".join(f"\t    /dev/{name}  ONLINE\n" for name in self.stands), "")
            case "zpool", "get":
                return Done(0, "ashift\t12\n", "")
            case "zfs", "get":
                return Done(0, "recordsize\t131072\nprimarycache\tmetadata\n", "")
            case "zfs", "list":
                told = "517824\t1620580672\n" if "-p" in argv else "\n".join((self.own, *self.datasets))
                return Done(0, told, "")
            case "zdb", _:
                label = self.labels.get(argv[-1].removeprefix("/dev/"))
                return (
                    Done(0, LABEL.format(name=label[0], guid=label[1], state=self.state), "")
                    if label
                    else Done(2, "failed to unpack", "")
                )
            case "wipefs", _:
                return Done(0, "\n".join(one.kind for one in self.on.get(argv[-1].removeprefix("/dev/"), ())), "")
        return super().ask(argv, timeout_s)

    def table(self, disk: str) -> None:
        uuids = dict(zip(NAMES, self.made.tables, strict=True))
        self.on[disk], self.partitions[disk] = (Signature(kind="gpt", uuid=uuids[disk].upper()),), (f"{disk}1",)

    def label(self, partition: str, name: str, guid: str) -> None:
        self.labels[partition] = (name, guid)
        self.on[partition] = (Signature(kind="zfs_member", label=name, uuid=guid),)

    def _told(self, argv: Argv) -> Ended:
        device = argv[-1].removeprefix("/dev/")
        if argv[:2] == ("zpool", self.fails):
            return Ended(1, f"cannot {self.fails}")
        if argv[0] == "sfdisk":
            self.table(device)
        if argv[:2] == ("zpool", "create"):
            self.pools[self.own] = GUID
            for name in self.stands:
                self.label(name, self.own, GUID)
        if argv[:2] == ("zpool", "destroy"):
            del self.pools[device]
        if argv[:2] == ("zpool", "labelclear"):
            del self.labels[device], self.on[device]
        if argv[0] == "mount":
            self.mounted = True
        if argv[0] == "umount":
            self.mounted = False
        if argv[:2] == ("wipefs", "--all"):
            self.on.pop(device, None)
        if argv[0] == "blockdev":
            self.partitions.pop(device, None)
        return Ended(1, "fio: broken") if argv[0] == "fio" else Ended(0, "")


def destroyed(pool: Pool) -> bool:
    return ("zpool", "destroy", pool.own) in pool.given


def held_by_zfs() -> dict[str, str]:
    return dict.fromkeys((f"/dev/{name}" for name in NAMES), "in use: ZFS has it")


def cleared(pool: Pool) -> list[str]:
    return [argv[-1] for argv in pool.given if argv[:2] == ("zpool", "labelclear")]


def kept_pool_plan() -> Plan:
    """One that keeps a pool called tank, and makes it permanent, on Debian."""
    kept: dict[str, Any] = {"after": "keep", "permanent": True, "mount_point": "/srv/tank", "pool_name": "tank"}
    return plan(where=DEBIAN, repeat=1, **kept)
