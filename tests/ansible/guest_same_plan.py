"""Rows of one code for all hosts; they follow those of `guest_arrays`. Two hosts are this one kernel, each with disks
of its own.
"""

from collections.abc import Callable
from pathlib import Path

from tests.ansible import practice
from tests.ansible.plays import changes, need
from tests.ansible.practice import COLLECTED, bytes_at_rest, plays, refused, serial, unchanged
from tests.lab.guest.disk_states import clear, ext4

DISKS = {"rack2": ("/dev/sdd", "/dev/sde"), "rack3": ("/dev/sdf", "/dev/sdg")}
FREE = "/dev/sdh"
_SMARTCTL = Path("/usr/local/sbin/smartctl")
_HEALTHY = """#!/bin/sh
echo '{"smartctl": {}, "device": {"protocol": "ATA"}, "smart_status": {"passed": true}}'
"""
_MIRROR = {"level": "1", "filesystem": "ext4", "first_sync": "wait"}
_LIST = COLLECTED / "same-plan/mirror"


def _answers(host: str, *more: str) -> None:
    disks = [serial(node) for node in (*DISKS[host], *more)]
    practice.answers_file(f"{host}.toml", disks=disks, recipe=practice.write_recipe(), setup=_MIRROR)


def _approved(list_code: str, **own: str) -> None:
    """By a person: the code of the list for all, or a host's own."""
    for host in DISKS:
        confirm = {"mirror": own[host]} if host in own else {}
        plays.decided(host, commission_confirm=confirm, commission_same_plan={"mirror": list_code})


def _list_code() -> str:
    return _LIST.with_suffix(".txt").read_text().split()[-1]


def unread_health_is_not_healthy() -> str:
    clear(*(node for nodes in DISKS.values() for node in nodes), FREE)
    for host in DISKS:
        _answers(host)
    array = {
        "name": "mirror",
        "answers": f"{practice.FOLDER}/{{{{ inventory_hostname }}}}.toml",
        "approve": "same-plan",
    }
    practice.inventory(list(DISKS), array)
    _approved("")
    refused("approve: same-plan does not hold", "is not checked, not good", together=True)
    need(not _LIST.with_suffix(".txt").exists(), "a list was written")
    return "no smartctl: refused, without a list; nothing on any disk changed"


def something_on_one_member() -> str:
    _SMARTCTL.write_text(_HEALTHY)
    _SMARTCTL.chmod(0o755)
    ext4("/dev/sdg")
    refused("rack3: 14000 is not blank", "give this host its own code", together=True)
    clear("/dev/sdg")
    return "both hosts refused, rack3 and its disk named; nothing on any disk changed"


def another_number_of_disks() -> str:
    _answers("rack3", FREE)
    refused("rack3 and rack2: other numbers of disks", together=True)
    _answers("rack3")
    return "both hosts refused; nothing on any disk changed"


def hosts_one_by_one() -> str:
    refused("rack3 has no plan; play all hosts at once", together=False)
    return "with serial: 1 refused; nothing on any disk changed"


def hosts_and_serials_are_listed_first() -> str:
    said = refused("not approved", "commission_same_plan to the code at its end", together=True)
    listed = _LIST.with_suffix(".txt").read_text()
    for host, nodes in DISKS.items():
        need(host in listed and all(serial(node) in listed and serial(node) in said for node in nodes), listed)
    return "both hosts and four serials are in the list and on the screen; nothing on any disk changed"


def another_code_of_a_list() -> str:
    _approved("00000000")
    refused("not approved", together=True)
    return "nothing on any disk changed"


def a_disk_changed_since_the_list() -> str:
    _approved(_list_code())
    ext4("/dev/sdg")
    refused("rack3: its plan is not the listed one", "rack3: 14000 is not blank", together=True)
    clear("/dev/sdg")
    return "both hosts refused; nothing on any disk changed"


def built_with_one_code_and_changed_no_more() -> str:
    before = bytes_at_rest()
    said = plays.play(together=True)
    need(all(changes(said, host) > 0 for host in DISKS), said)
    unchanged(before, [node for nodes in DISKS.values() for node in nodes])
    arrays = Path("/proc/mdstat").read_text().count(" active raid1 ")
    need(arrays == len(DISKS), f"mirrors: {arrays}")
    before = bytes_at_rest()
    said = plays.play(together=True)
    need(all(changes(said, host) == 0 for host in DISKS), said)
    unchanged(before)
    return "a mirror on each host, all other disks as before; then changed=0, sha256 of all disks equal"


ROWS: tuple[Callable[[], str], ...] = (
    unread_health_is_not_healthy,
    something_on_one_member,
    another_number_of_disks,
    hosts_one_by_one,
    hosts_and_serials_are_listed_first,
    another_code_of_a_list,
    a_disk_changed_since_the_list,
    built_with_one_code_and_changed_no_more,
)
