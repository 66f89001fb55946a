"""Lines that a stage may add to boot files, exactly, and what it may set beyond the run."""

import re
from collections.abc import Sequence

from raidtui.core.boot import entries
from raidtui.core.boot.distributions import MDADM_CONFS, SMARTD_CONFS
from raidtui.core.disks.drive import ERC_DECISECONDS, LONG_TIMEOUT_S
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.checked.allowed_settings import ARRAY
from raidtui.core.plan.kept import lasting, permanence, watching
from raidtui.core.plan.model import ArrayPlan, FilesystemPlan, Member, Stage
from raidtui.core.plan.steps import Edit, Write, immutable_setting
from raidtui.core.raid import zfs
from raidtui.core.raid.filesystems import filesystem
from raidtui.core.text import brief

_MEMBER = r"\{member:[0-9]{1,9}\}"
_TUNED = tuple("|".join(map(re.escape, fields.values())) for fields in (lasting.OF_ARRAY, lasting.OF_DISKS))
_OF_QUEUES = re.compile("-?[0-9]{1,10}|none|mq-deadline|kyber|bfq", re.ASCII)
# By a rule the old value alone is noted; nothing here is a write cache.
_LASTING: tuple[tuple[re.Pattern[str], re.Pattern[str], bool], ...] = (
    (re.compile(rf"/sys/block/{ARRAY}/({_TUNED[0]})"), re.compile("[0-9]{1,9}", re.ASCII), True),
    (
        re.compile(rf"/sys/block/{_MEMBER}/({_TUNED[1]})"),
        re.compile("-?[0-9]{1,10}|none|mq-deadline|kyber|bfq", re.ASCII),
        True,
    ),
    (re.compile(rf"/sys/block/{_MEMBER}/device/timeout"), re.compile(str(LONG_TIMEOUT_S)), True),
    (re.compile(rf"smartctl/{_MEMBER}/scterc"), re.compile(f"{ERC_DECISECONDS},{ERC_DECISECONDS}"), False),
)


def of_stage(stage: Stage, answers: Answers, folder: str, members: Sequence[Member]) -> dict[str, tuple[str, ...]]:
    """By file. `stage`: with the array that it makes permanent; `folder`: of the mount."""
    array, layer, made = stage.array, stage.layer, stage.filesystem
    mail = (entries.mailaddr(answers.mailaddr),) if answers.mailaddr else ()
    lines_by_file: dict[str, tuple[str, ...]] = {}
    if array:
        lines_by_file |= dict.fromkeys(MDADM_CONFS, (*permanence.array_lines(array, stage.spares), *mail))
        by_unit = any(isinstance(step, Edit) and step.path == entries.unit_file(array.name) for step in stage.steps)
        lines_by_file |= lasting.written_by(stage, members, by_unit=by_unit)
        watched = [step.lines for step in stage.steps if isinstance(step, Edit) and step.path in SMARTD_CONFS]
        asked = watching.lines_of(members, answers) if "smartd" in answers.watch else ()
        own = tuple(line for line in asked if any(line in added for added in watched))
        lines_by_file |= dict.fromkeys(SMARTD_CONFS, own) if own else {}
    if layer and layer.kind == "luks":
        lines_by_file[entries.CRYPTTAB] = (entries.crypttab(layer.group, layer.uuid),)
    if made and made.kind != zfs.KIND:
        options, fsck_pass = answers.mount_options, filesystem(made.kind).fsck_pass
        lines_by_file[entries.FSTAB] = (entries.fstab(made.uuid, folder, made.kind, fsck_pass, options),)
        unit = entries.mount_unit(made.uuid, folder, made.kind, options)
        lines_by_file[f"{entries.UNITS}/{entries.unit_name(folder)}"] = unit
    return lines_by_file


def check_names(array: ArrayPlan | None, made: FilesystemPlan | None, answers: Answers, own: str) -> None:
    """ValueError for a name that is neither the run's `own` nor asked for."""
    if array and array.name != answers.array_name and not re.fullmatch(own, array.name):
        raise ValueError(f"its name cannot be {brief(repr(array.name))}: its answers ask for no such array")
    if made and made.label not in ("", answers.label):
        raise ValueError(f"its answers ask for no label {brief(repr(made.label))}")


def may_last(step: Write, folder: str) -> bool:
    if step.path == immutable_setting(folder):
        return step.restore and not step.by_rule and step.value == "on"
    return step.restore and any(
        of.fullmatch(step.path) and values.fullmatch(step.value) and step.by_rule == by_rule
        for of, values, by_rule in _LASTING
    )


def may_put_back(path: str, folder: str) -> bool:
    return path == immutable_setting(folder) or any(of.fullmatch(path) for of, _, _ in _LASTING)
