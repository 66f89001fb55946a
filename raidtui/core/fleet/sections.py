"""Parts of a fleet report as blocks; only charts differ between Markdown and HTML."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from raidtui.core.answer.numbers import figure as figure_words
from raidtui.core.fleet.fleet import Experiment, Fleet, TestAcross
from raidtui.core.fleet.host_run import HostFigure, HostRun
from raidtui.core.fleet.screens import SlowDisk, SlowGroup, SlowHost, Slowness
from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable, Spread
from raidtui.core.text import listed
from raidtui.core.units import MB, both, format_bytes

_MOST_TESTS = 8  # side by side in a table; the CSV has all
_MOST_NAMED = 5
_UNIT_NAMES = {"bytes/s": "MB/s", "IOPS": "IOPS"}
_FEWEST = 3  # machines that can be screened


class ReportPart(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    level: int = 2
    sentences: tuple[str, ...] = ()
    table: PageTable | None = None
    spreads: tuple[Spread, ...] = ()

    @property
    def blocks(self) -> Iterator[Block]:
        yield Heading(self.title, self.level)
        yield Bullets(self.sentences)
        if self.table:
            yield self.table
        yield from self.spreads


def sections(fleet: Fleet) -> list[ReportPart]:
    title = f"{_count(fleet.hosts, 'host')}, {_count(fleet.disks, 'disk')}"
    parts = [_failed(fleet), _slow_hosts(fleet), _slow_disks(fleet), _groups(fleet)]
    return [
        ReportPart(title=title, level=1, sentences=tuple(_first(fleet))),
        *(part for part in parts if part.sentences or part.table),
        *(part for experiment in fleet.experiments for part in _side_by_side(experiment)),
    ]


def blocks(fleet: Fleet) -> Iterator[Block]:
    return (block for part in sections(fleet) for block in part.blocks)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def date_of(run: HostRun) -> str:
    return f"{datetime.fromtimestamp(run.began_s, UTC):%Y-%m-%d %H:%M}" if run.began_s else ""


def _first(fleet: Fleet) -> Iterator[str]:
    runs = [run for experiment in fleet.experiments for run in experiment.runs]
    emulated, failed = sum(run.emulated for run in runs), [run.host for run in runs if run.failed]
    counted = _count(len(runs), "run")
    if emulated:
        yield f"{emulated} of {counted} on EMULATED DISKS: not valid for real hardware."
    if failed:
        yield f"{len(failed)} of {counted} incomplete: {listed(failed, _MOST_NAMED)}."
    else:
        yield f"All {counted} complete."
    kept_words = "no array kept"
    if fleet.kept:
        kept_words = f"{_count(fleet.kept, 'array')} kept, {both(fleet.kept_bytes)}"
    yield from (_slow_host_words(fleet), _slow_disk_words(fleet))
    yield f"Raw capacity {both(fleet.raw_bytes)}; {kept_words}."
    if fleet.older:
        yield f"{_count(fleet.older, 'older run')} of the same hosts and answer files omitted."
    yield from (f"Not read: {reason}." for reason in fleet.not_read[:_MOST_NAMED])
    if len(fleet.not_read) > _MOST_NAMED:
        yield f"{len(fleet.not_read) - _MOST_NAMED} more folders not read."


def _slow_host_words(fleet: Fleet) -> str:
    slow = [host.host for experiment in fleet.experiments for host in experiment.screened.hosts]
    return f"Slow machines: {listed(slow, _MOST_NAMED)}." if slow else _no_slow_host(fleet)


def _slow_disk_words(fleet: Fleet) -> str:
    slow = [disk for experiment in fleet.experiments for disk in experiment.screened.disks]
    if slow:
        disks = [f"{disk.disk.name} ({disk.host}{_slot(disk)})" for disk in slow]
        return f"Slow disks: {listed(disks, _MOST_NAMED)}."
    looked = any(run.disk_rates for experiment in fleet.experiments for run in experiment.runs)
    return "Slow disks: none." if looked else "Disks not compared: no run measured each of its disks."


def _slot(disk: SlowDisk) -> str:
    return f", slot {disk.disk.slot}" if disk.disk.slot else ""


def _no_slow_host(fleet: Fleet) -> str:
    screens = [experiment.screened.hosts_screen for experiment in fleet.experiments]
    largest = max(screens, key=lambda screen: screen.disks, default=None)
    if largest is None or largest.disks < _FEWEST or largest.tests < 2:
        return "Machines not compared: needs three with the same answers, and two tests."
    if largest.hidden is None:
        return "Slow machines: none."
    detected = f"detects < {100 * largest.hidden:.0f} % of the median"
    return f"Slow machines: none ({detected}: {largest.disks} machines, {_count(largest.tests, 'test')})."


def _failed(fleet: Fleet) -> ReportPart:
    rows = [
        (run.host, run.run, run.outcome, f"{run.missing} of {run.trials}", errors_of(run))
        for experiment in fleet.experiments
        for run in experiment.missing
    ]
    table = PageTable(("Host", "Run", "Outcome", "Tests without a result", "Error"), tuple(rows), 5)
    return ReportPart(title="What failed", table=table if rows else None)


def errors_of(run: HostRun) -> str:
    return "; ".join((*filter(None, [run.reason]), *run.errors))


def _slow_hosts(fleet: Fleet) -> ReportPart:
    rows = [
        (host.host, host.run, _disks_words(host, experiment.screened.disks), tests_words(host.tests))
        for experiment in fleet.experiments
        for host in experiment.screened.hosts
    ]
    unscreened = [words for experiment in fleet.experiments for words in experiment.screened.not_screened]
    sentences = [f"{words[:1].upper()}{words[1:]}." for words in dict.fromkeys(unscreened)]
    table = PageTable(("Host", "Run", "Its disks", "Slow in"), tuple(rows), 4)
    return ReportPart(title="Slow machines", sentences=tuple(sentences), table=table if rows else None)


def _disks_words(host: SlowHost, slow: Sequence[SlowDisk]) -> str:
    named = [slow_disk.disk.name for slow_disk in slow if (slow_disk.host, slow_disk.run) == (host.host, host.run)]
    if host.disks:
        return f"{host.disks} slower than the fleet's: not single disks"
    return f"slow: {listed(named, _MOST_NAMED)}" if named else "none slow"


def tests_words(tests: Sequence[Slowness]) -> str:
    if not tests:
        return ""
    worst = min(tests, key=lambda slow: slow.share)
    other_tests = f"; slow in {len(tests) - 1} more" if len(tests) > 1 else ""
    median = figure_words(worst.median, worst.unit)
    figure = figure_words(worst.value, worst.unit)
    return f"{worst.test}: {figure}, the median {median} ({100 * worst.share:.0f} %){other_tests}"


def _slow_disks(fleet: Fleet) -> ReportPart:
    slow_beside = {(True, True): "its host, the fleet", (True, False): "its host", (False, True): "the fleet"}
    rows = [
        (
            slow_disk.disk.name,
            slow_disk.host,
            slow_disk.disk.slot,
            slow_disk.disk.model,
            slow_disk.disk.firmware,
            slow_beside[slow_disk.beside_host, slow_disk.beside_fleet],
            tests_words(slow_disk.tests),
        )
        for experiment in fleet.experiments
        for slow_disk in experiment.screened.disks
    ]
    headers = ("Serial", "Host", "Slot", "Model", "Firmware", "Slower than", "Slow in")
    return ReportPart(title="Slow disks", table=PageTable(headers, tuple(rows), 7) if rows else None)


def _groups(fleet: Fleet) -> ReportPart:
    groups = [group for experiment in fleet.experiments for group in experiment.screened.groups]
    return ReportPart(title="Slots and firmwares", sentences=tuple(map(_group_words, groups)))


def _group_words(group: SlowGroup) -> str:
    beside_base = f", beside {group.base}" if group.base else ""
    group_words = f"{group.kind.capitalize()} {group.name} ({_count(group.disks, 'disk')} {group.model}{beside_base})"
    return f"{group_words}: {tests_words(group.tests)}."


def _side_by_side(experiment: Experiment) -> list[ReportPart]:
    across = experiment.tests
    rows = [
        (
            _test_words(test, experiment),
            str(test.hosts),
            *(figure_words(value, test.unit) for value in (test.low, test.median, test.high)),
        )
        for test in across
    ]
    headers = ("Test", "Hosts", "Lowest", "Median", "Highest")
    tests_shown = across[:_MOST_TESTS]
    slow = {host.host for host in experiment.screened.hosts}
    hosts = tuple(_host_row(run, experiment, tests_shown, slow) for run in experiment.runs)
    marked = frozenset(number for number, run in enumerate(experiment.runs) if run.failed or run.host in slow)
    named = ("Host", "Date", "", "Disks", "Raw", "Usable", "Slow disks")
    left_out = len(across) - len(tests_shown)
    return [
        ReportPart(
            title=experiment.title,
            sentences=(f"{_count(len(experiment.runs), 'host')} with the same answers.",),
            table=PageTable(headers, tuple(rows)) if rows else None,
            spreads=tuple(spread for spread in _spreads(experiment, tests_shown) if len(spread.values) > 1),
        ),
        ReportPart(
            title="Host by host",
            level=3,
            sentences=(f"{_count(left_out, 'more test')} in the CSV.",) if left_out else (),
            table=PageTable((*named, *(_column(test, experiment) for test in tests_shown)), hosts, 3, marked),
        ),
    ]


def _test_words(test: TestAcross, experiment: Experiment) -> str:
    return f"{test.title}: {test.setup}" if len(experiment.setups) > 1 else test.title


def _column(test: TestAcross, experiment: Experiment) -> str:
    return f"{_test_words(test, experiment)}, {_UNIT_NAMES.get(test.unit, test.unit)}"


def _host_row(run: HostRun, experiment: Experiment, tests: Sequence[TestAcross], slow: set[str]) -> tuple[str, ...]:
    figures = {figure.key: figure for figure in run.figures}
    word = run.outcome if run.outcome != "finished" else f"{run.missing} missing" if run.missing else ""
    marks = ", ".join(filter(None, (word, "slow" if run.host in slow else "")))
    slow_disks = experiment.slow_disks(run)
    return (
        run.host,
        date_of(run),
        marks,
        str(len(run.disks)),
        format_bytes(run.raw_bytes),
        format_bytes(run.usable_bytes) if run.usable_bytes is not None else "",
        "" if slow_disks is None else str(slow_disks),
        *(_cell(figures.get(test.key)) for test in tests),
    )


def _cell(figure: HostFigure | None) -> str:
    if figure is None:
        return ""
    if figure.value is None:
        return figure.standing
    value = figure.value / _scale(figure.unit)
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}"


def _spreads(experiment: Experiment, tests: Sequence[TestAcross]) -> Iterator[Spread]:
    slow_hosts = {(host.host, slow.test) for host in experiment.screened.hosts for slow in host.tests}
    for test in tests:
        values = [
            (run.host, figure.value / _scale(test.unit))
            for run in experiment.runs
            for figure in run.figures
            if figure.key == test.key and figure.value
        ]
        slow = tuple((host, value) for host, value in values if (host, test.title) in slow_hosts)
        unit = _UNIT_NAMES.get(test.unit, test.unit)
        yield Spread(_test_words(test, experiment), unit, tuple(value for _, value in values), slow, "hosts")
    titles = dict.fromkeys(rates.title for run in experiment.runs for rates in run.disk_rates)
    slow_disks = {(disk.host, disk.disk.id): disk.disk.name for disk in experiment.screened.disks}
    for title in list(titles)[:_MOST_TESTS]:
        disks = [
            ((run.host, disk.id), rate / MB)
            for run in experiment.runs
            for rates in run.disk_rates
            if rates.title == title
            for disk, rate in zip(run.disks, rates.rates, strict=True)
        ]
        named = tuple((f"{slow_disks[key]}, {key[0]}", rate) for key, rate in disks if key in slow_disks)
        yield Spread(f"Each disk: {title}", "MB/s", tuple(rate for _, rate in disks), named, "disks")


def _scale(unit: str) -> int:
    return MB if unit == "bytes/s" else 1
