"""Plans of ZFS pools: what is done in which order, and taken back; what no script tells, where none can be built."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.boot.distributions import DISTRIBUTIONS, BootPlace
from raidtui.core.disks.disk import Content, Disk
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import Answers, Axes, PlanNotSafe, PlanRefused, parse, to_document
from raidtui.core.plan.model import Plan, encode, undo
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command, role_of, shell
from raidtui.core.raid import zfs
from raidtui.core.report.markdown import markdown
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.core.script.render import script
from raidtui.runs import directory
from tests.builders.racks import QUICK, RACK, answers, disk

PROGRAMS = (*zfs.PROGRAMS, zfs.MODULE, "mkfs.btrfs")
BARE = replace(QUICK, baseline="none")


def plan(given: Answers, disks: tuple[Disk, ...] = RACK) -> Plan:
    return make(replace(given, jobs=("seq_read",), repeat=1), BARE, disks, "here", programs=PROGRAMS)


def test_a_pool_stands_on_partitions_of_the_runs_own_and_its_guid_is_read_at_once() -> None:
    (stage,) = plan(answers(3, "zfs-raidz1")).stages
    assert [role_of(step) for step in stage.steps[:10]] == [
        "members-free", "partition", "partition", "partition", "settled", "partitions-own", "create-pool", "pool-made",
        "settled", "mount",
    ]  # fmt: skip
    assert "type=6A898CC3-1DD2-11B2-99A6-080020736631" in shell(stage.steps[1])
    assert shell(stage.steps[6]).endswith('-"${name_0}" raidz1 "${part_0_1}" "${part_1_1}" "${part_2_1}"')
    assert [shell(step) for step in undo(stage.steps)] == [
        "umount mnt",
        'zpool destroy raidtui-"${name_0}"',
        "udevadm settle",
        *(f'zpool labelclear -f "${{part_{i}_1}}"' for i in range(3)),
        *(line.format(i) for i in (2, 1, 0) for line in ('wipefs --all "${{member_{}}}"', REREAD)),
        "udevadm settle",
        "check_members_blank",
    ]


def grouped(level: str, disks: int) -> Plan:
    rack = tuple(disk(number) for number in range(disks))
    return plan(replace(answers(level=level, groups=2), disks=tuple(one.id for one in rack)), rack)


@pytest.mark.parametrize(
    "level, disks, name, words",
    [
        ("zfs-raidz1", 6, "raidz1, 2 × 3", "raidz1 0 1 2 raidz1 3 4 5"),
        ("zfs-raidz2", 8, "raidz2, 2 × 4", "raidz2 0 1 2 3 raidz2 4 5 6 7"),
        ("zfs-raidz3", 10, "raidz3, 2 × 5", "raidz3 0 1 2 3 4 raidz3 5 6 7 8 9"),
    ],
)
def test_groups_are_vdevs_of_one_pool(level: str, disks: int, name: str, words: str) -> None:
    made = grouped(level, disks)
    (stage,) = made.stages
    (line,) = (shell(step) for step in stage.steps if role_of(step) == "create-pool")
    parts = re.sub(r'"\$\{part_(\d+)_1\}"', r"\1", line)
    assert (stage.title, parts.partition('-"${name_0}" ')[2]) == (name, words)
    assert validate.decode(encode(directory.drawn(made)))


@pytest.mark.parametrize(
    "vdevs",
    [
        "raidz1 0 1 2 3 4 5",
        "0 1 2 3 4 5",
        "raidz1 0 1 raidz1 2 3 4 5",
        "raidz1 0 1 2 raidz1 3 5 4",
        "raidz2 0 1 2 raidz2 3 4 5",
        "raidz1 0 1 2 raidz2 3 4 5",
        "raidz1 0 1 2 raidz1 3 4 5 raidz1",
        "raidz1 0 1 2 3 4 5 raidz1",
        "raidz1 raidz1 0 1 2 3 4 5",
        "raidz1 0 1 2 3 raidz1 4 5",
        "mirror 0 1 mirror 2 3 mirror 4 5",
        "raidz1 0 1 2 spare 3 4 5",
        "-f raidz1 0 1 2 raidz1 3 4 5",
    ],
)
def test_other_vdevs_than_those_of_the_setup_are_refused(vdevs: str) -> None:
    made = grouped("zfs-raidz1", 6)
    words = [f"{{part:{word}:1}}" if word.isdigit() else word for word in vdevs.split()]
    (stage,) = made.stages
    steps = [
        replace(step, argv=(*step.argv[: step.argv.index("-m") + 3], *words)) if isinstance(step, Command)
        and step.role == "create-pool" else step for step in stage.steps
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"creates other vdevs|no plan has"):
        validate.check(replace(made, stages=(replace(stage, steps=tuple(steps)),)))


REREAD = 'blockdev --rereadpt "${{member_{}}}"'


def test_name_and_tables_are_of_uuids_that_are_drawn_for_the_run() -> None:
    given = answers(4, "zfs-mirror")
    first, second = (slots.filled(directory.drawn(plan(given))).stages[-1].filesystem for _ in range(2))
    assert first and second and first.pool != second.pool and not {*first.tables} & {*second.tables}
    assert first.pool == f"raidtui-{first.uuid[:8]}" and len({first.uuid, *first.tables}) == 5
    made = directory.drawn(plan(given))
    assert validate.decode(encode(made)) == made and made.code == plan(given).code
    assert not made.partitioned and made.tables == {}  # of arrays


def test_no_script_is_made_of_a_pool_of_zfs() -> None:
    with pytest.raises(PlanNotSafe, match="a script cannot tell its ZFS pools from others': use `raidtui run`"):
        script(plan(answers(3, "zfs-stripe")))


def test_on_a_multipath_map_no_pool_is_built_and_the_rest_of_the_sweep_is() -> None:
    disks = (disk(0, name="dm-0", path="/dev/dm-0"), *RACK[1:])
    with pytest.raises(PlanRefused, match=r"dm-0 .* is a multipath map, on which no pool is built"):
        plan(answers(3, "zfs-stripe"), disks)
    both = answers(3, "", axes=Axes(level=("0", "zfs-stripe")))
    made = plan(both, disks)
    assert [stage.setup.level for stage in made.stages if stage.setup] == ["0"]
    assert "ZFS stripe of 3 disks: dm-0" in made.pruned[0]


def test_a_sweep_with_pools_says_how_they_are_measured_and_one_without_does_not() -> None:
    assert {*zfs.NOTES, zfs.ESTIMATED} <= {*plan(answers(3, "zfs-stripe")).notes}
    assert not {*zfs.NOTES, zfs.ESTIMATED} & {*plan(answers(3, "5")).notes}


def test_where_zfs_is_not_there_the_recipe_leaves_each_pool_out_with_the_reason() -> None:
    given = Answers(disks=answers(4).disks, recipe="jbod-vs-raid0")
    made = make(given, recipes.load("jbod-vs-raid0"), RACK, "here", programs=("mkfs.btrfs", "mkfs.ext4"))
    left_out = [text for text in made.pruned if text.startswith("ZFS")]
    assert len(left_out) == 6 and all("OpenZFS is not installed here" in text for text in left_out)
    assert "create-pool" not in {role_of(step) for stage in made.stages for step in stage.steps}


def test_the_report_tells_the_pool_as_zfs_does() -> None:
    made = plan(answers(3, "zfs-raidz1"))
    told = events.PoolMade(
        at_s=2.0, pool="raidtui-12345678", guid="13473334552955258669", used_bytes=10**6, available_bytes=7 * 10**9,
        properties={"recordsize": "131072", "primarycache": "metadata"},
    )  # fmt: skip
    state = fold_all([events.StageStarted(at_s=1.0, stage=0), told])
    text = markdown(made, state)
    assert "GUID 13473334552955258669" in text and "recordsize 131072, primarycache metadata" in text
    assert "7.00 GB" in text and "estimated" in text


def test_what_is_told_of_a_pool_does_not_outlive_the_making_of_another_in_its_stage() -> None:
    told = events.PoolMade(at_s=2.0, pool="raidtui-12345678", guid="1")
    again = events.StepStarted(at_s=3.0, stage=0, what="pool", line="zpool create", role="create-pool")
    state = fold_all([events.StageStarted(at_s=1.0, stage=0), told])
    assert state.pools == {0: told} and fold_all([again], state).pools == {}


PLACE = BootPlace(distribution=DISTRIBUTIONS[0], mdadm_conf="/etc/mdadm/mdadm.conf", systemd=True)


def kept(disks: int = 4, level: str = "zfs-raidz1", place: BootPlace | None = PLACE, **others: Any) -> Plan:
    given = answers(disks, level, jobs=("seq_read",), repeat=1, after="keep", **others)
    return make(given, BARE, RACK, "here", programs=PROGRAMS, place=place)


def test_the_pool_that_stays_is_made_anew_after_the_tests_and_without_their_settings() -> None:
    made = kept(pool_name="tank", atime="off", permanent=True, mount_point="/srv/tank")
    measured, stays, permanent = made.stages
    assert made.kept_stage == 1 and made.permanence == 2 and measured.trials and not stays.trials + permanent.trials
    (create,) = (step for step in stays.steps if role_of(step) == "create-pool")
    parts = " ".join(f'"${{part_{index}_1}}"' for index in range(4))
    assert shell(create) == (
        "zpool create -o ashift=12 -o cachefile=none -O compression=on -O atime=off -O recordsize=131072 -m legacy tank"
        f" raidz1 {parts}"
    )
    assert "primarycache=metadata" in shell(next(step for step in measured.steps if role_of(step) == "create-pool"))
    tables = [stage.filesystem.tables for stage in (measured, stays) if stage.filesystem]
    assert not {*tables[0]} & {*tables[1]}
    assert zfs.KEPT_NOTE.format(atime="off, as asked for") in made.notes
    assert not any("fstab" in shell(step) or "mdadm" in shell(step) for step in permanent.steps)


def test_it_is_exported_and_imported_by_its_guid_before_it_is_mounted_and_taken_back_in_that_order() -> None:
    permanent = kept(permanent=True, mount_point="/srv/tank").stages[-1]
    name = 'raidtui-"${name_5}"'
    stable = " ".join(f'-d "${{stable_{index}_1}}"' for index in range(4))
    assert [shell(step) for step in permanent.steps] == [
        "check_place /srv/tank",
        "pools_start",
        "mkdir --parents --mode=0755 /srv/tank",
        f"zpool export {name}",
        f'zpool import -N {stable} "${{pool}}"',
        "udevadm settle",
        "pool_came_back",
        f"zfs set mountpoint=/srv/tank {name}",
        f"zfs mount {name}",
        "findmnt --mountpoint /srv/tank",
        "pool_at_boot",
    ]
    assert [shell(step) for step in undo(permanent.steps)] == [
        f'zpool import -N {stable} "${{pool}}"',
        f"zfs set mountpoint=legacy {name}",
        f"zpool set cachefile=none {name}",
        "! pool_at_boot",
        "rmdir /srv/tank",
    ]


def test_a_kept_plan_is_read_as_it_was_written_and_plans_of_before_keep_their_codes() -> None:
    made = directory.drawn(kept(pool_name="tank", permanent=True))
    assert validate.decode(encode(made)) == made
    pool = slots.filled(made).stages[1].filesystem
    assert pool and pool.pool == "tank"


@pytest.mark.parametrize(
    "others, says",
    [
        ({"place": replace(PLACE, systemd=False)}, "systemd does not run here"),
        ({"place": replace(PLACE, pool_units_off=("zfs.target",))}, "systemctl enable zfs.target"),
        ({"place": replace(PLACE, pools_by_scan="permanent: boot finds tank")}, "boot finds tank"),
    ],
)
def test_what_a_kept_pool_cannot_be_is_refused_with_what_would_change_it(others: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanRefused, match=says):
        kept(permanent=True, **others)


def test_the_name_of_a_pool_that_is_exported_is_taken_too() -> None:
    """Both could not be imported at once, and which of them boot brings nobody knows."""
    away = disk(5, contents=(Content("sdf1", "zfs_member", "tank", "7"),))
    given = answers(4, "zfs-raidz1", jobs=("seq_read",), repeat=1, after="keep")
    named = replace(given, pool_name="tank")
    with pytest.raises(PlanRefused, match=r"sdf \(.*\) is of a pool tank already"):
        make(named, BARE, (*RACK[:5], away), "here", programs=PROGRAMS, place=PLACE)
    other = replace(given, pool_name="tank2")
    assert make(other, BARE, (*RACK[:5], away), "here", programs=PROGRAMS, place=PLACE).kept_stage == 1


@pytest.mark.parametrize(
    "name, says",
    [
        ("tank", ""),
        ("tank-2.b_c", ""),
        ("mirror1", "for something else"),
        ("raidz", "for something else"),
        ("log", "for something else"),
        ("c0t0", "for something else"),
        ("raidtui-12345678", "for something else"),
        ("2tank", "no name of a pool"),
        ("a b", "no name of a pool"),
        ("a/b", "no name of a pool"),
        ("-f", "no name of a pool"),
        ("t" * 65, "no name of a pool"),
    ],
)
def test_a_name_that_zfs_would_not_take_is_refused(name: str, says: str) -> None:
    reason = zfs.why_not_name(name)
    assert says in reason and bool(says) == bool(reason)


def test_answers_of_a_kept_pool_are_read_as_they_are_written() -> None:
    document = {"disks": ["a"], "after": "keep", "permanent": True, "setup": {"level": "zfs-raidz1"}, "atime": "off"}
    assert parse(to_document(parse(document))) == parse(document)
