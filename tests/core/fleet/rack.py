"""Runs of hosts written down by hand: equal ones, made unequal where a test says so."""

import random

from raidtui.core.fleet.host_run import HostDisk, HostFigure, HostRun
from raidtui.core.results.outliers import Rates

TESTS = ("Sequential read", "Sequential write", "Random read")


def host_run_of(
    number: int,
    *,
    speed: float = 1.0,
    disks: int = 6,
    slow: dict[int, float] | None = None,
    firmware: str = "A",
    outcome: str = "finished",
    lost: int = 0,
    began_s: float = 1000.0,
    machine: str = "",
    host: str = "",
    measured_disks: bool = True,
    named: tuple[int, ...] = (),
) -> HostRun:
    """`slow`: the share that some disks do; `named` are those that their own host's screen named; `lost` tests."""
    chance = random.Random(number)
    shares = [chance.gauss(1, 0.01) * speed * (slow or {}).get(member, 1.0) for member in range(disks)]
    rates = tuple(Rates(title, tuple(200e6 * share * chance.gauss(1, 0.005) for share in shares)) for title in TESTS)
    figures = tuple(
        HostFigure(
            setup="RAID 6",
            title=title,
            job=title.lower().replace(" ", "_"),
            direction="read",
            unit="bytes/s",
            value=None if index < lost else 1e9 * speed * chance.gauss(1, 0.01),
            runs=1,
            standing="failed" if index < lost else "ok",
            error="Input/output error" if index < lost else "",
        )
        for index, title in enumerate(TESTS)
    )
    return HostRun(
        host=host or f"node{number}",
        machine=machine or f"{number:04x}".ljust(16, "0"),
        run=f"run-{number}-{began_s:.0f}",
        folder=f"node{number}/run",
        began_s=began_s,
        outcome=outcome,
        reason="",
        recipe="Acceptance",
        experiment="x",
        setups=("RAID 6",),
        disks=tuple(
            HostDisk(
                id=f"wwn-{number}-{member}",
                model="ST8000",
                serial=f"S{number}-{member}",
                firmware=firmware,
                slot=str(member),
                size_bytes=8_000_000_000_000,
                slow_in=TESTS if member in named else (),
            )
            for member in range(disks)
        ),
        disk_rates=rates if measured_disks else (),
        figures=figures,
        trials=3,
        missing=lost,
        errors=("Input/output error",) if lost else (),
        raw_bytes=8_000_000_000_000 * disks,
        usable_bytes=8_000_000_000_000 * (disks - 2),
        kept=True,
        emulated=False,
    )
