"""The commands. Each gathers its input, calls one function, prints; what a command does is not here.

Exit codes: 0 done, 1 something failed and said why, 2 bad input, 3 refused for safety, 130 stopped by the user.
"""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import msgspec
import typer

from raidtui.core.report import comparison as report_comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raidtui.core.disks.machine import Machine
    from raidtui.core.fio.measurement import Measurement
    from raidtui.core.plan.model import Member, Plan
    from raidtui.core.results.comparison import Series

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Plan, build, measure and prove a server's disk array in one terminal. Without a command: the wizard.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _level(text: str) -> str:
    """A level as people write it, too: RAID 5, raid10."""
    return text.lower().removeprefix("raid").strip(" -")


Level = Annotated[str, typer.Argument(help="0 1 4 5 6 10 linear jbod", callback=_level)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Erase = Annotated[
    list[str] | None,
    typer.Option(metavar="DISK", help="A disk with a warning, by serial or identity; one option for each of them."),
]
RunName = Annotated[str, typer.Argument(help="A run's id, or its beginning or end; the newest if left out.")]
_UNITS = {"mbps": "MB/s", "iops": "IOPS"}
FAILED, BAD_INPUT, REFUSED, STOPPED = 1, 2, 3, 130
_LOST = "Whatever is on these disks now will be lost:"


def main() -> None:
    """Entry point: an error is one sentence and an exit code, never a traceback."""
    from raidtui.core.plan.planner import PlanNotSafe

    try:
        app() if sys.argv[1:] else _open_wizard()  # typer takes a tenth of a second to see that nothing was asked
    except PlanNotSafe as error:
        _end(f"refused: {error}", REFUSED)
    except ValueError as error:
        _end(str(error), BAD_INPUT)
    except BrokenPipeError:
        os._exit(FAILED)  # whoever read our output has gone
    except OSError as error:
        _end(f"{error.filename}: {error.strerror}" if error.filename else str(error), FAILED)


def _end(sentence: str, code: int) -> NoReturn:
    from raidtui.core.text import (
        clean,
    )

    print(f"raidtui: {clean(' '.join(sentence.split()))}", file=sys.stderr)  # it may quote anything
    sys.exit(code)


def _print_json(value: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(value)).decode())


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _no_full_screen() -> str | None:
    """Why no full screen can be opened here; None where it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "there is no terminal here"
    if os.environ.get("TERM", "dumb") == "dumb":
        return "this terminal (TERM=dumb) cannot show a full screen"
    return None


def _need_full_screen(instead: str) -> None:
    if reason := _no_full_screen():
        _end(f"{reason}; {instead}", BAD_INPUT)


@app.callback(invoke_without_command=True)
def wizard(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        _open_wizard()


def _open_wizard() -> NoReturn:
    _need_full_screen(
        "without one use `raidtui disks`, `raidtui plan ANSWERS.toml`, `raidtui run ANSWERS.toml --confirm CODE`"
    )
    from raidtui.ui import launch as ui_launch

    sys.exit(ui_launch.wizard())


@app.command()
def practice(
    disks: Annotated[int, typer.Option(help="How many practice disks.", min=1, max=24)] = 6,
    disk_size: Annotated[str, typer.Option(help="Size of each.")] = "512MiB",
    disk_speed: Annotated[str, typer.Option(help="MB/s of each, either way; 0: not held.")] = "94MB/s",
    disk_iops: Annotated[int, typer.Option(help="IOPS of each, as a spindle; 0: not held.", min=0)] = 0,
) -> None:
    """The wizard on practice disks: nothing of this machine is touched. Without a terminal: a report."""
    from raidtui.practice import session

    sys.exit(
        session.run(
            disks=disks,
            disk_size=disk_size,
            disk_speed=disk_speed,
            disk_iops=disk_iops,
            full_screen=_no_full_screen() is None,
        )
    )


@app.command()
def disks(
    machine: Annotated[
        Path | None, typer.Option(help="A recording, a `udevadm info --export-db` dump, or `lsblk -J -O -b` output.")
    ] = None,
    json: Json = False,
) -> None:
    """The disks of this machine, or of a recorded one, each with its verdict."""
    from raidtui.core.disks.verdicts import disks_of

    found = disks_of(_machine(machine))
    if json:
        _print_json({"disks": found})
        return
    from raidtui.core.units import both

    for disk in found:
        print(f"{disk.name}  {both(disk.size_bytes)}  {disk.title}\n    id: {disk.id}\n    on it: {disk.found}")
        words = f"{disk.verdict.standing.value}"
        words += f": {disk.verdict.reason}" if disk.verdict.reason else ""
        print(f"    {words}" + (f" ({disk.verdict.remedy})" if disk.verdict.remedy else ""))
    if not found:
        print("No disks: nothing here can be a member of an array.")


def _machine(path: Path | None) -> "Machine":
    if path is not None:
        from raidtui.core.disks.dumps import read

        return read(path.read_bytes(), str(path))
    from raidtui.system.discovery import read_machine

    return read_machine()


@app.command()
def capacity(
    level: Level,
    disk: Annotated[list[str], typer.Option(help="SIZE or SIZExN, as 1.2TB or 931GiBx4; may be given often.")],
    chunk: Annotated[str, typer.Option(help="Chunk, as 512K.")] = "",
    layout: Annotated[str, typer.Option(help="RAID 10: n2 n3 o2 f2.")] = "",
    mdadm: Annotated[str, typer.Option(help="The mdadm that will create it.")] = "4.2",
    json: Json = False,
) -> None:
    """What an array holds, to the byte, and where the rest goes. Needs no disk."""
    from raidtui.core.raid import capacity as capacities
    from raidtui.core.units import both, parse_bytes, parse_disks

    sizes = [size for text in disk for size in parse_disks(text)]
    found = capacities.capacity(level, sizes, parse_bytes(chunk) if chunk else None, layout or None, mdadm)
    if json:
        _print_json(found)
        return
    print(f"usable    {both(found.array_bytes)}\nraw       {both(found.raw_bytes)}")
    for name, lost in msgspec.structs.asdict(found.lost).items():
        if lost:
            print(f"{name.removesuffix('_bytes'):9} {both(lost)}")
    print(f"survives  {found.survives} failed disk{'' if found.survives == 1 else 's'}")


@app.command()
def predict(
    level: Level,
    disks: Annotated[int, typer.Option(help="How many.")],
    mbps: Annotated[float, typer.Option(help="MB/s of the slowest disk.")],
    iops: Annotated[float, typer.Option(help="IOPS of one disk.")],
    layout: Annotated[str, typer.Option(help="RAID 10: n2 n3 o2 f2.")] = "",
    queue_depth: Annotated[int | None, typer.Option(help="iodepth x numjobs.")] = None,
    read_share: Annotated[float | None, typer.Option(help="Share of reads, 0 to 1, for the mix.")] = None,
    flash: Annotated[bool, typer.Option(help="Disks without seeks.")] = False,
    json: Json = False,
) -> None:
    """What an array should do, by the model."""
    from raidtui.core.raid import theory

    found = theory.predict(
        level,
        disks,
        mbps * 1e6,
        iops,
        layout=layout or None,
        queue_depth=queue_depth,
        read_share=read_share,
        flash=flash,
    )
    answer = found.to_json()
    if json:
        _print_json(answer)
        return
    for name, value in answer.items():
        if value is not None:
            words, _, unit = name.rpartition("_")
            said = f"{value:.6g} {_UNITS[unit]}" if unit in _UNITS else str(value)
            print(f"{(words if unit in _UNITS else name).replace('_', ' '):14} {said}")


@app.command()
def plan(
    answers: Annotated[Path, typer.Argument(help="Answers in TOML.")],
    script: Annotated[bool, typer.Option("--script", help="Print a bash script that does the same by hand.")] = False,
    machine: Annotated[Path | None, typer.Option(help="Plan for a recorded machine: what `disks` reads.")] = None,
    json: Json = False,
) -> None:
    """The steps that the answers lead to, and the code that confirms them. Nothing is changed."""
    from raidtui.core.plan import confirmation
    from raidtui.core.plan.model import sections
    from raidtui.core.plan.script import script as as_script
    from raidtui.core.plan.steps import shell
    from raidtui.core.plan.summary import cost
    from raidtui.core.units import both
    from raidtui.runs.planning import plan_for, read_answers

    made = plan_for(read_answers(answers), _machine(machine))
    if script:
        print(as_script(made), end="")
        return
    if json:
        _print_json(made)
        return
    for index, member in enumerate(made.disks):
        known = " ".join(part for part in (member.model, member.serial) if part)
        role = "disk beneath" if made.existing else "member"
        print(
            f"{role} {index}: {member.name}  {known}  {both(member.size_bytes)}  {member.id}\n    now: {member.found}"
        )
        if member.warning:
            print(f"    WARNING: {member.warning}")
    for part in sections(made):
        print(f"\n{part.title}")
        for step in part.steps:
            print(f"    {shell(step)}")
    for note in made.notes:
        print(f"\nNote: {note}")
    print()
    for line in cost(made):
        print(f"{line[0].upper()}{line[1:]}.")
    lost = "Nothing that is there is changed." if made.existing else "Everything on these disks will be lost."
    words = ["raidtui", "run", str(answers), "--confirm", made.code]
    for member in confirmation.doubtful(made.members):
        words += ["--erase", confirmation.name(member, made.members)]
    print(f"\n{lost} To carry it out:\n    {shlex.join(words)}\nConfirmation code:")
    print(made.code)


@app.command()
def run(
    answers: Annotated[Path, typer.Argument(help="Answers in TOML.")],
    confirm: Annotated[str, typer.Option(help="The code that `raidtui plan` printed.")] = "",
    erase: Erase = None,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the end.")] = False,
) -> None:
    """Carry out the answers: build, measure, report. The code fits no other machine and no other disks."""
    from raidtui.runs import directory, launch
    from raidtui.runs.planning import plan_here, read_answers
    from raidtui.system.doctor import missing_for_run

    given = read_answers(answers)
    if missing := missing_for_run():
        _end(missing, FAILED)
    made = plan_here(given)
    if confirm != made.code:
        words = "the confirmation code is missing" if not confirm else f"the code {confirm!r} is not this plan's"
        _end(f"{words}: read `raidtui plan {answers}` and give the code at its end with --confirm", REFUSED)
    _need_names(made.members, erase or [])
    path = launch.start(made, directory.runs_root())
    if detach:
        print(path.name)
        return
    sys.exit(_watch(path))


def _need_names(members: "Sequence[Member]", erase: list[str]) -> None:
    """The end where a disk with a warning is not named by itself: the code alone does not erase it."""
    from raidtui.core.plan import confirmation

    if left := confirmation.unnamed(members, erase):
        told = "; ".join(f"{one.name} ({one.model} {one.serial}): {one.warning}" for one in left)
        options = shlex.join(word for one in left for word in ("--erase", confirmation.name(one, members)))
        _end(f"{told}. To erase {'it' if len(left) == 1 else 'them'} all the same add {options}", REFUSED)


def _watch(path: Path) -> int:
    """Follow a run without a screen and print its report; Ctrl-C stops the run, a hang-up does not."""
    from raidtui.core.report.markdown import markdown
    from raidtui.runs import launch
    from raidtui.runs.follow import Follower
    from raidtui.runs.progress import watch

    follower = Follower(path)
    try:
        view = watch(follower, _say)
    except KeyboardInterrupt:
        _say("raidtui: stopping; the array is being cleared away")
        launch.stop(path)
        view = watch(follower, _say)
    print(markdown(view.plan, view.state), end="")
    if view.state.outcome == "finished":
        return 0
    why = view.state.reason or f"its worker died; {path} holds what was measured"
    _say(f"raidtui: the run {view.state.outcome or 'was cut off'}: {why}")
    return STOPPED if view.state.outcome == "stopped" else FAILED


@app.command()
def recipes(
    action: Annotated[str, typer.Argument(help="`show`, to explain one.")] = "",
    name: Annotated[str, typer.Argument(help="The recipe's name.")] = "",
    disk: Annotated[list[str] | None, typer.Option(help="What it costs on SIZE or SIZExN; may be given often.")] = None,
    flash: Annotated[bool, typer.Option(help="Disks without seeks.")] = False,
    variant: Annotated[str, typer.Option(help="The cost of this variant.")] = "",
    json: Json = False,
) -> None:
    """The experiments that can be run; `recipes show NAME` explains one, with its cost on these disks."""
    from raidtui import recipes as shelf

    if action not in ("", "show") or bool(action) != bool(name):
        raise ValueError(
            f"recipes {action} {name}".rstrip() + ": write `raidtui recipes` or `raidtui recipes show NAME`"
        )
    if not action:
        library = shelf.library()
        if json:
            _print_json({"recipes": library.recipes, "broken": library.broken})
            return
        for known, one in library.recipes.items():
            print(f"{known}: {one.title}\n    {one.summary}")
        for sentence in library.broken:
            _say(f"raidtui: not read: {sentence}")
        return
    chosen = shelf.load(name)
    if json:
        _print_json(chosen)
        return
    from raidtui.core.plan.summary import explain

    print("\n".join(explain(name, chosen)))
    print("\n".join(["", *_cost(name, variant, disk or [], flash)]))


def _cost(name: str, variant: str, sizes: list[str], flash: bool) -> list[str]:
    """What a recipe costs on disks of these sizes, or on those of this machine that can be used."""
    from raidtui.core.disks.disk import Standing
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.plan import summary
    from raidtui.core.plan.answers import Answers, Setup
    from raidtui.core.units import parse_disks
    from raidtui.recipes import load as shelf_load
    from raidtui.runs.planning import plan_on

    if shelf_load(name).existing:
        return ["Its cost is told by `raidtui plan` of the answers: it depends on the target."]
    if sizes:
        found = summary.imagined([size for text in sizes for size in parse_disks(text)], flash)
    else:
        found = tuple(disk for disk in disks_of(_machine(None)) if disk.verdict.standing is not Standing.REFUSE)
    if not found:
        return ["No disk here can be used; --disk SIZExN tells the cost on others."]
    answers = Answers(disks=tuple(disk.id for disk in found), recipe=name, variant=variant, setup=Setup())
    if not shelf_load(name).sweeps:
        answers = msgspec.structs.replace(answers, setup=Setup(level="0" if len(found) > 1 else "jbod"))
    try:
        made = plan_on(answers, found, "")
    except ValueError as error:
        return [f"On {len(found)} disks: {error}"]
    return [f"On {len(found)} disks:", *(f"  {line}" for line in summary.cost(made))]


@app.command()
def runs(json: Json = False) -> None:
    """The runs of this machine, oldest first."""
    from raidtui.core.units import format_duration
    from raidtui.runs import directory
    from raidtui.runs.status import all_standing

    found = [one for root in directory.roots() for one in all_standing(root)]
    if json:
        _print_json(
            {
                "runs": [
                    {
                        "run": one.name,
                        "standing": one.word,
                        "setup": one.setup,
                        "kept": one.kept,
                        "measured": one.measured,
                        "trials": one.trials,
                        "left_s": one.left_s,
                        "path": str(one.path),
                    }
                    for one in found
                ]
            }
        )
        return
    for one in found:
        kept = ", kept" if one.kept else ""
        place = "" if one.path.parent == directory.runs_root() else ", practice"
        left = f", about {format_duration(round(one.left_s))} left" if one.left_s is not None else ""
        print(f"{one.name}  {one.word}{left}{kept}{place}  {one.measured}/{one.trials}  {one.setup}")
        if one.unsettled and one.path.parent == directory.runs_root():
            print(f"    {one.sentence}: `raidtui resume {one.name}` goes on, `raidtui clean {one.name}` clears away")
    if not found:
        print(f"No runs below {' or '.join(map(str, directory.roots()))}.")


@app.command()
def attach(run: RunName = "") -> None:
    """Watch a run, going on or ended, from this terminal."""
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    _need_full_screen(f"without one use `raidtui report {path.name}`")
    from raidtui.ui import launch as ui_launch

    sys.exit(ui_launch.attach(path))


@app.command()
def stop(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Stop a run: what was measured is kept, the array is cleared away."""
    from raidtui.runs import directory, launch

    path = directory.find(run, directory.runs_root())
    if not launch.stop(path):
        _end(f"the run {path.name} is not going on; `raidtui runs` lists them", FAILED)
    print(f"{path.name} is stopping; `raidtui attach {path.name}` shows how it clears away")


@app.command()
def resume(
    run: Annotated[str, typer.Argument(help="The run's id.")],
    confirm: Annotated[str, typer.Option(help="The plan's code, for a run that had ended, or of another boot.")] = "",
    erase: Erase = None,
    detach: Annotated[bool, typer.Option("--detach", help="Do not wait for the end.")] = False,
) -> None:
    """Go on with a run that was cut off, stopped or failed: what it left is cleared away, what it measured is kept.

    A run that had ended, or was cut off before this boot, had let go of its disks: they may be somebody's by now, so it
    asks for the code again.
    """
    from raidtui.runs import directory, launch
    from raidtui.runs.journal import read_state
    from raidtui.system.doctor import missing_for_run

    path = directory.find(run, directory.runs_root())
    if missing := missing_for_run():
        _end(missing, FAILED)
    made = directory.read_plan(path)
    state = read_state(path / directory.JOURNAL)
    if confirm not in ("", made.code):
        _end(f"the code {confirm!r} is not this run's", REFUSED)
    if launch.let_go(state) and not state.is_complete(trial.id for trial in made.trials):
        members = _as_now(made)
        if confirm:
            _need_names(members, erase or [])
        else:
            lost = f"{made.existing.path} is measured, nothing on it is changed." if made.existing else _LOST
            _say(f"{path.name} {'had ended' if state.ended else 'was cut off before this boot'}. {lost}")
            _ask_for_code(made, members)
            _ask_for_names(members, erase or [])
    launch.resume(path)
    if detach:
        print(path.name)
        return
    sys.exit(_watch(path))


def _as_now(plan: "Plan") -> "tuple[Member, ...]":
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.plan import confirmation
    from raidtui.system.discovery import read_machine

    return confirmation.as_now(plan.members, disks_of(read_machine()))


def _ask_for_code(plan: "Plan", members: "Sequence[Member]") -> None:
    """The members with what is on them now, and the code typed; the end where it is not."""
    for member in members:
        there = f"{member.name}, now: {member.found}" if member.name else "not there"
        _say(f"  {member.model} {member.serial} ({member.id}): {there}")
    _ask("", plan.code)


def _ask_for_names(members: "Sequence[Member]", erase: list[str]) -> None:
    """Each disk with a warning that was not named yet, named by typing; the end where one is not."""
    from raidtui.core.plan import confirmation

    for one in confirmation.unnamed(members, erase):
        _ask(f"{one.name} ({one.model} {one.serial}): {one.warning}. ", confirmation.name(one, members))


def _ask(told: str, expected: str) -> None:
    try:
        typed = input(f"{told}Type {expected} to go on: ")
    except EOFError:
        typed = ""
    if typed.strip() != expected:
        _end("nothing was done", REFUSED)


@app.command()
def clean(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Clear away what a run left or kept: its array, file system and superblocks. Asks first."""
    from raidtui.runs import directory, launch

    path = directory.find(run, directory.runs_root())
    made = directory.read_plan(path)
    if made.existing:
        _say(f"This removes the test file of {path.name} ({made.title}), if it is there:")
    else:
        _say(f"This stops the array of {path.name} ({made.title}) and erases its members:")
    _ask_for_code(made, _as_now(made))
    launch.clean(path)
    print(f"{path.name} is cleared away")


@app.command()
def report(
    sources: Annotated[
        list[str] | None, typer.Argument(help="A run's id, or fio's JSON files; the newest run if left out.")
    ] = None,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """A report in markdown: of a run, or of any output that fio ever wrote."""
    from raidtui.core.report import markdown as reports
    from raidtui.runs import directory

    sources = sources or [""]
    if all(Path(source).is_file() for source in sources):
        measured = [found for source in sources for found in _fio_file(Path(source))]
        text = reports.of_measurements(measured)
    elif len(sources) == 1:
        path = directory.find(sources[0], *directory.roots())
        from raidtui.runs.journal import read_state

        made, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
        measured, text = reports.measurements(made, state), reports.markdown(made, state)
    else:
        missing = next(source for source in sources if not Path(source).is_file())
        raise ValueError(f"{missing}: there is no such file; name fio's JSON files, or one run")
    if json:
        _print_json(measured)
    else:
        print(reports.csv(measured) if csv else text, end="")


@app.command()
def again(
    run: Annotated[str, typer.Argument(help="A run's id.")],
    trial: Annotated[
        str, typer.Argument(help="The trial, as `report` names it; without: those that gave no figure.")
    ] = "",
) -> None:
    """The answers that measure one trial of a run again, in a run of its own; what failed stays in the old one."""
    import tomli_w

    from raidtui.core.plan.answers import to_document
    from raidtui.core.plan.retry import answers_of
    from raidtui.runs import directory
    from raidtui.runs.journal import read_state

    path = directory.find(run, *directory.roots())
    made = directory.read_plan(path)
    if trial:
        print(f"# {path.name} {trial}, again: `raidtui plan` this file, then `raidtui run` it with the code.")
        print(tomli_w.dumps(to_document(answers_of(made, trial))), end="")
        return
    state = read_state(path / directory.JOURNAL)
    lost = [one for each in made.trials if (one := state.measured(each.id)) and one.status != "ok"]
    for one in lost:
        print(f"{one.name}  {one.status.upper()}: {one.error or ''}".rstrip(": "))
    if not lost:
        print("Every trial that ended gave a figure; name the one that is to be measured again.")


@app.command()
def compare(
    sources: Annotated[list[str], typer.Argument(help="Runs, fio's files, or folders of these.")],
    base: Annotated[
        str, typer.Option(help="The source that the others are compared with; the first if left out.")
    ] = "",
    json: Json = False,
) -> None:
    """Results side by side, the base named: runs, fio's files, folders of them. One folder becomes a grid."""
    from raidtui.core.results import comparison

    if base and base not in sources:
        raise ValueError(f"--base {base}: it is not among the sources; name one of {', '.join(sources)}")
    ordered = [base, *(source for source in sources if source != base)] if base else sources
    series = [one for source in ordered for one in _series(source, alone=len(ordered) == 1)]
    matched = comparison.match(series)
    if json:
        _print_json({"compared": matched})
    else:
        print(report_comparison.markdown(series, matched), end="")


def _series(source: str, alone: bool) -> "tuple[Series, ...]":
    """What a source of a comparison holds: a run's setups, a file's results, a folder's; `alone` each by itself."""
    from raidtui.core.results import comparison

    path = Path(source)
    if path.is_dir() and not (path / "plan.json").exists():
        files = sorted(found for found in path.rglob("*.json") if found.is_file())
        if not files:
            raise ValueError(f"{source}: there is no .json file of fio's in this folder")
        named = {str(file.relative_to(path).with_suffix("")): _fio_file(file) for file in files}
        if alone:
            return tuple(
                comparison.of_measurements(name, [("", one) for one in found]) for name, found in named.items()
            )
        return (comparison.of_measurements(source, [(name, one) for name, found in named.items() for one in found]),)
    if path.is_file():
        return (comparison.of_measurements(path.stem, [("", one) for one in _fio_file(path)]),)
    from raidtui.runs import directory
    from raidtui.runs.journal import read_state

    run = path if path.is_dir() else directory.find(source, *directory.roots())
    made, state = directory.read_plan(run), read_state(run / directory.JOURNAL)
    return comparison.of_run(made, state, "" if alone else run.name)


def _fio_file(path: Path) -> "tuple[Measurement, ...]":
    from raidtui.core.fio.result import parse

    return parse(path.read_text(errors="replace"), path.stem)


@app.command()
def doctor(
    dump: Annotated[Path | None, typer.Option(help="Record this machine to a file, for a bug report.")] = None,
    mask: Annotated[bool, typer.Option("--mask", help="Record it under other serial numbers, WWNs and names.")] = False,
    json: Json = False,
) -> None:
    """What this machine has and lacks for raidtui, with the package that brings it."""
    from raidtui.practice import refusal
    from raidtui.system import doctor as doctors

    if dump is not None:
        from raidtui.core.disks.machine import encode
        from raidtui.core.disks.mask import masked
        from raidtui.system.discovery import read_machine

        machine = read_machine()
        dump.write_bytes(encode(masked(machine) if mask else machine))
        print(f"recorded to {dump}; `raidtui disks --machine {dump}` reads it")
        return
    if mask:
        raise ValueError("--mask is for --dump FILE: say which file")
    findings, missing = doctors.doctor(), doctors.missing_for_run()
    if json:
        _print_json({"findings": findings, "practice": refusal(), "run": missing})
        sys.exit(FAILED if missing else 0)
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'MISS'} {finding.subject}: {finding.text}")
        if not finding.ok and finding.remedy:
            print(f"     {finding.remedy}")
    print(f"{'MISS' if refusal() else 'ok  '} practice disks: {refusal() or 'can be used here'}")
    print(f"\nNo run can be started here: {missing}" if missing else "\nRuns can be started here.")
    sys.exit(FAILED if missing else 0)
