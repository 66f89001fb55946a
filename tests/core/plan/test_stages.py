"""The steps of a stage: created with all said, looked at first, taken back in the order that leaves disks blank."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Content, Disk, Usability, Verdict
from raidtui.core.plan import slots, trials, validate
from raidtui.core.plan.answers import Answers, Axes, PlanRefused, Setup, parse, to_document
from raidtui.core.plan.model import Plan, encode, shown_steps, undo
from raidtui.core.plan.planner import make
from raidtui.core.plan.retry import answers_of
from raidtui.core.plan.steps import Check, Command, Wait, role_of, shell
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.units import MIB, TIB
from raidtui.runs import directory
from tests.builders.plans import of_role
from tests.builders.racks import QUICK, RACK, answers, commands, disk, plan


def test_the_array_is_created_with_everything_said_explicitly() -> None:
    made = plan(answers(filesystem="xfs", first_sync="wait"))
    array = made.stages[-1].array
    assert array is not None
    assert commands(made, "mdadm")[0] == (
        "mdadm", "--create", "{array}", f"--uuid={array.uuid}", f"--name={array.name}", "--homehost=any",
        "--metadata=1.2", "--level=5", "--raid-devices=3", "--chunk=512", "--layout=left-symmetric",
        "--bitmap=internal", "--run", "{member:0}", "{member:1}", "{member:2}",
    )  # fmt: skip


def test_a_partial_parity_log_stands_in_the_place_of_a_bitmap() -> None:
    create = commands(plan(answers(level="5", bitmap="ppl")), "mdadm")[0]
    assert "--consistency-policy=ppl" in create and not any("--bitmap" in word for word in create)


def test_a_journal_is_named_behind_all_other_disks_and_taken_back_with_them() -> None:
    setup = Setup(level="5", bitmap="journal", spares=1, filesystem="ext4")
    stage = plan(Answers(disks=tuple(disk.id for disk in RACK[:5]), setup=setup, after="keep")).stages[-1]
    create = of_role(stage.steps, "create")[0]
    assert create.argv[-5:] == ("--run", "{member:0}", "{member:1}", "{member:2}", "--write-journal={member:3}")
    assert "--raid-devices=3" in create.argv and not any("--bitmap" in word for word in create.argv)
    assert create.members == (0, 1, 2, 3)
    added = [step.argv[-1] for step in of_role(stage.steps, "add")]
    assert added == ["{member:4}"]
    zeroed = [step.members for step in of_role(undo(stage.steps), "zero")]
    wiped = [step.members for step in of_role(undo(stage.steps), "wipe")]
    assert zeroed == [(0,), (1,), (2,), (3,), (4,)] and wiped[1:] == zeroed


def test_a_journal_on_a_partition_has_a_table_as_the_others() -> None:
    setup = Setup(level="5", bitmap="journal", members="partitions")
    stage = plan(Answers(disks=tuple(disk.id for disk in RACK[:4]), setup=setup, after="keep")).stages[-1]
    create = of_role(stage.steps, "create")[0]
    assert stage.array and len(stage.array.tables) == 4 and create.argv[-1] == "--write-journal={part:3:1}"


def test_a_level_without_redundancy_gets_no_bitmap_and_raid1_no_chunk() -> None:
    assert not any("--bitmap" in word for word in commands(plan(answers(level="0")), "mdadm")[0])
    assert not any("--chunk" in word for word in commands(plan(answers(level="1")), "mdadm")[0])


def test_the_teardown_follows_the_order_that_leaves_members_blank() -> None:
    stage = plan(answers(filesystem="ext4")).stages[-1]
    assert [shell(step) for step in undo(stage.steps)] == [
        "umount mnt",
        'wipefs --all "${array}"',
        "udevadm settle",
        'mdadm --stop "${array}"',
        *(f'mdadm --zero-superblock "${{member_{i}}}"' for i in range(3)),
        *(f'wipefs --all "${{member_{i}}}"' for i in range(3)),
        "udevadm settle",
        "check_members_blank",
    ]
    locked = [getattr(step, "locked", False) for step in undo(stage.steps)]
    assert locked == [False] * 3 + [True] * 7 + [False] * 2


def test_every_stage_looks_at_the_members_before_it_does_anything() -> None:
    assert {getattr(stage.steps[0], "question", "") for stage in plan().stages} == {"members-free"}


def test_the_first_sync_is_waited_for_or_skipped_and_said() -> None:
    def waits(made: Plan) -> bool:
        return any(isinstance(s, Wait) and s.condition == "sync-finished" for s in shown_steps(made))

    waiting = plan(answers(first_sync="wait"))
    assert waits(waiting) and any("sync_speed_max" in shell(step) for step in shown_steps(waiting))
    for skipped in (plan(answers(first_sync="skip")), plan()):  # unset: it is taken down again
        assert not waits(skipped)
        assert "--assume-clean" in commands(skipped, "mdadm")[0]
        assert [note for note in skipped.notes if "resync skipped" in note] == [
            "Initial resync skipped (24 s). Results are valid without it: a write reads and writes the same"
            " blocks whether parity is valid or not (it is not)."
        ]
    assert waits(plan(answers(after="keep")))
    assert not any("skipped" in note for note in plan(answers(level="0")).notes)
    assert "copies are read and written the same" in plan(answers(level="1")).notes[0]


def test_a_kept_array_is_unmounted_and_nothing_is_erased() -> None:
    made = plan(answers(filesystem="ext4", after="keep"))
    last = [shell(step) for step in shown_steps(made)][-1]
    assert last == "umount mnt"
    assert not any("--zero-superblock" in shell(step) for step in shown_steps(made))


def test_what_is_on_a_disk_is_erased_partitions_first() -> None:
    used = disk(
        1,
        contents=(Content("sdb1", "ext4", "home"), Content("sdb", "gpt")),
        partitions=("sdb1",),
        verdict=Verdict(Usability.WARN, "holds ext4 on sdb1; it will be erased"),
    )
    made = plan(disks=(RACK[0], used, *RACK[2:]))
    assert made.stages[0].title == "Erase"
    assert [step.argv for step in made.stages[0].steps if isinstance(step, Command)] == [
        ("wipefs", "--all", "--backup", "{part:1:1}"),
        ("wipefs", "--all", "--backup", "{member:1}"),
        ("blockdev", "--rereadpt", "{member:1}"),
    ]
    assert made.members[1].warning and made.members[1].found == "ext4 on sdb1 (home), gpt"


TAKEN_DOWN = replace(answers(), setup=Setup(level="5", members="partitions"))
PARTITIONS = replace(TAKEN_DOWN, after="keep")


def test_partitions_are_made_and_looked_at_before_the_array_and_taken_away_after_it() -> None:
    made = plan(PARTITIONS)
    stage = made.stages[-1]
    assert [role_of(step) for step in stage.steps[: stage.build]] == [
        "members-free", "partition", "partition", "partition", "settled", "partitions-own", "create", "settled",
        "array-built", "set", "sync-finished", "put-back",
    ]  # fmt: skip
    sfdisk = 'sfdisk --quiet --label=gpt --wipe=always --wipe-partitions=always "${member_0}"'
    lines = "start=1MiB, size=4054MiB, type=A19D880F-05FC-4D3B-A006-743F0F84911E"
    assert shell(stage.steps[1]) == f"{sfdisk} <<< 'label-id: '\"${{uuid_1}}\"'\n{lines}'"
    check = stage.steps[5]
    assert isinstance(check, Check) and set(check.expected.values()) == {4054 * MIB} and len(check.expected) == 3
    create = stage.steps[6]
    assert isinstance(create, Command) and create.argv[-3:] == ("{part:0:1}", "{part:1:1}", "{part:2:1}")
    assert (create.members, create.partition) == ((0, 1, 2), 1)
    assert [shell(step) for step in undo(stage.steps[: stage.build])] == [
        'put_back /sys/block/"$(name "${array}")"/md/sync_speed_max',  # again, of a wait that was cut short
        'wipefs --all "${array}"',
        "udevadm settle",
        'mdadm --stop "${array}"',
        *(f'mdadm --zero-superblock "${{part_{i}_1}}"' for i in range(3)),
        *(line.format(i) for i in (2, 1, 0) for line in ('wipefs --all "${{member_{}}}"', REREAD)),
        "udevadm settle",
        "check_members_blank",
    ]
    locked = [getattr(step, "locked", False) for step in undo(stage.steps[: stage.build])]
    assert locked == [False] * 3 + [True] * 10 + [False] * 2


REREAD = 'blockdev --rereadpt "${{member_{}}}"'


def test_the_tables_are_known_by_uuids_of_the_runs_own_and_the_plan_can_be_read_again() -> None:
    made = directory.drawn(plan(PARTITIONS))
    array = slots.filled(made).stages[-1].array
    assert array and array.partitioned and len({array.uuid, *array.tables}) == 4
    assert slots.filled(made).tables == dict(zip((member.id for member in made.members), array.tables, strict=True))
    assert validate.decode(encode(made)) == made and made.code == plan(PARTITIONS).code
    whole = plan(answers(after="keep"))
    assert whole.tables == {} and not whole.partitioned and whole.code != made.code


@pytest.mark.parametrize(
    "given, disks, says",
    [
        (TAKEN_DOWN, RACK, "setup.members: partitions are for an array that stays"),
        (PARTITIONS, (disk(0, name="dm-0", path="/dev/dm-0"), *RACK[1:]), "dm-0 (IRONDISK SER0000) is a multipath map"),
        (PARTITIONS, (disk(0, size_bytes=2 * MIB), *RACK[1:]), "too small for a partition"),
    ],
)
def test_what_cannot_have_partitions_for_its_members_is_refused(
    given: Answers, disks: tuple[Disk, ...], says: str
) -> None:
    with pytest.raises(PlanRefused) as refused:
        plan(given, disks)
    assert says in str(refused.value)


def test_ext4_of_a_large_array_keeps_one_percent_for_root_and_its_tables_are_counted() -> None:
    """mke2fs writes 122.9 GB of inode tables on 15 TiB: at 180 MB/s a disk that is most of its time."""
    made = plan(answers(level="0", filesystem="ext4"), large := tuple(disk(n, size_bytes=5 * TIB) for n in range(3)))
    stage = made.stages[-1]
    mkfs = of_role(stage.steps, "mkfs")[0]
    assert mkfs.argv[mkfs.argv.index("-m") + 1] == "1" and stage.filesystem and stage.filesystem.reserved_percent == 1
    own_bytes = filesystem("ext4").own_bytes(stage.array.capacity.array_bytes if stage.array else 0)
    assert own_bytes == pytest.approx(130.9e9, rel=0.01)
    assert mkfs.estimate_s == pytest.approx(own_bytes / (3 * 180e6), rel=0.01)
    small = plan(answers(level="0", filesystem="ext4"))
    assert not any("-m" in command for command in commands(small, "mkfs.ext4"))
    assert stage.written_bytes - plan(answers(level="0"), large).stages[-1].written_bytes > own_bytes


@pytest.mark.parametrize("percent", [0, 5, 50])
def test_the_share_for_root_is_as_it_was_answered(percent: int) -> None:
    asked = answers(filesystem="ext4", reserved_percent=percent)
    (command,) = commands(plan(asked), "mkfs.ext4")
    assert command[command.index("-m") + 1] == str(percent)
    assert parse(to_document(asked)).reserved_percent == percent


def test_a_share_for_root_where_none_is_possible_is_refused() -> None:
    asked = answers(filesystem="xfs", reserved_percent=1)
    with pytest.raises(PlanRefused, match="reserved_percent: only ext2 and ext4 have it; choose one of them"):
        plan(asked)


FIO = ("fill", "measure")


def fio_steps(made: Plan) -> list[Command]:
    return [step for step in made.stages[-1].steps if isinstance(step, Command) and step.role in FIO]


def test_random_tests_are_on_all_of_the_device_and_nothing_is_written_to_it_once_it_has_a_file_system() -> None:
    made = plan(answers(filesystem="xfs", after="keep"))
    stage = made.stages[-1]
    assert stage.array
    roles = [role_of(step) for step in stage.steps if role_of(step) in (*FIO, "wipe", "mkfs", "mount", "sync-finished")]
    assert roles == [
        "sync-finished", "wipe", *["measure"] * 6, "wipe", "wipe", "mkfs", "mount", "fill", "measure", "measure",
    ]  # fmt: skip
    at_device, on_file = fio_steps(made)[:6], fio_steps(made)[6:]
    assert all("--filename={array}" in step.argv and "--size=100%" in step.argv for step in at_device)
    assert all(f"--offset={MIB}" in step.argv for step in at_device[-2:])
    assert all("--filename=mnt/raidtui.fio" in step.argv for step in on_file)
    tests = {trial.job: (trial.target, trial.file_test, trial.title) for trial in stage.trials}
    assert {job: test for job, test in tests.items() if job.endswith(("-bare", "-inner"))} == {
        "seq_write-bare": ("array", False, "Sequential write (outer)"),
        "seq_read-bare": ("array", False, "Sequential read (outer)"),
        "seq_write-inner": ("array", False, "Sequential write (inner)"),
        "seq_read-inner": ("array", False, "Sequential read (inner)"),
    }
    assert {job: test for job, test in tests.items() if not job.endswith(("-bare", "-inner"))} == {
        "rand_write": ("array", False, "Random 4K write"),
        "rand_read": ("array", False, "Random 4K read"),
        "seq_write": ("filesystem", True, "Sequential write (file)"),
        "seq_read": ("filesystem", True, "Sequential read (file)"),
    }
    spans = {trial.job: trial.span_bytes for trial in stage.trials}
    assert spans["rand_read"] == stage.array.capacity.array_bytes - MIB
    wiped = [step.argv for step in of_role(stage.steps, "wipe")]
    assert wiped[1:] == [
        ("wipefs", "--all", "{array}"),
        ("dd", "if=/dev/zero", "of={array}", "bs=1048576", "count=1", "conv=fsync", "status=none"),
    ]


def test_where_all_tests_are_on_the_device_the_kept_part_begins_behind_the_mount() -> None:
    made = plan(answers(filesystem="ext4", after="keep", jobs=("rand_read",)))
    stage = made.stages[-1]
    assert [role_of(step) for step in fio_steps(made)] == ["measure"]
    assert [role_of(step) for step in stage.steps[trials.tests_end(stage) :]] == ["mounted", "record", "unmount"]


@pytest.mark.parametrize(
    "changed, asked, on_files",
    [
        ({"source": "an article"}, {}, {False}),
        ({}, {"axes": Axes(filesystem=("xfs",))}, {True}),
        ({}, {"axes": Axes(level=("5", "jbod"))}, {True, False}),  # separate disks have no other place than files
        ({"rounds": 5, "steady": "rand_write", "repeat": 1}, {}, {True}),
    ],
)
def test_what_is_published_or_compares_files_stays_on_files(
    changed: dict[str, Any], asked: dict[str, Any], on_files: set[bool]
) -> None:
    given = answers(filesystem="xfs", repeat=1, **asked)
    made = make(given, replace(QUICK, **changed), RACK, "here")
    built = [trial for stage in made.stages if stage.setup for trial in stage.trials]
    assert {trial.target for trial in built} == {"filesystem"}
    assert {trial.file_test for trial in built} == on_files


def test_a_test_again_is_where_it_was() -> None:
    for given in (answers(filesystem="xfs"), answers(axes=Axes(filesystem=("xfs",)))):
        made = plan(replace(given, repeat=1))
        assert made.stages[-1].trials
        for trial in made.stages[-1].trials:
            again = plan(answers_of(made, trial.id)).stages[-1]
            beside = {trial.job} if not trial.bare else {f"{trial.of_job}{end}" for end in ("", "-bare", "-inner")}
            assert {one.job for one in again.trials} == beside
            one = next(one for one in again.trials if one.job == trial.job)
            assert (one.job, one.target, one.span_bytes) == (trial.job, trial.target, trial.span_bytes)
            assert again.filesystem and again.filesystem.kind == "xfs"
            assert [role_of(step) for step in again.steps].count("mkfs") == 1


def test_the_device_of_a_partition_is_measured_from_its_own_first_mib() -> None:
    made = plan(answers(filesystem="ext4", partition_start_sectors=2048))
    stage = made.stages[-1]
    assert stage.array and all("--filename={array:1}" in step.argv for step in fio_steps(made)[:2])
    assert stage.trials[0].span_bytes == stage.array.capacity.array_bytes - 2 * MIB


@pytest.mark.parametrize("role", ["measure", "wipe"])
def test_no_plan_writes_to_a_device_that_has_its_file_system(role: str) -> None:
    made = plan(answers(filesystem="ext4"))
    stage = made.stages[-1]
    late = [step for step in stage.steps if isinstance(step, Command) and step.role == role and not step.members][:1]
    mkfs = next(at for at, step in enumerate(stage.steps) if role_of(step) == "mkfs")
    moved = (*stage.steps[: mkfs + 1], *late, *stage.steps[mkfs + 1 :])
    bad = replace(made, stages=(*made.stages[:-1], replace(stage, steps=moved)))
    with pytest.raises(ValueError, match="the array has a file system by then"):
        validate.check(bad)
    validate.check(made)
