"""Report and handover documents in the run's folder; the latter only while the array is kept."""

from pathlib import Path

from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState
from raidtui.runs import directory
from raidtui.system.files import durable


def write_report(run: Path, plan: Plan, state: RunState) -> None:
    """With its attachments. OSError."""
    from raidtui.core.report.markdown import FOLDER, with_attachments

    report, attached = with_attachments(plan, state)
    durable.replace(run / directory.REPORT, report.encode())
    (run / FOLDER).mkdir(exist_ok=True)
    for name, text in attached.items():
        durable.replace(run / FOLDER / name, text.encode())


def write(run: Path, state: RunState) -> None:
    """Document and script; both are removed if no array is kept. OSError."""
    if not state.kept:
        for name in (directory.COMMISSIONING, directory.BUILD):
            (run / name).unlink(missing_ok=True)
        return
    from raidtui.core.handover.commissioning import build_script, commissioning

    plan = directory.read_plan(run)
    durable.replace(run / directory.COMMISSIONING, commissioning(plan, state).encode())
    try:
        durable.replace(run / directory.BUILD, build_script(plan, state).encode())
    except PlanNotSafe:  # the document says why there is none
        (run / directory.BUILD).unlink(missing_ok=True)
