"""`python -m tests.fuzz [CASES] [SEED]`: so many documents, well-formed and wrong, through all of the program.

Each way of failing is printed once, with its smallest change. `python -m tests.fuzz 20000-30000 SEED` takes a part of
them, `=NUMBER SEED` one case again.
"""

import resource
import sys
import time
from collections import Counter

from tests.broken.outcomes import patient
from tests.fuzz.cases import Failure, TooLong, case, outcome, shrunk, told

_MOST_BYTES = 3 << 30  # of address space: what wants more ends in a MemoryError


def main(first: int, last: int, seed: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    found: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    start_s = time.monotonic()
    slowest = (0.0, 0)
    for number in range(first, last):
        one = case(seed, number)
        before_s = time.process_time()
        result = outcome(one)
        slowest = max(slowest, (time.process_time() - before_s, number))
        found[one.subject.name, "failed" if isinstance(result, Failure) else result] += 1
        if isinstance(result, Failure):
            failed[result[:2]] += 1
            if failed[result[:2]] == 1:
                print(told(seed, shrunk(one, result), result), flush=True)
        if (number + 1) % 10_000 == 0:
            print(f"{number + 1} cases, {sum(failed.values())} failed, {time.monotonic() - start_s:.0f} s", flush=True)
    print("| document | read | refused in a sentence | failed |\n| --- | --: | --: | --: |")
    for name in dict.fromkeys(name for name, _ in found):
        print(f"| {name} | {' | '.join(str(found[name, how]) for how in ('read', 'refused', 'failed'))} |")
    print(f"{last - first} cases in {time.monotonic() - start_s:.0f} s; the slowest, {slowest[1]}: {slowest[0]:.2f} s")
    for (what, where), count in failed.most_common():
        print(f"{count} x {what}: {where}")
    return 1 if failed else 0


def numbers(said: str) -> tuple[int, int]:
    """The first case, and the one after the last: "100", "20-30", "=7"."""
    if said.startswith("="):
        return int(said[1:]), int(said[1:]) + 1
    first, _, last = said.rpartition("-")
    return int(first or 0), int(last)


if __name__ == "__main__":
    words = sys.argv[1:] or ["100000"]
    with patient(TooLong):
        sys.exit(main(*numbers(words[0]), int((*words, "1")[1])))
