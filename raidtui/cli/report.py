"""Results in words and figures: one run or fio's own files, or several side by side over a base that is named."""

import hashlib
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.groups import Json
from raidtui.cli.output import need_full_screen, paged, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raidtui.core.documents.documents import GridDocument
    from raidtui.core.fio.measurement import Measurement
    from raidtui.core.plan.model import Plan
    from raidtui.core.results.comparison import DepthGrid, Series
    from raidtui.core.run.state import RunState

_MOST_FIO_BYTES = 256 << 20  # of a result, with all of its bins
_FIOS_OWN, _BEGINNING_BYTES = '"fio version"', 1 << 16


def report(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Run id, or fio JSON files. Default: the newest run.", autocompletion=completion.all_runs),
    ] = None,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    disks: Annotated[bool, typer.Option("--disks", help="Print CSV, one line per disk and test.")] = False,
    files: Annotated[bool, typer.Option("--files", help="Also write attachments and SVG charts to RUN-files.")] = False,
    sign: Annotated[bool, typer.Option("--sign", help="As --files, with report, raw files and SHA-256.")] = False,
) -> None:
    """Print a report (Markdown, JSON or CSV).

    Of a run, or of JSON output of any fio version.
    """
    from raidtui.core.page.markdown import markdown as page
    from raidtui.core.report import provenance
    from raidtui.core.report.markdown import markdown
    from raidtui.runs import directory

    sources = sources or [""]
    answer = None
    if all(Path(source).is_file() for source in sources):
        if option := "files" if files else "sign" if sign else "disks" if disks else "":
            raise ValueError(f"--{option}: not for fio files; name a run")
        measured = [measurement for source in sources for measurement in _fio_file(Path(source))]
        text = page(provenance.of_measurements(measured))
    elif len(sources) == 1:
        path = directory.find(sources[0], *directory.roots())
        from raidtui.core.answer.answer import of_run

        run_plan, state = directory.read_run(path)
        measured, text = provenance.measurements(run_plan, state), ""
        if json:
            answer = of_run(run_plan, state)
        elif disks:
            from raidtui.core.report.disks import disks_csv

            text = disks_csv(run_plan, state)
        elif files or sign:
            text = _with_files(run_plan, state, path, sign=sign)
        elif not csv:
            text = markdown(run_plan, state)
    else:
        missing = next(source for source in sources if not Path(source).is_file())
        raise ValueError(f"{missing}: no such file; give fio JSON files, or one run")
    if json:
        from raidtui.core.documents.documents import AnswerDocument

        print_json("answer", AnswerDocument(answer=answer, measurements=tuple(measured)))
    else:
        with paged():
            print(provenance.measurements_csv(measured) if csv else text, end="")


def commissioning(
    run: Annotated[
        str,
        typer.Argument(help="Run that keeps its array. Default: the newest.", autocompletion=completion.all_runs),
    ] = "",
    script: Annotated[bool, typer.Option("--script", help="Print a bash script that builds the same array.")] = False,
) -> None:
    """Print the handover document of a kept array.

    What it is, of which disks, how to replace one, how to grow it.
    """
    from raidtui.core.handover import commissioning as pages
    from raidtui.runs import directory

    path = directory.find(run, *directory.roots())
    run_plan, state = directory.read_run(path)
    if not state.kept:
        raise ValueError(f"{path.name} keeps no array; `raidtui runs` shows which runs do")
    print(pages.build_script(run_plan, state) if script else pages.commissioning(run_plan, state), end="")


def _with_files(run_plan: "Plan", state: "RunState", run: Path, *, sign: bool) -> str:
    """The report with its attachments and charts in files of a new folder here. To `sign`: the folder has the raw files
    and the report as well, made of the copies there, and the sums of all; the signature is in the printed report alone.
    """
    from raidtui.core.report import provenance
    from raidtui.core.report.markdown import with_files
    from raidtui.runs import directory
    from raidtui.system.files.digests import digests
    from raidtui.system.new_file import copy_new, make_folder, write_new

    folder = Path(f"{run.name}-files").absolute()
    if os.path.lexists(folder):
        raise ValueError(f"{folder.name}: exists already; move it, or run this in another directory")
    make_folder(folder)
    if not sign:
        text, written = with_files(run_plan, state, folder.name)
        for name, content in written.items():
            write_new(folder / name, content.encode())
        return text
    raw = directory.raw_files(run)
    for name in raw:
        make_folder((folder / name).parent)
        copy_new(run / name, folder / name)
    state = directory.read_state(folder)
    text, written = with_files(run_plan, state, ".")
    written[directory.REPORT] = text
    for name, content in written.items():
        write_new(folder / name, content.encode())
    of_files = digests(folder, (*raw, *written))
    sums = provenance.sums(of_files).encode()
    write_new(folder / provenance.SUMS, sums)
    signature = provenance.signature(of_files, hashlib.sha256(sums).hexdigest(), folder.name)
    return with_files(run_plan, state, folder.name, tuple(signature))[0]


def compare(
    sources: Annotated[
        list[str], typer.Argument(help="Runs, fio files, or folders of them.", autocompletion=completion.all_runs)
    ],
    base: Annotated[str, typer.Option(help="Baseline: a source or a setup's name. Default: the first.")] = "",
    json: Json = False,
) -> None:
    """Compare runs or fio output files.

    A folder of files becomes a grid of queue depth and jobs; a folder of folders compares these folders.
    """
    from raidtui.core.results import comparison

    ordered = [base, *(source for source in sources if source != base)] if base in sources else sources
    series = [
        results for number, source in enumerate(ordered) for results in _series(source, number, len(ordered) == 1)
    ]
    if base and base not in sources:
        series = _based_on(base, series)
    matched, grids = comparison.match(series), comparison.grids(series[0]) if len(series) == 1 else ()
    if json:
        from raidtui.core.documents.documents import CompareDocument

        print_json("compare", CompareDocument(compared=tuple(matched), grids=tuple(map(_grid, grids))))
    else:
        from raidtui.core.report.sweep import markdown

        print(markdown(series, matched, grids), end="")


def _based_on(base: str, series: "list[Series]") -> "list[Series]":
    """These series with the one first whose name is `base`, or that alone has it in its name."""
    bases = [candidate for candidate in series if candidate.name == base]
    bases = bases or [candidate for candidate in series if base.lower() in candidate.name.lower()]
    if len(bases) != 1:
        why_no_base = "several names match" if bases else "no such name"
        series_names = ", ".join(candidate.name for candidate in series[:12])
        raise ValueError(f"--base {base}: {why_no_base}; give a source, or one of {series_names}")
    return [*bases, *(candidate for candidate in series if candidate is not bases[0])]


def _grid(grid: "DepthGrid") -> "GridDocument":
    from raidtui.core.documents.documents import GridCell, GridDocument

    cells = (
        GridCell(iodepth=depth, numjobs=jobs, figure=figure, latency=latency)
        for (depth, jobs), (figure, latency) in grid.cells.items()
    )
    return GridDocument(title=grid.title, kind=grid.kind, cells=tuple(cells))


def _series(source: str, number: int, alone: bool) -> "tuple[Series, ...]":
    """What a source of a comparison holds: a run's setups, a file's results, a folder's; `alone` each by itself.

    A folder of folders is these beside each other, one of files alone a series, as are two of its tests or more.
    """
    from raidtui.core.results import comparison

    path = Path(source)
    if path.is_dir() and not (path / "plan.json").exists():
        if alone and (
            folders := [folder for folder in sorted(path.iterdir(), key=_natural) if any(_fio_files(folder))]
        ):
            return tuple(_of_folder(folder, folder.name, index) for index, folder in enumerate(folders))
        folder_report = _of_folder(path, source, number)
        if not alone or comparison.grids(folder_report):
            return (folder_report,)
        measurements_by_file = [
            (str(file.relative_to(path).with_suffix("")), _fio_file(file)) for file in _fio_files(path)
        ]
        return tuple(
            comparison.of_measurements(name, [("", measurement) for measurement in measurements])
            for name, measurements in measurements_by_file
        )
    if path.is_file():
        return (comparison.of_measurements(path.stem, [("", measurement) for measurement in _fio_file(path)], number),)
    from raidtui.runs import directory

    run = path if path.is_dir() else directory.find(source, *directory.roots())
    run_plan, state = directory.read_run(run)
    return comparison.of_run(run_plan, state, "" if alone else run.name, number)


def _of_folder(path: Path, name: str, number: int) -> "Series":
    """All files below a folder, each a job of its own by its place in it."""
    from raidtui.core.results import comparison

    files = list(_fio_files(path))
    if not files:
        raise ValueError(f"{path}: no fio JSON files in this folder")
    measured = [
        (str(file.relative_to(path).with_suffix("")), measurement) for file in files for measurement in _fio_file(file)
    ]
    return comparison.of_measurements(name, measured, number)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Numbers in a name sort as numbers: qd2 before qd16."""
    return [(int(word), "") if word.isdecimal() else (0, word) for word in re.split(r"([0-9]+)", str(path))]


def _fio_files(folder: Path) -> "Iterator[Path]":
    """The files in there that say near their beginning that fio wrote them; what may not be read is left out."""
    from raidtui.core.text import decoded
    from raidtui.system.files import trusted

    for path in sorted(folder.rglob("*.json") if folder.is_dir() else (), key=_natural):
        with suppress(OSError):
            if path.is_file():
                with trusted.opened(path, _MOST_FIO_BYTES) as file:
                    beginning = decoded(file.read(_BEGINNING_BYTES), "replace")
                if _FIOS_OWN in beginning:
                    yield path


def _fio_file(path: Path) -> "tuple[Measurement, ...]":
    from raidtui.core.fio.result import parse
    from raidtui.core.text import decoded
    from raidtui.system.files import trusted

    return parse(decoded(trusted.read(path, _MOST_FIO_BYTES, follow=True), "replace"), path.stem, foreign=True)


def fleet(
    folder: Annotated[Path, typer.Argument(help="Folder with collected run folders, at any depth.")],
    html: Annotated[bool, typer.Option("--html", help="Print one self-contained HTML page, with charts.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV, one line per host and test.")] = False,
    screen: Annotated[bool, typer.Option("--screen", help="Show it full screen, section by section.")] = False,
    json: Json = False,
) -> None:
    """Summarize runs collected from many hosts.

    Failures, slow hosts and disks, the same answer files side by side, as Markdown. Collect runs first, e.g.
    `rsync -a HOST:/var/lib/raidtui/runs/ FOLDER/HOST/`. The newest run of each host and experiment counts.
    """
    if html + csv + json + screen > 1:
        raise ValueError("--html, --csv, --json, --screen: give only one")
    if screen:
        need_full_screen("leave --screen out to print the report")
        from raidtui.ui import launch

        sys.exit(launch.fleet(folder))
    from raidtui.runs import collected

    runs_collected = collected.fleet(folder)
    if json:
        print_json("fleet", runs_collected)
    elif csv:
        from raidtui.core.fleet.exports import csv_of

        print(csv_of(runs_collected), end="")
    elif html:
        from raidtui.core.fleet.sections import blocks, sections
        from raidtui.core.page.html import html as page

        title = f"raidtui fleet: {sections(runs_collected)[0].title}"
        print(page(title, blocks(runs_collected)), end="")
    else:
        from raidtui.core.fleet.sections import blocks
        from raidtui.core.page.markdown import markdown

        print(markdown(blocks(runs_collected)), end="")
