"""Tables as CSV: no formulas, no control characters."""

import csv as writer
import io
from collections.abc import Iterable, Sequence

from raidtui.core.text import spreadsheet_cell


def csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    lines = writer.writer(out, lineterminator="\n")
    lines.writerow(heads)
    lines.writerows([spreadsheet_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
