"""One trial of a run again: answers that build its setup and measure its job. Pure."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import FioOptions
from raidtui.core.plan.answers import Answers, Axes, Setup, given_fields
from raidtui.core.plan.model import Plan
from raidtui.core.plan.sweep import taken
from raidtui.core.plan.tunables import BLOCKS, QUICK
from raidtui.core.text import brief


def answers_of(plan: Plan, trial_id: str, exists: bool = False) -> Answers:
    """ValueError if unknown, or if it used LUKS or a journal, unless `exists` (nothing is built). A baseline trial
    belongs to every run of its job: first setup, that job.
    """
    trial = plan.trial(trial_id)
    if trial is None:
        trials_known = ", ".join(trial.id for trial in plan.trials[:12])
        raise ValueError(
            f"the run has no trial {brief(repr(trial_id))}; its trials are"
            f" {trials_known}{_more_times(len(plan.trials) - 12)}"
        )
    answers = plan.answers
    jobs = tuple(filter(None, (trial.share_of, trial.recipe_job)))
    if trial.rounds:  # of one round alone nobody can say whether it is steady
        jobs = answers.jobs
    answers = msgspec.structs.replace(
        answers,
        jobs=jobs,
        job={name: options for name, options in answers.job.items() if name in (*jobs, trial.family)},
        repeat=1,
        after="teardown",
    )
    answers = msgspec.structs.replace(answers, permanent=False, mount_point="", mount="")
    answers = msgspec.structs.replace(answers, mount_owner="", mount_mode="", mailaddr="", watch=())
    stages = [stage for stage in plan.stages if stage.setup is not None]
    if plan.existing or not stages:
        return answers
    stage = next((stage for stage in stages if trial in stage.trials), stages[0])
    if stage.setup and stage.setup.between == "luks" and not exists:
        raise ValueError(
            "its results are of LUKS on a kept array, and arrays that are removed again have no LUKS: open the"
            " container, mount it, and measure its folder (recipe existing)"
        )
    if stage.journals and not exists:
        raise ValueError(
            "its array had a journal, which only kept arrays have: measure it with its device as `target`, or build one"
            " with the run's answer file"
        )
    if stage.spares:  # an array that is taken down again has none
        members = taken(stage.setup or Setup(), plan.members)
        answers = msgspec.structs.replace(answers, disks=tuple(member.id for member in members))
    setup = stage.setup or Setup()
    # An axis of file systems has all its tests on files.
    on_file = any(other.target == "filesystem" for other in stage.trials if other.job == trial.job)
    cell = _cell(setup if on_file else msgspec.structs.replace(setup, filesystem=Setup().filesystem))
    return msgspec.structs.replace(
        answers, setup=Setup() if on_file else Setup(filesystem=setup.filesystem), axes=(cell,)
    )


def changed(answers: Answers, job: str, *, repeat: int = 0, runtime_s: int = 0, iodepth: int = 0) -> Answers:
    """With other numbers where they are not 0: of repetitions, and of `job`. ValueError without one."""
    options: FioOptions = {"runtime": f"{runtime_s}s"} if runtime_s else {}
    options |= {"iodepth": iodepth} if iodepth else {}
    if options and not job:
        raise ValueError("--runtime and --iodepth are of one trial; name it")
    of_job = {job: {**answers.job.get(job, {}), **options}} if options else {}
    return msgspec.structs.replace(answers, job={**answers.job, **of_job}, repeat=repeat or answers.repeat)


def explaining(plan: Plan, trial_id: str, suspects: Sequence[str], target: str = "") -> Answers:
    """Answers of an ablation: the trial unchanged and with each suspect changed, in blocks. `target`: the array's
    device or a folder on it if it exists: nothing is built.
    """
    answers = answers_of(plan, trial_id, exists=bool(target))
    trial = plan.trial(trial_id)
    assert trial
    if trial.bare:  # an ablation of a sequential job is in one place
        answers = msgspec.structs.replace(answers, setup=msgspec.structs.replace(answers.setup, filesystem="none"))
    if target:
        answers = msgspec.structs.replace(answers, disks=(), axes=(), target=target)
    name = trial.recipe_job
    return msgspec.structs.replace(
        answers,
        job={**answers.job, name: {**answers.job.get(name, {}), **QUICK}},
        explain=tuple(suspects),
        repeat=BLOCKS,
    )


def _cell(setup: Setup) -> Axes:
    return Axes(**{name: (getattr(setup, name),) for name in given_fields(setup) & set(Axes.__struct_fields__)})


def _more_times(number: int) -> str:
    return f" and {number} more" if number > 0 else ""
