"""From answers to a plan: given these disks, this is done in this order, or refused because."""

import tomllib

import msgspec
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from raidtui import recipes
from raidtui.core.disks.disk import (
    Content,
    Standing,
    Verdict,
)
from raidtui.core.fio.text import parse_bytes
from raidtui.core.plan.answers import (
    Answers,
    AnswersError,
    Axes,
    Setup,
    parse,
    to_document,
)
from raidtui.core.plan.model import (
    Plan,
    confirmation_code,
    encode,
    shown_steps,
    undo,
)
from raidtui.core.plan.planner import PlanNotSafe, PlanRefused, make
from raidtui.core.plan.script import script
from raidtui.core.plan.steps import (
    Check,
    Command,
    Wait,
    shell,
)
from raidtui.core.plan.trials import start_bytes
from raidtui.core.plan.validate import (
    decode,
)
from raidtui.core.raid.levels import LEVELS
from raidtui.core.units import GIB, KIB, MIB
from tests.builders.racks import RACK, answers, commands, disk, plan


def test_the_array_is_created_with_everything_said_explicitly() -> None:
    made = plan(answers(filesystem="xfs"))
    array = made.stages[-1].array
    assert array is not None
    assert commands(made, "mdadm")[0] == (
        "mdadm", "--create", "{array}", f"--uuid={array.uuid}", f"--name={array.name}", "--homehost=any",
        "--metadata=1.2", "--level=5", "--raid-devices=3", "--chunk=512", "--layout=left-symmetric",
        "--bitmap=internal", "--run", "{member:0}", "{member:1}", "{member:2}",
    )  # fmt: skip


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
    for stage in plan().stages:
        assert isinstance(stage.steps[0], Check) and stage.steps[0].question == "members-free"


def test_the_first_sync_is_waited_for_or_skipped_and_said() -> None:
    def waits(made: Plan) -> bool:
        return any(isinstance(s, Wait) and s.condition == "sync-finished" for s in shown_steps(made))

    assert waits(plan())
    skipped = plan(answers(first_sync="skip"))
    assert not waits(skipped)
    assert "--assume-clean" in commands(skipped, "mdadm")[0]
    assert any("first sync is skipped" in note for note in skipped.notes)


def test_a_kept_array_is_unmounted_and_nothing_is_erased() -> None:
    made = plan(msgspec.structs.replace(answers(filesystem="ext4"), after="keep"))
    last = [shell(step) for step in shown_steps(made)][-1]
    assert last == "umount mnt"
    assert not any("--zero-superblock" in shell(step) for step in shown_steps(made))


def test_what_is_on_a_disk_is_erased_partitions_first() -> None:
    used = disk(
        1,
        contents=(Content("sdb1", "ext4", "home"), Content("sdb", "gpt")),
        partitions=("sdb1",),
        verdict=Verdict(Standing.WARN, "holds ext4 on sdb1; it will be erased"),
    )
    made = plan(disks=(RACK[0], used, *RACK[2:]))
    assert made.stages[0].title == "Erase"
    assert [step.argv for step in made.stages[0].steps if isinstance(step, Command)] == [
        ("wipefs", "--all", "--backup", "{part:1:1}"),
        ("wipefs", "--all", "--backup", "{member:1}"),
        ("blockdev", "--rereadpt", "{member:1}"),
    ]
    assert made.members[1].warning and made.members[1].found == "ext4 on sdb1 (home), gpt"


def test_the_same_question_gives_the_same_plan_and_code() -> None:
    assert plan() == plan()


@pytest.mark.parametrize(
    "other",
    [
        plan(machine="elsewhere"),
        plan(answers(4)),
        plan(answers(chunk="64K")),
        plan(disks=(disk(0, serial="OTHER"), *RACK[1:])),
        plan(disks=(disk(0, size_bytes=5 * GIB), *RACK[1:])),
        plan(disks=(disk(0, contents=(Content("sda", "xfs"),)), *RACK[1:])),
    ],
)
def test_the_code_fits_no_other_machine_disks_or_contents(other: Plan) -> None:
    assert other.code != plan().code


def test_a_disk_that_came_back_under_another_name_keeps_the_code() -> None:
    assert plan(disks=(disk(0, name="sdx", path="/dev/sdx"), *RACK[1:])).code == plan().code


def test_a_plan_reads_back_as_written() -> None:
    made = plan(answers(filesystem="xfs"))
    assert decode(encode(made)) == made
    assert confirmation_code(decode(encode(made))) == made.code


def test_a_disk_in_use_is_refused_with_its_reason() -> None:
    busy = disk(1, verdict=Verdict(Standing.REFUSE, "sdb1 is mounted at /home", "unmount it"))
    with pytest.raises(PlanNotSafe, match=r"sdb .*SER0001.*sdb1 is mounted at /home; unmount it"):
        plan(disks=(RACK[0], busy, *RACK[2:]))


def test_a_disk_that_is_not_here_is_refused() -> None:
    with pytest.raises(PlanNotSafe, match="no disk wwn-0x5000c500a1b2c3d2 on this machine"):
        plan(disks=RACK[:2])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (answers(3, "6"), "RAID 6 needs 4 disks; choose 1 more"),
        (answers(level="7"), "'7' is not a RAID level"),
        (answers(level="1", chunk="64K"), "RAID 1 has no chunk"),
        (answers(level="5", chunk="100K"), "power of two"),
        (answers(level="5", chunk="lots"), "'lots' is not a size"),
        (answers(level="10", layout="n9"), "no layout 'n9'"),
        (answers(filesystem="ntfs"), "'ntfs' is not a file system"),
        (answers(1, "0"), "RAID 0 needs 2 disks"),
        (msgspec.structs.replace(answers(first_sync="skip"), after="keep"), "needs valid parity"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"rw": "trim"}}), "rw cannot be 'trim'"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"numjobs": 10**6}}), "numjobs cannot be"),
        (msgspec.structs.replace(answers(), variant="fast"), "variant 'fast' is not one"),
        (msgspec.structs.replace(answers(), job={"nope": {}}), "job.nope is no job"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"bs": "huge"}}), "seq_read"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"runtime": "soon"}}), "seq_read"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"filename": "/dev/sdz"}}), "'filename' is not an option"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"directory": "/home"}}), "'directory' is not an option"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"exec_prerun": "reboot"}}), "'exec_prerun' is not"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"name": "x"}}), "'name' is not an option"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"bs=4k --filename": "x"}}), "is not an option"),
        (msgspec.structs.replace(answers(), job={"seq_read": {"ioengine": "external:/tmp/x.so"}}), "ioengine cannot"),
        (msgspec.structs.replace(answers(), fio={"size": "500%"}), "size cannot be '500%'"),
        (msgspec.structs.replace(answers(), fio={"randseed": 2**63}), "fio.randseed is 9223372036854775808, which"),
        (msgspec.structs.replace(answers(filesystem="xfs"), fio={"offset": "1g"}), "offset cannot be given"),
        (
            msgspec.structs.replace(answers(6), setup=Setup(level="5", disks=3)),
            "3 of these disks are in no setup: sdd,",
        ),
        (msgspec.structs.replace(answers(6), axes=Axes(disks=(3, 5))), "1 of these disks is in no setup: sdf;"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(given: Answers, says: str) -> None:
    with pytest.raises(PlanRefused) as refused:
        plan(given)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_disks_that_some_setup_takes_are_planned_with_and_so_is_an_offset_on_a_device() -> None:
    assert len(plan(msgspec.structs.replace(answers(4), axes=Axes(disks=(3, 4)))).members) == 4
    assert len(plan(msgspec.structs.replace(answers(4), axes=Axes(disks=(3, 0)))).members) == 4
    assert plan(msgspec.structs.replace(answers(), fio={"offset": "1m", "size": "100%"})).trials


@given(
    level=st.sampled_from([row.key for row in LEVELS]),
    members=st.integers(1, 6),
    chunk=st.sampled_from(["", "4K", "512K", "1MiB"]),
    filesystem=st.sampled_from(["none", "ext4", "xfs"]),
    keep=st.booleans(),
)
def test_any_answers_give_a_plan_that_tears_down_what_it_builds_or_one_sentence(
    level: str, members: int, chunk: str, filesystem: str, keep: bool
) -> None:
    given = answers(members, level, chunk=chunk, filesystem=filesystem)
    try:
        made = plan(msgspec.structs.replace(given, after="keep" if keep else "teardown"))
    except PlanRefused as refused:
        assert str(refused) and "\n" not in str(refused)
        return
    assert len({trial.id for trial in made.trials}) == len(made.trials)
    measured = [step.trial for step in shown_steps(made) if isinstance(step, Command) and step.trial]
    assert measured == [trial.id for trial in made.trials]
    for stage in made.stages:
        mounts = sum(shell(step).startswith("mount ") for step in stage.steps)
        assert sum(shell(step).startswith("umount ") for step in undo(stage.steps)) == mounts
        if stage.array:
            assert sum("--zero-superblock" in shell(step) for step in undo(stage.steps)) == members
    assert script(made).count("check_members_free\n") >= len(made.stages)


def test_answers_survive_their_own_toml() -> None:
    given = msgspec.structs.replace(answers(filesystem="xfs"), repeat=3, job={"seq_read": {"bs": "4m"}})
    assert parse(to_document(given)) == given
    swept = msgspec.structs.replace(given, axes=Axes(chunk=("4K", "8K")), fio={"runtime": "2s"}, disk_speed="94MB/s")
    assert parse(tomllib.loads(tomli_w.dumps(to_document(swept)))) == swept
    several = msgspec.structs.replace(swept, axes=(Axes(level=("1",)), Axes(group_thread_cnt=(0, 2))))
    assert parse(tomllib.loads(tomli_w.dumps(to_document(several)))) == several


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"disks": []}, "`disks` is empty"),
        ({"disks": ["a", "a"]}, "more than once"),
        ({"disk": ["a"]}, "disk"),
        ({"repeat": 0}, "`repeat` is 0"),
        ({"repeat": "twice"}, "$.repeat"),
        ({"after": "burn"}, "$.after"),
        ({"setup": {"levle": "5", "level": "5"}}, "levle"),
        ({"setup": {"level": 5}}, "$.setup.level"),
        ({"setup": 5}, "$.setup"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], says: str) -> None:
    document = {"disks": ["wwn-0x1"], "setup": {"level": "5"}} | change
    with pytest.raises(AnswersError) as refused:
        parse(document, "answers.toml")
    assert says in str(refused.value) and str(refused.value).startswith("answers.toml: ")


@pytest.mark.parametrize(
    ("identity", "link"),
    [
        ("wwn-0x1", "/dev/disk/by-id/wwn-0x1"),
        ("serial-IRONDISK_SER0", "/dev/disk/by-id/ata-IRONDISK_SER0"),
        ("path-pci-1", "/dev/disk/by-path/pci-1"),
        ("name-sda", ""),
    ],
)
def test_a_script_finds_a_disk_by_the_kind_of_its_identity(identity: str, link: str) -> None:
    """A doubled WWN makes udev's wwn link point at either disk: the identity is a path then, and so is the link."""
    links = ("/dev/disk/by-id/ata-IRONDISK_SER0", "/dev/disk/by-id/wwn-0x1", "/dev/disk/by-path/pci-1")
    first = disk(0, id=identity, links=links)
    given = msgspec.structs.replace(answers(), disks=(identity, *(d.id for d in RACK[1:3])))
    assert plan(given, (first, *RACK[1:])).members[0].link == link


def test_a_trial_is_named_after_its_stage() -> None:
    repeated = plan(msgspec.structs.replace(answers(), repeat=2))
    ids = [trial.id for trial in repeated.trials]
    assert ids[0] == "s1-member0-seq_write" and "s1-members-seq_read" in ids and "s2-seq_read.2" in ids


@pytest.mark.parametrize("name", [name for name in recipes.names() if not recipes.load(name).existing])
def test_what_writes_to_a_bare_device_leaves_its_first_sectors_alone(name: str) -> None:
    """A kernel would take random blocks there for a partition table, once in some hundred runs."""
    setup = Setup() if recipes.load(name).axes else Setup(level="5")
    made = make(Answers(disks=tuple(disk.id for disk in RACK), setup=setup), recipes.load(name), RACK, "here")
    for argv in commands(made, "fio"):
        if any(word in ("--filename={array}", "--filename={member:0}") for word in argv):
            offset = next(int(word.partition("=")[2]) for word in argv if word.startswith("--offset="))
            assert offset >= MIB


@pytest.mark.parametrize("name", [name for name in recipes.names() if not recipes.load(name).existing])
@pytest.mark.parametrize("offset", ["", "1%", "64m"])
def test_no_job_goes_beyond_the_end_of_its_device(name: str, offset: str) -> None:
    """fio ends at the first random block there, without an error."""
    chosen = recipes.load(name)
    own = {"offset": offset} if offset else {}
    jobs = tuple(msgspec.structs.replace(job, fio=job.fio | own) for job in chosen.job)
    setup = Setup() if chosen.axes else Setup(level="5")
    given = Answers(disks=tuple(disk.id for disk in RACK), setup=setup)
    try:
        made = make(given, msgspec.structs.replace(chosen, job=jobs), RACK, "here")
    except PlanRefused:
        assert offset  # where the test is on a file
        return
    sizes = {"{array}": 0, "{array:1}": 0, **{f"{{member:{n}}}": 4 * GIB for n in range(6)}}
    for stage in made.stages:
        if stage.array:
            sizes |= dict.fromkeys(("{array}", "{array:1}"), stage.array.capacity.array_bytes)
        for step in stage.steps:
            if isinstance(step, Command) and step.argv[0] == "fio":
                said = dict(word.removeprefix("--").split("=", 1) for word in step.argv if "=" in word)
                room = sizes.get(said["filename"])
                if room and "size" in said and not said["size"].endswith("%"):
                    start = int(room * 0.01) if said["offset"] == "1%" else parse_bytes(said["offset"]) or 0
                    assert start + (parse_bytes(said["size"]) or 0) <= room


def test_on_an_array_the_tests_begin_at_a_whole_stripe() -> None:
    assert any("--offset=1572864" in argv for argv in commands(plan(answers(members=4, chunk="512K")), "fio"))
    assert start_bytes(GIB, 3 * 512 * KIB) == 3 * 512 * KIB and start_bytes(GIB, 3 * 64 * KIB) == 6 * 192 * KIB
    assert start_bytes(GIB) == MIB and start_bytes(MIB, 64 * KIB) == 0
