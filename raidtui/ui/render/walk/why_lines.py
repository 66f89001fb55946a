"""The panel beside a level's placement: proposal, expected rates, write penalty, failures, capacity. Pure."""

from raidtui.core.advice import wording
from raidtui.core.advice.preview import LevelPreview
from raidtui.core.advice.proposals import MOST_HDDS_OF_PARITY, Advice, failing
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.levels import copies
from raidtui.core.units import MINUS, Units, format_bytes, format_iops, format_rate
from raidtui.ui.render.cells import Line, Piece, fit, fit_right, of_terminal, wrapped
from raidtui.ui.render.parts import join
from raidtui.ui.render.walk.level_rows import level_sentences, survives_words, times_words

_NAME, _FIGURE, _TIMES, _TILES = 16, 13, 7, 24
_AT_MOST = "≤ "  # with its blank: see `in_ascii`


def why_lines(view: LevelPreview, advice: Advice | None, units: Units, width: int, height: int = 1000) -> list[Line]:
    """Of the level under the cursor, beside the proposal; blank lines where they fit."""
    lines: list[Line] = []
    if advice:
        mine = advice.best.named == view.named
        use = wording.USES[advice.wish.use][0]
        text = f"{advice.best.named} proposed for {use}" if mine else f"Proposed for {use}: {advice.best.named}"
        lines.append(((f"{of_terminal().proposed} ", "accent"), (text, "*strong")))
    if view.capacity is None:
        return [*lines, (), *_wrapped(f"Not possible: {view.problem}", "warn", width)]
    one = f"{format_rate(view.speed.bytes_per_s, units)}, {format_iops(view.speed.iops)} IOPS"
    by_place = {
        0: [*lines, *_rates(view, units)],
        4: capacity_lines(view),
        2: _failures(view, width),
        1: _penalties(view, advice),
        3: _risk(view, width),
        5: _wrapped(f"One disk: {one} ({wording.speed_source(view.speed)})", "dim", width),
    }  # the most important first: one that does not fit is left out
    taken: dict[int, list[Line]] = {}
    for place, block in by_place.items():
        if block and sum(map(len, taken.values())) + len(block) <= height:
            taken[place] = block
    blocks = [taken[place] for place in sorted(taken)]
    gaps = [()] if sum(map(len, blocks)) + len(blocks) - 1 <= height else []
    return [line for number, block in enumerate(blocks) for line in (*(gaps if number else ()), *block)]


def _rates(view: LevelPreview, units: Units) -> list[Line]:
    expected, speed = view.prediction, view.speed
    if expected is None:
        return [(("Expected  ", "*accent"), ("no model of its speed", "dim"))]
    read, write = expected.seq_read_bytes_per_s, expected.seq_write_bytes_per_s
    small = (expected.rand_read_iops, expected.rand_write_iops)
    rows = (
        ("sequential", "seq", [(format_rate(rate, units), rate / speed.bytes_per_s) for rate in (read, write)]),
        ("random 4K", "rand", [(f"{format_iops(rate)} IOPS", rate / speed.iops) for rate in small]),
    )
    uppers = {name for name, value in expected.confidence.items() if value is Confidence.UPPER}
    heads = "".join(fit_right(head, _FIGURE + _TIMES) for head in ("read", "write"))
    lines: list[Line] = [(("Expected  ", "*accent"), (heads, "dim"))]
    for name, kind, figures in rows:
        pieces = [(fit(name, 10), "dim")]
        for direction, (figure, times) in zip(("read", "write"), figures, strict=True):
            if any(upper.startswith(f"{kind}_{direction}") for upper in uppers):
                figure = _AT_MOST + figure
            pieces += [(fit_right(figure, _FIGURE), "*strong"), (fit_right(times_words(times), _TIMES), "")]
        lines.append(tuple(pieces))
    return lines


def _penalties(view: LevelPreview, advice: Advice | None) -> list[Line]:
    """Disk I/Os of a small write as tiles: of this level, the proposed one and the second best."""
    others = [one.preview for one in advice.ranked[:2]] if advice else []
    views = {one.named: one for one in (view, *others) if one.raid.md_name}
    lines: list[Line] = [(("Write penalty", "*accent"), (" (disk I/Os per small write)", "dim"))]
    for name, one in views.items():
        total = one.prediction.write_penalty if one.prediction else 0
        writes = min(total, one.raid.parity_disks + copies(one.key, one.layout, one.disks))
        lines.append(
            join(
                (
                    *_tiles("R" * (total - writes) + "W" * writes),
                    (f"{total:>2}  {name}", "*strong" if one is view else "dim"),
                )
            )
        )
    return lines


def _tiles(letters: str) -> list[Piece]:
    grounds, room = of_terminal().grounds, _TILES
    if len(letters) * 4 > room:
        return [(fit(f"{letters.count('R')} R, {letters.count('W')} W", room), "")]
    pieces: list[Piece] = []
    for letter in letters:
        pieces += [(f" {letter} ", f"on/{'w5' if letter == 'W' else 'r5'}" if grounds else "!"), (" ", "/bg")]
    return [*pieces, (" " * (room - 4 * len(letters)), "")]


def _failures(view: LevelPreview, width: int) -> list[Line]:
    why = failing(view)
    lines: list[Line] = [(("Failures", "*accent"), (f"  {survives_words(view)}", "" if why.survives else "bad"))]
    if why.rebuild:
        rebuild, reads = wording.rebuild_words(why, view.speed), format_bytes(why.rebuild.read_bytes)
        many = (
            f" of {view.group_disks - 1} disks" if view.disks > MOST_HDDS_OF_PARITY and view.raid.parity_disks else ""
        )
        lines += _wrapped(f"Rebuild {rebuild}, reads {reads}{many}", "", width)
        if many:
            lines += _wrapped(f"Loss by failing disks: {wording.loss_words(view)} a year (assumed)", "", width)
    return lines


def _risk(view: LevelPreview, width: int) -> list[Line]:
    why = failing(view)
    return _wrapped(wording.risk_words(why), "dim", width) if why.rebuild else []


def capacity_lines(view: LevelPreview) -> list[Line]:
    """From the labels to the array, in TB and TiB."""
    if view.capacity is None:
        return []
    lost, usable = view.capacity.lost, view.capacity.array_bytes
    units = (fit_right("TB = 10^12", _NAME + _FIGURE - 8), fit_right("TiB = 2^40", _FIGURE))
    lines: list[Line] = [(("Capacity", "*accent"), ("".join(units), "dim"))]
    overhead = lost.metadata_bytes + lost.rounding_bytes
    losses = (("copies", lost.mirror_bytes), ("parity", lost.parity_bytes), ("larger disks", lost.unequal_bytes),
              ("partitions", lost.outside_bytes), ("md metadata", overhead))  # fmt: skip
    rows = (("labels", view.raw_bytes), *((name, -size) for name, size in losses if size))
    lines += [sized(name, size, "") for name, size in rows]
    return [*lines, sized("usable", usable, "*array")]


def sized(name: str, size: int, look: str, about: str = "") -> Line:
    """A name and bytes in both units; a loss has a minus."""
    sign = about + (MINUS if size < 0 else "")
    figures = (fit_right(sign + format_bytes(abs(size), units), _FIGURE) for units in Units)
    return ((fit(name, _NAME), "*strong" if look else "dim"), *((figure, look) for figure in figures))


def why_page(view: LevelPreview, advice: Advice | str | None, units: Units, width: int) -> list[Line]:
    """All of it in words, on a page of its own."""
    lines: list[Line] = []
    if isinstance(advice, Advice):
        lines += _wrapped(f"Proposed: {wording.heading(advice.best)}", "*accent", width)
        for sentence in wording.sentences(advice):
            lines += _wrapped(sentence, "", width)
        lines += [*_wrapped(wording.second_best(advice), "dim", width), ()]
    elif advice:
        lines += [*_wrapped(advice, "warn", width), ()]
    lines += [
        ((view.named, "*accent"),),
        *_wrapped(level_sentences(view), "warn" if view.problem else "", width),
        (),
    ]
    return [*lines, *why_lines(view, advice if isinstance(advice, Advice) else None, units, width)]


def _wrapped(text: str, look: str, width: int) -> list[Line]:
    return wrapped(text, width, look) if text else []
