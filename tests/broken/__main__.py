"""The figures: `python -m tests.broken [COUNT]` has each parser read so many broken inputs, and prints a table."""

import sys
import time
from collections import Counter

from tests.broken.mutate import mutated
from tests.broken.outcomes import outcome, patient
from tests.broken.parsers import PARSERS


def main(count: int) -> int:
    print("| parser | inputs | read | refused in a sentence | failed | s |\n| --- | --: | --: | --: | --: | --: |")
    failed = 0
    for parser in PARSERS:
        start_s = time.monotonic()
        found: Counter[str] = Counter()
        for number in range(count):
            try:
                found[outcome(parser, mutated(parser.name, parser.seeds, number))] += 1
            except Exception as error:
                found["failed"] += 1
                print(f"{parser.name} {number}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        row = (count, found["read"], found["refused"], found["failed"], round(time.monotonic() - start_s))
        print(f"| {parser.name} | {' | '.join(map(str, row))} |", flush=True)
        failed += found["failed"]
    return 1 if failed else 0


if __name__ == "__main__":
    with patient():
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
