"""The test modules that a change concerns: `python -m tests.chosen [FILE ...]` prints them.

A test is concerned by what it imports, itself or through others, its conftest files included, and by each module that
a text names: programs are started by name, and folders are imported by it. A file that is no module concerns who names
the file or its folder, and the modules beside it. Where nothing is known, all tests are concerned.
"""

import functools
import gc
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.imports import ROOT, dotted, imports, modules, reached, tree

MAIN = "main"
NEAR = 2  # imports: a test of the module, or of what uses it
_TOPS = ("packing", "raidtui", "tests")
_NAMED = re.compile(rf"\b(?:{'|'.join(_TOPS)})(?:\.\w+)+")
_STARTED = re.compile(r"-m(?:\", \"| )([\w.]+)")
_READS_ALL = 'rglob("*.py")'
_BY_NAME = "import_module("  # of whatever is in the folders that the module names
_READ_BY_NAME = ("ansible", "docs", "recordings", "screenshots", "themes")  # folders without modules of the program


def changed() -> list[str] | None:
    """Files that differ from where this branch left main, those of no commit too; None: nobody can say, or none."""
    base = _git("merge-base", "HEAD", MAIN)
    if base is None:
        return None
    told = (_git("diff", "--name-only", "--no-renames", *base), _git("ls-files", "--others", "--exclude-standard"))
    return sorted({name for names in told for name in names or ()}) or None


def _git(*words: str) -> list[str] | None:
    done = subprocess.run(["git", "-c", "core.quotePath=off", *words], cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else done.stdout.splitlines()


def concerned(files: Iterable[str], steps: int | None = None) -> list[str] | None:
    """The test modules, as paths below ROOT, from which so many imports at most lead there; None: all of them."""
    known = modules(*_TOPS)
    begin = {module for module, text in _texts().items() if _READS_ALL in text}
    for name in files:
        if (found := _modules_of(Path(name))) is None:
            return None
        begin |= found
    every = begin | reached(begin, _users(*sorted(begin - {*known})), steps)
    paths = (known[module].relative_to(ROOT) for module in every & {*known})
    return sorted(str(path) for path in paths if path.name.startswith("test_"))


@functools.cache
def _texts() -> dict[str, str]:
    return {module: file.read_text() for module, file in modules(*_TOPS).items()}


@functools.cache
def _users(*gone: str) -> dict[str, set[str]]:
    """Module -> those that import or name it, without others between; `gone` are modules that were deleted."""
    files = modules(*_TOPS)
    known = {*files, *gone}
    users: dict[str, set[str]] = {name: set() for name in known}
    for module, file in files.items():
        started = _STARTED.findall(_texts()[module]) if module.startswith(("packing", "tests")) else ()
        names = {*imports(tree(file), known), *_NAMED.findall(_texts()[module])} | {
            f"{one}.__main__" for one in started
        }
        if _BY_NAME in _texts()[module]:
            beneath = tuple(f"{name}." for name in names & {*files} if files[name].name == "__init__.py")
            names |= {name for name in known if name.startswith(beneath)}
        if module.startswith("tests."):
            names |= {".".join((*folder.parts, "conftest")) for folder in file.relative_to(ROOT).parents}
        for parts in (name.split(".") for name in names):  # whatever is imported, the packages above it are
            for inner in {".".join(parts[: n + 1]) for n in range(len(parts))} & known - {module}:
                users[inner].add(module)
    return users


def _modules_of(file: Path) -> set[str] | None:
    """The modules that a changed file is, or that may read it; None: not known."""
    if file.suffix == ".py" and file.parts[0] in _TOPS:
        return {dotted(file)}
    folders = {*_READ_BY_NAME} & {*file.parts}
    if not folders and file.parts[0] not in _TOPS:
        return set() if str(file) == f"{file.stem}.md" else None
    words = "|".join(map(re.escape, (file.name, *folders)))
    named = {module for module, text in _texts().items() if re.search(rf"[\"/](?:{words})[\"/]", text)}
    places = file.parents[:1] if folders else file.parents
    beside = ({one for one, path in modules(*_TOPS).items() if path.parent == ROOT / place} for place in places)
    return named | next(filter(None, beside), set())


if __name__ == "__main__":
    gc.disable()  # nothing of the trees is garbage: looking for some takes longer than all else
    print(*(concerned(sys.argv[1:] or changed() or ["Makefile"]) or ["tests"]), sep="\n")
