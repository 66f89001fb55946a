"""A LUKS container of all of the array: its steps, their undo, and those around a stop of the array beneath it.

What needs the passphrase a person carries out, and the run waits. It is closed before the array is wiped and stopped;
its header is one of the signatures that the array is wiped of. Nothing that is taken back asks for the passphrase.
"""

from collections.abc import Sequence

from raidtui.core.boot import lines
from raidtui.core.plan.model import LayerPlan, Stage
from raidtui.core.plan.steps import ByPerson, Check, Command, Edit, Step, TakeOut, settle
from raidtui.core.raid import containers

_TYPED = {"encrypt": 2, "unlock": 1}  # times: what is new is asked for twice


def made(layer: LayerPlan) -> list[Step]:
    """The array as a container, and that open."""
    return [
        ByPerson(
            what="Create a LUKS container on the array (enter a new passphrase)",
            role="encrypt",
            argv=containers.format_argv("{array}", layer.uuid, layer.align_bytes),
        ),
        _opened(layer, let_go(layer)),
        Check(
            what="Does its data start on a stripe boundary?",
            question="container-aligned",
            expected={"align_bytes": layer.align_bytes},
        ),
        settle(),
    ]


def let_go(layer: LayerPlan) -> Step:
    """Before the array is stopped. It stays closed where that is taken back: to open it is a person's."""
    return Command(what="Close the LUKS container", role="lock", argv=containers.close_argv(layer.group))


def taken_up(layer: LayerPlan) -> Step:
    """After the array was put together."""
    return _opened(layer)


def _opened(layer: LayerPlan, *undo: Step) -> ByPerson:
    argv = containers.open_argv("{array}", layer.group)
    return ByPerson(what="Open the LUKS container (enter its passphrase)", role="unlock", argv=argv, undo=tuple(undo))


def known_at_boot(layer: LayerPlan, reload: tuple[Step, ...]) -> Edit:
    """Its line in crypttab: boot asks for the passphrase, and goes on without it. `reload`: after it is taken out."""
    return Edit(
        what=f"Write the LUKS container into {lines.CRYPTTAB}",
        path=lines.CRYPTTAB,
        lines=(lines.crypttab(layer.group, layer.uuid),),
        undo=(TakeOut(what=f"Remove the run's lines from {lines.CRYPTTAB}", path=lines.CRYPTTAB), *reload),
    )


def notes(stages: Sequence[Stage]) -> list[str]:
    """What a person has to know who will type it; nothing where nobody does."""
    by_person = [step for stage in stages for step in stage.steps if isinstance(step, ByPerson)]
    if not by_person:
        return []
    typed = sum(_TYPED[step.role] for step in by_person)
    again = ", and once more to open it after the array was put together anew" if stages[-1].permanent else ""
    return [
        f"LUKS: cryptsetup asks for the passphrase {typed} times, on a terminal (`raidtui passphrase`, or p on Live):"
        f" for a new one twice, and once to open it{again}. The run waits for that, and the estimate does not count it."
        " raidtui never has the passphrase: where it is lost, so are the data."
    ]
