"""Device-mapper device between a run's array and its file system."""

from raidtui.core.plan.model import LayerPlan
from raidtui.core.raid.layers import LAYERS
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed


def name_of(layer: LayerPlan) -> str:
    return LAYERS[layer.kind].mapped(layer.group)


def on(host: Host, layer: LayerPlan, array: str) -> str | None:
    """On this array; None if absent, or another of that name."""
    name = host.mapped_on(array).get(name_of(layer))
    uuid = LAYERS[layer.kind].mapping_uuid(layer.uuid, layer.group)
    return name if name and uuid in ("", host.text(f"/sys/block/{name}/dm/uuid")) else None


def node(host: Host, layer: LayerPlan, array: str) -> str:
    if (name := on(host, layer, array)) is None:
        raise StepFailed(f"{layer.group} is not there, or not open, on the run's array {array}")
    return f"/dev/{name}"


def alone(host: Host, layer: LayerPlan, array: str) -> str | None:
    """As `on`; Refused if anything else is on the array."""
    name = on(host, layer, array)
    if others := sorted(set(host.mapped_on(array)) - ({name_of(layer)} if name else set())):
        raise Refused(
            f"the array /dev/{array} is under {', '.join(others)}, which this run did not make: it is left alone"
        )
    return name
