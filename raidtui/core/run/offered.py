"""The rate that a test offers, where it is a share of what another test of the run gave."""

from raidtui.core.fio.job import offered_iops
from raidtui.core.run.state import RunState


def offered(state: RunState, trial: str, percent: int, jobs: int) -> str:
    """A share of the IOPS that a trial of this run gave, for one of `jobs` jobs; at least one a second.

    ValueError where it gave no figure.
    """
    measured = state.measured(trial)
    iops = sum(transfers.iops for transfers in (measured.read, measured.write) if transfers) if measured else 0.0
    if not measured or measured.status != "ok" or not iops:
        raise ValueError(f"a share of what {trial} gives is asked for, and that has no figure")
    return str(offered_iops(iops, percent, jobs))
