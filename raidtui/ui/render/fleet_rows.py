"""Hosts of a fleet: how each stands, a row each, the odd ones first; one of them with its tests and disks. Pure."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len

from raidtui.core.answer.numbers import DASH
from raidtui.core.answer.numbers import figure as words_of
from raidtui.core.fleet.fleet import Experiment, Fleet, TestAcross
from raidtui.core.fleet.host_run import HostRun
from raidtui.core.fleet.sections import errors_of, tests_words
from raidtui.core.units import change, format_rate
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, fit_right, inset, wrapped
from raidtui.ui.render.parts import bar, join

HostStanding = Literal["failed", "slow host", "slow disk", "not compared", "alike"]
SIGNS: dict[HostStanding, tuple[str, str]] = {  # the worst first
    "failed": ("✗", "bad"), "slow host": ("▼", "warn"), "slow disk": ("▼", "warn"), "not compared": ("·", "dim"),
    "alike": ("✓", "ok"),
}  # fmt: skip
_NAME, _PIPS, _NARROW, _TEST, _WHY, _BAR = 20, 26, 8, 18, 16, 30
_WHOLE = 100  # columns from which the median stands beside a figure
_FEWEST = 3  # hosts that have a median


class FleetHost(NamedTuple):
    """A host's run of one experiment. `off`: the tests in which it is slow."""

    experiment: Experiment
    run: HostRun
    standing: HostStanding
    why: str
    off: frozenset[str] = frozenset()

    @property
    def slow_disks(self) -> dict[str, str]:
        """By identity: in what each is slow."""
        screened = self.experiment.screened
        return {one.disk.id: tests_words(one.tests) for one in screened.disks if _same(one, self.run)}


def _same(one: object, run: HostRun) -> bool:
    return (getattr(one, "host", ""), getattr(one, "run", "")) == (run.host, run.run)


def hosts_of(fleet: Fleet) -> list[list[FleetHost]]:
    """By experiment, each worst first."""
    order = list(SIGNS)
    found = [[_host(experiment, run) for run in experiment.runs] for experiment in fleet.experiments]
    return [sorted(hosts, key=lambda host: order.index(host.standing)) for hosts in found]


def _host(experiment: Experiment, run: HostRun) -> FleetHost:
    screened = experiment.screened
    if run.failed:
        why, *others = (*filter(None, [run.reason]), *run.errors, f"{run.outcome}, {run.missing} tests missing")
        return FleetHost(
            experiment, run, "failed", f"{why.partition(' (')[0]}; {len(others) - 1} more" if len(others) > 1 else why
        )
    slow = next((one for one in screened.hosts if _same(one, run)), None)
    off = frozenset(one.test for one in slow.tests) if slow else frozenset()
    if disks := [one for one in screened.disks if _same(one, run)]:  # they may be why the host is slow, too
        names = ", ".join(one.disk.name for one in disks)
        return FleetHost(experiment, run, "slow disk", f"{names}: {tests_words(disks[0].tests)}", off)
    if slow:
        return FleetHost(experiment, run, "slow host", tests_words(slow.tests) or f"{slow.disks} disks slow", off)
    if screened.hosts_screen.is_tested:
        return FleetHost(experiment, run, "alike", "")
    return FleetHost(experiment, run, "not compared", "needs three hosts with the same answers, and two tests")


def counts_line(hosts: Sequence[FleetHost]) -> Line:
    """How many stand how, the worst first."""
    counts = {standing: sum(host.standing == standing for host in hosts) for standing in SIGNS}
    return join(
        piece
        for standing, (sign, look) in SIGNS.items()
        if counts[standing]
        for piece in ((f"{sign} {number_of(counts[standing], standing)}", f"*{look}"), ("   ", ""))
    )


def number_of(number: int, standing: HostStanding) -> str:
    return f"{number:,} {standing}{'s' if number != 1 and standing.startswith('slow') else ''}"


def strip_lines(hosts: Sequence[FleetHost], width: int, most: int) -> list[Line]:
    """A sign a host, the worst first, in `most` lines of them."""
    signs = [(SIGNS[host.standing][0], SIGNS[host.standing][1]) for host in hosts]
    return [join(signs[at : at + width]) for at in range(0, min(len(signs), most * width), width)]


def hosts_sheet(groups: Sequence[Sequence[FleetHost]], width: int) -> tuple[Sheet, list[FleetHost | None]]:
    """A row each; of several experiments each has a heading. Beside the sheet what its rows are."""
    headings = [_heading(hosts[0].experiment, width) for hosts in groups]
    if len(groups) == 1:
        return Sheet(headings[0], tuple(Row((_row(host, width),)) for host in groups[0])), list(groups[0])
    rows: list[tuple[Row, FleetHost | None]] = []
    for heading, hosts in zip(headings, groups, strict=True):
        titled = Row((((f" {hosts[0].experiment.title}", "head"),),), is_heading=True)
        rows += [(titled, None), (Row((heading,), is_heading=True), None)]
        rows += [(Row((_row(host, width),)), host) for host in hosts]
    return Sheet((), tuple(row for row, _ in rows)), [host for _, host in rows]


def _heading(experiment: Experiment, width: int) -> Line:
    name, pips, each, tests = _columns(experiment, width)
    names = "".join(fit_right(_short(test.title), each) for test in tests)
    return ((f"   {fit('host', name)}{fit('disks', pips)}{names}  why", "dim"),)


def _short(title: str) -> str:
    return title.replace("Sequential", "seq").replace("Random ", "")


def _columns(experiment: Experiment, width: int) -> tuple[int, int, int, Sequence[TestAcross]]:
    """Cells of the names, the disks and a test; the tests that have room."""
    name = min(_NAME, max(cell_len(run.host) for run in experiment.runs) + 2)
    pips = _PIPS if width >= _WHOLE else _NARROW
    each = min(_TEST, max((len(_short(test.title)) for test in experiment.tests), default=0) + 2)
    return name, pips, each, experiment.tests[: max(1, (width - 3 - name - pips - _WHY) // each)]


def _row(host: FleetHost, width: int) -> Line:
    sign, look = SIGNS[host.standing]
    name, pips, each, tests = _columns(host.experiment, width)
    strong = "*strong" if host.standing in ("failed", "slow host", "slow disk") else ""
    pieces = [(f" {sign} ", f"*{look}"), (fit(host.run.host, name - 1), strong), (" ", "")]
    pieces += _disks(host, pips)
    for test in tests:
        pieces.append((fit_right(_told(host, test), each), "*warn" if test.title in host.off else "dim"))
    room = width - sum(cell_len(text) for text, _ in pieces) - 2
    return join([*pieces, ("  ", ""), (fit(host.why, room), "" if strong else "dim")])


def _disks(host: FleetHost, room: int) -> list[Piece]:
    """A sign a disk, else their number."""
    slow = host.slow_disks
    if len(host.run.disks) >= room:
        text = f"{len(host.run.disks)}, {len(slow)}▼" if slow else f"{len(host.run.disks)}"
        return [(fit(text, room), "warn" if slow else "dim")]
    signs = [("▼", "*warn") if disk.id in slow else ("■", "lost") for disk in host.run.disks]
    return [*signs, (" " * (room - len(signs)), "")]


def _told(host: FleetHost, test: TestAcross) -> str:
    """Against the median of all, or with fewer than three hosts as measured."""
    value = next((one.value for one in host.run.figures if one.key == test.key), None)
    if not value:
        return DASH
    return change(value / test.median - 1) if test.hosts >= _FEWEST else words_of(value, test.unit)


def host_lines(host: FleetHost, width: int) -> list[Line]:
    """Why it stands so; each test on a bar of the fleet's highest; each disk likewise in the test that tells most."""
    sign, look = SIGNS[host.standing]
    lines: list[Line] = [((f" {sign} {host.standing}", f"*{look}"), (f"   {host.run.run}, {host.run.outcome}", "dim"))]
    why = errors_of(host.run) or host.why
    lines += inset(why, width) if why else []
    lines += [(), *inset(f"Tests, of {host.experiment.title}", width, "head"), *_test_lines(host, width)]
    return [*lines, *_disk_lines(host, width)]


def _test_lines(host: FleetHost, width: int) -> Iterator[Line]:
    figures = {one.key: one for one in host.run.figures}
    for test in host.experiment.tests:
        figure = figures.get(test.key)
        off = test.title in host.off
        value = figure.value if figure else None
        told = words_of(value, test.unit) if value else (figure and figure.standing) or DASH
        beside = f"  median {words_of(test.median, test.unit)}" if test.hosts >= _FEWEST else ""
        beside += f", {_told(host, test)}" if beside and value else ""
        if width < _WHOLE and beside:
            beside = f"  {_told(host, test)}"
        yield join(
            (
                (f" {'▼' if off else ' '} {fit(test.title, 26)}", "*warn" if off else ""),
                *bar((value or 0.0) / test.high, _BAR, "warn" if off else "one"),
                (fit_right(told, 13), "strong"),
                (beside, "*warn" if off else "dim"),
            )
        )


def _disk_lines(host: FleetHost, width: int) -> Iterator[Line]:
    slow, rates = host.slow_disks, host.run.disk_rates
    test = min(rates, key=lambda one: min(one.rates) / (max(one.rates) or 1.0), default=None)
    yield ()
    yield ((" Disks" + (f", {test.title}" if test else ": not measured one by one"), "head"),)
    top = max(test.rates, default=0.0) if test else 0.0
    for at, disk in enumerate(host.run.disks):
        off = disk.id in slow
        told = ((f"slot {disk.slot}  " if disk.slot else "") + disk.model).strip()
        pieces = [(f" {'▼' if off else ' '} {fit(disk.name, 26)}", "*warn" if off else "")]
        if test:
            pieces += bar(test.rates[at] / (top or 1.0), _BAR, "warn" if off else "one")
            pieces.append((fit_right(format_rate(test.rates[at]), 13), "strong"))
        pieces.append((f"  {told}", "dim"))
        yield join(pieces) if width >= _WHOLE else join(pieces[:-1])
        if off:
            yield from wrapped(slow[disk.id], width - 6, "warn", "     ")
