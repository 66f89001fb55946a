"""Does a line tell where it stands? `python -m tests.draw SEED` draws 20 lines of raidtui for a reader to place.

The reader sees a line and names the module that it is of. `--key` prints the modules, each with the first sentence of
its docstring; the same seed draws the same lines of the same code. Blank lines, comments, docstrings, imports and lines
of brackets alone are not drawn.
"""

import argparse
import ast
import random
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1] / "raidtui"
LINES = 20


class Line(NamedTuple):
    module: str
    number: int
    text: str


def code_lines(text: str) -> list[tuple[int, str]]:
    """The lines of code with their numbers: all but blank ones, comments, docstrings, imports and bare brackets."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or (isinstance(node, ast.Expr) and words):
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if number not in left_out and any(char.isalnum() for char in line) and not line.lstrip().startswith("#")
    ]


def draw(seed: int, package: Path = PACKAGE) -> list[Line]:
    """So many lines, each as likely as any other."""
    lines = [
        Line(str(file.relative_to(package)), number, text)
        for file in sorted(package.rglob("*.py"))
        for number, text in code_lines(file.read_text())
    ]
    return random.Random(seed).sample(lines, LINES)


def first_sentence(module: str, package: Path = PACKAGE) -> str:
    docstring = ast.get_docstring(ast.parse((package / module).read_text())) or ""
    return docstring.split("\n")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--key", action="store_true", help="print where the lines stand")
    given = parser.parse_args()
    for count, line in enumerate(draw(given.seed), 1):
        print(f"{count:2}  {line.text}")
        if given.key:
            print(f"    {line.module}:{line.number}  {first_sentence(line.module)}")


if __name__ == "__main__":
    main()
