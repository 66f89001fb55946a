"""Does an ablation name what holds a test back, and nothing where nothing does? Causes are planted in practice kernels.

A stripe cache of 256 pages stays that small only where memory is short: the kernel lets it grow where stripes are
(raid5.c, R5_ALLOC_MORE), and takes that back when it needs the memory, so that this is planted with it. RAID 5 of 6
then wrote 240 to 300 MB/s, in chunks of 512 KiB, with 4096 pages 440 to 470. What the partial parity log costs: every
write of a stripe is one more of its log's.

`python -m tests.planted [PLANT...] [--times N]`, all if none is named: each in a kernel of its own. A run measures one
test, `raidtui explain` finds what holds it back, and a line a time says what it named. Exit status 1 where that is not
what was planted.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w

from raidtui.core.results import ablation
from raidtui.core.results.analysis import compare
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from tests.lab.guest.brief_runs import newest, raidtui, write_answers

REPOSITORY = Path(__file__).parents[1]
_DIRECT = {"ioengine": "libaio", "direct": True, "size": "100%", "time_based": True, "runtime": "6s", "ramp_time": 1}
_RANDOM: Mapping[str, Any] = {"name": "rand_write", "fio": {**_DIRECT, "rw": "randwrite", "bs": "4k", "iodepth": 64}}
_READ: Mapping[str, Any] = {"name": "seq_read", "fio": {**_DIRECT, "rw": "read", "bs": "1m", "iodepth": 32}}
_WRITE: Mapping[str, Any] = {"name": "seq_write", "fio": {**_DIRECT, "rw": "write", "bs": "1m", "iodepth": 32}}
_SLOW_IOPS = 45


class Plant(NamedTuple):
    """What is planted on which rack (options of practice), by which test it shows; `names`: what must be named."""

    rack: tuple[str, ...]
    setup: Mapping[str, Any]
    jobs: tuple[Mapping[str, Any], ...]
    names: str
    plant: Callable[[], None] = lambda: None


def _one_slow() -> None:
    number = Path("/sys/block/sdb/dev").read_text().strip()
    for way in ("read", "write"):
        Path(f"/run/blkio/blkio.throttle.{way}_iops_device").write_text(f"{number} {_SLOW_IOPS}\n")


def _short_of_memory() -> None:
    """What the stripe cache grew by is taken back at once."""
    subprocess.Popen(("sh", "-c", "while sleep 0.1; do echo 2 > /proc/sys/vm/drop_caches; done"))


_MIRROR = {"level": "10", "layout": "n2", "chunk": "64KiB", "bitmap": "none", "first_sync": "skip"}
_LOGGED = {"level": "5", "chunk": "64KiB", "bitmap": "ppl", "first_sync": "skip", "wbt_lat_usec": 0}
_STRIPED = {"level": "5", "chunk": "512KiB", "bitmap": "none", "first_sync": "skip", "wbt_lat_usec": 0}
PLANTS = {
    "wbt": Plant(("-n", "6", "-s", "128", "-i", "100"), _MIRROR, (_RANDOM,), "wbt"),
    "slow-disk": Plant(("-n", "6", "-s", "128", "-i", "100"), _MIRROR, (_RANDOM,), "disks", _one_slow),
    "stripe-cache": Plant(("-n", "6", "-s", "300", "-b", "94"), _STRIPED, (_WRITE,), "stripe-cache", _short_of_memory),
    "parity-log": Plant(("-n", "4", "-s", "128", "-i", "100"), _LOGGED, (_RANDOM,), "parity-log"),
    "nothing": Plant(("-n", "4", "-s", "256", "-b", "94"), _MIRROR, (_READ,), ""),
}


def named(path: Path) -> tuple[list[str], str]:
    """The suspects that an ablation's run named, and what its report says of them."""
    plan, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
    found = ablation.of_run(plan, state, compare(plan, state))
    names = [effect.suspect.key for explained in found for effect in explained.causes]
    names += ["disks"] if any(explained.slow for explained in found) else []
    rates = [f"{explained.unchanged.value:.4g}" for explained in found if explained.unchanged.value]
    effects = [
        f"{e.suspect.key} {100 * (e.throughput.share or 0):+.0f} %" for explained in found for e in explained.effects
    ]
    slow = [words for explained in found for words in explained.slow]
    return list(dict.fromkeys(names)), "; ".join((*rates, *effects, *slow)) or "no effect"


def in_guest(name: str, times: int) -> int:
    """As root in the practice kernel: plant, measure, explain, so many times."""
    plant, wrong = PLANTS[name], 0
    plant.plant()
    folder = Path(tempfile.mkdtemp())
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    (folder / "raidtui/recipes").mkdir(parents=True)
    recipe: dict[str, Any] = {"title": "Planted", "summary": "One test.", "baseline": "each-member"}
    recipe |= {"question": "gain", "job": [dict(job) for job in plant.jobs]}
    (folder / "raidtui/recipes/planted.toml").write_text(tomli_w.dumps(recipe))
    for number in range(1, times + 1):
        answers = write_answers(folder, "planted", plant.setup, repeat=1)
        raidtui("run", str(answers), "--confirm", _code("plan", str(answers)))
        measured = newest().name
        raidtui("explain", measured, "--confirm", _code("explain", measured))
        names, effects = named(newest())
        right = names[:1] == [plant.names] if plant.names else not names
        wrong += not right
        print(
            f"{name} {number}: {'ok' if right else 'WRONG'}: named {', '.join(names) or 'nothing'} ({effects})",
            flush=True,
        )
    return int(wrong > 0)


def _code(*command: str) -> str:
    import json

    return str(json.loads(raidtui(*command, "--json"))["code"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plants", nargs="*", choices=[*PLANTS, []], metavar="PLANT")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--guest", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.guest:
        return in_guest(given.plants[0], given.times)
    status = 0
    for name in given.plants or PLANTS:
        guest = ("env", f"PYTHONPATH={REPOSITORY}", sys.executable, "-m", "tests.planted")
        argv = (sys.executable, "-m", "raidtui.practice", *PLANTS[name].rack, "--", *guest, "--guest")
        status |= subprocess.run([*argv, name, "--times", str(given.times)], cwd=REPOSITORY, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
