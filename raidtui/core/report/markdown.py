"""The report of a run, finished or not, as markdown; every figure comes from plan, journal or fio."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from raidtui.core.page import svg
from raidtui.core.page.blocks import Bars, Block, Bullets, FileLink, Heading, Text
from raidtui.core.page.markdown import escape
from raidtui.core.page.markdown import markdown as page
from raidtui.core.plan.model import Plan
from raidtui.core.report import disks, first_page, provenance, results, series, setups, sweep
from raidtui.core.report.context import RunContext
from raidtui.core.run import kept
from raidtui.core.run.state import RunState


class Attachment(msgspec.Struct, frozen=True):
    """`name`: of its file; `title`: of its page."""

    name: str
    title: str
    parts: tuple[Callable[[RunContext], Iterable[Block]], ...]


def _of_sweep(part: Callable[[RunContext], Iterable[Block]]) -> Callable[[RunContext], Iterable[Block]]:
    return lambda run: part(run) if run.is_sweep else ()


ATTACHMENTS = (
    Attachment(
        "setups.md",
        "Every setup",
        tuple(map(_of_sweep, (first_page.ranked, sweep.sweep, first_page.details, setups.setups))),
    ),
    Attachment(
        "how.md",
        "How it was measured",
        tuple(map(_of_sweep, (first_page.asked, first_page.cost, provenance.provenance))),
    ),
    Attachment(
        "disks.md",
        "Each disk",
        (
            provenance.disk_details,
            results.baseline,
            results.of_disks,
            disks.disks,
            disks.health,
        ),
    ),
    Attachment("pairs.md", "Setup over setup", (_of_sweep(sweep.pairs),)),
    Attachment("percentiles.md", "Latency percentiles", (results.percentiles,)),
    Attachment("commands.md", "Commands", (provenance.commands,)),
)


def _of_care(run: RunContext) -> Iterator[Block]:
    yield from map(Text, kept.sentences(run.plan, run.state))
    yield from first_page.standing(run.plan, run.state)


Part = Callable[[RunContext], Iterable[Block]]


PARTS: tuple[Part, ...] = (
    first_page.first_page,
    first_page.further,
    series.explained,
    first_page.asked,
    results.results,
    series.series,
    results.slow_members,
    results.warnings,
    setups.setups,
    first_page.cost,
    provenance.provenance,
)
# Of a sweep: the answer, and what stands against it; each figure once. The rest is attached.
SWEEP_PARTS: tuple[Part, ...] = (
    first_page.first_page,
    first_page.further,
    first_page.every_setup,
    series.explained,
    series.series,
    results.slow_members,
    results.warnings,
)
CARE_PARTS: tuple[Part, ...] = (_of_care, provenance.provenance, provenance.disk_details, provenance.commands)


FOLDER = "attachments"  # beside the report


def report(run: RunContext) -> Iterator[Block]:
    """All of it on one page, attachments at its end; of the care of an array what came of it."""
    yield Heading(run.plan.title, 1)
    if run.plan.care:
        yield from _of(CARE_PARTS, run)
        return
    yield from _of(SWEEP_PARTS if run.is_sweep else PARTS, run)
    for attachment in ATTACHMENTS:
        yield from _of(attachment.parts, run)


def markdown(plan: Plan, state: RunState) -> str:
    """The report, its charts in characters, its attachments as links to `FOLDER`."""
    return with_attachments(plan, state)[0]


def whole(plan: Plan, state: RunState) -> str:
    """On one page, with what the attachments have."""
    return page(report(RunContext(plan, state)))


def with_attachments(plan: Plan, state: RunState) -> tuple[str, dict[str, str]]:
    """As `markdown`, and the attachments by the name of their file; none of the care of an array."""
    return _rendered(RunContext(plan, state), FOLDER)


def with_files(plan: Plan, state: RunState, folder: str, signed: Sequence[Block] = ()) -> tuple[str, dict[str, str]]:
    """The report whose charts are pictures, and all files of `folder`, SVG and attachments by name. `signed`: below
    page 1.
    """
    pictures: dict[str, str] = {}

    def drawn(chart: Bars) -> str:
        name = svg.file_name(chart.title, list(pictures))
        pictures[name] = svg.svg(chart)
        return f"![{escape(chart.title)}]({folder}/{name})"

    text, attached = _rendered(RunContext(plan, state), folder, signed, drawn)
    return text, {**pictures, **attached}


def _rendered(
    run: RunContext, folder: str, signed: Sequence[Block] = (), drawn: Callable[[Bars], str] | None = None
) -> tuple[str, dict[str, str]]:
    attached = [] if run.plan.care else [(one, blocks) for one in ATTACHMENTS if (blocks := list(_of(one.parts, run)))]
    text = page(_linked(run, folder, [one for one, _ in attached], signed), drawn)
    titled = ((one.name, [Heading(f"{one.title}: {run.plan.title}", 1), *blocks]) for one, blocks in attached)
    return text, {name: page(blocks) for name, blocks in titled}


def _of(parts: Iterable[Part], run: RunContext) -> Iterator[Block]:
    for part in parts:
        yield from part(run)


def _linked(run: RunContext, folder: str, attached: Sequence[Attachment], signed: Sequence[Block]) -> Iterator[Block]:
    first, *others = CARE_PARTS if run.plan.care else SWEEP_PARTS if run.is_sweep else PARTS
    yield Heading(run.plan.title, 1)
    yield from first(run)
    yield from signed
    yield from _of(others, run)
    if attached:
        yield Heading("Attachments")
        links = ((one.title, FileLink(one.name, f"{folder}/{one.name}")) for one in attached)
        yield Bullets([(f"{title}: ", link) for title, link in links])
