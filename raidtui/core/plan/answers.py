"""Answers as TOML: what the wizard asks and writes, and `run` repeats."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import asdict

from raidtui.core.boot import entries, ownership
from raidtui.core.disks import selection
from raidtui.core.disks.selection import DiskRule
from raidtui.core.document import misfit
from raidtui.core.fio.job import FioOptions
from raidtui.core.plan import blocks
from raidtui.core.plan.fields import FIELDS, Axes, Between, Bitmap, FirstSync, MembersAs, Setup, given_fields
from raidtui.core.proof.witnessed import why_not_witness
from raidtui.core.raid import zfs
from raidtui.core.raid.levels import POOLS
from raidtui.core.raid.purposes import Workload
from raidtui.core.text import Unseen, brief, check_texts, clean

__all__ = ["Axes", "Between", "Bitmap", "FirstSync", "MembersAs", "Setup", "given_fields"]  # of the setup, for all
After = Literal["teardown", "keep"]
Mount = Literal["", "fstab", "unit"]
SelfTest = Literal["short", "long"]
Watching = Literal["smartd", "test-mail"]
ReservedPercent = Annotated[int, msgspec.Meta(ge=0, le=50)]  # mke2fs takes no more
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?) ?%", re.ASCII)
_LEAST_SHARE = 0.001  # of an array
_LEAST_IOPS, _MOST_IOPS = 0.1, 1e9  # of one disk


class ProofAnswers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of recipe `proof`. `share`: of the array that is written, "5 %" ("": all), in zones from its start to its end.
    `members`: "each" fails every member in turn; else only so many as show that what was rebuilt is read. `cut`: power
    is cut in the end, while `witness` ("/dev/ttyS0", "HOST:PORT") keeps the numbers of acknowledged writes.
    """

    share: str = ""
    members: Literal["", "each"] = ""
    cut: Literal["", "witness"] = ""
    witness: str = ""

    @property
    def why_not_cut(self) -> str:
        if bool(self.cut) != bool(self.witness):
            missing, given = ("witness", "cut") if self.cut else ("cut", "witness")
            example = '"/dev/ttyS0" or "HOST:PORT"' if self.cut else '"witness"'
            return f"proof.{given} needs proof.{missing} = {example}; add it, or leave proof.{given} out"
        reason = why_not_witness(self.witness) if self.witness else ""
        return f"proof.witness: {reason}" if reason else ""

    @property
    def whole_share(self) -> float:
        """ValueError if it is no share."""
        if not self.share:
            return 1.0
        if not (share := _SHARE.fullmatch(self.share)) or not _LEAST_SHARE <= float(share[1]) / 100 <= 1:
            raise ValueError(f"{brief(repr(self.share))} is no share; write 0.1 % to 100 %, such as 5 %")
        return float(share[1]) / 100


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answers file. `disks`: identities in member order (the first leads), or a rule, resolved when the plan is
    made. `target`: a device or folder measured as it is, in place of `disks`; nothing is built.

    `setup` holds in every cell, also where the recipe varies the field. `axes`: a table replaces single axes, a list of
    tables all of them. `jobs`: names of the recipe's jobs (empty: all). `repeat`: None: by recipe and number of setups.
    `precondition`: write everything twice before; None: as the recipe. `fio` applies to every job, `job` to one.
    `disk_speed`, `disk_iops`: of one disk, else assumed by the estimate. `explain`: suspects of an ablation: one job,
    unchanged and with each changed, in `repeat` blocks on one array. `self_test`: each disk's own test
    (minutes or hours) before anything is erased ("": as the recipe); a failed test ends the run. `use`: the answer
    begins with what counts for it.

    `permanent`: the kept array is assembled at each boot and mounted at `mount_point` ("": /srv/array) by fstab, or
    where `mount` is "unit" by systemd. `mount_owner` ("alice", "alice:storage"), `mount_mode` ("2775"): of the file
    system's root ("": as mkfs makes it). `mount_options`: beside defaults and nofail. `mount_guard` "immutable": the
    folder, if the run made it, cannot be written to while nothing is mounted there. `mailaddr`: for `mdadm --monitor`
    ("": as in mdadm.conf). `watch`: lines in smartd.conf, a test mail. Of a kept array: `array_name` and of a ZFS pool
    `pool_name` ("": raidtui-XXXXXXXX), `label` of its file system; `atime` "off": reads write nothing.
    `luks_header_backup`: a new file for the header of its LUKS container. `reserved_percent`: of ext4 and ext2 for root
    (mke2fs -m); None: 5 up to 10 TB, else 1.
    """

    disks: tuple[str, ...] | DiskRule = ()
    target: str = ""
    setup: Setup = Setup()
    recipe: str = "quick"
    variant: str = ""
    repeat: int | None = None
    precondition: bool | None = None
    self_test: SelfTest | Literal["", "none"] = ""
    after: After = "teardown"
    use: Workload | None = None
    permanent: bool = False
    mount_point: str = ""
    mount: Mount = ""
    mount_owner: str = ""
    mount_mode: str = ""
    mailaddr: str = ""
    watch: tuple[Watching, ...] = ()
    mount_options: str = ""
    mount_guard: Literal["", "immutable"] = ""
    array_name: str = ""
    label: str = ""
    luks_header_backup: str = ""
    pool_name: str = ""
    atime: Literal["", "off"] = ""
    reserved_percent: ReservedPercent | None = None
    axes: Axes | tuple[Axes, ...] = ()
    jobs: tuple[str, ...] = ()
    explain: tuple[str, ...] = ()
    fio: FioOptions = {}
    job: dict[str, FioOptions] = {}
    proof: ProofAnswers = ProofAnswers()
    disk_speed: str = ""
    disk_iops: float = 0.0


class AnswersError(ValueError):
    """One sentence: what is wrong, where, what to write instead."""


class PlanRefused(ValueError):
    """Cannot be done: one sentence with the disk and the fix. `field`: the key at fault ("setup.chunk"), or "". Printed
    as `field: sentence`, or with `where` in place of the field.
    """

    def __init__(self, sentence: str, field: str = "", where: str | None = None) -> None:
        super().__init__(": ".join(filter(None, (field if where is None else where, sentence))))
        self.sentence, self.field = sentence, field


class PlanNotSafe(PlanRefused):
    """Refused for safety: a disk is in use, vanished, or was not checked."""


def parse(document: dict[str, Any], source: str = "answers") -> Answers:
    """From a decoded TOML document; AnswersError names `source` and the path of a bad key."""
    if reason := misfit(document, Answers):
        raise AnswersError(f"{source}: {reason}")
    try:
        answers = msgspec.convert(document, Answers)
        check_texts({key: value for key, value in document.items() if key not in ("disks", "target")})
    except (msgspec.ValidationError, Unseen) as error:
        raise AnswersError(f"{source}: {brief(error)}") from error
    if not answers.disks and not answers.target:
        raise AnswersError(f"{source}: `disks` is empty; name at least one disk by its id (see `raidtui disks`)")
    _check_target(answers, source)
    if reason := _why_not_disks(answers.disks) or _why_not_permanent(answers):
        raise AnswersError(f"{source}: {reason}")
    try:
        _ = answers.proof.whole_share
    except ValueError as error:
        raise AnswersError(f"{source}: proof.share: {error}") from error
    if reason := answers.proof.why_not_cut:
        raise AnswersError(f"{source}: {reason}")
    if answers.repeat is not None and not 1 <= answers.repeat <= blocks.MOST:
        raise AnswersError(f"{source}: `repeat` is {answers.repeat}; it must be 1 to {blocks.MOST}")
    if answers.disk_iops and not _LEAST_IOPS <= answers.disk_iops <= _MOST_IOPS:  # nor NaN
        raise AnswersError(f"{source}: `disk_iops` is {answers.disk_iops:g}; give what one disk does, or leave it out")
    return answers


def _why_not_disks(disks: Sequence[str] | DiskRule) -> str:
    if isinstance(disks, DiskRule):
        return selection.why_not(disks)
    if strange := [disk for disk in disks if not disk or clean(disk) != disk]:
        return f"`disks` names {brief(repr(strange[0]))}, which is no disk's id"
    if doubled := sorted(disk for disk, times in Counter(disks).items() if times > 1):
        return f"`disks` names {brief(', '.join(doubled))} more than once"
    return ""


def _why_not_permanent(answers: Answers) -> str:
    if answers.permanent and answers.after != "keep":
        return '`permanent` is for an array that stays; add after = "keep", or leave it out'
    for name in (*_OF_MOUNT, "mailaddr", "watch"):
        if getattr(answers, name) and not answers.permanent:
            return f"`{name}` needs `permanent = true`; add it, or leave `{name}` out"
        if name in _OF_MOUNT and getattr(answers, name) and not is_mounted(answers.setup):
            return f"`{name}`: without a file system nothing is mounted; choose setup.filesystem, or leave it out"
    if (name := next(filter(answers.__getattribute__, _OF_KEPT), "")) and answers.after != "keep":
        return f'`{name}` is for an array that stays; add after = "keep", or leave it out'
    if (name := next(filter(answers.__getattribute__, _OF_POOL), "")) and answers.after != "keep":
        return f'`{name}` is for a ZFS pool that stays; add after = "keep", or leave it out'
    for name, why_not in JUDGED.items():
        if (value := getattr(answers, name)) and (reason := why_not(value)):
            return f"`{name}`: {reason}"
    return ""


_OF_MOUNT = ("mount_point", "mount", "mount_owner", "mount_mode", "mount_options", "mount_guard")
_OF_KEPT = ("array_name", "label", "luks_header_backup")
_OF_POOL = ("pool_name", "atime")
JUDGED: dict[str, Callable[[str], str]] = {
    "mount_point": entries.why_not_folder,
    "mount_owner": ownership.why_not_owner,
    "mount_mode": ownership.why_not_mode,
    "mailaddr": entries.why_not_mailaddr,
    "mount_options": entries.why_not_options,
    "array_name": entries.why_not_array_name,
    "label": entries.why_not_label,
    "luks_header_backup": entries.why_not_file,
    "pool_name": zfs.why_not_name,
}


def is_mounted(setup: Setup) -> bool:
    """Also the own file system of a pool; False for an unknown level."""
    return setup.filesystem != "none" or any(row.key == setup.level for row in POOLS)


def _check_target(answers: Answers, source: str) -> None:
    """A target needs its absolute path, and no field about building."""
    target = answers.target
    if not target:
        return
    if not target.startswith("/") or clean(target) != target:
        raise AnswersError(f"{source}: `target` is {brief(repr(target))}; write a whole path: /dev/md0, or /srv/data")
    wrong = {
        "disks": bool(answers.disks),
        "setup": answers.setup != Setup(),
        "axes": answers.axes not in (Axes(), ()),
        "precondition": bool(answers.precondition),
        "self_test": bool(answers.self_test),
        "after": answers.after != "teardown",
    }
    if field := next((name for name, is_given in wrong.items() if is_given), ""):
        raise AnswersError(f"{source}: with `target` nothing is built or removed; leave `{field}` out")


def check_counts(setup: Setup) -> None:
    """PlanRefused for a count that a setup cannot have."""
    for field, row in FIELDS.items():
        if row.bounds and (value := getattr(setup, field)) and not row.bounds[0] <= value <= row.bounds[1]:
            sentence = f"setup.{field} is {value}; give {row.bounds[0]} to {row.bounds[1]}, or leave it out"
            raise PlanRefused(sentence, f"setup.{field}", where="")


def answers_seed(answers: Answers) -> str:
    """For random orders. Later fields enter only if set, so that earlier orders stay the same."""
    fields: dict[str, Any] = msgspec.to_builtins(answers)
    of_axes = fields["axes"] if isinstance(answers.axes, tuple) else [fields["axes"]]
    axes = answers.axes if isinstance(answers.axes, tuple) else (answers.axes,)
    parts: tuple[Setup | Axes, ...] = (answers.setup, *axes)
    for choices, written in zip(parts, (fields["setup"], *of_axes), strict=True):
        for field in _unused_later(choices):
            del written[field]
    for field in ("self_test", "mount_options", "mount_guard", "watch", *_OF_KEPT, *_OF_POOL, "reserved_percent"):
        if getattr(answers, field) in ("", (), None):
            del fields[field]
    if answers.proof == ProofAnswers():
        del fields["proof"]
    elif not answers.proof.cut:
        del fields["proof"]["cut"], fields["proof"]["witness"]
    return msgspec.json.encode(fields).decode()


def setup_seed(setup: Setup) -> str:
    unused = _unused_later(setup)
    return f"Setup({', '.join(f'{name}={value!r}' for name, value in asdict(setup).items() if name not in unused)})"


def _unused_later(choices: Setup | Axes) -> set[str]:
    return {field for field in choices.__struct_fields__ if FIELDS[field].later} - given_fields(choices)


def to_document(answers: Answers) -> dict[str, Any]:
    """As TOML; defaults written out, so that a later version reads the same."""
    document: dict[str, Any] = msgspec.to_builtins(answers)
    document["setup"] = _filled(document["setup"], None) if answers.setup != Setup() else {}
    if not answers.setup.disks:  # 0, which is all that are chosen, reads as none
        document["setup"].pop("disks", None)
    for field in {"groups", "groups_by"} - given_fields(answers.setup):
        document["setup"].pop(field, None)
    if isinstance(answers.disks, DiskRule):
        document["disks"] = _filled(document["disks"], "")
    axes = document["axes"]
    document["axes"] = [_filled(ax, ()) for ax in axes] if isinstance(axes, list | tuple) else _filled(axes, ())
    if not answers.permanent:
        del document["permanent"]
    document["proof"] = _filled(document["proof"], "")
    empty_values: tuple[object, ...] = (None, "", {}, [], (), 0.0)
    return {
        key: value
        for key, value in document.items()
        if value is False or type(value) is int or value not in empty_values
    }


def _filled(fields: dict[str, Any], empty_values: object) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value != empty_values}
