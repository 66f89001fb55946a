"""Names of a kept array's own: of the array, and the label of its file system; slack of its members."""

from raidtui.core.boot import entries
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.raid.filesystems import filesystem

_SLACK = (
    'Members are whole disks: a replacement must be at least as large. members = "partitions" leaves slack for a'
    " slightly smaller one."
)


def check(answers: Answers, cell: ParsedSetup) -> None:
    """PlanRefused for a name that the array, or its file system, cannot have."""
    if answers.array_name and not cell.level.md_name:
        raise PlanRefused(f"that is of an array of md, and {cell.level.name} is none; leave it out", "array_name")
    longest = f"{answers.array_name}-g{cell.setup.groups}" if answers.array_name and cell.setup.groups > 1 else ""
    if len(longest) > entries.MOST_NAME:
        called = f"its groups would be called {longest}"
        raise PlanRefused(f"{called}, longer than {entries.MOST_NAME} characters; write a shorter one", "array_name")
    if not answers.label:
        return
    if cell.setup.filesystem == "none":
        raise PlanRefused("without a file system there is no label; choose setup.filesystem, or leave it out", "label")
    if reason := why_not_label(answers.label, cell.setup.filesystem):
        raise PlanRefused(reason, "label")


def why_not_label(label: str, filesystem_key: str) -> str:
    """Half a sentence; "" if it is not too long."""
    row = filesystem(filesystem_key)
    if len(label.encode()) <= row.label_bytes:
        return ""
    return f"{label} is too long for {row.key}; give {row.label_bytes} bytes at most"


def notes(answers: Answers, cell: ParsedSetup) -> tuple[str, ...]:
    """The slack of members: whole disks have none, unless `member_size` leaves some."""
    whole = cell.setup.members == "disks" and not cell.setup.member_size
    return (_SLACK,) if answers.after == "keep" and cell.level.has_sync and whole else ()
