"""The plan so far: capacity bar, failures survived, expected speed; as column or lines."""

from raidtui.core.advice.preview import LevelPreview, PreviewSpeed
from raidtui.core.advice.wording import speed_source
from raidtui.core.plan.answers import given_fields
from raidtui.core.plan.failures import may_fail_words
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.summary import axes_words
from raidtui.core.raid.capacity import Lost
from raidtui.core.units import Units, both, format_bytes, format_iops, format_rate
from raidtui.ui.render.cells import Line, Piece, fit, wrap
from raidtui.ui.render.glyphs import Glyphs, of_terminal
from raidtui.ui.widgets.lines import Lines

_SHARE_NAMES = {
    "usable": "usable",
    "parity": "parity",
    "mirror": "copies",
    "unequal": "unequal",
    "metadata": "overhead",
}


def shares(array_bytes: int, lost: Lost) -> dict[str, int]:
    """Parts of raw bytes in a bar; rounding and tables count as metadata."""
    return {
        "usable": array_bytes,
        "parity": lost.parity_bytes,
        "mirror": lost.mirror_bytes,
        "unequal": lost.unequal_bytes,
        "metadata": lost.metadata_bytes + lost.rounding_bytes + lost.outside_bytes,
    }


def capacity_bar(shares_of_raw: dict[str, int], width: int, glyphs: Glyphs) -> Line:
    """Parts under half a cell are left to the first."""
    total = sum(shares_of_raw.values()) or 1
    cells = {name: round(size / total * width) for name, size in shares_of_raw.items()}
    first = next(iter(cells))
    cells[first] += width - sum(cells.values())
    return tuple((glyphs.shares[name] * count, name) for name, count in cells.items() if count > 0)


_NAME = 13  # cells of what was chosen


def _assumed(speed: PreviewSpeed, units: Units) -> str:
    rates = f"{format_rate(speed.bytes_per_s, units)} and {format_iops(speed.iops)} IOPS"
    return f"one disk: {rates} ({speed_source(speed)})"


class PlanPanel(Lines):
    def present(self, preview: LevelPreview, choices: tuple[tuple[str, str], ...], units: Units) -> None:
        """`choices`: further answers."""
        width = max(24, self.size.width or 34)
        glyphs = of_terminal()
        lines: list[Line] = [(("Plan", "head"),)]
        disks = f"{preview.disks} disk{'' if preview.disks == 1 else 's'}"
        if not preview.disks:
            lines += [(), (("No disk selected", "dim"),)]
            self.show(lines)
            return
        lines += [((f"{preview.level} over {disks}", "strong"),), ()]
        if preview.capacity is None:
            lines += [((text, "warn"),) for text in wrap(preview.problem, width)]
            self.show(lines)
            return
        capacity_shares = shares(preview.capacity.array_bytes, preview.capacity.lost)
        lines.append(capacity_bar(capacity_shares, width, glyphs))
        for name, size in capacity_shares.items():
            if size or name == "usable":
                decimal, binary = format_bytes(size, Units.DECIMAL), format_bytes(size, Units.BINARY)
                lines.append(
                    (
                        (glyphs.shares[name] + " ", name),
                        (fit(_SHARE_NAMES[name], 9), "strong" if name == "usable" else ""),
                        (fit(decimal, 10, right=True), "strong" if name == "usable" else ""),
                        (fit(binary, 12, right=True), ""),
                    )
                )
        survives = preview.capacity.survives
        lines += [(), ((may_fail_words(survives).capitalize(), "good" if survives else "warn"),)]
        lines += [((text, "warn"),) for text in wrap(preview.advice, width) if text]
        lines += self._expected(preview, units, width)
        lines.append(())
        for name, value in choices:
            for number, text in enumerate(wrap(value, max(12, width - _NAME))):
                lines.append(((fit("" if number else name, _NAME), "dim"), (text, "")))
        self.show(lines)

    def present_recipe(self, recipe: Recipe, disks: int) -> None:
        """In place of a plan that the recipe overrides."""
        width = max(24, self.size.width or 34)
        lines: list[Line] = [(("Plan", "head"),)]
        lines += [((text, "strong"),) for text in wrap(_over(recipe, disks), width)]
        sentence = "Arrays, set by the recipe:"
        lines += [(), *(((text, ""),) for text in wrap(sentence, width))]
        for axes in recipe.sweeps:
            lines += [(), *(((text, "dim"),) for text in wrap(axes_words(axes), width))]
        self.show(lines)

    @staticmethod
    def _expected(preview: LevelPreview, units: Units, width: int) -> list[Line]:
        expected, speed = preview.prediction, preview.speed
        if expected is None:
            return []
        rows: tuple[tuple[str, str, float], ...] = (
            (
                "sequential read",
                format_rate(expected.seq_read_bytes_per_s, units),
                expected.seq_read_bytes_per_s / speed.bytes_per_s,
            ),
            (
                "sequential write",
                format_rate(expected.seq_write_bytes_per_s, units),
                expected.seq_write_bytes_per_s / speed.bytes_per_s,
            ),
            (
                "random read",
                format_iops(expected.rand_read_iops) + " IOPS",
                expected.rand_read_iops / speed.iops,
            ),
            (
                "random write",
                format_iops(expected.rand_write_iops) + " IOPS",
                expected.rand_write_iops / speed.iops,
            ),
        )
        lines: list[Line] = [(), (("Expected", "head"),)]
        lines += [((text, "dim"),) for text in wrap(_assumed(speed, units), width)]
        for name, figure, times in rows:
            lines.append(((fit(name, 16), ""), (fit(figure, 12, right=True), "strong"), (f"{times:5.1f}x", "dim")))
        return [*lines, (("x: times one disk", "dim"),)]


class PlanLine(Lines):
    """Three lines, for narrow windows."""

    def present(self, preview: LevelPreview, units: Units) -> None:
        if not preview.disks:
            self.show([((" No disk selected", "dim"),), ()])
            return
        if preview.capacity is None:
            self.show([((f" {preview.level} of {preview.disks}: ", "strong"), (preview.problem, "warn")), ()])
            return
        size = preview.capacity.array_bytes
        lost = [
            f"{format_bytes(share, units)} {_SHARE_NAMES[name]}"
            for name, share in shares(size, preview.capacity.lost).items()
            if name in ("parity", "mirror", "unequal") and share
        ]
        survives = preview.capacity.survives
        first: list[Piece] = [
            (f" {preview.level} of {preview.disks}: ", "strong"),
            (both(size), "usable"),
            (f", {survives} may fail" if survives else ", none may fail", ""),
            ("".join(f", {share}" for share in lost), "dim"),
        ]
        self.show([tuple(first), *self._expected(preview, units)])

    def present_recipe(self, recipe: Recipe, disks: int) -> None:
        """In place of a plan that the recipe overrides."""
        width = max(24, (self.size.width or 80) - 2)
        built = wrap(f"Arrays: {' / '.join(map(axes_words, recipe.sweeps))}", width)
        if len(built) > 2:
            varied = dict.fromkeys(name for axes in recipe.sweeps for name in sorted(given_fields(axes)))
            names = ", ".join(FIELDS[name].axis or FIELDS[name].label.lower() for name in varied)
            built = wrap(f"Arrays differ in: {names} (list: Question)", width)
        self.show([((f" {_over(recipe, disks)}", "strong"),), *(((f" {text}", "dim"),) for text in built)])

    @staticmethod
    def _expected(preview: LevelPreview, units: Units) -> tuple[Line, ...]:
        expected = preview.prediction
        if expected is None:
            return ()
        read_iops, write_iops = format_iops(expected.rand_read_iops), format_iops(expected.rand_write_iops)
        read_words = format_rate(expected.seq_read_bytes_per_s, units)
        write = format_rate(expected.seq_write_bytes_per_s, units)
        return (
            ((f" Expected ({_assumed(preview.speed, units)}):", ""),),
            ((f" {read_words} read, {write} write; 4K: {read_iops} read, {write_iops} write IOPS", ""),),
        )


def _over(recipe: Recipe, disks: int) -> str:
    return f"On {disks} disk{'' if disks == 1 else 's'}: {recipe.title}"
