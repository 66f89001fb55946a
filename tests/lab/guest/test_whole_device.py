"""Disks whose second half is slower: random tests of a kept array are over all of its device, not over a file of it;
sequential ones are at its begin and at its end, too.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.runs import directory
from raidtui.system import md
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import READ, code, newest, raidtui, remove, write_recipe
from tests.lab.guest.disk_states import until
from tests.lab.guest.loops import run
from tests.torture import luns

RACK = dict(disks=1, size_mib=320, mbps=0)
SIZE_MIB, SLOW_MS, QUEUE, SECONDS = 96, 60, 16, 5  # few requests: a busy machine has time for them
NAMES = ("half0", "half1")
RANDOM: dict[str, Any] = {"ioengine": "libaio", "direct": True, "rw": "randread", "bs": "4k", "iodepth": QUEUE}
RANDOM |= {"time_based": True, "runtime": f"{SECONDS}s", "norandommap": True}  # each time the same blocks


@contextmanager
def half_slow(name: str) -> Iterator[None]:
    """A disk of this serial number whose second half is read so much later."""
    file, half = Path(f"/run/{name}.img"), SIZE_MIB * 2048 // 2
    with file.open("wb") as image:
        image.truncate(SIZE_MIB << 20)
    loop = run("losetup", "--find", "--show", str(file)).strip()
    table = f"0 {half} linear {loop} 0\n{half} {half} delay {loop} {half} {SLOW_MS} {loop} {half} 0"
    run("dmsetup", "create", name, "--table", table)
    try:
        with luns.store("iblock", name, f"udev_path=/dev/mapper/{name}") as store:
            (store / "attrib/is_nonrot").write_text("0")  # it turns
            with luns.path(store):
                yield
    finally:
        run("dmsetup", "remove", "--retry", name)
        run("losetup", "--detach", loop)
        file.unlink()


def ids() -> list[str]:
    serials = {name.upper() for name in NAMES}
    return [disk.id for disk in disks_of(read_machine()) if disk.serial in serials]


def slow_reads(fio: Mapping[str, Any]) -> float:
    """In percent of all reads: those that took more than 50 ms, which on a busy machine, too, are of the slow half."""
    bins = fio["jobs"][0]["latency_ms"].items()
    return sum(float(percent) for limit, percent in bins if limit == ">=2000" or int(limit) > 50)


def read_first_half(node: str) -> dict[str, Any]:
    words = [f"--{name}={int(value) if isinstance(value, bool) else value}" for name, value in RANDOM.items()]
    argv = ("fio", "--output-format=json", "--readonly", "--name=half", f"--filename={node}", "--size=45%", *words)
    return dict(json.loads(run(*argv)))


@pytest.mark.parametrize("between", ["", "lvm"])
def test_the_random_figure_is_that_of_all_of_it_and_the_file_test_is_called_one(config: Path, between: str) -> None:
    run("modprobe", "-a", "dm_mod", "dm_delay", "loop")
    read = {**READ, "fio": {**READ["fio"], "size": "40%"}}
    recipe = write_recipe(config, read, {"name": "random", "fio": {**RANDOM, "size": "100%"}}, baseline="none")
    with ExitStack() as disks:
        for name in NAMES:
            disks.enter_context(half_slow(name))
        until(lambda: len(ids()) == len(NAMES))
        setup = {"level": "0", "filesystem": "ext4", "between": between}
        given = {"disks": ids(), "recipe": recipe, "setup": setup, "after": "keep"}
        answers = config / "answers.toml"
        answers.write_text(tomli_w.dumps(given))
        raidtui("run", str(answers), "--confirm", code(answers))
        stage = next(stage for stage in slots.filled(directory.read_plan(newest())).stages if stage.array)
        assert stage.array
        ids_of = {trial.title: trial.id for trial in stage.trials}
        assert list(ids_of) == ["read (outer)", "read (inner)", "random", "read (file)"]
        node = f"/dev/{stage.layer.node if stage.layer else md.find(stage.array.uuid)}"
        assert subprocess.run(["blkid", "--probe", node], capture_output=True, check=False).returncode == 0
        outer, inner, random, _ = (
            json.loads((newest() / "fio" / f"{trial_id}.json").read_text()) for trial_id in ids_of.values()
        )
        assert slow_reads(outer) < 20 and slow_reads(inner) > 80  # the array's begin and its last tenth
        assert 40 < slow_reads(random) < 60
        assert slow_reads(read_first_half(node)) < 20  # where a file of it would lie
        report = raidtui("report", newest().name)
        assert all(title in report for title in ids_of)
        remove(newest())
