"""All that is known of one disk, in lines: what it is, where it sits, what is on it, its health, its runs. Pure."""

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len

from raidtui.core.disks import buses
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.units import both
from raidtui.ui.render.cells import Line, fit, plain, wrap

_NAME = 11  # columns of a fact's name
_TWO_COLUMNS = 120
_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "bad"}
_MEDIA = {True: "rotating", False: "flash", None: "rotational or flash: unknown"}


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
        ("use", ": ".join(part for part in (use, verdict.reason) if part), _LOOKS[verdict.standing]),
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
