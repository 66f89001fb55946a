"""From answers to a run: the recipes there are, the steps that answers lead to, and carrying them out."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import Erase, EraseList, why_not_confirmed
from raidtui.cli.machine import machine_of
from raidtui.cli.output import FAILED, REFUSED, Json, end, print_json, say
from raidtui.cli.runs import watch_to_its_end

if TYPE_CHECKING:
    from raidtui.core.plan.answers import Answers
    from raidtui.core.plan.model import Plan


def plan(
    answers: Annotated[Path, typer.Argument(help="Answers in TOML.")],
    erase_list: Annotated[
        bool, typer.Option("--erase-list", help="Print the disks with a warning and what is on them, for `run`.")
    ] = False,
    script: Annotated[bool, typer.Option("--script", help="Print a bash script that does the same by hand.")] = False,
    machine: Annotated[Path | None, typer.Option(help="Plan for a recorded machine: what `disks` reads.")] = None,
    json: Json = False,
) -> None:
    """The steps that the answers lead to, and the code that confirms them. Nothing is changed."""
    import msgspec

    from raidtui.core.plan import confirmation
    from raidtui.core.script.render import script as as_script
    from raidtui.runs.planning import plan_for, read_answers

    if sum((erase_list, script, json)) > 1:
        raise ValueError("--erase-list, --script and --json are three documents: give one of them")
    seen = machine_of(machine)
    plan_made = plan_for(read_answers(answers), seen)
    if "mounts" in seen.not_read:
        if script:
            raise ValueError(
                f"{machine or 'this machine'}: mounts not recorded; print the script on the machine itself"
            )
        plan_made = msgspec.structs.replace(plan_made, code="")
    if erase_list:
        for line in confirmation.erase_list(plan_made.members):
            print(line)
        return
    if script:
        print(as_script(plan_made), end="")
        return
    if json:
        print_as_json(plan_made)
        return
    show(plan_made, ["raidtui", "run", str(answers)])


def print_as_json(made: "Plan") -> None:
    """The plan, and in `erase` the disks that have to be named before it is carried out."""
    import msgspec

    from raidtui.core.plan import confirmation

    print_json("plan", {**msgspec.to_builtins(made), "erase": confirmation.to_erase(made.members)})


def show(plan: "Plan", command: list[str]) -> None:
    """Every step of a plan, what it costs, and the `command` that carries it out, its code last.

    A plan without a code is of a machine whose mounts nobody recorded.
    """
    from raidtui.core.disks import selection
    from raidtui.core.plan import confirmation
    from raidtui.core.plan.model import sections
    from raidtui.core.plan.steps import shell
    from raidtui.core.plan.summary import cost, space_words
    from raidtui.core.units import both

    if not plan.code:
        print("mounts not recorded: no code; plan again on the machine itself\n")
    if plan.disk_rule:
        print(f"chosen by rule: {selection.words(plan.disk_rule)}")
    roles = {"member": plan.members, "disk beneath": plan.beneath}
    if plan.care:
        roles = {"new disk": plan.members, "disk of the array": plan.beneath}
    for role, index, member in ((role, *numbered) for role, disks in roles.items() for numbered in enumerate(disks)):
        model_serial = " ".join(part for part in (member.model, member.serial) if part)
        place = f"{role} {index}" + (" (replaced)" if plan.care and member.id == plan.care.old else "")
        print(
            f"{place}: {member.name}  {model_serial}  {both(member.size_bytes)}  {member.id}\n    now: {member.found}"
        )
        if member.volume:
            print(f"    volume of a RAID controller: {member.volume}")
        if member.warning:
            print(f"    WARNING: {member.warning}")
    for part in sections(plan):
        print(f"\n{part.title}")
        for step in part.steps:
            print(f"    {shell(step)}")
    for note in plan.notes:
        print(f"\nNote: {note}")
    print()
    for line in space_words(plan):
        print(line)
    for line in cost(plan):
        print(f"{line[0].upper()}{line[1:]}.")
    if not plan.code:
        return
    lost = f"Everything on these disks will be lost. {confirmation.UNSEEN}"
    if plan.existing:
        lost = "Nothing that is there is changed."
    if plan.care:
        lost = "What is on the array is not changed."
        if plan.members:
            which = "disk" if len(plan.members) == 1 else "disks"
            lost += f" Everything on the new {which} will be lost. {confirmation.UNSEEN}"
    words = [*command, "--confirm", plan.code]
    for member in confirmation.doubtful(plan.members):
        words += ["--erase", confirmation.name(member, plan.members)]
    print(f"\n{lost} To carry it out:\n    {shlex.join(words)}\nConfirmation code:")
    print(plan.code)


def run(
    answers: Annotated[Path, typer.Argument(help="Answers in TOML.")],
    confirm: Annotated[str, typer.Option(help="The code that `raidtui plan` printed.")] = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the end.")] = False,
) -> None:
    """Carry out the answers: build, measure, report. The code fits no other machine and no other disks."""
    from raidtui.runs.planning import read_answers

    carry_out(read_answers(answers), f"raidtui plan {answers}", confirm, erase, erase_list, detach=detach)


def carry_out(
    answers: "Answers", shown_by: str, confirm: str, erase: list[str] | None, erase_list: Path | None, *, detach: bool
) -> None:
    """The run of these answers, to its end or `detach`ed, where the code is that of their plan; `shown_by` shows it."""
    from raidtui.runs.planning import plan_here
    from raidtui.system.doctor import missing_for_run

    if missing := missing_for_run():  # before a plan is made in vain
        end(missing, FAILED)
    begin(plan_here(answers), shown_by, confirm, erase, erase_list, detach=detach)


def begin(
    plan: "Plan", shown_by: str, confirm: str, erase: list[str] | None, erase_list: Path | None, *, detach: bool
) -> None:
    """The run of this plan, to its end or `detach`ed, where the code is its own; `shown_by` shows it."""
    from raidtui.runs import directory, launch
    from raidtui.system.doctor import missing_for_run

    if missing := missing_for_run():
        end(missing, FAILED)
    if reason := why_not_confirmed(plan, shown_by, confirm, erase or [], erase_list):
        end(reason, REFUSED)
    path = launch.start(plan, directory.runs_root())
    if detach:
        print(path.name)
        return
    sys.exit(watch_to_its_end(path))


def recipes(
    action: Annotated[str, typer.Argument(help="`show`, to explain one.", autocompletion=lambda: ["show"])] = "",
    name: Annotated[str, typer.Argument(help="The recipe's name.", autocompletion=completion.recipe_names)] = "",
    disk: Annotated[list[str] | None, typer.Option(help="What it costs on SIZE or SIZExN; may be given often.")] = None,
    flash: Annotated[bool, typer.Option(help="Disks without seeks.")] = False,
    variant: Annotated[str, typer.Option(help="The cost of this variant.", autocompletion=completion.variants)] = "",
    json: Json = False,
) -> None:
    """The experiments that can be run; `recipes show NAME` explains one, with its cost on these disks."""
    from raidtui import recipes as shelf

    if action not in ("", "show") or bool(action) != bool(name):
        raise ValueError(
            f"recipes {action} {name}".rstrip() + ": write `raidtui recipes` or `raidtui recipes show NAME`"
        )
    if not action:
        if disk or flash or variant:
            raise ValueError("--disk, --flash and --variant are about one recipe: write `raidtui recipes show NAME`")
        library = shelf.library()
        if json:
            print_json("recipes", library)
            return
        for recipe_name, recipe in library.recipes.items():
            print(f"{recipe_name}: {recipe.title}\n    {recipe.summary}")
        for sentence in library.broken:
            say(f"raidtui: not read: {sentence}")
        return
    chosen = shelf.load(name)
    if json:
        print_json("recipe", chosen)
        return
    from raidtui.core.plan.summary import explain

    print("\n".join(explain(name, chosen)))
    print("\n".join(["", *_cost(name, variant, disk or [], flash)]))


def _cost(name: str, variant: str, sizes: list[str], flash: bool) -> list[str]:
    """What a recipe costs on disks of these sizes, or on those of this machine that can be used."""
    import msgspec

    from raidtui.core.disks.disk import Usability
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.plan import summary
    from raidtui.core.plan.answers import Answers, Setup
    from raidtui.core.units import parse_disks
    from raidtui.recipes import load as shelf_load
    from raidtui.runs.planning import plan_on

    if shelf_load(name).existing:
        return ["Its cost is told by `raidtui plan` of the answers: it depends on the target."]
    if sizes:
        disks = summary.imagined([size for text in sizes for size in parse_disks(text)], flash)
    else:
        disks = tuple(disk for disk in disks_of(machine_of(None)) if disk.verdict.standing is not Usability.REFUSE)
    if not disks:
        return ["No disk here can be used; --disk SIZExN tells the cost on others."]
    answers = Answers(disks=tuple(disk.id for disk in disks), recipe=name, variant=variant, setup=Setup())
    if not shelf_load(name).sweeps:
        answers = msgspec.structs.replace(answers, setup=Setup(level="0" if len(disks) > 1 else "jbod"))
    try:
        imagined_plan = plan_on(answers, disks, "")
    except ValueError as error:
        return [f"On {len(disks)} disks: {error}"]
    return [f"On {len(disks)} disks:", *(f"  {line}" for line in summary.cost(imagined_plan))]


def again(
    run: Annotated[str, typer.Argument(help="A run's id.", autocompletion=completion.all_runs)],
    trial: Annotated[
        str,
        typer.Argument(
            help="The trial, as `report` names it; without: those that gave no figure.",
            autocompletion=completion.trials,
        ),
    ] = "",
) -> None:
    """The answers that measure one trial of a run again, in a run of its own; what failed stays in the old one."""
    import tomli_w

    from raidtui.core.plan.answers import to_document
    from raidtui.core.plan.retry import answers_of
    from raidtui.core.text import visible
    from raidtui.runs import directory
    from raidtui.runs.journal import read_state

    path = directory.find(run, *directory.roots())
    plan = directory.read_plan(path)
    if trial:
        document = tomli_w.dumps(to_document(answers_of(plan, trial)))
        print(f"# {path.name} {trial}, again: `raidtui plan` this file, then `raidtui run` it with the code.")
        print(document, end="")
        return
    state = read_state(path / directory.JOURNAL)
    without_figure = [
        measurement
        for trial_tried in plan.trials
        if (measurement := state.measured(trial_tried.id)) and measurement.status != "ok"
    ]
    if not without_figure:
        raise ValueError(f"every trial of {path.name} that ended gave a figure; name the one to measure again")
    for measurement in without_figure:
        print(visible(f"{measurement.name}  {measurement.status.upper()}: {measurement.error or ''}".rstrip(": ")))
