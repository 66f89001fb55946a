"""How long the program takes to say something: `--help`, and the wizard's first picture. In pairs, interleaved."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.table import Figures, Row, pair_ratio, verdict
from tests.bench.terminal import Terminal

_HELP_PAIRS, _WIZARD_PAIRS = 15, 9
_LAST_ROW, _KEYS = b"slower than theory", b"look again"
_MOST_SENT_BYTES = 16_000
Run = Callable[[], float]


def pairs(ours: Run, theirs: Run, count: int) -> tuple[Figures, Figures]:
    """Both measured `count` times, one after the other; a first pair warms caches up and does not count."""
    found = [(ours(), theirs()) for _ in range(count + 1)][1:]
    return Figures(tuple(a for a, _ in found)), Figures(tuple(b for _, b in found))


def help_text() -> Row:
    """`raidtui --help` against the import of typer alone."""
    raidtui = str(Path(sys.executable).with_name("raidtui"))
    ours, theirs = pairs(
        lambda: _wall_s((raidtui, "--help")), lambda: _wall_s((sys.executable, "-c", "import typer")), _HELP_PAIRS
    )
    ratio = pair_ratio(ours, theirs)
    return Row(
        "raidtui --help",
        ours.text("ms", 1e3),
        'python -c "import typer"',
        theirs.text("ms", 1e3),
        f"{ratio:.2f}x",
        "1.5x",
        verdict(ratio <= 1.5),
    )


def wizard() -> Row:
    """The wizard, until all questions and the keys are shown, against an app of one label."""
    sent: list[int] = []

    def ours() -> float:
        with Terminal((sys.executable, "-m", "tests.bench.wizard")) as terminal:
            took_s = terminal.until((_LAST_ROW, _KEYS))
            terminal.listen(0.3)
            sent.append(len(terminal.sent))
            return took_s

    def theirs() -> float:
        with Terminal((sys.executable, "-m", "tests.bench.one_label")) as terminal:
            return terminal.until((b"one label stands here",))

    mine, other = pairs(ours, theirs, _WIZARD_PAIRS)
    ratio = pair_ratio(mine, other)
    return Row(
        "wizard, questions and keys shown",
        f"{mine.text('ms', 1e3)}; {max(sent) / 1e3:.1f} KB",
        "Textual app of one label",
        other.text("ms", 1e3),
        f"{ratio:.2f}x",
        "1.8x, 16 KB sent",
        verdict(ratio <= 1.8, max(sent) <= _MOST_SENT_BYTES),
    )


def _wall_s(argv: Sequence[str]) -> float:
    began_s = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began_s
