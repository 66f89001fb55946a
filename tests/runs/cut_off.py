"""A run whose worker died, in its folder, on a machine where an array stands."""

from pathlib import Path

from raidtui.core.plan import slots
from raidtui.core.run import events
from raidtui.runs import directory
from raidtui.runs.journal import Journal
from tests.builders.journals import started
from tests.runs.rig import WrittenHost

WORKER = started()


def cut_off(path: Path, *told: events.AnyEvent, stage: int = 1) -> WrittenHost:
    """A run whose worker died, and a machine on which an array with its UUID stands."""
    journal = Journal(path / directory.JOURNAL)
    for event in (WORKER, events.StageStarted(at_s=2.0, stage=stage), *told):
        journal.add(event)
    journal.close()
    array = slots.filled(directory.read_plan(path)).stages[-1].array
    assert array
    host = WrittenHost()
    host.superblocks = {one.path: array.uuid for one in host.seen.devices}
    return host


def creation(path: Path, stage: int = 1) -> events.StepStarted:
    array = slots.filled(directory.read_plan(path)).stages[-1].array
    assert array
    return events.StepStarted(at_s=3.0, stage=stage, what="Create", line="mdadm", role="create", array=array.uuid)
