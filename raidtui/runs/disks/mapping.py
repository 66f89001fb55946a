"""What lies between a run's array and its file system, as the device mapper has it."""

from raidtui.core.plan.model import LayerPlan
from raidtui.core.raid.layers import LAYERS
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed


def name_of(layer: LayerPlan) -> str:
    """What the device mapper calls that on which the file system is."""
    return LAYERS[layer.kind].mapped(layer.group)


def on(host: Host, layer: LayerPlan, array: str) -> str | None:
    """The kernel name of it on this array; None where there is none, or one of the same name that is another."""
    name = host.mapped_on(array).get(name_of(layer))
    uuid = LAYERS[layer.kind].mapping_uuid(layer.uuid, layer.group)
    return name if name and uuid in ("", host.text(f"/sys/block/{name}/dm/uuid")) else None


def node(host: Host, layer: LayerPlan, array: str) -> str:
    """Its node; StepFailed where there is none."""
    if (name := on(host, layer, array)) is None:
        raise StepFailed(f"{layer.group} is not there, or not open, on the run's array {array}")
    return f"/dev/{name}"


def alone(host: Host, layer: LayerPlan, array: str) -> str | None:
    """As `on`; Refused where anything else lies on this array."""
    name = on(host, layer, array)
    if others := sorted(set(host.mapped_on(array)) - ({name_of(layer)} if name else set())):
        raise Refused(
            f"the array /dev/{array} is under {', '.join(others)}, which this run did not make: it is left alone"
        )
    return name
