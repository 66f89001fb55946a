"""Writes what was chosen as answers.toml, where the program was started; never over a file that is there."""

import os
from itertools import count
from pathlib import Path

from raidtui.core.plan.answers import Answers, to_document
from raidtui.system.new_file import write_new
from raidtui.ui.paths import path_text


def write_answers(answers: Answers, folder: Path | None = None) -> str:
    """Writes the answers file and says where it is; or why it could not be written."""
    import tomli_w

    folder = folder or Path.cwd()
    names = ("answers.toml" if number == 1 else f"answers-{number}.toml" for number in count(1))
    path = next(folder / name for name in names if not os.path.lexists(folder / name))
    try:
        write_new(path, tomli_w.dumps(to_document(answers)).encode())
    except OSError as error:
        return f"Not written: {path_text(path)}: {error.strerror}. Start raidtui in a writable folder."
    return (
        f"Written to {path_text(path)}. `raidtui plan {path.name}` shows its steps and code;"
        f" `raidtui run {path.name} --confirm CODE` repeats it."
    )
