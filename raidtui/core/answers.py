"""The answers that a person gives, as TOML: what the wizard asks, writes, and `run` repeats."""

from typing import Any, Literal

import msgspec

After = Literal["teardown", "keep"]
FirstSync = Literal["wait", "skip"]


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is built: level key ("0" "1" "4" "5" "6" "10" "linear" "jbod"), layout, chunk, bitmap, file system.

    Empty `layout` and `chunk` stand for the level's default; `chunk` is text as a person writes it ("512KiB").
    """

    level: str
    layout: str = ""
    chunk: str = ""
    bitmap: Literal["internal", "none"] = "internal"  # only for levels with redundancy
    filesystem: str = "none"
    first_sync: FirstSync = "wait"


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answers file. `disks` are identities in the order of the members; the first one leads."""

    disks: tuple[str, ...]
    setup: Setup
    recipe: str = "quick"
    variant: str = ""
    repeat: int = 1
    after: After = "teardown"
    job: dict[str, dict[str, Any]] = {}  # overrides: fio options by job name


class AnswersError(ValueError):
    """One clear sentence: what is wrong, where, what to write instead."""


def parse(document: dict[str, Any], source: str = "answers") -> Answers:
    """Answers from a decoded TOML document; AnswersError names `source` and the path of a bad key."""
    try:
        answers = msgspec.convert(document, Answers)
    except msgspec.ValidationError as error:
        raise AnswersError(f"{source}: {error}") from error
    if not answers.disks:
        raise AnswersError(f"{source}: `disks` is empty; name at least one disk by its id (see `raidtui disks`)")
    doubled = {disk for disk in answers.disks if answers.disks.count(disk) > 1}
    if doubled:
        raise AnswersError(f"{source}: `disks` names {', '.join(sorted(doubled))} more than once")
    if answers.repeat < 1:
        raise AnswersError(f"{source}: `repeat` is {answers.repeat}; it must be 1 or more")
    return answers


def to_document(answers: Answers) -> dict[str, Any]:
    """The TOML document of these answers, defaults spelt out so that a later version reads the same."""
    document: dict[str, Any] = msgspec.to_builtins(answers)
    return {key: value for key, value in document.items() if value not in ("", {})}
