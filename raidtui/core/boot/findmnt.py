"""What `findmnt --verify` prints of fstab, read: a folder at a line's beginning, below it what is wrong there."""


def errors_of(printed: str, folder: str) -> tuple[str, ...]:
    """The errors in the line for this folder; warnings, and other lines' errors, are none."""
    errors, here = [], False
    for line in printed.splitlines():
        if not line.startswith(" "):
            here = line == folder
        elif here and line.strip().startswith("[E]"):
            errors.append(line.strip().removeprefix("[E]").strip())
    return tuple(errors)
