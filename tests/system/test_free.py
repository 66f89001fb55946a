"""Whether disks are free, by identity: all their nodes are looked at, and what blank disks hold counts."""

import pytest

from raidtui.core.disks.disk import Content, Disk, Usability, Verdict
from raidtui.core.disks.machine import Machine
from raidtui.system import claims
from tests.builders.racks import disk


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> list[Disk]:
    disks: list[Disk] = []
    own_table = disk(7)
    monkeypatch.setattr(claims, "read_machine", Machine)
    monkeypatch.setattr(claims, "disks_of", lambda machine, own: [*disks, *([own_table] if own == {"0a0b"} else [])])
    monkeypatch.setattr(claims, "not_free", lambda paths, watched_s: {})
    return disks


def test_a_disk_is_not_free_where_another_node_of_it_is_in_use(
    here: list[Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    here.append(disk(0, nodes=("/dev/sdx",)))
    in_use = "/dev/sdx"
    monkeypatch.setattr(claims, "not_free", lambda paths, watched_s: {in_use: f"{in_use} is in use"})
    assert claims.disks_not_free([here[0].id]) == ["/dev/sdx is in use"]


def test_what_a_disk_holds_is_a_reason_only_where_it_was_to_be_blank(here: list[Disk]) -> None:
    warned = Verdict(Usability.WARN, "it holds data")
    here += [disk(0, verdict=warned, contents=(Content("sda", "unknown data"),)), disk(1)]
    identities = [one.id for one in here]
    assert claims.disks_not_free(identities) == []
    (reason,) = claims.disks_not_free(identities, blank=True)
    assert reason.startswith("sda (IRONDISK SER0000) is not blank, it holds unknown data")


def test_the_tables_of_whoever_asks_are_told_to_the_look() -> None:
    identity = disk(7).id
    assert claims.disks_not_free([identity], own=["0A-0B"]) == []
    assert claims.disks_not_free([identity])[0].startswith(f"no disk {identity}")
