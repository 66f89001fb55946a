"""Measures the budgets one after the other and prints the table: `python -m tests.bench [NAME...]`."""

import sys
from collections.abc import Callable

from tests.bench import (
    attach,
    commands,
    discovery,
    echo,
    fleet,
    folding,
    live,
    prediction,
    quick,
    starts,
    table,
    trials,
    worker,
)

FIGURES: dict[str, Callable[[], tuple[table.Row, ...]]] = {
    "help": lambda: (starts.help_text(),),
    "wizard": lambda: (starts.wizard(),),
    "live": live.live,
    "worker": worker.worker,
    "attach": attach.attach,
    "commands": commands.commands,
    "discovery": discovery.discovery,
    "echo": lambda: (echo.echo(),),
    "trials": lambda: (trials.trials(),),
    "quick": lambda: (quick.quick(),),
    "folding": lambda: (folding.folding(),),
    "predict": prediction.prediction,
    "fleet": fleet.fleet,
}


def main() -> None:
    rows: list[table.Row] = []
    for name in sys.argv[1:] or FIGURES:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        rows += FIGURES[name]()
    print(table.text(rows))


if __name__ == "__main__":
    main()
