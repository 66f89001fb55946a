"""The guest's side: carries out the named rows one after the other, and writes what became of each.

`python -m tests.torture.guest OUT ROW...`, as root in the practice kernel; a line of JSON a row is appended to OUT.
`python -m tests.torture.guest --fall ROW` is the first boot of a row that has two.
"""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from raidtui.core.report import provenance
from raidtui.runs import directory, launch
from tests.torture import invariants
from tests.torture.attempt import Answer, Attempt, as_typed
from tests.torture.faults import ROWS
from tests.torture.matrix import Result, Row, Then
from tests.torture.stand import Stand, command, settle

_ROW_S = 900  # a run that falls silent is told of long before


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError(f"the row took longer than {_ROW_S} s")


def _outcome(attempt: Attempt) -> str:
    return attempt.state.outcome or "interrupted"


def _words(attempt: Attempt) -> tuple[str, ...]:
    """The reason, what is left, warnings, and the failed cells' errors: all that the run says went wrong."""
    state = attempt.state
    measured = [trial.measurement for trial in state.trials if trial.measurement]
    cells = [f"{one.status.upper()} {one.name}: {one.error or ''}" for one in measured if one.status != "ok"]
    noted = [text for one in measured for text in one.warnings]
    return tuple(word for word in (state.reason, *state.left, *cells, *noted, *state.warnings) if word)


def carry_out(row: Row, stand: Stand) -> Result:
    """Strike, look, repair, look again."""
    began_s = time.monotonic()
    differs: list[str] = []
    lost: list[str] = []
    seen = ""
    attempt: Attempt | None = None
    words: tuple[str, ...] = ()
    try:
        with row.act(stand) as found:
            if isinstance(found, Answer):
                outcome, words, struck = "refused", (found.said,), None
            else:
                attempt, struck = found, found.struck
                attempt.end()
                outcome, words = _outcome(attempt), _words(attempt)
            seen = ": ".join((outcome, *dict.fromkeys(words[:2])))
            lost += invariants.no_orphan()
        if outcome != row.outcome:
            differs.append(f"{outcome}, expected {row.outcome}: {'; '.join(words)}")
        said = "\n".join(words)
        for word in row.says:
            if (wanted := word.format(disk=struck.serial if struck else "")) not in said:
                differs.append(f"nothing says “{wanted}”: {said}")
        if attempt:
            seen += _AFTERWARDS[row.then](attempt)
            lost += invariants.record_whole(attempt)
        lost += invariants.settings_back(stand)
        lost += invariants.nothing_built(attempt)
        settle()
        disks = stand.disks()
        lost += invariants.members_blank(stand.nodes(disks))
        lost += stand.lost + stand.changed_bystanders(disks)
    except Exception as error:
        traceback.print_exc()
        differs.append(f"{type(error).__name__}: {error}")
        seen = seen or "not seen to its end"
    if attempt and (differs or lost):
        print((attempt.path / directory.LOG).read_text()[-1500:], file=sys.stderr)
    stand.afterwards.close()
    took_s = time.monotonic() - began_s
    return Result(name=row.name, seen=seen, differs=tuple(differs), lost=tuple(lost), seconds=round(took_s, 1))


def _clean(attempt: Attempt) -> str:
    named = as_typed(partial(launch.clean, attempt.path))
    attempt.look()
    return f"; then cleared away{named}"


def _resume(attempt: Attempt) -> str:
    """Gone on with to its end, with every trial exactly once in the report."""
    final = [name for name, found in attempt.before.items() if found.status != "interrupted"]
    named = as_typed(partial(launch.resume, attempt.path))
    attempt.another_worker()
    state = attempt.end()
    measured = [one.name for one in provenance.measurements(attempt.plan, state)]
    if (state.outcome, state.left) != ("finished", ()):
        raise AssertionError(f"not finished after resume: {state.outcome} {state.reason} {state.left}")
    if measured != [trial.id for trial in attempt.plan.trials]:
        raise AssertionError(f"the report has {measured}")
    again = [name for name in final if sum(one.trial == name for one in state.trials) != 1]
    if again:
        raise AssertionError(f"measured again: {again}")
    return f"; then finished, {len(measured)} of {len(attempt.plan.trials)} trials{named}"


_AFTERWARDS: dict[Then, Callable[[Attempt], str]] = {"": lambda attempt: "", "clean": _clean, "resume": _resume}


def main() -> None:
    by_name = {row.name: row for row in ROWS}
    if sys.argv[1] == "--fall":
        fall = by_name[sys.argv[2]].fall
        assert fall
        fall(Stand())
    out, names = Path(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGALRM, _out_of_time)
    stand = Stand()
    clear = True
    for row in map(by_name.__getitem__, names):
        if not clear:
            for pid in invariants.running("raidtui.runs.worker"):
                os.kill(pid, signal.SIGKILL)
            stand.reset()
        signal.alarm(_ROW_S)
        result = carry_out(row, stand)
        signal.alarm(0)
        clear = result.good
        with out.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
        verdict = "ok" if result.good else f"DIFFERS {result.differs} {result.lost}"
        print(f"{row.name}: {result.seconds:g} s: {result.seen}: {verdict}", file=sys.stderr, flush=True)
        if not result.good:
            print(command("dmesg", ok=False)[-600:], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
