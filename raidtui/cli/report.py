"""Results in words and figures: one run or fio's own files, or several of these side by side."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.output import Json, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raidtui.core.fio.measurement import Measurement
    from raidtui.core.results.comparison import Series

_FIOS_OWN, _BEGINNING_BYTES = b'"fio version"', 1 << 16


def report(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="A run's id, or fio's JSON files; the newest run if left out.", autocompletion=completion.all_runs
        ),
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
        print_json(measured)
    else:
        print(reports.csv(measured) if csv else text, end="")


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
        named = {str(file.relative_to(path).with_suffix("")): _fio_file(file) for file in _fio_files(path)}
        if not named:
            raise ValueError(f"{source}: there is no .json file of fio's in this folder")
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


def _fio_files(folder: Path) -> "Iterator[Path]":
    """The files in there that say near their beginning that fio wrote them; what may not be read is left out."""
    for path in sorted(folder.rglob("*.json")):
        with suppress(OSError):
            if path.is_file():
                with path.open("rb") as file:
                    beginning = file.read(_BEGINNING_BYTES)
                if _FIOS_OWN in beginning:
                    yield path


def _fio_file(path: Path) -> "tuple[Measurement, ...]":
    from raidtui.core.fio.result import parse

    return parse(path.read_text(errors="replace"), path.stem)
