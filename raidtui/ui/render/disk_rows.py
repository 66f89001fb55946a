"""The rows of the list of disks at any width, and all that is known of one disk. Pure."""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len

from raidtui.core.disks import buses
from raidtui.core.disks.disk import Disk, Usability, marks
from raidtui.core.units import Units, both, format_bytes
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, fit_end, plain, wrap

WORDS = {Usability.OK: "ok", Usability.WARN: "warn", Usability.REFUSE: "no"}
_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "dim"}
_MARK, _SIZE, _VERDICT = 5, 8, 5
_LEAST_STATE = 24
_NAME = 11  # columns of a fact's name
_TWO_COLUMNS = 120
_VERDICT_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "bad"}
_MEDIA = {True: "rotating", False: "flash", None: "rotational or flash: unknown"}


def disk_sheet(
    disks: tuple[Disk, ...], chosen: tuple[str, ...], width: int, units: Units, sorted_by: str = "name"
) -> Sheet:
    """One line a disk. The mark of a chosen disk is its place among the members. `sorted_by`: the column's name."""
    name = max([4, *(len(disk.name) for disk in disks)])
    room = width - _MARK - name - _SIZE - _VERDICT - 5
    model_wish = min(24, max([5, *(len(disk.model) for disk in disks)]))
    marked = marks(disks)
    serial_wish = min(20, max([6, *(len(mark) for mark in marked.values())]))
    found_wish = min(22, max([9, *(len(disk.found) for disk in disks)]))
    state = min(_LEAST_STATE, max([0, *(len(disk.verdict.reason or disk.found) for disk in disks)]))
    on_it = found_wish if room - model_wish - serial_wish - found_wish >= state else 0
    spare = room - on_it - 4 - state
    serial = max(6, min(serial_wish, max(spare * 45 // 100, spare - model_wish)))
    model = max(5, min(model_wish, spare - serial))
    reason = max(1, width - _MARK - name - _SIZE - _VERDICT - model - serial - on_it - (8 if on_it else 6))
    look_of = {
        column: "head" if column == sorted_by else "dim" for column in ("name", "size", "model", "serial", "use")
    }
    heading: list[Piece] = [
        (fit("", _MARK), ""),
        (fit("name", name) + " ", look_of["name"]),
        (fit("size", _SIZE, right=True) + "  ", look_of["size"]),
        (fit("model", model) + " ", look_of["model"]),
        (fit("serial", serial) + " ", look_of["serial"]),
    ]
    if on_it:
        heading.append((fit("holds now", on_it) + "  ", "dim"))
    heading.append((fit("use", _VERDICT), look_of["use"]))
    heading.append((fit("why" if on_it else "why, or what is on it", reason), "dim"))
    rows = []
    for disk in disks:
        standing = disk.verdict.standing
        look = "dim" if standing is Usability.REFUSE else ""
        is_chosen = disk.id in chosen
        mark = f"[{chosen.index(disk.id) + 1}]" if is_chosen else "[ ]"
        cells: list[Piece] = [
            (
                fit(" " + (mark if standing is not Usability.REFUSE else " - "), _MARK),
                "accent" if is_chosen else look,
            ),
            (fit(disk.name, name) + " ", "strong" if is_chosen else look),
            (fit(format_bytes(disk.size_bytes, units), _SIZE, right=True) + "  ", look),
            (fit(disk.model, model) + " ", look),
            (fit_end(marked[disk.id], serial) + " ", look),
        ]
        if on_it:
            cells.append((fit(disk.found, on_it) + "  ", look))
        cells.append((fit(WORDS[standing], _VERDICT), _LOOKS[standing]))
        why = disk.verdict.reason or ("" if on_it else disk.found)
        cells.append((fit(why, reason), "warn" if standing is Usability.WARN else look))
        rows.append(Row((tuple(cells),), possible=standing is not Usability.REFUSE))
    return Sheet(tuple(heading), tuple(rows))


def disk_detail(disk: Disk) -> tuple[str, str]:
    verdict = disk.verdict
    title = f"{disk.name} ({disk.title})"
    if verdict.standing is Usability.OK:
        return f"{title}: usable; on it now: {disk.found}", "dim"
    remedy = verdict.remedy.strip()
    sentence = f"{title}: {_ended(verdict.reason)}" + (f" {_ended(remedy[:1].upper() + remedy[1:])}" if remedy else "")
    if verdict.standing is Usability.WARN:
        return f"{sentence} Selectable; confirmed by name on Review.", "warn"
    return f"Not possible: {sentence}", "bad"


def kept_detail(disk: Disk, run: str) -> tuple[str, str]:
    """Of a disk whose array a run of raidtui's keeps: which, and what can be done about it."""
    column_texts = f"{disk.name} ({disk.title}): {_ended(disk.verdict.reason)} The array is kept by raidtui run {run}."
    return f"{column_texts} o: open this run. D: remove its array.", "warn"


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


class DiskFacts(msgspec.Struct, frozen=True):
    """What was asked for besides the disk itself. `health`: lines, the first of which judges; `runs`: newest first."""

    health: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


def disk_lines(disk: Disk, facts: DiskFacts | None, width: int) -> list[Line]:
    """All of it at one width, in two columns where they fit; `facts` None: they are being asked for."""
    if width < _TWO_COLUMNS:
        return [*_itself(disk, width), (), *_answer_lines(facts, width)]
    half = width // 2
    left_column, right_column = _itself(disk, half - 2), _answer_lines(facts, width - half)
    lines: list[Line] = []
    for at in range(max(len(left_column), len(right_column))):
        first = left_column[at] if at < len(left_column) else ()
        filling = half - sum(cell_len(plain(text)) for text, _ in first)
        lines.append((*first, (" " * max(1, filling), ""), *(right_column[at] if at < len(right_column) else ())))
    return lines


def _itself(disk: Disk, width: int) -> list[Line]:
    lines: list[Line] = [((text, "strong"),) for text in wrap(f"{disk.name}  {disk.title}", width)]
    physical = disk.physical_sector_bytes
    sectors = f"sectors of {disk.logical_sector_bytes} B"
    sectors += f", {physical} B physical" if physical != disk.logical_sector_bytes else ""
    makes = f", by {disk.emulator}" if disk.emulator else ""
    verdict = disk.verdict
    use = verdict.standing.value if verdict.standing is not Usability.REFUSE else "no"
    rows = [
        ("identity", disk.id, ""),
        ("size", f"{both(disk.size_bytes)}; {sectors}", ""),
        ("kind", ", ".join(part for part in (_MEDIA[disk.rotational], disk.transport) if part) + makes, ""),
        ("firmware", disk.firmware, ""),
        ("slot", disk.slot, ""),
        *(("link", buses.title(bus), "") for bus in disk.buses),
        ("volume", disk.volume, ""),
        ("on it", disk.found, "" if disk.found == "blank" else "warn"),
        ("use", ": ".join(part for part in (use, verdict.reason) if part), _VERDICT_LOOKS[verdict.standing]),
        ("remedy", verdict.remedy, ""),
    ]
    for name, text, look in rows:
        if text:
            lines += [
                ((fit("" if at else name, _NAME), "dim"), (line, look))
                for at, line in enumerate(wrap(text, width - _NAME))
            ]
    return lines


def _answer_lines(facts: DiskFacts | None, width: int) -> list[Line]:
    if facts is None:
        return [(("Health", "head"),), (("querying…", "dim"),)]
    lines: list[Line] = [(("Health", "head"),), *_indented(facts.health, width)]
    lines += [(), (("Runs", "head"),)]
    return [*lines, *_indented(facts.runs or ("none",), width)]


def _indented(texts: Sequence[str], width: int) -> list[Line]:
    """Lines whose columns stay as they are while they fit."""
    return [((line, ""),) for text in texts for line in ([text] if len(text) <= width else wrap(text, width))]
