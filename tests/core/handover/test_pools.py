"""The page and the script of a ZFS pool that stays."""

import subprocess
from typing import Any

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.boot.distributions import DISTRIBUTIONS, BootPlace
from raidtui.core.handover.commissioning import build_script, commissioning
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.kept import pool_steps as of_pools
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.raid import zfs
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs import directory
from tests.builders import sweeps
from tests.builders.journals import started
from tests.builders.racks import RACK

GUID = "13473334552955258669"
PLACE = BootPlace(distribution=DISTRIBUTIONS[0], mdadm_conf="/etc/mdadm/mdadm.conf", systemd=True)


def plan(level: str = "zfs-raidz1", groups: int = 1, **given: Any) -> Plan:
    disks = tuple(disk.id for disk in RACK[: 4 if groups == 1 else 6])
    setup, given = Setup(level=level, groups=groups), {"permanent": True, **given}
    answers = Answers(disks=disks, setup=setup, jobs=("seq_read",), repeat=1, after="keep", **given)
    made = make(answers, recipes.load("quick"), RACK, "here", programs=(*zfs.PROGRAMS, zfs.MODULE), place=PLACE)
    return directory.drawn(sweeps.linked(made))


def test_the_page_of_two_vdevs_tells_what_each_survives_and_grows_by_one_like_them() -> None:
    made = plan(groups=2, pool_name="tank", mount_point="/srv/tank")
    text = commissioning(made, state_of(made))
    new = " ".join(f"/dev/disk/by-id/NEW{number}" for number in (1, 2, 3))
    for words in ("# raidz1, 2 × 3: tank", "any 1 of each raidz", f"zpool add -n tank raidz1 {new} "):
        assert words in text


def state_of(plan: Plan, name: str = "tank") -> RunState:
    number = plan.kept_stage or 0
    made = events.PoolMade(
        at_s=2e9, pool=name, guid=GUID, used_bytes=1, available_bytes=10**9, properties={"compression": "on"}
    )
    placed = events.StepStarted(at_s=2e9, stage=number + 1, what="Import it", line="zpool import", role="import-pool")
    return fold_all(
        [
            started("the-run", at_s=1e9, host="vault"),
            events.StageStarted(at_s=1e9, stage=number),
            made,
            events.StageEnded(at_s=2e9, stage=number, kept=True),
            *((placed, events.StageEnded(at_s=2e9, stage=number + 1, kept=True)) if plan.permanence else ()),
            events.RunEnded(at_s=2e9, outcome="finished", kept=True),
        ]
    )


@pytest.mark.parametrize(
    "level, fails, grows",
    [
        ("zfs-stripe", "Any failed disk loses the pool", "zpool add -n tank /dev/disk/by-id/NEW1 "),
        ("zfs-mirror", "zpool replace tank /dev/disk/by-id/OLD", "zpool add -n tank mirror /dev/disk/by-id/NEW1"),
        ("zfs-raidz1", "zpool replace tank /dev/disk/by-id/OLD", "zpool add -n tank raidz1 /dev/disk/by-id/NEW1"),
    ],
)
def test_the_page_tells_the_pool_and_its_care(level: str, fails: str, grows: str) -> None:
    made = plan(level, pool_name="tank", mount_point="/srv/tank")
    text = commissioning(made, state_of(made))
    for words in (GUID, "of 4 disks: tank", "mounts it at /srv/tank", fails, grows, f"zpool import -N {GUID}"):
        assert words in text
    assert "mdadm" not in text.partition("## What was tested")[2].partition("```\ndisks")[0]


def test_one_that_boot_does_not_know_has_the_lines_for_it() -> None:
    made = plan(pool_name="tank", permanent=False)
    text = commissioning(made, state_of(made))
    assert "It is not mounted now. As root:" in text and "zpool set cachefile= tank" in text


def test_a_pool_of_its_name_is_not_taken_for_it_by_hand_either() -> None:
    """The lines after the first one go by the name."""
    lines = of_pools.shell_lines("tank", GUID, "/srv/tank")
    stub = 'zpool() { [ "$1" = list ] && echo 7; }\n'
    ended = subprocess.run(["bash", "-c", f"{stub}{lines[0]}"], capture_output=True, text=True, check=False)
    assert ended.returncode != 0 and "stop: tank is another" in lines[0]
    own = stub.replace("7", GUID)
    assert subprocess.run(["bash", "-c", f"{own}{lines[0]}"], check=False).returncode == 0


@pytest.mark.parametrize("permanent", [True, False])
def test_a_folder_with_a_blank_is_one_word_of_the_lines(permanent: bool) -> None:
    made = plan(pool_name="tank", permanent=True, mount_point="/srv/my tank")
    made = made if permanent else msgspec.structs.replace(made, stages=made.stages[:-1])
    text = commissioning(made, state_of(made))
    assert "zfs set mountpoint='/srv/my tank' tank" in text and "mountpoint=/srv/my" not in text


@pytest.mark.parametrize("given", [{"pool_name": "tank"}, {}])
def test_the_script_makes_it_says_where_zfs_is_missing_and_knows_it_where_it_stands(given: dict[str, Any]) -> None:
    made = plan(**given)
    pool = slots.filled(made).stages[made.kept_stage or 0].filesystem
    assert pool
    name = pool.pool
    text = build_script(made, state_of(made, name))
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
    assert f"pool_name={name}\n" in text and "ZFS is missing on this machine" in text
    assert f'-m legacy {name} raidz1 "${{part_0_1}}"' in text and '"${pool}"' in text and "{name:" not in text
    assert "-O primarycache" not in text and "fio --" not in text
    looked = text.index("Exists already, as")
    assert text.index("ZFS is missing") < looked < text.index("Type the code") < text.index("zpool create")
