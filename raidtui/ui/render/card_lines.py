"""The top of Results: the answer, then each test's gain in large figures, and bars by role. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import zip_longest

from raidtui.core.answer import numbers
from raidtui.core.answer.answer import Answer
from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.values import Expected
from raidtui.core.page.blocks import Role
from raidtui.core.report.answer import table
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.units import Units, shown_in
from raidtui.ui.render.cells import Line, Piece, fit, wrap
from raidtui.ui.render.glyphs import ASCII, of_terminal
from raidtui.ui.render.page_lines import page_lines
from raidtui.ui.render.result_rows import drawn_bar, number, title

_DIGITS = {
    "0": ("┌─┐", "│ │", "└─┘"),
    "1": ("╶┐ ", " │ ", "╶┴╴"),
    "2": ("╶─┐", "┌─┘", "└─╴"),
    "3": ("╶─┐", " ─┤", "╶─┘"),
    "4": ("╷ ╷", "└─┤", "  ╵"),
    "5": ("┌─╴", "└─┐", "╶─┘"),
    "6": ("┌─╴", "├─┐", "└─┘"),
    "7": ("╶─┐", "  │", "  ╵"),
    "8": ("┌─┐", "├─┤", "└─┘"),
    "9": ("┌─┐", "└─┤", "╶─┘"),
    ".": (" ", " ", "."),
    "\N{MULTIPLICATION SIGN}": ("   ", " \N{MULTIPLICATION SIGN} ", "   "),
}
_TILE = 28
_GAP = 2  # between two columns
_MOST_TILES = 8
_ROLES: dict[Role, str] = {"one": "one disk", "all": "all at once", "array": "array", "theory": "expected"}
_WITHOUT_ARRAY: tuple[Role, ...] = ("one", "all")


def answer_lines(answer: Answer, width: int, keys: Mapping[str, str], *, has_next: bool = True) -> list[Line]:
    """Title, lines, next step, table, number of further findings. `keys`: action -> key; `has_next`: is it possible
    now?
    """
    lines: list[Line] = [((f" {text}", "head"),) for text in wrap(answer.title, width - 2)]
    looks = ["strong", *[""] * (len(answer.lines) - 2), "accent"][-len(answer.lines) :]
    key = keys.get(answer.next.does, "")
    step = answer.lines[-1]
    if key and answer.next.does == "explain" and "clear" in keys:  # an array stands, and goes first
        step = f"{step} ({keys['clear']}, then {key})"
    elif key:
        step = step.replace("Next:", f"Next: {key} here{', or' if answer.next.command else ':'}", 1)
    shown = list(zip((*answer.lines[:-1], step), looks, strict=True))
    for text, look in shown if has_next else shown[:-1]:
        first, *others = wrap(text, width - 4)
        lines += [((f" - {first}", look),), *(((f"   {other}", look),) for other in others)]
    if answer.more and "further" in keys:
        ending = "" if len(answer.more) == 1 else "s"
        lines.append(((f"   {keys['further']}: {len(answer.more)} further finding{ending}", "dim"),))
    return [*lines, (), *page_lines(table(answer.table), width, 1)] if answer.table else lines


def tile_lines(comparison: Comparison, doubted: Set[Tested], units: Units, width: int) -> list[Line]:
    """Each test's gain over one disk, three rows high; figures of `doubted` tests are dim and marked."""
    rows = [row for row in comparison.rows if row.gain is not None and row.array.value is not None]
    if not rows or len({row.stage for row in rows}) > 1 or len(rows) > _MOST_TILES or width < 2 * _TILE:
        return []
    off_by_test = {value.test: value for value in expected_of(rows)}
    tiles = [_tile(row, off_by_test, (row.stage, row.job) in doubted, units) for row in rows]
    across = min(len(tiles), max(1, width // _TILE))
    lines: list[Line] = []
    for first in range(0, len(tiles), across):
        row_tiles = tiles[first : first + across]
        lines.append(())
        for part in zip(*row_tiles, strict=True):  # titles beside titles, figures beside figures
            for cells in zip_longest(*part, fillvalue=("", "")):
                lines.append(tuple(cell for text_look in cells for cell in _cell(*text_look)))
    return lines


def _cell(text: str, look: str) -> tuple[Piece, Piece]:
    return (" ", ""), (fit(text, _TILE - 1), look)


def _tile(
    row: ResultRow, off_by_test: dict[str, Expected], doubted: bool, units: Units
) -> tuple[list[Piece], list[Piece], list[Piece]]:
    gain, look = numbers.times(row.gain or 0.0), "dim" if doubted else "array"
    if of_terminal() is not ASCII:
        digits = [_DIGITS[char] for char in gain]
        large = [("".join(digit[i] for digit in digits), look) for i in range(3)]
        large[1] = (f"{large[1][0]} one disk", look)
    else:
        large = [("", ""), (f"{gain} one disk", look), ("", "")]
    off = next((value for test, value in off_by_test.items() if test.startswith(row.title)), None)
    figure = f"{number(row.array.value or 0.0, row, units)} {shown_in(row.kind, units)[0]}"
    verdict = ("", "")
    if doubted:
        verdict = ("excluded", "warn")
    elif off:
        verdict = (numbers.versus_expected(off), "warn" if off.closeness == "below" else "good")
    titles = [(text, "strong") for text in wrap(title(row), _TILE - _GAP)]
    return titles, [*large, (figure, "dim" if doubted else "")], [verdict]


def bar_lines(named_rows: Sequence[tuple[str, ResultRow]], units: Units, width: int) -> list[Line]:
    """One disk, all at once, array, expected of each row, on one scale; disks once where they are the same in every
    row.
    """
    values = {
        name: {"one": row.single.value, "all": row.all_at_once.value, "array": row.array.value, "theory": row.predicted}
        for name, row in named_rows
    }
    largest = max((value for by_disk in values.values() for value in by_disk.values() if value), default=0.0)
    cells = max(10, min(60, width - 30))

    def drawn(name: str, row: ResultRow, roles: Iterable[Role]) -> Iterator[Line]:
        for role in roles:
            value = values[name][role]
            if value and largest:
                word = "existing" if role == "array" and row.stood else _ROLES[role]
                mark = row.expected.mark if role == "theory" else ""
                figure = f" {mark}{number(value, row, units)} {shown_in(row.kind, units)[0]}"
                bar = drawn_bar(role, value / largest, cells).rstrip()
                yield ((f"   {word:<13}", ""), (bar, role), (figure, ""))

    once = [
        role for role in _WITHOUT_ARRAY if len(values) > 1 and len({by_disk[role] for by_disk in values.values()}) == 1
    ]
    lines: list[Line] = list(drawn(*named_rows[0], once))
    for name, row in named_rows:
        lines += [((f" {text}", "strong"),) for text in wrap(name, width - 2)]
        lines += drawn(name, row, [role for role in _ROLES if role not in once])
    return lines
