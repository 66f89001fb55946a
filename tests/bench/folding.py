"""How many events of a journal are read and folded in a second, beside decoding the same lines alone."""

import time

import msgspec

from raidtui.core.run import journal_lines
from raidtui.core.run.state import fold_all
from raidtui.runs.directory import JOURNAL
from tests.bench.live import RECORDING
from tests.bench.starts import pairs
from tests.bench.table import Figures, Row, pair_ratio, verdict

_TIMES, _PAIRS = 100, 5
_LEAST_PER_S, _MOST_RATIO = 20_000, 6.0


def folding() -> Row:
    """A journal of 24 disks a hundred times over."""
    lines = (RECORDING / JOURNAL).read_bytes() * _TIMES
    count = lines.count(b"\n")
    ours, theirs = pairs(lambda: _folded_s(lines), lambda: _decoded_s(lines), _PAIRS)
    per_s = Figures(tuple(count / took_s for took_s in ours.values))
    decoded = Figures(tuple(count / took_s for took_s in theirs.values))
    ratio = pair_ratio(ours, theirs)
    return Row(
        f"{count:,} events read and folded",
        per_s.text("k/s", 1e-3),
        "msgspec.json.decode of each line",
        decoded.text("k/s", 1e-3),
        f"{ratio:.1f}x as long",
        f"{_LEAST_PER_S / 1e3:.0f} k/s, {_MOST_RATIO:.0f}x",
        verdict(per_s.median >= _LEAST_PER_S, ratio <= _MOST_RATIO),
    )


def _folded_s(lines: bytes) -> float:
    began_s = time.process_time()
    fold_all(journal_lines.read(lines)[0])
    return time.process_time() - began_s


def _decoded_s(lines: bytes) -> float:
    began_s = time.process_time()
    for line in lines.splitlines():
        msgspec.json.decode(line)
    return time.process_time() - began_s
