"""The worker as it is while fio runs: all its modules loaded, awaiting a child, a record every so often.

`python -m tests.bench.worker_loop FOLDER INTERVAL_S DISK...`; runs until it is killed.
"""

import os
import sys
from pathlib import Path

from raidtui.runs import worker  # noqa: F401  (memory: with everything that a worker loads)
from raidtui.runs.child import Child
from raidtui.runs.local import LocalHost
from raidtui.runs.sampler import Sampler


def main() -> None:
    folder, interval_s, names = Path(sys.argv[1]), float(sys.argv[2]), tuple(sys.argv[3:])
    sampler = Sampler(folder / "samples.bin", names, LocalHost(), interval_s)
    sampler.names.update(zip(names, names, strict=True))
    wakeup, _ = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    Child(("sleep", "1000"), folder).wait(sampler.due_s, sampler.take, wakeup)


if __name__ == "__main__":
    main()
