"""The runs of recorded reports, kept as plan and journal: their reports can be written again without measuring.

python -m tests.recordings.reports.kept                 writes the report of every kept run again
python -m tests.recordings.reports.kept NAME RUN-FOLDER keeps a run under this name, and writes its report
"""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from raidtui import recipes
from raidtui.core.plan import model, validate
from raidtui.core.plan.model import Plan
from raidtui.core.report.markdown import markdown
from raidtui.core.run import journal_lines
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs.directory import JOURNAL, PLAN

HERE = Path(__file__).parent


def names() -> list[str]:
    """The reports whose runs are kept."""
    return sorted(path.name.removesuffix(f".{PLAN}.gz") for path in HERE.glob(f"*.{PLAN}.gz"))


def load(name: str) -> tuple[Plan, RunState]:
    """The kept run as it ended."""
    plan = validate.decode(gzip.decompress((HERE / f"{name}.{PLAN}.gz").read_bytes()))
    return plan, fold_all(journal_lines.read(journal(name))[0])


def journal(name: str) -> bytes:
    """The journal of a kept run."""
    return gzip.decompress((HERE / f"{name}.{JOURNAL}.gz").read_bytes())


def _keep(name: str, run: Path) -> None:
    plan = validate.decode((run / PLAN).read_bytes())
    recipe = recipes.load(plan.answers.recipe)
    asked = msgspec.structs.replace(
        plan, question=recipe.question, source=recipe.source, link=recipe.link, published=recipe.published
    )
    for part, content in ((PLAN, model.encode(asked)), (JOURNAL, (run / JOURNAL).read_bytes())):
        (HERE / f"{name}.{part}.gz").write_bytes(gzip.compress(content, mtime=0))


def _write(chosen: Iterator[str]) -> None:
    for name in chosen:
        (HERE / f"{name}.md").write_text(markdown(*load(name)))


if __name__ == "__main__":
    if sys.argv[1:]:
        _keep(sys.argv[1], Path(sys.argv[2]))
    _write(iter(sys.argv[1:2] or names()))
