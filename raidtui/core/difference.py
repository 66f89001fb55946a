"""One figure over another, with the base named: by how much, and whether that is more than repetitions differ."""

import msgspec

from raidtui.core.figure import Figure

TIMES = "\N{MULTIPLICATION SIGN}"


class Difference(msgspec.Struct, frozen=True):
    """`share` is figure / base - 1, None where one of them is missing; `within` the spread of the repetitions."""

    share: float | None = None
    within: bool = False

    @property
    def words(self) -> str:
        """`+42.9 %`, `no difference (+0.4 %)`, or nothing."""
        if self.share is None:
            return ""
        shown = f"{100 * self.share:+.1f} %"
        return f"no difference ({shown})" if self.within else shown

    @property
    def times(self) -> str:
        """The same as a factor, to one decimal."""
        return f"~{self.share + 1:.1f}{TIMES}" if self.share is not None else ""


def difference(figure: Figure, base: Figure) -> Difference:
    """`figure` over `base`. Without repetitions of either nothing is known of spread, and nothing said of it."""
    if figure.value is None or not base.value:
        return Difference()
    share = figure.value / base.value - 1
    return Difference(share, abs(share) <= max(figure.spread or 0.0, base.spread or 0.0))
