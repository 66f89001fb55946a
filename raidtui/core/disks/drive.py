"""A drive's reports by any node: locks, claims, errors, health, unreadable facts. Consequences: `rules`."""

import re
from collections.abc import Callable

from raidtui.core.disks.facts import Facts, Subject, is_map

_OF_NETWORK = re.compile(r"(nbd|rbd|rnbd|vxhs|etherd/e)\d")
_SAN = {"fc", "fcoe", "iscsi"}
_FABRICS = {"tcp", "rdma", "fc"}  # drivers/nvme/host: struct nvmf_transport_ops' names; "pcie", "apple-nvme" are local
NOT_READ = {
    "mounts": "what is mounted",
    "swaps": "what is swapped on",
    "holders": "what is stacked on it",
    "sizes": "its size",
    "signatures": "what it holds",
    "loops": "what loop devices lie on",
    "exports": "what the kernel serves to other machines (configfs is not mounted)",
    "openers": "which programs have it open (this is a pid namespace of its own)",
}


def read_error(subject: Subject) -> Facts | None:
    families = (block_device for node in subject.in_use for block_device in subject.family_of(node))
    broken = next((block_device for block_device in families if block_device.read_error), None)
    return {"called": subject.called(broken), "error": broken.read_error} if broken else None


def reported_by(key: str) -> Callable[[Subject], Facts | None]:
    def facts(subject: Subject) -> Facts | None:
        node = next((node for node in subject.drive if node.told.get(key)), None)
        return {key: node.told[key], "node": node.path} if node else None

    return facts


def read_only(subject: Subject) -> Facts | None:
    node = next((node for node in subject.drive if node.attributes.get("ro") == "1"), None)
    return {"called": subject.called(node)} if node else None


def failing(subject: Subject) -> Facts | None:
    failing = (node.told["health"] for node in subject.drive if node.told.get("health", "").startswith("failing"))
    health = next(failing, "")
    return {"health": health} if health else None


def _not_asked(subject: Subject) -> Facts | None:
    """A node that did not answer who has reserved it, with the reason."""
    node = next((node for node in subject.in_use if node.told.get(_UNANSWERED)), None)
    return {"node": node.path, "why": node.told[_UNANSWERED]} if node else None


_UNANSWERED = "reservation not read"


def unchecked(subject: Subject) -> list[str]:
    """Facts about the disk that were not read, in words."""
    missing = [words for key, words in NOT_READ.items() if key in subject.machine.not_read]
    missing += [text for text in subject.machine.not_read if text not in NOT_READ]
    shown = subject.in_use if is_map(subject.device) else (subject.device,)
    if not all(block_device.read for node in shown for block_device in subject.family_of(node)):
        missing.append(NOT_READ["signatures"])
    if unanswered := _not_asked(subject):
        missing.append("whether another host uses it ({node}: {why})".format(**unanswered))
    if subject.device.size_bytes is None:
        missing.append(NOT_READ["sizes"])
    return list(dict.fromkeys(missing))


def not_checked(subject: Subject) -> Facts | None:
    missing = unchecked(subject)
    if not missing:
        return None
    live = subject.machine.origin == "live"
    if live and not subject.machine.root:
        how = "run raidtui as root"
    elif unanswered := _not_asked(subject):
        how = "sg_persist --in -k {node} shows the keys: once it answers, look again".format(**unanswered)
    elif live and "exports" in subject.machine.not_read:
        how = "mount -t configfs configfs /sys/kernel/config, and look again"
    else:
        how = "look again on the machine itself, as root"
    return {"missing": ", ".join(missing), "how": how}


def of_network(subject: Subject) -> Facts | None:
    """A LUN, a network block device, or NVMe over fabrics, by their controllers."""
    fabrics = {fabric for node in subject.drive for fabric in node.attributes.get("transports", "").split()}
    if fabrics & _FABRICS or subject.transports & _SAN:
        return {}
    return {} if any(_OF_NETWORK.match(node.name) for node in subject.drive) else None
