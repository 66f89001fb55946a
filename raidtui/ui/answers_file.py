"""Writes what was chosen as answers.toml, where the program was started; never over a file that is there."""

import os
from itertools import count
from pathlib import Path

from raidtui.core.plan.answers import Answers, to_document
from raidtui.ui.paths import shown


def write_answers(answers: Answers, folder: Path | None = None) -> str:
    """Writes the answers file and says where it is; or why it could not be written."""
    import tomli_w

    folder = folder or Path.cwd()
    names = ("answers.toml" if number == 1 else f"answers-{number}.toml" for number in count(1))
    path = next(folder / name for name in names if not (folder / name).exists())
    try:
        with path.open("xb") as file:
            tomli_w.dump(to_document(answers), file)
        hand_over(path)
    except OSError as error:
        return f"Not written: {shown(path)}: {error.strerror}. Start raidtui in a folder where you may write."
    return (
        f"Written to {shown(path)}. `raidtui plan {path.name}` prints the code,"
        f" `raidtui run {path.name} --confirm CODE` repeats it."
    )


def hand_over(path: Path) -> None:
    """Gives a file to the person behind sudo, so that it is not root's in their folder."""
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdigit() and os.environ.get("SUDO_GID", "").isdigit():
        os.chown(path, int(os.environ["SUDO_UID"]), int(os.environ["SUDO_GID"]))
