"""The page that is handed over: what the array is, of which disks, how it is cared for; from plan and journal alone."""

import subprocess
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.ownership import Owned
from raidtui.core.handover.commissioning import build_script, commissioning
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.raid import volumes
from raidtui.core.raid.block_size import NOTE
from raidtui.core.run import events
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs import directory
from tests.builders import sweeps
from tests.runs.rig import plan_of, plan_permanent

LOOKED = "wipefs --no-act /dev/NEW  # must print nothing, else stop"
TOOLS = {"kernel": "Linux 6.1.0", "mdadm": "mdadm - v4.2"}


def kept(plan: Plan, *more: AnyEvent, **ended: Any) -> RunState:
    """The state of a run that keeps its array, with more events between its end and that of the stage."""
    number = plan.kept_stage or 0
    ids = [member.id for member in plan.members]
    health: dict[str, dict[str, float | str]] = {
        ids[0]: {"health": "passed", "power-on hours": 31250.0},
        ids[1]: {"health": "passed", "pending sectors": 3.0},
    }
    return fold_all(
        [
            events.WorkerStarted(
                at_s=1e9, schema=1, run="the-run", boot_id=plan.boot_id, pid=1, start_ticks=1, tools=TOOLS, host="vault"
            ),
            events.StageStarted(at_s=1e9, stage=number),
            events.HealthRead(at_s=1e9, stage=number, disks=health),
            events.StageEnded(at_s=1e9 + 1, stage=number, kept=True),
            *more,
            events.RunEnded(at_s=1e9 + 60, **{"outcome": "finished", "kept": True, **ended}),
        ]
    )


def permanent(plan: Plan) -> RunState:
    edit = events.FileEdited(at_s=1e9 + 2, path="/etc/fstab", lines=("UUID=1 /srv/array ext4",), mark="m")
    new = Owned(uid=1000, gid=8, mode=0o2775)
    return kept(
        plan,
        edit,
        events.OwnerChanged(at_s=1e9 + 3, folder="/srv/array", old=Owned(uid=0, gid=0, mode=0o755), new=new),
        events.MonitorSeen(at_s=1e9 + 4, monitor=Monitor(running=True, mailaddr="root", older=True)),
        events.StageEnded(at_s=1e9 + 5, stage=plan.permanence or 0, kept=True),
    )


def test_it_tells_all_that_a_successor_needs() -> None:
    plan = directory.drawn(sweeps.linked(plan_permanent(mount_owner="1000:8", mount_mode="2775")))
    text = commissioning(plan, permanent(plan))
    stage = slots.filled(plan).stages[plan.kept_stage or 0]
    assert stage.array and stage.filesystem
    name, uuid, serials = stage.array.name, stage.array.uuid, [member.serial for member in plan.members]
    for words in (
        f"# RAID 1 of 3 disks: {name}\n",
        "Built and measured on vault by raidtui's run the-run, 2001-09-09 01:46 UTC to",
        f"| UUID                | {uuid} ",
        f"| File system         | ext4, UUID {stage.filesystem.uuid} |",
        "| Mounted at          | /srv/array, 1000:8 2775 ",
        "# /etc/fstab\nUUID=1 /srv/array ext4\n",
        "Restart it: `systemctl restart mdmonitor`.",
        "| kernel | Linux 6.1.0  |",
        f"| 0    | {serials[0]} |",
        "| good     |",
        "| watch    |",
        "| not told |",
        f"- {serials[1]}: sectors that wait to be read again (pending): 3 (",
        f"raidtui replace {name} OLD NEW --confirm CODE\n",
        f"mdadm --remove /dev/md/{name} /dev/OLD\nmdadm --add /dev/md/{name} /dev/NEW\n",
        f"mdadm --replace /dev/md/{name} /dev/OLD --with /dev/NEW\n",
        f"raidtui grow {name} NEW --confirm CODE\n",
        f"mdadm --grow /dev/md/{name} --raid-devices=4\n",
        f"mdadm --assemble /dev/md/{name} --uuid={uuid}\n",
        "`bash build.sh`",
        'mount_owner = "1000:8"\n',
    ):
        assert words in text, words
    assert "{uuid" not in text and "{name" not in text and "**" not in text


@pytest.mark.parametrize("kernel, machines", [
    ("Linux 7.2.7", "any machine with Linux 6.19 or later"), ("Linux 6.1.176", "any machine"), ("", "any machine"),
])  # fmt: skip
def test_a_kernel_that_writes_a_block_size_names_the_machines_that_take_it(
    kernel: str, machines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = directory.drawn(plan_of("0", after="keep"))
    monkeypatch.setitem(TOOLS, "kernel", kernel)
    text = commissioning(plan, kept(plan))
    assert f"assemble it, in {machines}; never" in text
    assert (NOTE in text) is (machines != "any machine")


@pytest.mark.parametrize("steps_of", ["kept", "another", "none"])
def test_the_record_in_the_file_system_is_named_where_it_was_written(steps_of: str) -> None:
    plan = directory.drawn(sweeps.linked(plan_permanent()))
    number = plan.kept_stage or 0
    stages = {"kept": [number], "another": [number + 1]}.get(steps_of, [])
    told = [events.StepStarted(at_s=1e9 + 2, stage=stage, what="", line="tee", role="record") for stage in stages]
    row = "| Its record          | .raidtui-kept in its root folder: this run and the UUIDs, for root to read"
    assert (row in commissioning(plan, kept(plan, *told))) is (steps_of == "kept")


def test_what_was_undone_is_mounted_nowhere_and_grown_so() -> None:
    plan = directory.drawn(sweeps.linked(plan_permanent("xfs")))
    assert "Mounted at" in commissioning(plan, permanent(plan))
    state = fold_all([events.LinesTakenOut(at_s=2e9, path="/etc/fstab")], permanent(plan))
    text = commissioning(plan, state)
    assert "Mounted at" not in text and "It is unmounted now." in text
    assert "xfs_growfs" not in text  # of a mirror: a further copy gives no room


def test_what_is_wrong_with_it_stands_first() -> None:
    plan = directory.drawn(plan_permanent())
    due = commissioning(plan, kept(plan, outcome="failed", reason="no room on /boot")).split("\n\n")
    assert due[1].startswith("**Its boot entries are incomplete") and "`raidtui resume the-run`" in due[1]
    plan = directory.drawn(plan_of("1", after="keep"))
    failed = commissioning(plan, kept(plan, outcome="failed", reason="its worker died")).split("\n\n")
    assert failed[1] == "**The run failed.** its worker died"


@pytest.mark.parametrize(
    "models, ends", [(("scsi_debug",) * 3, True), (("scsi_debug", "scsi_debug", "WD"), False), (("WD",) * 3, False)]
)
def test_of_disks_in_memory_it_says_that_nothing_outlives_the_machine(models: tuple[str, ...], ends: bool) -> None:
    plan = plan_of("0", after="keep")
    members = [replace(one, model=name) for one, name in zip(plan.members, models, strict=True)]
    plan = directory.drawn(replace(plan, members=tuple(members)))
    text = commissioning(plan, kept(plan))
    assert ("disks and array end with it. " in text) is ends
    assert ("For real disks these lines, as root, keep it:" in text) is ends
    assert ("To keep it after a reboot" in text) is not ends
    plan = plan_permanent()
    members = [replace(one, model=models[0]) for one in plan.members]
    plan = directory.drawn(replace(plan, members=tuple(members)))
    comes = "Of real disks it would come back" if models[0] == "scsi_debug" else "It comes back"
    assert f"{comes} under its name, mounted at" in commissioning(plan, permanent(plan))


def test_it_says_who_is_told_of_a_failed_disk_or_what_that_takes() -> None:
    plan = directory.drawn(sweeps.plan("quick", 3, level="5", after="keep"))
    by_hand = commissioning(plan, kept(plan)).partition("### Alarms\n\n")[2]
    for words in ("MAILADDR", "/usr/sbin/sendmail", "systemctl start mdmonitor", "--oneshot --test` mails a test"):
        assert words in by_hand.partition("\n")[0], words
    plan = directory.drawn(plan_permanent())
    seen = commissioning(plan, permanent(plan)).partition("### Alarms\n\n")[2]
    assert seen.startswith("`mdadm --monitor` runs, and began before mdadm.conf was changed. Restart it")
    plan = directory.drawn(plan_of("0", after="keep"))  # of which mdadm tells nothing
    unwatched = commissioning(plan, kept(plan)).partition("### Alarms\n\n")[2]
    assert unwatched.startswith("`mdadm --monitor` does not watch an array of which no disk may fail: nobody is told")


def test_of_an_array_without_a_file_system_it_says_how_it_gets_one() -> None:
    plan = directory.drawn(plan_of("0", after="keep"))
    text = commissioning(plan, kept(plan))
    array = slots.filled(plan).stages[-1].array
    assert array and f"It has no file system: `mkfs.xfs /dev/md/{array.name}` makes one" in text
    named = directory.drawn(plan_permanent(filesystem="none"))
    assert "makes one, which may be mounted then" in commissioning(named, permanent(named))
    with_one = directory.drawn(plan_of("0", after="keep", filesystem="ext4"))
    assert "has no file system" not in commissioning(with_one, kept(with_one))


def test_without_redundancy_or_links_it_says_so() -> None:
    plan = directory.drawn(plan_of("0", after="keep"))
    text = commissioning(plan, kept(plan))
    assert "Any failed disk loses the array" in text and "raidtui replace" not in text
    assert "raidtui cannot grow a" in text and "No script: sda" in text
    assert "none: the loss of one is the loss of the array" in text and "To keep it after a reboot" in text


@pytest.mark.parametrize("why_not, says", [("smartctl is not installed", "smartctl is not installed"), ("", "did not")])
def test_why_health_is_not_told(why_not: str, says: str) -> None:
    plan = directory.drawn(plan_permanent())
    state = permanent(plan)
    told = replace(state.healths[-1], disks={}, why_not=why_not)
    assert f"Not told: {'the disk ' if not why_not else ''}{says}" in commissioning(
        plan, replace(state, healths=(told,))
    )
    assert "Not told: no disk was asked." in commissioning(plan, replace(state, healths=()))


def test_what_a_device_says_is_text_and_nothing_else() -> None:
    plan = directory.drawn(plan_permanent())
    evil = tuple(replace(member, serial="a|b`c`[x](y)") for member in plan.members)
    text = commissioning(replace(plan, members=evil), permanent(plan))
    assert r"a\|b\`c\`\[x\](y)" in text and "a|b" not in text


def test_an_array_that_a_person_kept_of_a_run_that_died_is_handed_over_as_well() -> None:
    plan = directory.drawn(sweeps.linked(plan_of("5")))
    state = kept(replace(plan, stages=plan.stages[-1:]), outcome="failed", reason="its worker died")
    state = replace(state, stage=len(plan.stages) - 1)
    text = commissioning(plan, state)
    assert text.startswith("# RAID 5 of 3 disks: raidtui-") and "On other disks: this answer file" not in text
    script = build_script(plan, state)
    assert "mdadm --create" in script and "clear away" not in script and "--stop" not in script


def test_of_lvm_it_says_what_lies_on_the_array_and_how_it_comes_back() -> None:
    plan = directory.drawn(sweeps.linked(plan_of("5", after="keep", filesystem="ext4", between="lvm")))
    text, stage = commissioning(plan, kept(plan)), slots.filled(plan).stages[-1]
    assert stage.layer and stage.array
    volume = f"{stage.array.name}/{volumes.NAME}"
    assert f"one volume of all of it, {volume}, data from a multiple of 1024 KiB on" in text
    assert stage.layer.uuid in text and f"vgchange --activate y {stage.array.name}" in text
    assert f"lvextend --extents +100%FREE {volume}\nresize2fs /dev/{volume}" in text
    built = build_script(plan, kept(plan))
    assert built.index("pvcreate") < built.index("vgcreate") < built.index("lvcreate") < built.index("mkfs.ext4")
    assert subprocess.run(["bash", "-n"], input=built, text=True, check=False).returncode == 0


def test_of_a_journal_it_says_which_disk_it_is_and_what_to_do_when_that_fails() -> None:
    setup = Setup(level="5", bitmap="journal", spares=1)
    plan = directory.drawn(sweeps.linked(sweeps.plan("quick", 5, setup=setup, after="keep")))
    text = commissioning(plan, kept(plan))
    array = slots.filled(plan).stages[-1].array
    assert array and text.startswith(f"# RAID 5 of 3 disks: {array.name}\n")
    for words in (
        "journal on a disk of its own",
        "one more disk, to which everything is written first",
        "| journal | SER3 ",
        "| spare   | SER4 ",
        "## When the journal fails\n",
        f"mdadm --readonly /dev/md/{array.name}\n",
        f"mdadm /dev/md/{array.name} --add-journal /dev/NEW\n",
        f"mdadm --assemble --force /dev/md/{array.name} --uuid={array.uuid}\n",
        f"mdadm --grow /dev/md/{array.name} --raid-devices=4\n",
    ):
        assert words in text, words
    without = directory.drawn(sweeps.plan("quick", 3, level="5", after="keep"))
    assert "ournal fails" not in commissioning(without, kept(without))


def test_of_partitions_it_says_where_they_are_and_how_a_new_disk_gets_one() -> None:
    plan = directory.drawn(sweeps.linked(plan_of("5", after="keep", members="partitions")))
    text = commissioning(plan, kept(plan))
    assert "Members: a partition of each disk, from 1 MiB on; 34.6 MB = 33.0 MiB in all are tables and room" in text
    made = "sfdisk --quiet --label=gpt --wipe=always --wipe-partitions=always /dev/NEW <<< 'start=1MiB, size=989MiB, "
    care = text[text.index("## When a disk fails") : text.index("## To assemble it")]
    programs = [line for line in care.splitlines() if line.startswith(("sfdisk", "wipefs", "mdadm", "udevadm"))]
    assert [line.startswith(made) for line in programs].count(True) == 4  # failed, gone, works, further
    for number, line in enumerate(programs):
        if line.startswith("sfdisk"):
            assert programs[number - 1] == LOOKED
            assert programs[number + 1] == "udevadm settle"
    array = slots.filled(plan).stages[-1].array
    assert array
    node = f"/dev/md/{array.name}"
    assert [line for line in programs if line.startswith(f"mdadm --add {node}")] == [
        f"mdadm --add {node} /dev/NEW1"
    ] * 4
    assert f"mdadm --fail {node} detached --remove detached" in programs
    assert f"mdadm --replace {node} /dev/OLD1 --with /dev/NEW1" in programs and "Their partitions are OLD1" in care
    built = build_script(plan, kept(plan))
    assert "check_partitions" in built and "sfdisk --quiet" in built and '"${part_2_1}"' in built
    assert subprocess.run(["bash", "-n"], input=built, text=True, check=False).returncode == 0
    whole = directory.drawn(plan_of("1", after="keep"))
    assert "sfdisk" not in commissioning(whole, kept(whole))
