"""What a person chose last time: a file in their own folder, and what of it can be offered again.

Only what was chosen is kept: nothing that was typed to confirm it, and nothing that a look at the disks told.

Writes what was chosen as answers.toml, where the program was started; never over a file that is there.
"""

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec

from raidtui import configuration
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.identity import is_weak
from raidtui.core.plan.answers import Answers, parse, to_document
from raidtui.core.plan.parsed_setup import beside_words
from raidtui.core.plan.recipe import Recipe
from raidtui.core.raid import filesystems
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import split_name
from raidtui.system.new_file import behind_sudo, make_folder, replace_file, write_new
from raidtui.ui.draft import MOST_SPARES, Draft, answers
from raidtui.ui.paths import path_text

FILE = "last-time.json"


def remember(draft: Draft) -> None:
    """Writes what was chosen, in one step, as the person's own file. OSError where it cannot be written."""
    if draft.given is None:  # answers of a run belong to it
        folder = configuration.folder()
        make_folder(folder)
        replace_file(folder / FILE, msgspec.json.format(msgspec.json.encode(draft)) + b"\n", mode=0o600)


def recall() -> Draft | None:
    """What was chosen last time; None where nothing was, or what stands there can be no plan of this program's."""
    person = behind_sudo()
    try:
        draft = msgspec.json.decode(configuration.own_content(FILE, person[0] if person else None), type=Draft)
        _check(draft)
    except (OSError, ValueError, RecursionError):
        return None
    return draft


def _check(draft: Draft) -> None:
    """ValueError where no step could show it: the file may be of another version, or edited."""
    parse(to_document(answers(draft)), FILE)
    filesystems.filesystem(draft.filesystem_or_default)
    reason = draft.impossible
    most = MOST_SPARES if draft.groups == 1 else len(draft.disks)
    if draft.given is not None or reason or not 0 <= draft.spares <= most:
        raise ValueError(reason)


def can_be_again(draft: Draft, disks: Sequence[Disk], recipes: Sequence[tuple[str, Recipe]]) -> bool:
    """Are the same disks here, each of them free and with nothing on it that would be asked for; and its recipe?

    Not where one is known by its place alone: another disk may be there by now.
    """
    free = {disk.id for disk in disks if disk.verdict.standing is Usability.OK}
    none_weak = not any(map(is_weak, draft.disks))
    return none_weak and free.issuperset(draft.disks) and any(name == draft.recipe for name, _ in recipes)


def brief(draft: Draft) -> str:
    """What it builds of how many disks, in few words: `RAID 10 f2 of 6, ext4, to keep`; of a recipe's own its name."""
    count = len(draft.disks)
    if draft.sweeps:
        return f"{count} disk{'' if count == 1 else 's'}, {draft.recipe}"
    row = draft.raid
    layout = draft.layout_or_default
    built = f"{row.name}{f' {layout}' if layout and layout != row.default_layout else ''} of {draft.array_disks}"
    built = split_name(row, draft.groups, draft.array_disks) if draft.groups > 1 else built
    setup = answers(draft).setup
    built += beside_words(setup)
    layer_words = f" on {LAYERS[setup.between].title}" if setup.between else ""
    words_shown = (
        built,
        f"{setup.filesystem}{layer_words}" if setup.filesystem != filesystems.NONE else "",
        "to keep" if draft.is_kept else "",
    )
    return ", ".join(part for part in words_shown if part)


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
