"""What `findmnt --verify` prints of fstab, read: a folder at a line's beginning, below it what is wrong there."""


def errors_of(printed: str, folder: str) -> tuple[str, ...]:
    """The errors in the line for this folder; warnings, and other lines' errors, are none."""
    errors, in_folder = [], False
    for line in printed.splitlines():
        if not line.startswith(" "):
            in_folder = line == folder
        elif in_folder and line.strip().startswith("[E]"):
            errors.append(line.strip().removeprefix("[E]").strip())
    return tuple(errors)
