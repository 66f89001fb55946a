"""The steps of a plan: what will be done, as values. Knows their shell rendering; carries nothing out.

Placeholders stand for what is only known just before execution: `{member:0}` the first member's device,
`{part:0:1}` its first partition, `{array}` the array's device. `resolve` fills them in; in a script they
are shell variables.
"""

import re
import shlex
from collections.abc import Callable
from typing import Literal

import msgspec

Condition = Literal["sync-finished", "settled"]
Question = Literal["members-free", "array-built", "geometry", "mounted", "members-blank"]
PLACEHOLDER = re.compile(r"\{(member:\d+|part:\d+:\d+|array)\}")


class Command(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """Run `argv` (no shell). `trial` names the trial that its result belongs to.

    `locked`: the members' whole-disk nodes are held with flock, so that udev does not probe them meanwhile.
    `undo` is what takes back what the step did, in order; a plan's teardown is the undos of its steps, last first.
    """

    what: str
    argv: tuple[str, ...]
    trial: str = ""
    locked: bool = False
    undo: tuple["Step", ...] = ()


class Write(msgspec.Struct, frozen=True, kw_only=True, tag="write"):
    """Write `value` to the kernel setting `path`; the old value is journalled before, and put back at the end."""

    what: str
    path: str
    value: str


class Wait(msgspec.Struct, frozen=True, kw_only=True, tag="wait"):
    """Wait until `condition` holds; `estimate_s` is how long that may take, 0 for moments."""

    what: str
    condition: Condition
    estimate_s: float = 0.0
    locked: bool = False


class Check(msgspec.Struct, frozen=True, kw_only=True, tag="check"):
    """Look, and end the run if the answer to `question` is no. `expected` is compared with what was read back."""

    what: str
    question: Question
    expected: dict[str, int] = {}
    locked: bool = False


Step = Command | Write | Wait | Check

_SHELL_WAIT: dict[Condition, str] = {
    "sync-finished": 'mdadm --wait "$array" || true',
    "settled": "udevadm settle",
}
_SHELL_CHECK: dict[Question, str] = {
    "members-free": "check_members_free",
    "array-built": 'mdadm --detail "$array"',
    "geometry": "show_geometry",
    "mounted": "findmnt --target mnt",
    "members-blank": "check_members_blank",
}


def resolve(text: str, device_of: Callable[[str], str]) -> str:
    """`text` with every placeholder replaced by `device_of("member:0")`, `device_of("array")`."""
    return PLACEHOLDER.sub(lambda match: device_of(match.group(1)), text)


def shell_word(text: str) -> str:
    """One argument as bash reads it, placeholders as quoted variables."""
    if not PLACEHOLDER.search(text):
        return shlex.quote(text)
    parts = PLACEHOLDER.split(text)  # literal, name, literal, name, …
    return "".join(
        (f'"${{{_variable(part)}}}"' if odd else shlex.quote(part)) if part else ""
        for part, odd in zip(parts, [False, True] * len(parts), strict=False)
    )


def _variable(name: str) -> str:
    return name.replace(":", "_")


def shell(step: Step) -> str:
    """The line of bash that does what `step` does."""
    match step:
        case Command(argv=argv):
            return " ".join(shell_word(word) for word in argv)
        case Write(path=path, value=value):
            return f"echo {shell_word(value)} > {shell_word(path)}"
        case Wait(condition=condition):
            return _SHELL_WAIT[condition]
        case Check(question=question):
            return _SHELL_CHECK[question]
