"""Lines of the program at random, to be placed by who sees names alone: `python -m tests.where SEED [COUNT]`.

Names of all modules, then the lines; the places go to stderr.
"""

import random
import sys
from pathlib import Path

_LEAST_CHARACTERS = 30


def main(seed: str, count: str = "20") -> None:
    files = sorted(Path("raidtui").rglob("*.py"))
    lines = [
        (f"{file}:{number}", line.strip())
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line.strip()) >= _LEAST_CHARACTERS and not line.strip().startswith(("#", "from ", "import ", '"""'))
    ]
    drawn = random.Random(seed).sample(lines, int(count))
    print(*files, "", *(f"{at}. {line}" for at, (_, line) in enumerate(drawn, 1)), sep="\n")
    print(*(f"{at}. {place}" for at, (place, _) in enumerate(drawn, 1)), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
