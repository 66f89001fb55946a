"""One process that has imported the tests, and for each try a child of it in which one function is another.

For tests/mutants.py: `python -m tests.forked FOLDER ...` reads a question per line, `[FILE, TESTS, LIMIT_S]`, and
answers each with a line, `[STATUS, TEXT]`: pytest's status and what it printed; None: no end in time. FILE was changed
on the disk since. "static": something differs that is no function, and a fresh process is needed.
"""

import gc
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import _lru_cache_wrapper
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType

import pytest

OPTIONS = ("-p", "no:cacheprovider", "--verbosity=0", "--durations=0", "--durations-min=999", "-n", "0")
_POLL_S = 0.02
Functions = dict[tuple[str, int, str], list[FunctionType]]
Caches = Sequence["_lru_cache_wrapper[object]"]


class Static(Exception):
    """What differs is no function's, or of a function that is not to be found."""


def _of(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _own(code: CodeType) -> tuple[object, ...]:
    consts = [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, len(_of(code))


def _is_same(was: CodeType, now: CodeType) -> bool:
    """Lines apart."""
    return _own(was) == _own(now) and all(map(_is_same, _of(was), _of(now)))


def changes(was: CodeType, now: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions that differ; Static if anything else does."""
    if _own(was) != _own(now):
        raise Static
    for one, other in zip(_of(was), _of(now), strict=True):
        if one.co_flags & CO_OPTIMIZED:
            if not _is_same(one, other):
                yield one, other
        else:
            yield from changes(one, other)


def _key(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _functions() -> tuple[Functions, Caches]:
    """All, and those of the program and its tests that keep what they have found."""
    found: Functions = defaultdict(list)
    keeping = []
    gc.unfreeze()
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            found[_key(one.__code__)].append(one)
        elif isinstance(one, _lru_cache_wrapper) and one.__module__.startswith(("raidtui.", "tests.")):
            keeping.append(one)
    gc.freeze()
    return found, keeping


def _exchange(file: Path, was: str, functions: Functions) -> None:
    before, now = (compile(text, str(file), "exec", dont_inherit=True) for text in (was, file.read_text()))
    for one, other in changes(before, now):
        found = functions.get(_key(one), [])
        if not found or len({*map(id, (function.__code__ for function in found))}) != 1:
            raise Static
        for function in found:
            function.__code__ = other
        for inner, new in _inner(one, other):  # of functions that were made when their module was imported
            for function in functions.get(_key(inner), []):
                function.__code__ = new


def _inner(was: CodeType, now: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    if len(_of(was)) != len(_of(now)):
        raise Static
    for one, other in zip(_of(was), _of(now), strict=True):
        if not _is_same(one, other):
            if one.co_freevars != other.co_freevars:
                raise Static
            yield one, other
            yield from _inner(one, other)


def _tried(
    tests: list[str],
    limit_s: float,
    change: tuple[Path, str, Functions],
    keeping: Caches,
) -> tuple[object, str]:
    out = Path(".tried")
    child = os.fork()
    if not child:
        status = 70
        try:
            os.setsid()
            descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number in (1, 2):
                os.dup2(descriptor, number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            try:
                _exchange(*change)
            except Static:
                os._exit(71)
            for one in keeping:  # what the program was before
                one.cache_clear()
            Path(".tests").write_text("\n".join(tests))
            status = int(pytest.main([*OPTIONS, "-x", "@.tests"]))
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(status)
    end_s = time.monotonic() + limit_s
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end_s:
            os.killpg(child, 9)
            os.waitpid(child, 0)
            return None, ""
        time.sleep(_POLL_S)
    status = os.waitstatus_to_exitcode(ended[1])
    return "static" if status == 71 else status, out.read_text(errors="replace")


def main() -> None:
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        status = pytest.main([*OPTIONS, "--collect-only", "-m", "not lab", *sys.argv[1:]])
    texts = {file: file.read_text() for file in Path("raidtui").absolute().rglob("*.py")}
    functions, keeping = _functions()
    print(json.dumps([int(status), ""]), flush=True)
    for line in sys.stdin:
        name, tests, limit_s = json.loads(line)
        file = Path(name).absolute()
        print(json.dumps(_tried(tests, limit_s, (file, texts[file], functions), keeping)), flush=True)


if __name__ == "__main__":
    main()
