"""One row of the fault matrix: what is done to a run, what is expected of it, and how the table is written.

Knows the shape of a row; the faults themselves are in the `faults_*` modules, carried out by `guest`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from tests.torture.attempt import Answer, Attempt
    from tests.torture.stand import Stand

Lab = Literal["plain", "systemd", "reboot", "systemd-reboot", "groups", "groups-reboot"]
Then = Literal["", "clean", "resume"]
HEADINGS = ("fault", "when", "expected", "seen", "lost")
NOTHING = "nothing"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A fault. `act` strikes, yields what is to be looked at, and on leaving repairs what it broke.

    `outcome` is the run's, "interrupted" where the worker died, or "refused" where no run may begin. `says`: words that
    the reason, what is left, or a FAILED cell must have; {disk} is the struck disk's serial. `then`: what follows.
    `fall` is the boot before, for rows of the labs "reboot": it ends the kernel.
    `rows_long`: it has the time of so many.
    """

    name: str
    fault: str
    when: str
    outcome: str
    act: "Callable[[Stand], AbstractContextManager[Attempt | Answer]]"
    says: tuple[str, ...] = ()
    then: Then = ""
    lab: Lab = "plain"
    fall: "Callable[[Stand], None] | None" = None
    rows_long: int = 1

    @property
    def expected(self) -> str:
        words = ", ".join("the serial of its disk" if word == "{disk}" else f"“{word}”" for word in self.says)
        return self.outcome + (f": {words}" if words else "") + (f"; then {self.then}" if self.then else "")


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a row. `differs` are sentences on what was not as expected, `lost` on what is gone or left."""

    name: str
    seen: str
    differs: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not self.differs and not self.lost


def table(rows: Sequence[Row], results: Mapping[str, Result]) -> str:
    """The matrix in markdown; a row without a result did not run."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    for row in rows:
        result = results.get(row.name) or Result(name=row.name, seen="did not run", differs=("did not run",))
        seen = "; ".join((result.seen, *(f"**differs**: {text}" for text in result.differs)))
        cells = row.fault, row.when, row.expected, seen, "; ".join(result.lost) or NOTHING
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines)


_WORDS = 30  # of moments in one line


def summary(rows: Sequence[Row], results: Mapping[str, Result]) -> str:
    """A line a fault and end, as in docs/faults.md."""
    lines = ["| Fault | When | Ends | As expected | Lost |", "| --- | --- | --- | ---: | --- |"]
    for fault, expected in dict.fromkeys((row.fault, row.expected) for row in rows):
        waiting = [row for row in rows if (row.fault, row.expected) == (fault, expected)]
        while waiting:
            count = len(waiting)
            while count > 1 and len(_moments(waiting[:count]).split()) > _WORDS:
                count -= 1
            own, waiting = waiting[:count], waiting[count:]
            found = [results[row.name] for row in own if row.name in results]
            lost = "; ".join(text for one in found for text in one.lost) or NOTHING
            good = f"{sum(one.good for one in found)} of {len(own)}"
            lines.append("| " + " | ".join(map(_cell, (fault, _moments(own), expected, good, lost))) + " |")
    return "\n".join(lines)


def _moments(rows: Sequence[Row]) -> str:
    return "; ".join(dict.fromkeys(row.when for row in rows))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
