"""The rows of the list of disks at any width: what each disk is, and whether it may be used. Pure."""

from raidtui.core.disks.disk import Disk, Usability, marks
from raidtui.core.units import Units, format_bytes
from raidtui.ui.render.cells import Piece, Row, Sheet, fit, fit_end

WORDS = {Usability.OK: "ok", Usability.WARN: "warn", Usability.REFUSE: "no"}
_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "dim"}
_MARK, _SIZE, _VERDICT = 5, 8, 5
_LEAST_STATE = 24


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
