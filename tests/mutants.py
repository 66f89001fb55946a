"""Does a test notice a fault? One change at a time in the program, and only the tests that ran the changed line.

    python -m tests.mutants [GROUP or FILE ...] [--seed N] [--count N] [--jobs N] [--tests FOLDER ...] [--out FILE]

Prints for each group: killed, survived, the score, and each survivor. No test boots a kernel. Which tests run a line is
measured once for each state of the tree, by coverage, and kept in `.mutants`.
"""

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import coverage
import msgspec

from tests.checks import WITH_KERNELS
from tests.chosen import concerned
from tests.imports import ROOT, tree

KEPT = ROOT / ".mutants"
LIMIT_S = 300  # a mutant without end is noticed by whoever waits
GROUPS = {
    "disks": ("core/disks",),
    "checked": ("core/plan/checked",),
    "runs": ("runs",),
    "boot": ("core/boot", "runs/boot", "system/arrays/boot_file.py", "system/arrays/mount_root.py"),
    "results": ("core/results",),
    "answer": ("core/answer",),
    "fio": ("core/fio",),
    "raid": ("core/raid",),
}
_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


class Mutant(msgspec.Struct, frozen=True):
    """`file`: below ROOT; `begin`, `end`: (line from 1, byte) of what `text` replaces."""

    file: str
    begin: tuple[int, int]
    end: tuple[int, int]
    was: str
    text: str
    is_static: bool = False  # run when the module is imported

    @property
    def title(self) -> str:
        return f"{self.file}:{self.begin[0]}: {_short(self.was)} -> {_short(self.text)}"


class Outcome(msgspec.Struct, frozen=True):
    """`how`: killed, survived, unseen (no test runs the line) or endless; `by`: the test that failed."""

    mutant: Mutant
    how: str
    by: str = ""


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 70 else f"{words[:67]}..."


def mutants(file: Path) -> list[Mutant]:
    """All of a module, in its order."""
    text, name = file.read_bytes(), str(file.relative_to(ROOT))
    found: list[Mutant] = []
    for node, is_static in _nodes(tree(file), True):
        for new in _changes(node):
            assert isinstance(node, ast.expr | ast.stmt) and node.end_lineno and node.end_col_offset
            begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            was = text[_at(text, begin) : _at(text, end)].decode()
            if new != was:
                found.append(Mutant(name, begin, end, was, new, is_static))
    return found


def _at(text: bytes, place: tuple[int, int]) -> int:
    return sum(map(len, text.splitlines(keepends=True)[: place[0] - 1])) + place[1]


def _nodes(node: ast.AST, is_static: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Without types, docstrings, and what words a sentence."""
    yield node, is_static
    inside = is_static and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    left_out: set[ast.AST] = set()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        left_out |= {node.args, *filter(None, [node.returns]), *node.decorator_list}
    if isinstance(node, ast.AnnAssign):
        left_out.add(node.annotation)
    if isinstance(node, ast.Raise):
        left_out |= {*ast.iter_child_nodes(node)}
    is_type = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom) or is_type:
        return
    for child in ast.iter_child_nodes(node):
        if child not in left_out:
            yield from _nodes(child, inside)


def _changes(node: ast.AST) -> Iterator[str]:
    """Source texts in place of the node's."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _SWAPPED:
            yield _with(node, lambda new: new.ops.__setitem__(0, _SWAPPED[type(op)]()))
        case ast.BoolOp(values=values):
            for at in range(len(values)):
                yield _with(node, partial(_without, ("values",), at))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"bool({ast.unparse(operand)})"
        case ast.If(test=ast.Call() | ast.Name() | ast.Attribute() | ast.NamedExpr()):
            yield _with(node, lambda new: setattr(new, "test", ast.UnaryOp(ast.Not(), new.test)))
        case ast.Raise() | ast.Continue() | ast.Break():
            yield "pass"
        case ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.With(items=[ast.withitem(context_expr=ast.Call(), optional_vars=None), *others]):
            inner = ast.With(items=others, body=node.body) if others else ast.If(ast.Constant(True), node.body, [])
            yield _indented(ast.unparse(ast.fix_missing_locations(inner)), node.col_offset)
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.Constant(value=str(value)) if value and " " not in value:
            yield repr(f"{value}~")
        case ast.Tuple(elts=[_, _, *_], ctx=ast.Load()) | ast.List(elts=[_, _, *_]) | ast.Set(elts=[_, _, *_]):
            for at in range(len(node.elts)):
                yield _with(node, partial(_without, ("elts",), at))
        case ast.Dict(keys=[_, _, *_]):
            for at in range(len(node.keys)):
                yield _with(node, partial(_without, ("keys", "values"), at))


def _without(fields: Sequence[str], at: int, new: Any) -> None:
    for field in fields:
        getattr(new, field).pop(at)


def _with(node: ast.AST, change: Callable[[Any], object]) -> str:
    new = copy.deepcopy(node)
    change(new)
    if isinstance(new, ast.BoolOp) and len(new.values) == 1:
        new = new.values[0]
    text = ast.unparse(ast.fix_missing_locations(new))
    return _indented(text, getattr(node, "col_offset", 0)) if isinstance(node, ast.stmt) else f"({text})"


def _indented(text: str, columns: int) -> str:
    return text.replace("\n", "\n" + " " * columns)


def mutated(mutant: Mutant, text: bytes) -> bytes:
    return text[: _at(text, mutant.begin)] + mutant.text.encode() + text[_at(text, mutant.end) :]


def pytest_runtest_logstart(nodeid: str) -> None:
    """As a plugin of pytest: what is run from now on is run by this test."""
    if now := coverage.Coverage.current():
        now.switch_context(nodeid.partition("[")[0])


def _measured(folders: Sequence[str]) -> coverage.CoverageData:
    """Which tests run which lines, of the tree as it is."""
    names = subprocess.run(
        ["git", "ls-files", "raidtui", "tests"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    digest = hashlib.sha256(" ".join(folders).encode())
    for name in names.stdout.splitlines():
        if name.endswith(".py") and (ROOT / name).exists():
            digest.update((ROOT / name).read_bytes())
    kept = KEPT / digest.hexdigest()[:16]
    if not kept.exists():
        _say("which tests run which lines: once for this tree, minutes")
        KEPT.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as scratch:
            config = Path(scratch) / "rc"
            config.write_text("[run]\nsource_pkgs = raidtui\nparallel = true\ncore = ctrace\n")
            data = {"COVERAGE_PROCESS_START": str(config), "COVERAGE_FILE": f"{scratch}/data"}
            options = (
                "-p",
                "tests.mutants",
                "-p",
                "no:cacheprovider",
                f"-n{os.cpu_count()}",
                "--dist=worksteal",
                *folders,
            )
            argv = [sys.executable, "-m", "pytest", *options, "-m", "not lab"]
            subprocess.run(argv, cwd=ROOT, env={**os.environ, **data}, stdout=sys.stderr, check=False)
            combined = coverage.CoverageData(basename=f"{scratch}/combined")
            for part in Path(scratch).glob("data.*"):
                one = coverage.CoverageData(basename=str(part))
                one.read()
                combined.update(one)
            combined.write()
            shutil.move(f"{scratch}/combined", kept)
    data_of_all = coverage.CoverageData(basename=str(kept))
    data_of_all.read()
    return data_of_all


def tests_of(mutant: Mutant, data: coverage.CoverageData) -> list[str]:
    """Node ids without parameters, the nearest first; of a line that is run at import all those of its module, and the
    test modules that import it.
    """
    by_line = data.contexts_by_lineno(str(ROOT / mutant.file))
    lines = range(mutant.begin[0], mutant.end[0] + 1)
    chosen = by_line.values() if mutant.is_static else (by_line.get(line, []) for line in lines)
    found = {name for names in chosen for name in names if name}
    if mutant.is_static:
        found |= {name for name in concerned([mutant.file], 1) or () if not name.startswith(WITH_KERNELS)}
    place = Path(mutant.file).relative_to("raidtui")

    def far(name: str) -> tuple[bool, int, str]:
        path = Path(name.partition("::")[0])
        shared = len(os.path.commonpath([str(path.parent), str(Path("tests") / place.parent)]))
        return not path.stem.removeprefix("test_").startswith(place.stem), -shared, name

    return sorted(found, key=far)


class _Copy:
    """A copy of the tree, in which one mutant at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def tried(self, mutant: Mutant, tests: Sequence[str]) -> Outcome:
        if not tests:
            return Outcome(mutant, "unseen")
        file = self.folder / mutant.file
        before = file.read_bytes()
        (self.folder / ".tests").write_text("\n".join(tests))
        try:
            file.write_bytes(mutated(mutant, before))
            return self._ran(mutant)
        finally:
            file.write_bytes(before)

    def _ran(self, mutant: Mutant) -> Outcome:
        options = (
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "--no-header",
            "--durations=0",
            "--durations-min=999",
            "-n",
            "0",
        )
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        for stale in (self.folder / mutant.file).parent.glob(f"__pycache__/{Path(mutant.file).stem}.*"):
            stale.unlink()
        argv = [sys.executable, "-m", "pytest", *options, "@.tests"]
        with subprocess.Popen(
            argv, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True,
        ) as process:  # fmt: skip
            try:
                words, _ = process.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return Outcome(mutant, "endless")
        failed = [line for line in words.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if process.returncode == 0:
            return Outcome(mutant, "survived")
        return Outcome(mutant, "killed", failed[0] if failed else words[-200:])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _files(place: str) -> list[Path]:
    path = ROOT / ("raidtui" if place in GROUPS or not place.startswith("raidtui") else ".") / place
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _drawn(group: str, seed: int, count: int) -> list[Mutant]:
    files = [file for place in GROUPS.get(group, (group,)) for file in _files(place)]
    every = [one for file in files for one in mutants(file)]
    return random.Random(f"{seed} {group}").sample(every, min(count, len(every)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("groups", nargs="*", default=[*GROUPS])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tests", nargs="*", default=[], help="folders; all without")
    parser.add_argument("--out", type=Path)
    wanted = parser.parse_args()
    data = _measured(wanted.tests)
    drawn = [(group, one) for group in wanted.groups for one in _drawn(group, wanted.seed, wanted.count)]
    outcomes: defaultdict[str, list[Outcome]] = defaultdict(list)
    copies: SimpleQueue[_Copy] = SimpleQueue()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(wanted.jobs) as pool:
        for number in range(wanted.jobs):
            copies.put(_Copy(Path(scratch) / str(number)))

        def tried(group: str, mutant: Mutant) -> None:
            mine = copies.get()
            began_s = time.monotonic()
            try:
                outcome = mine.tried(mutant, tests_of(mutant, data))
            finally:
                copies.put(mine)
            outcomes[group].append(outcome)
            _say(f"{group}: {outcome.how} in {time.monotonic() - began_s:.0f} s: {mutant.title}")

        for going in [pool.submit(tried, group, one) for group, one in drawn]:
            going.result()
    if wanted.out:
        wanted.out.write_text(json.dumps(msgspec.to_builtins(outcomes), indent=1))
    print(*table(outcomes), sep="\n")
    return 0


def table(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    """Per group; then each that no test noticed."""
    yield f"{'group':<12}{'killed':>8}{'survived':>10}{'score':>8}"
    for group, tried in outcomes.items():
        killed = sum(one.how in ("killed", "endless") for one in tried)
        yield f"{group:<12}{killed:>8}{len(tried) - killed:>10}{100 * killed / max(1, len(tried)):>7.0f}%"
    for group, tried in outcomes.items():
        yield from (f"{group}: {one.how}: {one.mutant.title}" for one in tried if one.how in ("survived", "unseen"))


if __name__ == "__main__":
    sys.exit(main())
