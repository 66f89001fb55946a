"""From answers to a run: the recipes there are, the steps that answers lead to, and carrying them out."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.confirm import Code, Detach, Erase, EraseList, why_not_confirmed
from raidtui.cli.groups import Json
from raidtui.cli.machine import machine_of
from raidtui.cli.output import BAD_INPUT, FAILED, REFUSED, end, paged, print_json, print_notice
from raidtui.cli.runs import GivenRun, watch_to_its_end

if TYPE_CHECKING:
    from raidtui.core.plan.answers import Answers
    from raidtui.core.plan.model import Plan


def plan(
    answers: Annotated[Path | None, typer.Argument(help="Answer file (TOML).")] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask six plain questions, and write the answer file.")] = False,
    example: Annotated[bool, typer.Option("--example", help="Print a first answer file to edit.")] = False,
    erase_list: Annotated[
        bool, typer.Option("--erase-list", help="Print the list of doubtful disks for `run --erase-list`.")
    ] = False,
    script: Annotated[bool, typer.Option("--script", help="Print a bash script with the same steps.")] = False,
    machine: Annotated[Path | None, typer.Option(help="Plan for a recorded machine (see `disks --machine`).")] = None,
    json: Json = False,
) -> None:
    """Show the steps and confirmation code of an answer file.

    Nothing is changed.
    """
    import msgspec

    from raidtui.core.plan import confirmation
    from raidtui.core.script.render import script as as_script
    from raidtui.runs.planning import plan_for, read_answers

    if sum((ask, example, erase_list, script, json)) > 1:
        raise ValueError("--ask, --example, --erase-list, --script, --json: give only one")
    if ask:
        from raidtui.cli.asking import ask_and_write

        ask_and_write(answers or Path("answers.toml"), machine)
        return
    if example:
        from raidtui.core.advice.answer_file import EXAMPLE

        print(EXAMPLE, end="")
        return
    if answers is None:
        raise ValueError("plan: no answer file given; `raidtui plan --example` prints one")
    seen = machine_of(machine)
    plan_made = plan_for(read_answers(answers), seen)
    if "mounts" in seen.not_read:
        if script:
            raise ValueError(
                f"{machine or 'this machine'}: mounts not recorded; run `raidtui plan --script` on the machine itself"
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
    with paged():
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
        print("mounts not recorded: no code; run `raidtui plan` on the machine itself\n")
    if plan.disk_rule:
        print(f"selected by rule: {selection.words(plan.disk_rule)}")
    roles = {"member": plan.members, "underlying disk": plan.beneath}
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
        lost = "Existing data is not changed."
    if plan.care:
        lost = "Data on the array is not changed."
        if plan.members:
            which = "disk" if len(plan.members) == 1 else "disks"
            lost += f" Everything on the new {which} will be lost. {confirmation.UNSEEN}"
    words = [*command, "--confirm", plan.code]
    for member in confirmation.doubtful(plan.members):
        words += ["--erase", confirmation.name(member, plan.members)]
    print(f"\n{lost} To carry it out:\n    {shlex.join(words)}\nConfirmation code:")
    print(plan.code)


def run(
    answers: Annotated[Path, typer.Argument(help="Answer file (TOML).")],
    confirm: Annotated[str, typer.Option(help="Confirmation code from `raidtui plan`.")] = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Detach = False,
) -> None:
    """Run an answer file: build, benchmark, report.

    The code is valid for this machine and these disks only.
    """
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
    action: Annotated[str, typer.Argument(help="`show` explains one recipe.", autocompletion=lambda: ["show"])] = "",
    name: Annotated[str, typer.Argument(help="Recipe name.", autocompletion=completion.recipe_names)] = "",
    disk: Annotated[list[str] | None, typer.Option(help="Estimate for SIZE or SIZExN; repeatable.")] = None,
    flash: Annotated[bool, typer.Option(help="Non-rotational disks.")] = False,
    nvme: Annotated[bool, typer.Option(help="NVMe disks.")] = False,
    variant: Annotated[str, typer.Option(help="Estimate for this variant.", autocompletion=completion.variants)] = "",
    json: Json = False,
) -> None:
    """List benchmark recipes; `recipes show NAME` explains one.

    With its time and writes on the free disks here, or on others (--disk).
    """
    from raidtui import recipes as shelf

    if action not in ("", "show") or bool(action) != bool(name):
        raise ValueError(f"recipes {action} {name}".rstrip() + ": use `raidtui recipes` or `raidtui recipes show NAME`")
    if not action:
        if disk or flash or nvme or variant:
            raise ValueError("--disk, --flash, --nvme, --variant need one recipe; use `raidtui recipes show NAME`")
        library = shelf.library()
        if json:
            print_json("recipes", library)
            return
        for recipe_name, recipe in library.recipes.items():
            print(f"{recipe_name}: {recipe.title}\n    {recipe.summary}")
        for sentence in library.broken:
            print_notice(f"raidtui: not read: {sentence}")
        return
    chosen = shelf.load(name)
    if json:
        print_json("recipe", chosen)
        return
    from raidtui.core.plan.summary import explain

    print("\n".join(explain(name, chosen)))
    print("\n".join(["", *_cost(name, variant, disk or [], flash, nvme)]))


def _cost(name: str, variant: str, sizes: list[str], flash: bool, nvme: bool) -> list[str]:
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
        return ["Time and writes depend on the target: `raidtui plan ANSWERS.toml` shows them."]
    if sizes:
        disks = summary.imagined([size for text in sizes for size in parse_disks(text)], flash, nvme)
    else:
        disks = tuple(disk for disk in disks_of(machine_of(None)) if disk.verdict.standing is not Usability.REFUSE)
    if not disks:
        return ["No usable disk here; --disk SIZExN estimates for others."]
    answers = Answers(disks=tuple(disk.id for disk in disks), recipe=name, variant=variant, setup=Setup())
    if not shelf_load(name).sweeps:
        answers = msgspec.structs.replace(answers, setup=Setup(level="0" if len(disks) > 1 else "jbod"))
    try:
        imagined_plan = plan_on(answers, disks, "")
    except ValueError as error:
        return [f"On {len(disks)} disks: {error}"]
    return [f"On {len(disks)} disks:", *(f"  {line}" for line in summary.cost(imagined_plan))]


def again(
    run: GivenRun,
    trial: Annotated[
        str,
        typer.Argument(
            help="Trial, as in `report`. Default: lists those without a result.",
            autocompletion=completion.trials,
        ),
    ] = "",
    repeat: Annotated[int, typer.Option(help="Repetitions; without TRIAL of the whole run.", min=0, max=99)] = 0,
    runtime: Annotated[int, typer.Option(help="Seconds of the trial.", min=0)] = 0,
    iodepth: Annotated[int, typer.Option(help="Queue depth of a job of the trial.", min=0)] = 0,
) -> None:
    """Write an answer file that repeats one trial.

    It leads to a new run; the old one keeps its results.
    """
    import tomli_w

    from raidtui.core.plan.answers import to_document
    from raidtui.core.plan.retry import answers_of, changed
    from raidtui.core.text import visible
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    plan = directory.read_plan(path)
    if trial or repeat or runtime or iodepth:
        answers = answers_of(plan, trial) if trial else plan.answers
        named = plan.trial(trial)
        answers = changed(answers, named.recipe_job if named else "", repeat=repeat, runtime_s=runtime, iodepth=iodepth)
        document = tomli_w.dumps(to_document(answers))
        repeats = " ".join(filter(None, (path.name, trial)))
        print(f"# Repeats {repeats}: `raidtui plan` this file, then `raidtui run` it with the code.")
        print(document, end="")
        return
    state = directory.read_state(path)
    without_figure = [
        measurement
        for trial_tried in plan.trials
        if (measurement := state.measured(trial_tried.id)) and measurement.status != "ok"
    ]
    if not without_figure:
        raise ValueError(f"{path.name}: every ended trial has a result; name the TRIAL to repeat")
    for measurement in without_figure:
        print(visible(f"{measurement.name}  {measurement.status.upper()}: {measurement.error or ''}".rstrip(": ")))


def explain(
    run: GivenRun,
    trial: Annotated[
        str,
        typer.Argument(
            help="Trial, as in `report`. Default: furthest from expected.",
            autocompletion=completion.trials,
        ),
    ] = "",
    target: Annotated[
        Path | None, typer.Option(help="Kept array: device (read-only test) or folder (one test file).")
    ] = None,
    confirm: Code = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Detach = False,
    json: Json = False,
) -> None:
    """Find a test's bottleneck, one change at a time.

    The test is repeated unchanged and with each suspect changed. Without --confirm: shows the plan, changes nothing.
    """
    from raidtui.core.results.ablation import NothingToExplain, answers_of
    from raidtui.runs import directory
    from raidtui.runs.planning import plan_here

    path = directory.find(run, *directory.roots())
    plan, state = directory.read_run(path)
    if state.kept and not target:
        end(f"{path.name}: its array is kept; give --target, its device or a folder on it", BAD_INPUT)
    try:
        answers = answers_of(plan, state, trial, str(target or ""))
    except NothingToExplain as error:
        end(f"{path.name}: {error}", BAD_INPUT)
    words = ["raidtui", "explain", path.name, *([trial] if trial else [])]
    words += ["--target", str(target)] if target else []
    if confirm:
        carry_out(answers, shlex.join(words), confirm, erase, erase_list, detach=detach)
        return
    planned = plan_here(answers)
    if json:
        print_as_json(planned)
    else:
        show(planned, words)
