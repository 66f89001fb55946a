"""`python -m tests.storm [EVENTS] [SEED] [SCENE...]`: so many random keys, clicks and sizes over each scene.

What is printed: a line a scene, then of each screen how many events it was given and which share of its bindings was
fired. Status 1 where something broke, hung or was done, or where less than `LEAST` of a screen's bindings were fired.
`python -m tests.storm =Disks-7 1` throws one round again.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import time

from tests.storm.scenes import SCENES, Scene
from tests.storm.storm import StormError, Tally, storm, storm_round

LEAST = 0.8
_TERMINAL = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}


def main(count: int, seed: int, scenes: tuple[Scene, ...]) -> int:
    tallies: dict[str, Tally] = {}
    broken = 0
    for scene in scenes:
        began_s, before_s = time.monotonic(), time.process_time()
        try:
            asyncio.run(storm(scene, count, seed, tallies))
            came = "ok"
        except StormError as error:
            broken += 1
            came = str(error)
        took = f"{time.process_time() - before_s:.0f} s of processor, {time.monotonic() - began_s:.0f} s"
        print(f"{scene.name}: {count} events, {took}: {came}", flush=True)
    print("\n| screen | events | fired | never fired |\n| --- | --: | --: | --- |")
    for name, tally in sorted(tallies.items()):
        never = ", ".join(sorted(tally.offered - set(tally.fired))) or "-"
        print(f"| {name} | {tally.events} | {tally.share:.0%} | {never} |")
    few = [name for name, tally in tallies.items() if tally.share < LEAST]
    if few:
        print(f"Less than {LEAST:.0%} of their bindings were fired: {', '.join(sorted(few))}")
    return 1 if broken or few else 0


if __name__ == "__main__":
    words = sys.argv[1:] or ["10000"]
    os.environ.update(_TERMINAL)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # w, e and p write files
        if words[0].startswith("="):
            name, _, number = words[0][1:].rpartition("-")
            scene = next(scene for scene in SCENES if scene.name == name)
            asyncio.run(storm_round(scene, int(number), int((*words, "1")[1]), {}))
            sys.exit(0)
        wanted = tuple(scene for scene in SCENES if scene.name in words[2:]) or SCENES
        sys.exit(main(int(words[0]), int((*words, "1")[1]), wanted))
