"""How long the program takes to say something: `--help`, and the wizard's first picture. In pairs, interleaved."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.process import used
from tests.bench.table import Figures, Row, beside, pair_ratio, verdict
from tests.bench.terminal import Terminal

_HELP_PAIRS, _WIZARD_PAIRS, _BESIDE_TYPER = 15, 9, 1.25
LAST_ROW, KEYS = b"new to RAID", b"rescan"
_MOST_SENT_BYTES = 16_000
Run = Callable[[], float]


def pairs(ours: Run, theirs: Run, count: int) -> tuple[Figures, Figures]:
    """Both measured `count` times, one after the other; a first pair warms caches up and does not count."""
    found = [(ours(), theirs()) for _ in range(count + 1)][1:]
    return Figures(tuple(a for a, _ in found)), Figures(tuple(b for _, b in found))


def help_text() -> Row:
    """`raidtui --help` against the import of typer alone."""
    raidtui = str(Path(sys.executable).with_name("raidtui"))
    return of_command("raidtui --help", (raidtui, "--help"))


def of_command(figure: str, argv: Sequence[str]) -> Row:
    """A command without a machine or a run to read, against the import of typer alone."""
    bare = (sys.executable, "-c", "import typer")
    ours, theirs = pairs(lambda: used(argv).wall_s, lambda: used(bare).wall_s, _HELP_PAIRS)
    return beside(figure, ours, 'python -c "import typer"', theirs, _BESIDE_TYPER)


def wizard() -> Row:
    """The wizard, until its choices, disks and keys are shown, against an app of one label."""
    sent: list[int] = []

    def ours() -> float:
        with Terminal((sys.executable, "-m", "tests.bench.wizard")) as terminal:
            took_s = terminal.until((LAST_ROW, KEYS))
            terminal.listen(0.3)
            sent.append(len(terminal.sent))
            return took_s

    def theirs() -> float:
        with Terminal((sys.executable, "-m", "tests.bench.one_label")) as terminal:
            return terminal.until((b"one label stands here",))

    mine, other = pairs(ours, theirs, _WIZARD_PAIRS)
    ratio = pair_ratio(mine, other)
    return Row(
        "wizard, first screen shown",
        f"{mine.text('ms', 1e3)}; {max(sent) / 1e3:.1f} KB",
        "Textual app of one label",
        other.text("ms", 1e3),
        f"{ratio:.2f}x",
        "1.8x, 16 KB sent",
        verdict(ratio <= 1.8, max(sent) <= _MOST_SENT_BYTES),
    )
