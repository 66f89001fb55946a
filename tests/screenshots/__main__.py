"""Makes the pictures anew, and takes away those that no screen has: `python -m tests.screenshots`."""

import os

from tests.screenshots.pictures import FOLDER, NAMES, PARTS, made
from tests.seeds import HOW


def main() -> None:
    os.environ[HOW] = "many"
    for path in FOLDER.rglob("*.svg"):
        if str(path.relative_to(FOLDER).with_suffix("")) not in NAMES:
            path.unlink()
    for part in PARTS:
        for name, text in made(part).items():
            path = FOLDER / f"{name}.svg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    print(f"{len(NAMES)} pictures in {FOLDER.name}/")


if __name__ == "__main__":
    main()
