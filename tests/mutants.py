"""Does a test notice a fault? One change at a time in the program, and only the tests that ran the changed line.

    python -m tests.mutants [GROUP or FILE ...] [--seed N] [--count N] [--jobs N] [--tests FOLDER ...] [--out FILE]
                            [--again FILE] [--most N]

Prints for each group: killed, survived, the score, and each survivor. `--again`: those alone that survived in the
`--out` of an earlier run. `--most`: tests for each, the nearest; others might notice, too. No test boots a kernel.

Which tests run a line is measured by coverage and kept in `.mutants`, once for each state of the program; after a
change of test modules, of these alone. Mutants that change nothing anybody could notice are in `tests/equivalent.toml`
with the reason, and are not tried.
"""

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import coverage
import msgspec

from tests.checks import WITH_KERNELS
from tests.chosen import concerned
from tests.forked import OPTIONS
from tests.imports import ROOT, tree

KEPT = ROOT / ".mutants"
EQUIVALENT = ROOT / "tests/equivalent.toml"  # file -> "function: was -> text" -> why nobody could notice
FIRST = 30  # tests tried before all others, the nearest
LIMITS_S = (90, 400)  # of the first tests, and of the rest; without end twice, the second time alone, it is noticed
MOST_BYTES = 6 << 30  # of a mutant that takes ever more memory
DURABILITY = "durability"  # every sync, lock, rename and refusal of its files, whatever the seed
_GUARDS = re.compile(r"raise\b|with \w*(?:lock|held|claim|refuse)|[\w.]*(?:fsync|fdatasync|flock|sync_folder|rename)\(")
GROUPS = {
    "disks": ("core/disks",),
    "checked": ("core/plan/checked",),
    "runs": ("runs",),
    "boot": ("core/boot", "runs/boot.py", "system/arrays/boot_file.py", "system/arrays/mount_root.py"),
    "results": ("core/results",),
    "answer": ("core/answer",),
    "fio": ("core/fio",),
    "raid": ("core/raid",),
    DURABILITY: (
        "runs/child.py", "runs/directory.py", "runs/journal.py", "runs/locks.py", "runs/worker.py",
        "runs/boot.py", "runs/removal/decision.py", "runs/proof/acknowledging.py",
        "system/claims.py", "system/new_file.py", "system/files/durable.py",
        "system/arrays/boot_file.py", "system/arrays/mount_root.py",
    ),
}  # fmt: skip
_SHORT = 16
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
    within: str = ""  # the function
    line: str = ""

    @property
    def key(self) -> str:
        """Of tests/equivalent.toml: numbers of lines may change. What is short stands with its line."""
        where = f" in {self.line}" if len(self.was) < _SHORT else ""
        return f"{self.within}: {' '.join(self.was.split())} -> {' '.join(self.text.split())}{where}"

    @property
    def title(self) -> str:
        return f"{self.file}:{self.begin[0]}: {_short(self.was)} -> {_short(self.text)}"


class Outcome(msgspec.Struct, frozen=True):
    """`how`: killed, survived, unseen (no test runs the line), equivalent, endless, or endless twice.

    `by`: the test that failed.
    """

    mutant: Mutant
    how: str
    by: str = ""


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 70 else f"{words[:67]}..."


def mutants(file: Path) -> list[Mutant]:
    """All of a module, in its order."""
    text, name = file.read_bytes(), str(file.relative_to(ROOT))
    lines = text.decode().splitlines()
    found: list[Mutant] = []
    for node, is_static, within in _nodes(tree(file), True):
        for new in _changes(node):
            assert isinstance(node, ast.expr | ast.stmt) and node.end_lineno and node.end_col_offset
            begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            was = text[_at(text, begin) : _at(text, end)].decode()
            if new != was:
                found.append(Mutant(name, begin, end, was, new, is_static, within, lines[node.lineno - 1].strip()))
    return found


def _at(text: bytes, place: tuple[int, int]) -> int:
    return sum(map(len, text.splitlines(keepends=True)[: place[0] - 1])) + place[1]


def _nodes(node: ast.AST, is_static: bool, within: str = "") -> Iterator[tuple[ast.AST, bool, str]]:
    """Without types, docstrings, and what words a sentence."""
    yield node, is_static, within
    inside = is_static and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    left_out: set[ast.AST] = set()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        within = node.name
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
            yield from _nodes(child, inside, within)


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
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "raidtui", "tests"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    now = {
        name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        for name in sorted({*names})
        if name.endswith(".py") and name != "tests/mutants.py" and (ROOT / name).exists()
    }
    program = [digest for name, digest in now.items() if name.startswith("raidtui")]
    kept = KEPT / hashlib.sha256(" ".join([*folders, *program]).encode()).hexdigest()[:16]
    tests = {name: digest for name, digest in now.items() if name.startswith("tests")}
    measured_tests = kept.with_suffix(".json")
    wanted: Sequence[str] = folders
    new = kept.with_suffix(".new")  # another run may read the old one
    new.unlink(missing_ok=True)
    if kept.exists():
        shutil.copy(kept, new)
        before = json.loads(measured_tests.read_bytes())
        changed = sorted(name for name, _ in {*before.items()} ^ {*tests.items()})
        wanted = [name for name in changed if Path(name).name.startswith("test_") and (ROOT / name).exists()]
        wanted = [name for name in wanted if name.startswith((*folders,) or "tests") and _boots_no_kernel(name)]
        with sqlite3.connect(new) as data:
            for name in changed:
                which = "SELECT id FROM context WHERE substr(context, 1, ?) = ?"
                data.execute(f"DELETE FROM line_bits WHERE context_id IN ({which})", (len(name) + 2, f"{name}::"))
    if wanted or not kept.exists():
        _say(f"which tests run which lines: {len(wanted) or 'all'} test modules or folders, once for this tree")
        _measure(wanted, new)
    new.rename(kept)
    measured_tests.write_text(json.dumps(tests))
    data_of_all = coverage.CoverageData(basename=str(kept))
    data_of_all.read()
    return data_of_all


def _module_of(test: str) -> str:
    return test.partition("::")[0]


def _boots_no_kernel(test: str) -> bool:
    return not test.startswith(WITH_KERNELS)


def _measure(tests: Sequence[str], data_file: Path) -> None:
    """Adds to it."""
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as scratch:
        config = Path(scratch) / "rc"
        config.write_text("[run]\nsource_pkgs = raidtui\nparallel = true\ncore = ctrace\npatch = _exit\n")
        data = {"COVERAGE_PROCESS_START": str(config), "COVERAGE_FILE": f"{scratch}/data"}
        plugins = ("-p", "tests.mutants", "-p", "no:cacheprovider")
        options = (*plugins, f"-n{os.cpu_count()}", "--dist=worksteal", "-m", "not lab")
        argv = [sys.executable, "-m", "pytest", *options, *tests]
        subprocess.run(argv, cwd=ROOT, env={**os.environ, **data}, stdout=sys.stderr, check=False)
        combined = coverage.CoverageData(basename=f"{scratch}/combined")
        for part in [*([data_file] if data_file.exists() else []), *Path(scratch).glob("data.*")]:
            one = coverage.CoverageData(basename=str(part))
            one.read()
            combined.update(one)
        combined.write()
        combined.close()
        shutil.move(f"{scratch}/combined", data_file)


@cache
def _modules_run(data: str) -> dict[str, int]:
    """Test -> how many modules of the program it runs."""
    with sqlite3.connect(data) as read:
        counted = "SELECT context, count(*) FROM line_bits JOIN context ON context.id = context_id GROUP BY context_id"
        return dict(read.execute(counted))


def tests_of(mutant: Mutant, data: coverage.CoverageData) -> list[str]:
    """Node ids without parameters, the nearest first, of these those that run the least.

    Of a line that is run at import all those of its module, and the test modules that import it. Where few are found,
    the test module of its name: what a cache has is run by its first test alone.
    """
    by_line = data.contexts_by_lineno(str(ROOT / mutant.file))
    lines = [*range(mutant.begin[0], mutant.end[0] + 1)]
    begun = next((line for line in range(lines[0], 0, -1) if any(by_line.get(line, []))), 0)  # a constant has no line
    chosen = by_line.values() if mutant.is_static else (by_line.get(line, []) for line in {begun, *lines})
    found = {name for names in chosen for name in names if name}
    place = Path(mutant.file).relative_to("raidtui")
    modules: set[str] = set()
    if mutant.is_static:
        modules = {*filter(_boots_no_kernel, concerned([mutant.file], 1) or ())}
    elif len(found) < FIRST:
        modules = {f"tests/{place.with_name(f'test_{place.name}')}"} & {*map(_module_of, data.measured_contexts())}
    found = {name for name in found if _module_of(name) not in modules} | modules  # pytest drops one of both

    def far(name: str) -> tuple[bool, int, int, str]:
        path = Path(name.partition("::")[0])
        shared = len(os.path.commonpath([str(path.parent), str(Path("tests") / place.parent)]))
        is_other = not path.stem.removeprefix("test_").startswith(place.stem)
        return is_other, -shared, _modules_run(data.data_filename()).get(name, 0), name

    return sorted(found, key=far)


class _Copy:
    """A copy of the tree, in which one mutant at a time is tried: most in a child of a process that has imported all
    tests (tests/forked.py), those of tables in a process of their own.
    """

    def __init__(self, folder: Path, tests: Sequence[str]) -> None:
        self.folder, self.tests = folder, tests
        self._passing: dict[str, bool] = {}
        self._server: subprocess.Popen[str] | None = None
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def tried(self, mutant: Mutant, tests: Sequence[str]) -> Outcome:
        """With the nearest tests first: most mutants need no other."""
        if self._server is None:  # which imports the program as it is
            self._server = self._started("tests.forked", *self.tests)
            assert self._server.stdout and self._server.stdout.readline() == '[0, ""]\n'
        file = self.folder / mutant.file
        before = file.read_bytes()
        outcome = Outcome(mutant, "unseen")
        for some, limit_s in zip((tests[:FIRST], tests[FIRST:]), LIMITS_S, strict=True):
            if some and outcome.how in ("unseen", "survived"):
                try:
                    self._write(file, mutated(mutant, before))
                    outcome = self._of(mutant, some, limit_s)
                finally:
                    self._write(file, before)
                if not self._passes(mutant, outcome.by):
                    _say(f"fails without any change, left out: {outcome.by}")
                    return self.tried(mutant, [name for name in tests if name not in outcome.by])
        return outcome

    def _write(self, file: Path, text: bytes) -> None:
        for stale in file.parent.glob(f"__pycache__/{file.stem}.*"):
            stale.unlink()
        file.write_bytes(text)

    def _of(self, mutant: Mutant, tests: Sequence[str], limit_s: float) -> Outcome:
        status, words = ("static", "") if mutant.is_static else self._forked(mutant.file, tests, limit_s)
        if status == "static":
            status, words = self._fresh(tests, limit_s)
        if status is None:
            return Outcome(mutant, "endless")
        if status == 0 and re.search(r"\d (passed|skipped).* in [0-9.]+s", words[-200:]):
            return Outcome(mutant, "survived")  # else it has left in the middle of the tests
        failed = [line for line in words.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return Outcome(mutant, "killed", failed[0] if failed else words[-200:])

    def _passes(self, mutant: Mutant, by: str) -> bool:
        """The test that noticed passes without the mutant."""
        if mutant.is_static or not by.startswith("FAILED"):
            return True
        name = by.split()[1].partition("[")[0]
        if name not in self._passing:
            self._passing[name] = self._forked(mutant.file, [name], LIMITS_S[0])[0] in (0, "static")
        return self._passing[name]

    def _forked(self, file: str, tests: Sequence[str], limit_s: float) -> tuple[object, str]:
        server = self._server
        assert server and server.stdin and server.stdout
        server.stdin.write(f"{json.dumps([file, tests, limit_s])}\n")
        server.stdin.flush()
        status, words = json.loads(server.stdout.readline())
        return status, words

    def _started(self, module: str, *words: str) -> "subprocess.Popen[str]":
        argv = ["prlimit", f"--as={MOST_BYTES}", sys.executable, "-m", module, *words]
        # Folders of its own: pytest closes the usual one to others, in which tests that go on beside it opened a way.
        own = {"PYTHONPATH": str(self.folder), "PYTEST_DEBUG_TEMPROOT": str(self.folder)}
        return subprocess.Popen(
            argv, cwd=self.folder, env={**os.environ, **own}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip

    def _fresh(self, tests: Sequence[str], limit_s: float) -> tuple[object, str]:
        (self.folder / ".tests").write_text("\n".join(tests))
        with self._started("pytest", *OPTIONS, "-x", "@.tests") as process:
            try:
                words, _ = process.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return None, ""
        return process.returncode, words

    def close(self) -> None:
        if self._server:
            self._server.communicate()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _files(place: str) -> list[Path]:
    path = ROOT / ("raidtui" if place in GROUPS or not place.startswith("raidtui") else ".") / place
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _drawn(group: str, seed: int, count: int) -> list[Mutant]:
    files = [file for place in GROUPS.get(group, (group,)) for file in _files(place)]
    every = [one for file in files for one in mutants(file)]
    if group == DURABILITY:
        return [one for one in every if _GUARDS.match(one.was) and (one.text == "pass" or one.was.startswith("with"))]
    return random.Random(f"{seed} {group}").sample(every, min(count, len(every)))


def _again(earlier: Path) -> Iterator[tuple[str, Mutant]]:
    """Of what survived, the mutant of now that is nearest to where it was."""
    outcomes = msgspec.json.decode(earlier.read_bytes(), type=dict[str, list[Outcome]])
    for group, one in ((group, one) for group, every in outcomes.items() for one in every):
        if one.how not in ("killed", "equivalent", "endless twice"):
            was, line = one.mutant, one.mutant.begin[0]
            same = [
                now
                for now in mutants(ROOT / was.file)
                if (now.within, now.was, now.text) == (was.within, was.was, was.text)
            ]
            yield from ((group, now) for now in sorted(same, key=lambda now: abs(now.begin[0] - line))[:1])


def equivalent() -> dict[str, dict[str, str]]:
    """File -> key -> reason."""
    found: dict[str, dict[str, str]] = tomllib.loads(EQUIVALENT.read_text())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("groups", nargs="*", default=[*GROUPS])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tests", nargs="*", default=[], help="folders; all without")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--again", type=Path)
    parser.add_argument("--most", type=int)
    wanted = parser.parse_args()
    data = _measured(wanted.tests)
    drawn = [(group, one) for group in wanted.groups for one in _drawn(group, wanted.seed, wanted.count)]
    drawn = [*_again(wanted.again)] if wanted.again else drawn
    same = equivalent()
    outcomes: defaultdict[str, list[Outcome]] = defaultdict(list)
    copies: SimpleQueue[_Copy] = SimpleQueue()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(wanted.jobs) as pool:
        for number in range(wanted.jobs):
            copies.put(_Copy(Path(scratch) / str(number), wanted.tests))

        def tried(group: str, mutant: Mutant) -> Outcome:
            if mutant.key in same.get(mutant.file, {}):
                return Outcome(mutant, "equivalent")
            mine = copies.get()
            began_s = time.monotonic()
            try:
                outcome = mine.tried(mutant, tests_of(mutant, data)[: wanted.most])
            finally:
                copies.put(mine)
            _say(f"{group}: {outcome.how} in {time.monotonic() - began_s:.0f} s: {mutant.title}")
            return outcome

        for group, going in [(group, pool.submit(tried, group, one)) for group, one in drawn]:
            outcomes[group].append(going.result())
            _keep(outcomes, wanted.out)
        for group, every in outcomes.items():
            for at, outcome in enumerate(every):
                if outcome.how == "endless" and tried(group, outcome.mutant).how == "endless":
                    every[at] = msgspec.structs.replace(outcome, how="endless twice")
        while not copies.empty():
            copies.get().close()
    _keep(outcomes, wanted.out)
    print(*table(outcomes), sep="\n")
    return 0


def _keep(outcomes: dict[str, list[Outcome]], out: Path | None) -> None:
    """At any moment: a run of hours may be ended."""
    if out:
        out.write_text(json.dumps(msgspec.to_builtins(outcomes), indent=1))


def table(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    """Per group; then each that no test noticed. An endless one counts if it was so twice, an equivalent one never."""
    yield f"{'group':<12}" + "".join(
        f"{name:>12}" for name in ("drawn", "equivalent", "killed", "survived", "endless", "score")
    )
    for group, tried in outcomes.items():
        count = Counter(one.how for one in tried)
        killed, survived = count["killed"] + count["endless twice"], count["survived"] + count["unseen"]
        numbers = (len(tried), count["equivalent"], killed, survived, count["endless"])
        yield (
            f"{group:<12}"
            + "".join(f"{n:>12}" for n in numbers)
            + f"{100 * killed / max(1, killed + survived):>11.0f}%"
        )
    for group, tried in outcomes.items():
        left = [one for one in tried if one.how not in ("killed", "equivalent")]
        yield from (f"{group}: {one.how}: {one.mutant.title}" for one in left)


if __name__ == "__main__":
    sys.exit(main())
