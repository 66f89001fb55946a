"""Whether disks are free now, by identity; scripts ask before each command that names disks."""

from collections.abc import Sequence

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.identity import digits
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.text import clean
from raidtui.system import claims
from raidtui.system.discovery import read_machine


def why_not_free(identities: Sequence[str], *, blank: bool = False, own: Sequence[str] = ()) -> list[str]:
    """One sentence per disk that is absent, refused, unchecked or in use. Warnings (unused data) do not count. `blank`:
    any contents are a reason, unknown data too. `own`: UUIDs of the caller's partition tables.
    """
    disks: dict[str, list[Disk]] = {}
    for disk in disks_of(read_machine(), frozenset(map(digits, own))):
        disks.setdefault(disk.id, []).append(disk)
    reasons = {identity: _judged(identity, disks.get(identity, []), blank) for identity in identities}
    free = {identity: disks[identity][0] for identity, reason in reasons.items() if not reason}
    nodes = {node: identity for identity, disk in free.items() for node in (disk.path, *disk.nodes)}
    for node, reason in claims.not_free(tuple(nodes), watched_s=claims.WATCHED_S).items() if nodes else ():
        reasons[nodes[node]] = reason
    return [clean(reason) for reason in reasons.values() if reason]


def _judged(identity: str, matching: Sequence[Disk], blank: bool) -> str:
    if not matching:
        return f"no disk {identity} on this machine; `raidtui disks` lists those that are here"
    disk = matching[0]
    if len(matching) > 1:
        return f"{' and '.join(disk.name for disk in matching)} both say that they are {identity}"
    if disk.verdict.standing is Usability.REFUSE:
        return f"{disk.name} ({disk.title}) must not be touched: {disk.verdict.reason}"
    if not disk.checked:
        return f"{disk.name} ({disk.title}) was not checked: {disk.verdict.reason or 'run it as root'}"
    if blank and disk.contents:
        return f"{disk.name} ({disk.title}) is not blank, it holds {disk.found}: look at it, then plan again"
    return ""
