"""Makes the pictures anew, and takes away those that no screen has: `python -m tests.screenshots`."""

from tests.screenshots.pictures import FOLDER, made


def main() -> None:
    drawn = made()
    for path in FOLDER.rglob("*.svg"):
        if str(path.relative_to(FOLDER).with_suffix("")) not in drawn:
            path.unlink()
    for name, text in drawn.items():
        path = FOLDER / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"{len(drawn)} pictures in {FOLDER.name}/")


if __name__ == "__main__":
    main()
