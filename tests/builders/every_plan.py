"""A plan of every kind that there is: recipes, levels, layers, kept, permanent, cared for, as it stands."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.arrays.array import Upon
from raidtui.core.boot.distributions import DISTRIBUTIONS, SMARTD_CONFS, SMARTD_UNITS, BootPlace
from raidtui.core.care import plans as care_plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import Signature
from raidtui.core.plan import validate
from raidtui.core.plan.answers import Answers, PlanRefused, ProofAnswers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.plan.summary import imagined
from raidtui.core.plan.target import Seen
from raidtui.core.raid import zfs
from raidtui.core.raid.levels import LEVELS, POOLS, level
from raidtui.core.units import GB
from tests.builders import care, layered, sweeps, targets
from tests.builders.machines import device, part

RECORDINGS = Path(__file__).parents[1] / "recordings"
_PROGRAMS = (*zfs.PROGRAMS, zfs.MODULE, "mkfs.btrfs")
_PLACES = tuple(
    BootPlace(distribution=row, mdadm_conf=row.mdadm_confs[0], initramfs=maker, systemd=True)
    for row in DISTRIBUTIONS
    for maker in (None, *(maker for maker in row.makers if maker.keeps_old))
)
_PERMANENT: dict[str, Any] = {"after": "keep", "permanent": True}
_OF_ONE_LEVEL = ("quick", "sync-writes", "latency-at-load", "qd-x-jobs", "flash-steady-state", "proof")
_SETUPS = (
    *(Setup(level=row.key) for row in LEVELS),
    *(Setup(level=row.key) for row in POOLS),
    *(Setup(level="5", filesystem=kind) for kind in ("ext2", "ext4", "xfs", "btrfs")),
    *(Setup(level="jbod", filesystem=kind) for kind in ("ext4", "xfs", "btrfs")),
    *(Setup(level="5", bitmap=bitmap) for bitmap in ("none", "ppl", "journal")),
    Setup(level="5", members="partitions", spares=1),
    Setup(level="5", members="partitions", bitmap="journal"),
    Setup(level="1", first_sync="skip", member_size="10g"),
    Setup(level="5", filesystem="ext4", allocation_unit="64K"),
    Setup(level="5", filesystem="xfs", partition_start_sectors=63),
    Setup(level="5", stripe_cache_size=4096, group_thread_cnt=2, wbt_lat_usec=0),
    Setup(level="6", failed=1, rebuild_min_kib_s=1000),
    Setup(level="1", write_mostly=2),
    Setup(level="5", groups=2, filesystem="xfs", stripe_cache_size=4096, bitmap="ppl"),
    Setup(level="5", groups=2, layout="left-asymmetric", bitmap="none", first_sync="wait"),
)


_WITH_WWN = tuple(
    replace(disk, id=f"wwn-0x5000c500a1b2c3d{3 * number}", erc=erc)
    for number, (disk, erc) in enumerate(
        zip(imagined([100 * GB] * 3, flash=False), ("supported", "none", "not applicable"), strict=True)
    )
)


def of(
    setup: Setup,
    recipe: str = "quick",
    disks: int = 6,
    place: BootPlace = _PLACES[1],
    found: tuple[Disk, ...] = (),
    **given: Any,
) -> Plan:
    found = found or imagined([100 * GB] * disks, flash=False)
    answers = Answers(disks=tuple(disk.id for disk in found), setup=setup, repeat=1, **given)
    programs = _PROGRAMS if level(setup.level).pool else ()
    return make(answers, recipes.load(recipe), found, "machine", programs=programs, place=place)


def _if_possible(setup: Setup, after: str) -> Plan | None:
    try:
        return of(setup, after=after)
    except PlanRefused:
        return None


def built() -> Iterator[Plan]:
    """Of every recipe and setup, with what is kept and permanent."""
    for name in recipes.names():
        if name != "existing":
            setup = Setup(level="5" if name in _OF_ONE_LEVEL else "")
            yield sweeps.plan(name, 6, flash=True, setup=setup)
    for setup in _SETUPS:
        possible = [plan for after in ("teardown", "keep") if (plan := _if_possible(setup, after))]
        assert possible, setup
        yield from possible
    yield sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=("wbt", "bitmap"), repeat=5)
    yield sweeps.plan("quick", 6, level="5", bitmap="ppl", jobs=("rand_write",), explain=("parity-log",))
    keys = ("stripe-cache", "bitmap", "threads")
    yield sweeps.plan("quick", 6, level="5", groups=2, jobs=("rand_write",), explain=keys, repeat=5)
    yield of(Setup(level="5", groups=2, filesystem="xfs"), array_name="store", **_PERMANENT)
    yield of(Setup(level="6", groups=2, bitmap="internal", filesystem="ext4"), disks=8)
    yield of(Setup(level="5", groups=2, spares=1), disks=7, after="keep")
    yield of(Setup(level="5", groups=2, filesystem="ext4", between="lvm"), **_PERMANENT)
    yield of(Setup(level="5", groups=2, partition_start_sectors=2048, filesystem="ext4"))
    for layer in (layered.LVM, layered.LUKS):
        yield from (layered.made(layer), layered.made(layer, permanent=True, mount_point="/srv/a b"))
    yield from (of(Setup(level=row.key, layout=layout), "qd-x-jobs") for row in LEVELS for layout in row.layouts)
    for kind, percent in (("ext2", 5), ("ext4", 25), ("ext4", 50), ("xfs", None), ("btrfs", None)):
        yield of(Setup(level="5", filesystem=kind), after="keep", label="data", reserved_percent=percent)
    cut = ProofAnswers(cut="witness", witness="/dev/ttyS0")
    yield of(Setup(level="5"), "proof", proof=cut)
    yield of(Setup(level="5", members="partitions"), "proof", after="keep")
    yield of(Setup(level="6", groups=2, spares=1), "proof", disks=9, after="keep")
    for place in _PLACES:
        yield of(Setup(level="5", filesystem="xfs"), place=place, mailaddr="ops@example.org", **_PERMANENT)
    unit: dict[str, Any] = {
        "mount": "unit",
        "mount_point": "/srv/vms",
        "mount_owner": "alice:storage",
        "mount_mode": "2775",
    }
    yield of(Setup(level="5", filesystem="ext4", members="partitions", spares=1), **unit, **_PERMANENT)
    tuned = Setup(level="5", filesystem="ext4", stripe_cache_size=4096, wbt_lat_usec=0, read_ahead_kb=8192)
    tuned = replace(tuned, scheduler="mq-deadline")
    ruled = replace(_PLACES[1], udev_rules=True, smartctl=True)
    yield of(tuned, place=ruled, found=_WITH_WWN, **_PERMANENT)
    linked = tuple(replace(disk, links=(f"/dev/disk/by-id/{disk.id}",)) for disk in _WITH_WWN)
    watch: dict[str, Any] = {"watch": ("smartd", "test-mail"), "mailaddr": "ops@example.org"}
    for conf, daemon in zip(SMARTD_CONFS, SMARTD_UNITS, strict=True):
        where = replace(_PLACES[1], smartd_unit=daemon, smartd_conf=conf)
        yield of(Setup(level="5", filesystem="ext4"), place=where, found=linked, **watch, **_PERMANENT)
    backup: dict[str, Any] = {"luks_header_backup": "/root/luks header.img"}
    yield of(Setup(level="5", filesystem="ext4", between="luks"), **backup, **_PERMANENT)
    yield of(Setup(level="5", filesystem="ext4", between="lvm", snapshot_room="20 %"), **_PERMANENT)
    pool: dict[str, Any] = {"pool_name": "tank", "atime": "off", "mount_point": "/srv/tank", "mount_owner": "alice"}
    yield from (of(Setup(level=f"zfs-raidz{parity}", groups=2), disks=2 * (parity + 2)) for parity in (1, 2))
    yield from (of(Setup(level="zfs-raidz1"), **_PERMANENT), of(Setup(level="zfs-mirror"), **pool, **_PERMANENT))


def others() -> Iterator[Plan]:
    """Of what stands already: measured, checked, with a disk replaced, grown."""
    seen: tuple[Seen, ...] = (targets.device(), targets.folder("/srv"))
    yield from (targets.plan(one) for one in seen)
    yield targets.plan(seen[1], explain=("wbt",), jobs=("rand_write",))
    limits = Limits(1000, 2000)
    array, disks = care.cared_for(care.seen())
    yield care_plans.check(array, disks, "machine", limits)
    failed: dict[str, Any] = {"slots": care.THREE | {"sdb": ("none", "faulty")}, "raid_disks": "3", "degraded": "1"}
    gone: dict[str, Any] = {
        "slots": {"sda": ("0", "in_sync"), "sdc": ("2", "in_sync")},
        "raid_disks": "3",
        "degraded": "1",
    }
    full = care.seen(new=device("sdd", signatures=(Signature(kind="ext4"),)))
    mostly = care.seen(slots=care.THREE | {"sdb": ("1", "in_sync,write_mostly")})
    whole = care.seen()
    away = replace(whole, devices=tuple(one for one in whole.devices if one.name != "sdb"))
    in_parts = replace(full, devices=(*full.devices, part("sdd3", "sdd", "ext4")))
    on_parts = care.on_partitions(care.THREE)
    for machine in (full, in_parts, mostly, away, care.seen(**failed), care.seen(**gone), on_parts):
        array, disks = care.cared_for(machine)
        old = next(
            member for member in array.members if member.slot == 1 or member.role in ("missing", "failed", "gone")
        )
        assert old.disk
        new = care.serial(disks, "sdd")
        how = care_plans.replacement(array, old.disk.serial, new, disks, limits)
        yield care_plans.replace(array, how, "machine")
    for kind in ("ext4", "xfs", "btrfs", ""):
        array, disks = care.cared_for(care.seen(new=device("sdd")))
        upon = (Upon(device="md127", kind=kind, mounted_at=("/srv/my data",)),) if kind else ()
        array = replace(array, upon=upon)
        yield care_plans.grow(array, [care.serial(disks, "sdd")], disks, "machine", limits)


def recorded() -> Iterator[Plan]:
    for path in sorted(RECORDINGS.glob("runs/*/plan.json")):
        yield validate.decode(path.read_bytes())
    for path in sorted(RECORDINGS.glob("reports/*.plan.json.gz")):
        yield validate.decode(gzip.decompress(path.read_bytes()))
