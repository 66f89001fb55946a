"""A LUKS container over the whole array: steps, undo, close and open around a stop of the array. A person runs what
needs the passphrase; no undo needs it. Closed before the array is wiped; the wipe covers its header.
"""

from collections.abc import Sequence

from raidtui.core.boot import entries
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.model import LayerPlan, Stage
from raidtui.core.plan.steps import Check, Command, Edit, ManualStep, Step, TakeOut, settle
from raidtui.core.raid import containers

_TYPED = {"encrypt": 2, "unlock": 1}  # times: what is new is asked for twice


def made(layer: LayerPlan) -> list[Step]:
    return [
        ManualStep(
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


def backed_up(path: str) -> list[Step]:
    """None without a path. No undo: the file is the person's from then on. cryptsetup refuses one that exists,
    and makes it for its owner alone.
    """
    return (
        [
            Command(
                what=f"Write a backup of the LUKS header to {path}",
                role="header-backup",
                argv=(containers.PROGRAM, "luksHeaderBackup", "{array}", "--header-backup-file", path),
            )
        ]
        if path
        else []
    )


def check_backup(answers: Answers) -> None:
    """PlanRefused for a backup without a container, or one that would lie on the array."""
    path, folder = answers.luks_header_backup, answers.mount_point or entries.MOUNTED_AT
    if not path:
        return
    if answers.setup.between != "luks":
        raise PlanRefused('there is no LUKS container; add between = "luks", or leave it out', "luks_header_backup")
    if answers.permanent and (path == folder or path.startswith(f"{folder}/")):
        raise PlanRefused(f"{path} would lie on the array itself; choose another place", "luks_header_backup")


def let_go(layer: LayerPlan) -> Step:
    """Close. Undo leaves it closed: opening is a manual step."""
    return Command(what="Close the LUKS container", role="lock", argv=(containers.PROGRAM, "close", layer.group))


def taken_up(layer: LayerPlan) -> Step:
    return _opened(layer)


def _opened(layer: LayerPlan, *undo: Step) -> ManualStep:
    return ManualStep(
        what="Open the LUKS container (enter its passphrase)",
        role="unlock",
        argv=containers.open_argv("{array}", layer.group),
        undo=tuple(undo),
    )


def known_at_boot(layer: LayerPlan, reload: tuple[Step, ...]) -> Edit:
    """Its line in crypttab: boot asks for the passphrase, and continues without. `reload`: after its removal."""
    return Edit(
        what=f"Write the LUKS container into {entries.CRYPTTAB}",
        path=entries.CRYPTTAB,
        lines=(entries.crypttab(layer.group, layer.uuid),),
        undo=(TakeOut(what=f"Remove the run's lines from {entries.CRYPTTAB}", path=entries.CRYPTTAB), *reload),
    )


def notes(stages: Sequence[Stage], backup: str) -> list[str]:
    """For the person who types the passphrase; empty if nobody does."""
    by_person = [step for stage in stages for step in stage.steps if isinstance(step, ManualStep)]
    if not by_person:
        return []
    typed = sum(_TYPED[step.role] for step in by_person)
    again = ", and once more to open it after the array was put together anew" if stages[-1].permanent else ""
    return [
        f"LUKS: cryptsetup asks for the passphrase {typed} times, on a terminal (`raidtui passphrase`, or p on Live):"
        f" for a new one twice, and once to open it{again}. The run waits for that, and the estimate does not count it."
        " raidtui never has the passphrase: where it is lost, so are the data.",
        _backup_note(backup),
    ]


def _backup_note(path: str) -> str:
    if not path:
        return (
            "LUKS header: no backup (`luks_header_backup`). A damaged header loses all data; by hand:"
            " `cryptsetup luksHeaderBackup`."
        )
    return (
        f"LUKS header: backup in {path}, for root alone. It repairs a damaged header. With a passphrase of its time it"
        " opens the array, also after a change. Keep a copy elsewhere. It stays when the array is removed."
    )
