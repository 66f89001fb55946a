"""Results in words and figures: one run or fio's own files, or several of these side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.output import Json, print_json

if TYPE_CHECKING:
    from raidtui.core.answer.answer import Answer
    from raidtui.core.fio.measurement import Measurement
    from raidtui.core.plan.model import Plan
    from raidtui.core.results.comparison import Series
    from raidtui.core.run.state import RunState


def report(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="A run's id, or fio's JSON files; the newest run if left out.", autocompletion=completion.all_runs
        ),
    ] = None,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    charts: Annotated[
        bool, typer.Option("--charts", help="Write a run's charts as SVG files beside it, into RUN-charts.")
    ] = False,
) -> None:
    """A report in markdown, its answer first: of a run, or of any output that fio ever wrote."""
    from raidtui.core.report import markdown as reports
    from raidtui.runs import directory

    sources = sources or [""]
    found: Answer | None = None
    if all(Path(source).is_file() for source in sources):
        if charts:
            raise ValueError("--charts: fio's own files have no charts; name a run")
        measured = [one for source in sources for one in _fio_file(Path(source))]
        text = reports.of_measurements(measured)
    elif len(sources) == 1:
        path = directory.find(sources[0], *directory.roots())
        from raidtui.core.answer.answer import answer
        from raidtui.core.results import analysis
        from raidtui.runs.journal import read_state

        made, state = directory.read_plan(path), read_state(path / directory.JOURNAL)
        measured, text = reports.measurements(made, state), ""
        if json:
            found = answer(made, state, analysis.compare(made, state))
        elif charts:
            text = _with_pictures(made, state, path.name)
        elif not csv:
            text = reports.markdown(made, state)
    else:
        missing = next(source for source in sources if not Path(source).is_file())
        raise ValueError(f"{missing}: there is no such file; name fio's JSON files, or one run")
    if json:
        print_json({"answer": found, "measurements": measured})
    else:
        print(reports.csv(measured) if csv else text, end="")


def _with_pictures(made: "Plan", state: "RunState", run: str) -> str:
    """The report with its charts in files of a new folder here."""
    from raidtui.core.report.markdown import with_pictures
    from raidtui.system.new_file import write_new

    folder = Path(f"{run}-charts")
    text, pictures = with_pictures(made, state, folder.name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise ValueError(f"{folder}: it is there already; move it away, or go to another folder") from None
    for name, picture in pictures.items():
        write_new((folder / name).absolute(), picture.encode())
    return text


def compare(
    sources: Annotated[
        list[str],
        typer.Argument(help="Runs, fio's files, or folders of these.", autocompletion=completion.all_runs),
    ],
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
        print_json({"compared": matched})
    else:
        from raidtui.core.report.comparison import markdown

        print(markdown(series, matched), end="")


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
