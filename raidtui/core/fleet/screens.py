"""Slow hosts, disks, slots and firmwares of a fleet, by the screens of single runs (`results.outliers`,
`results.differences`). What was not screened is a sentence.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from raidtui.core.answer.values import Unit
from raidtui.core.fleet.host_run import HostDisk, HostRun
from raidtui.core.results.differences import EQUAL, Difference, difference
from raidtui.core.results.figure import Figure
from raidtui.core.results.outliers import Rates, Screening, screen
from raidtui.core.text import listed

_TESTS = 2  # in which a firmware must differ, as a disk must be slow
_FEWEST_HOSTS = 3  # of whose disks a slot's median is worth something
_MOST_NAMED = 5  # hosts in a sentence
_MOST_OF_HOST = 0.5  # of a host's disks: where more are slow beside the fleet's it is the host


class Slowness(msgspec.Struct, frozen=True, kw_only=True):
    """In one test, with the median of all compared."""

    test: str
    value: float
    median: float
    unit: Unit = "bytes/s"

    @property
    def share(self) -> float:
        return self.value / self.median


class SlowHost(msgspec.Struct, frozen=True, kw_only=True):
    """Slow in two tests at least, or most of its disks are (`disks`)."""

    host: str
    run: str
    tests: tuple[Slowness, ...] = ()
    disks: int = 0


class SlowDisk(msgspec.Struct, frozen=True, kw_only=True):
    """Slow beside its host's disks, its model in the fleet, or both."""

    host: str
    run: str
    disk: HostDisk
    beside_host: bool
    beside_fleet: bool
    tests: tuple[Slowness, ...]


class SlowGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Disks of a model in one slot, or of one firmware: slower than the others (than `base`)."""

    kind: str
    name: str
    model: str
    disks: int
    tests: tuple[Slowness, ...]
    base: str = ""


class Screened(msgspec.Struct, frozen=True, kw_only=True):
    """`not_screened`: reasons."""

    hosts: tuple[SlowHost, ...]
    disks: tuple[SlowDisk, ...]
    groups: tuple[SlowGroup, ...]
    hosts_screen: Screening
    not_screened: tuple[str, ...]


class _Pool(msgspec.Struct, frozen=True):
    model: str
    places: tuple[tuple[HostRun, int], ...]
    tests: tuple[Rates, ...]

    def disk(self, at: int) -> HostDisk:
        run, member = self.places[at]
        return run.disks[member]


def screened(runs: Sequence[HostRun]) -> Screened:
    not_screened: list[str] = []
    hosts, hosts_screen = _hosts(runs, not_screened)
    pools = _pools(runs, not_screened)
    slow = {(id(run), member): _of_host(run, member) for run in runs
            for member, disk in enumerate(run.disks) if disk.slow_in}  # fmt: skip
    beside_fleet: dict[tuple[int, int], tuple[Slowness, ...]] = {}
    for pool in pools:
        for at, tests in screen(pool.tests).slow.items():
            run, member = pool.places[at]
            beside_fleet[id(run), member] = tuple(_slowness(pool.tests[test], at) for test in tests)
    hosts_of_slow_disks = []
    for run in runs:
        own_keys = [key for key in beside_fleet if key[0] == id(run)]
        if len(own_keys) > max(1, _MOST_OF_HOST * len(run.disks)):
            hosts_of_slow_disks.append(SlowHost(host=run.host, run=run.run, disks=len(own_keys)))
            for key in own_keys:
                del beside_fleet[key]
    disks = tuple(
        SlowDisk(
            host=run.host,
            run=run.run,
            disk=disk,
            beside_host=key in slow,
            beside_fleet=key in beside_fleet,
            tests=slow.get(key) or beside_fleet[key],
        )
        for run in runs
        for member, disk in enumerate(run.disks)
        if (key := (id(run), member)) in slow or key in beside_fleet
    )
    named_hosts = _with_disks(hosts, hosts_of_slow_disks)
    slow_runs = {(host.host, host.run) for host in named_hosts}
    without_slow = (_without_hosts(pool, slow_runs) for pool in pools)
    return Screened(
        hosts=named_hosts,
        disks=disks,
        groups=tuple(group for pool in without_slow for group in (*_slots(pool), *_firmwares(pool))),
        hosts_screen=hosts_screen,
        not_screened=tuple(not_screened),
    )


def _without_hosts(pool: _Pool, hosts: set[tuple[str, str]]) -> _Pool:
    """A slow host must not hide other outliers."""
    places_left = [at for at, (run, _) in enumerate(pool.places) if (run.host, run.run) not in hosts]
    tests = tuple(Rates(test.title, tuple(test.rates[at] for at in places_left)) for test in pool.tests if places_left)
    return _Pool(pool.model, tuple(pool.places[at] for at in places_left), tests)


def _with_disks(hosts: Sequence[SlowHost], hosts_of_slow_disks: Sequence[SlowHost]) -> tuple[SlowHost, ...]:
    counted = {(host.host, host.run): host.disks for host in hosts_of_slow_disks}
    named = [msgspec.structs.replace(host, disks=counted.pop((host.host, host.run), 0)) for host in hosts]
    return (*named, *(host for host in hosts_of_slow_disks if (host.host, host.run) in counted))


def _slowness(rates: Rates, at: int, unit: Unit = "bytes/s") -> Slowness:
    return Slowness(test=rates.title, value=rates.rates[at], median=median(rates.rates), unit=unit)


def _of_host(run: HostRun, member: int) -> tuple[Slowness, ...]:
    slow_in = run.disks[member].slow_in
    return tuple(_slowness(rates, member) for rates in run.disk_rates if rates.title in slow_in)


def _hosts(runs: Sequence[HostRun], not_screened: list[str]) -> tuple[list[SlowHost], Screening]:
    figures = [{figure.key: figure for figure in run.figures if figure.value} for run in runs]
    counts = Counter(key for own_figures in figures for key in own_figures)
    common = [key for key, having in counts.items() if having > len(runs) / 2]
    chosen = [
        number for number, own_figures in enumerate(figures) if common and all(key in own_figures for key in common)
    ]
    left_out = [runs[number].host for number in range(len(runs)) if number not in set(chosen)]
    if left_out and chosen:
        not_screened.append(f"not compared with the other machines, results missing: {listed(left_out, _MOST_NAMED)}")
    tests = [
        Rates(figures[chosen[0]][key].title, tuple(figures[number][key].value or 0.0 for number in chosen))
        for key in common
        if chosen
    ]
    hosts_screen = screen(tests)
    slow = [
        SlowHost(
            host=runs[chosen[at]].host,
            run=runs[chosen[at]].run,
            tests=tuple(_slowness(tests[test], at, figures[chosen[at]][common[test]].unit) for test in slow_tests),
        )
        for at, slow_tests in hosts_screen.slow.items()
    ]
    return slow, hosts_screen


def _pools(runs: Sequence[HostRun], not_screened: list[str]) -> list[_Pool]:
    models: dict[tuple[str, int], list[tuple[HostRun, int]]] = {}
    for run in runs:
        for member, disk in enumerate(run.disks):
            if run.disk_rates:
                models.setdefault((disk.model, disk.size_bytes), []).append((run, member))
    if not_measured := [run.host for run in runs if not run.disk_rates]:
        not_screened.append(f"disks not compared, not all measured: {listed(not_measured, _MOST_NAMED)}")
    rates = {id(run): {test.title: test.rates for test in run.disk_rates} for run in runs}
    pools = []
    for (model, _), places in models.items():
        titles = [
            test.title for test in places[0][0].disk_rates if all(test.title in rates[id(run)] for run, _ in places)
        ]
        tests = tuple(Rates(title, tuple(rates[id(run)][title][at] for run, at in places)) for title in titles)
        pools.append(_Pool(model, tuple(places), tests))
    return pools


def _grouped(pool: _Pool, name_of: Callable[[HostDisk], str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for at in range(len(pool.places)):
        if name := name_of(pool.disk(at)):
            groups.setdefault(name, []).append(at)
    return groups


def _slots(pool: _Pool) -> list[SlowGroup]:
    """By median over three hosts at least, screened like disks."""
    slots = {
        name: members
        for name, members in _grouped(pool, lambda disk: disk.slot).items()
        if len({id(pool.places[at][0]) for at in members}) >= _FEWEST_HOSTS
    }
    names = list(slots)
    tests = [Rates(test.title, tuple(median(test.rates[at] for at in slots[name]) for name in names))
             for test in pool.tests]  # fmt: skip
    return [
        SlowGroup(
            kind="slot",
            name=names[at],
            model=pool.model,
            disks=len(slots[names[at]]),
            tests=tuple(_slowness(tests[test], at) for test in slow),
        )
        for at, slow in screen(tests).slow.items()
    ]


def _firmwares(pool: _Pool) -> list[SlowGroup]:
    """Slower than the commonest one, significantly and by 3 %, in two tests at least. A host's median counts as one
    repetition: its disks may be slow for a common reason.
    """
    firmwares = _grouped(pool, lambda disk: disk.firmware)
    if len(firmwares) < 2:
        return []
    base = max(firmwares, key=lambda name: len(firmwares[name]))
    firmware_groups = []
    for name in firmwares:
        if name == base:
            continue
        slow = []
        for test in pool.tests:
            figures = {firmware: _by_host(pool, test, members) for firmware, members in firmwares.items()}
            if _slower(difference(figures[name], figures[base], tuple(figures.values()))):
                values = [median(figures[firmware].values) for firmware in (name, base)]
                slow.append(Slowness(test=test.title, value=values[0], median=values[1]))
        if len(slow) >= _TESTS:
            disks = len(firmwares[name])
            firmware_groups.append(
                SlowGroup(kind="firmware", name=name, model=pool.model, disks=disks, tests=tuple(slow), base=base)
            )
    return firmware_groups


def _by_host(pool: _Pool, test: Rates, members: Sequence[int]) -> Figure:
    hosts: dict[int, list[float]] = {}
    for at in members:
        hosts.setdefault(id(pool.places[at][0]), []).append(test.rates[at])
    values = tuple(median(rates) for rates in hosts.values())
    return Figure(standing="ok", value=median(values), runs=len(values), values=values)


def _slower(over: Difference) -> bool:
    return over.conclusion == "different" and over.share is not None and over.share < -EQUAL
