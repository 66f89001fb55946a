"""All md arrays of this machine as they stand now. Looks only: writes and starts nothing.

No disk is opened; smartctl is asked where it is installed, and leaves a disk that sleeps asleep.
"""

import time
from collections.abc import Callable, Iterable

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.overall import ArraysStatus
from raidtui.core.arrays.pools import KeptPool
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.uuids import digits
from raidtui.system import discovery, health
from raidtui.system.arrays import boot_files, check_marks, monitors, pools
from raidtui.system.programs import which


def look(
    kept_by_uuid: Callable[[set[str]], dict[str, KeptArray]], kept_pools: Callable[[], dict[str, KeptPool]] = dict
) -> ArraysStatus:
    """This machine's arrays and pools, now. `kept_by_uuid`: asked which of them (digits of UUIDs) runs keep;
    `kept_pools`: which pools, by GUID.
    """
    machine = discovery.read_without_opening()
    pools_here, not_read = pools.read()
    kept = kept_pools() if pools_here is not None else {}  # else whether these are here is not known
    of_pools = Surroundings(pools=pools_here or (), kept_pools=kept, not_read=not_read)
    plain = status_of(machine, of_pools, time.time())
    if not plain.arrays:
        return plain
    marks, why_not = check_marks.read()
    boot = boot_files.read()
    around = msgspec.structs.replace(
        of_pools,
        boot=boot,
        monitor=monitors.look(boot),
        checks=marks,
        smart=_smart(plain.arrays) if machine.root else {},
        kept=kept_by_uuid({digits(array.uuid) for array in plain.arrays} - {""}),
        not_read=(*not_read, *_not_read(machine, why_not)),
    )
    return status_of(machine, around, time.time())


def _smart(arrays: Iterable[Array]) -> dict[str, dict[str, float | str]]:
    """Kernel name of a disk -> what it tells of itself, of the disks of these arrays."""
    names = sorted({member.disk.name for array in arrays for member in array.members if member.disk} - {""})
    counts = health.counts(names)
    for name, celsius in health.temperatures(name for name in names if name not in counts).items():
        limit = {} if celsius.limit is None else {"temperature limit, °C": celsius.limit}
        counts[name] = {"temperature, °C": celsius.now, **limit}
    return counts


def _not_read(machine: Machine, why_no_log: str) -> Iterable[str]:
    if not machine.root:
        yield "SMART health, and which runs of root keep an array (not root)"
    elif which("smartctl") is None:
        yield health.why_nothing()
    if why_no_log:
        yield why_no_log
