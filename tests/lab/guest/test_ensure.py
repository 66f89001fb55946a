"""`ensure` on real md: looked at, planned, built once; a second time nothing changes, whatever else is free by then."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.system import leftovers
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    WRITE,
    ended,
    forget_runs,
    newest,
    raidtui,
    start,
    wait_for,
    write_recipe,
)
from tests.lab.guest.disk_states import command, settle, writes_to, writes_to_disks
from tests.lab.guest.in_place import carried_out

RACK = dict(disks=10, size_mib=96, mbps=0)
OTHERS = [f"/dev/sd{letter}" for letter in "cdefghij"]


def ensure(answers: Path, *words: str, status: int = 0) -> dict[str, Any]:
    """What it prints, which is JSON however it ends."""
    done = carried_out("ensure", str(answers), *words)
    assert done.returncode == status, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


def changed(answers: Path, **keys: Any) -> Path:
    import tomllib

    other = answers.with_name("other.toml")
    other.write_text(tomli_w.dumps({**tomllib.loads(answers.read_text()), **keys}))
    return other


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    """A mirror of two disks by rule, which stays; eight more disks hold something, so that they do not fit."""
    for node in OTHERS:
        command("mkfs.ext4", "-q", node)
    settle()
    recipe = write_recipe(config, WRITE, baseline="none")
    setup = {"level": "1", "filesystem": "ext4", "member_size": "64MiB"}
    path = config / "answers.toml"
    rule = {"count": 2, "like": "largest group"}
    path.write_text(tomli_w.dumps({"disks": rule, "recipe": recipe, "setup": setup, "after": "keep"}))
    yield path
    forget_runs()
    command("wipefs", "--all", "--quiet", *OTHERS)
    settle()
    for disk in disks_of(read_machine()):
        leftovers.remember(disk.name)


def test_it_is_built_once_and_stands_then_with_eight_more_free_disks_there_too(answers: Path) -> None:
    before = writes_to_disks()
    seen = ensure(answers, "--check")
    assert (seen["changed"], seen["refused"], seen["run"], seen["erase"]) == (True, "", "", [])
    assert "array: RAID 1 of 2 disks\n" in seen["diff"]["after"] and seen["diff"]["before"].startswith("array: none\n")
    planned = ensure(answers, status=3)
    assert not planned["changed"] and "code is missing" in planned["refused"]
    code = planned["plan"]["code"]
    assert code == seen["plan"]["code"] == json.loads(raidtui("plan", str(answers), "--json"))["code"]
    assert "is not this plan's" in ensure(answers, "--confirm", "00000000", status=3)["refused"]
    assert writes_to_disks() == before and directory.list_runs(directory.runs_root()) == ()

    built = ensure(answers, "--confirm", code)
    run = newest()
    assert (built["changed"], built["run"], built["refused"], built["failed"]) == (True, run.name, "", "")
    assert built["uuid"] in subprocess.run(("mdadm", "--detail", "--scan"), capture_output=True, text=True).stdout
    assert built["diff"] == seen["diff"]

    second = ensure(answers)
    assert (second["changed"], second["uuid"], second["run"]) == (False, built["uuid"], run.name)
    assert second["diff"]["before"] == second["diff"]["after"] and second["plan"] is None
    command("wipefs", "--all", "--quiet", *OTHERS)
    settle()
    for node in OTHERS:
        leftovers.remember(node.removeprefix("/dev/"))
    others_and_array = (*OTHERS, f"/dev/md/{array_of(run)}")  # md notes in its superblocks when an array was clean
    stood = writes_to(others_and_array)
    assert "8 fit" in raidtui("plan", str(answers), status=3)  # the rule alone would not know which
    for words in ((), ("--check",), ("--confirm", code)):
        assert ensure(answers, *words) == second
    assert writes_to(others_and_array) == stood and directory.list_runs(directory.runs_root()) == (run,)

    other = ensure(changed(answers, setup={"level": "1", "filesystem": "ext2", "member_size": "80MiB"}), status=3)
    assert "file system: ext4, asked for is ext2" in other["refused"] and "of each disk: " in other["refused"]
    command("mdadm", "/dev/md/" + array_of(run), "--fail", "/dev/sdb")
    settle()
    degraded = ensure(answers, status=3)
    assert not degraded["changed"] and "is not in sync in it" in degraded["refused"]
    command("mdadm", "--stop", "/dev/md/" + array_of(run))
    settle()
    assert "does not run" in ensure(answers, status=3)["refused"]
    assert writes_to(OTHERS).items() <= stood.items() and directory.list_runs(directory.runs_root()) == (run,)
    command("mdadm", "--assemble", "--run", "/dev/md/" + array_of(run), "/dev/sda")
    settle()


def array_of(run: Path) -> str:
    from raidtui.core.plan import slots

    return next(stage.array.name for stage in slots.filled(directory.read_plan(run)).stages if stage.array)


def test_a_doubtful_disk_is_named_or_nothing_is_done_and_a_run_that_goes_on_is_waited_for(answers: Path) -> None:
    given = changed(answers, disks={"count": 10, "standing": "warn"}, setup={"level": "6", "first_sync": "wait"})
    planned = ensure(given, status=3)
    assert len(planned["erase"]) == 8 and "holds ext4" in planned["erase"][0]["warning"]
    code = planned["plan"]["code"]
    assert "To erase them anyway, add --erase" in ensure(given, "--confirm", code, status=3)["refused"]
    assert "To erase them anyway" in ensure(given, "--check", status=3)["refused"]
    names = [word for disk in planned["erase"] for word in ("--erase", disk["name"])]
    assert ensure(given, "--check", *names)["changed"]
    assert directory.list_runs(directory.runs_root()) == ()

    kept = changed(answers, disks={"count": 2}, recipe="quick")
    run = start(kept)
    assert f"run {run.name} of these answers is running" in ensure(kept, status=3)["refused"]
    raidtui("stop", run.name)
    wait_for(run, ended)
    assert directory.list_runs(directory.runs_root()) == (run,)
