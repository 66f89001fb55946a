"""The plan while it is being chosen: a frozen value that the screens replace, and the answers that it amounts to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import (
    JUDGED,
    After,
    Answers,
    Axes,
    Between,
    Bitmap,
    FirstSync,
    MembersAs,
    SelfTest,
    Setup,
)
from raidtui.core.plan.kept.names import why_not_label
from raidtui.core.raid import filesystems
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, LAYOUTS_10, LEVELS, Level, level, possible
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import Units, format_bytes, parse_bytes
from raidtui.ui.render import words

if TYPE_CHECKING:
    from raidtui.core.advice.groups import Split
    from raidtui.core.advice.proposals import Proposal

Builds = Literal["chosen", "recipe", "usual"]
MOST_SPARES = 2  # that the wizard offers
_RARE = ("1", "4", "linear", "jbod")  # of many disks


class LevelChoice(NamedTuple):
    """A row of Level. `layout`: of RAID 10; `spares`: those which groups leave."""

    key: str
    layout: str = ""
    groups: int = 1
    spares: int = 0


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What has been chosen so far. `disks` are identities in the order of choosing; empty texts are defaults.

    `builds`: what was chosen, what the recipe's own axes say, whatever was chosen before, or the usual level of so many
    disks, which leaves level, layout, chunk, bitmap and file system as they are unchosen. `use`: what it is for,
    None where the person chooses without a proposal; `survive`: how many failed disks a proposal has to survive.
    """

    disks: tuple[str, ...] = ()
    use: Workload | None = None
    survive: int = 1
    proposed_for: tuple[str, ...] = ()  # the disks for which the purpose's proposal was filled in last
    level: str = ""
    groups: int = 1
    layout: str = ""
    chunk: str = ""
    bitmap: Bitmap = "internal"
    filesystem: str = ""
    recipe: str = "quick"
    builds: Builds = "chosen"
    axes: tuple[Axes, ...] = ()  # in place of the recipe's, or of the one array that is chosen
    repeat: int | None = None  # as often as the recipe and the number of setups are worth
    after: After = "teardown"
    first_sync: FirstSync = ""
    given: Answers | None = None  # in place of all that is chosen: those that explain a run
    precondition: Literal["recipe", "yes"] = "recipe"
    self_test: SelfTest | Literal[""] = ""
    members: MembersAs = "disks"  # this and the next three of an array that is kept
    between: Between = ""  # it and its file system
    reserved: Literal["", "0", "1", "5"] = ""  # percent for root; "": by size
    spares: int = 0  # of its disks, the last ones chosen; before them the journal, where `bitmap` is one
    permanent: Literal["", "yes"] = ""
    mount_point: str = ""  # these four of a permanent one; see Answers
    mount_owner: str = ""
    mount_mode: str = ""
    mailaddr: str = ""
    mount_options: str = ""
    mount_guard: Literal["", "immutable"] = ""
    array_name: str = ""  # this and the next of any kept one
    label: str = ""

    def having(self, **answers: Any) -> "Draft":
        """This one with other answers."""
        return msgspec.structs.replace(self, **answers)

    @property
    def is_kept(self) -> bool:
        return self.after == "keep"

    @property
    def sweeps(self) -> bool:
        """Are levels and chunks those of a recipe, or ticked, in place of one array?"""
        return self.builds == "recipe" or bool(self.axes)

    @property
    def level_or_suggested(self) -> str:
        """The chosen level; before one is chosen, the usual one for so many disks."""
        return self.level or suggested_level(self.array_disks)

    @property
    def raid(self) -> Level:
        return level(self.level_or_suggested)

    @property
    def array_disks(self) -> int:
        """How many of the chosen disks hold its data; the others are its journal and spares."""
        beside = AFTER_CRASH[self.bitmap_or_default].disks + (self.spares if self.is_kept else 0)
        return max(0, len(self.disks) - beside)

    @property
    def bitmap_or_default(self) -> Bitmap:
        """What it goes by after a crash: by a disk of its own only where it is kept."""
        may_have = self.is_kept and self.groups == 1
        return "internal" if AFTER_CRASH[self.bitmap].disks and not may_have else self.bitmap

    @property
    def filesystem_or_default(self) -> str:
        """The chosen one; else none, but on an array that is kept, which is there to be used."""
        is_used = self.is_kept and self.raid.md_name is not None
        return self.filesystem or (filesystems.USUAL if is_used else filesystems.NONE)

    @property
    def reserved_percent(self) -> int | None:
        """For root, of a kept file system that has it; None: by size."""
        has_it = filesystems.filesystem(self.filesystem_or_default).reserved_options
        return int(self.reserved) if self.reserved and self.is_kept and has_it else None

    @property
    def partitioned(self) -> bool:
        """Is a partition of each disk the array's member?"""
        return self.is_kept and self.members == "partitions" and self.groups == 1

    @property
    def between_or_default(self) -> Between:
        """Nothing is put on an array that is removed again, or without a file system."""
        is_used = self.is_kept and self.filesystem_or_default != filesystems.NONE
        return self.between if is_used else ""

    @property
    def may_last(self) -> bool:
        """Is one array of the wizard's own steps kept, which boot may know?"""
        return self.is_kept and self.builds == "chosen" and self.given is None

    @property
    def layout_or_default(self) -> str | None:
        """The layout in force; None where the level has none."""
        return self.layout or self.raid.default_layout

    @property
    def impossible(self) -> str:
        """Why its level cannot be built so; "" where it can."""
        can, reason = possible(self.level_or_suggested, self.layout_or_default, self.array_disks, self.chunk_bytes)
        return "" if can else reason

    @property
    def chunk_bytes(self) -> int | None:
        """The chunk in force; None where the level has none."""
        if not self.raid.has_chunk:
            return None
        return parse_bytes(self.chunk) if self.chunk else DEFAULT_CHUNK_BYTES


_NOTHING_SAID = Draft()


def suggested_level(disks: int) -> str:
    """What most people would build of so many disks: a mirror of two, RAID 5 of a few, RAID 6 of many."""
    if disks >= 8:
        return "6"
    return "jbod" if disks == 1 else "1" if disks == 2 else "5"


def toggled(draft: Draft, disk: Disk) -> Draft:
    """`draft` with `disk` chosen last, or no longer chosen."""
    other_disks = tuple(identity for identity in draft.disks if identity != disk.id)
    return with_disks(draft, other_disks if disk.id in draft.disks else (*other_disks, disk.id))


def all_toggled(draft: Draft, disks: tuple[str, ...]) -> Draft:
    """`draft` with all of these chosen, after those that are; where all of them are, with none of them."""
    other_disks = tuple(identity for identity in draft.disks if identity not in disks)
    more_disks = tuple(identity for identity in disks if identity not in draft.disks)
    return with_disks(draft, (*draft.disks, *more_disks) if more_disks else other_disks)


def with_disks(draft: Draft, disks: tuple[str, ...]) -> Draft:
    """`draft` over other disks, without groups. A level that was never chosen is the usual one for so many."""
    draft = _wide(draft)
    new = draft.having(disks=disks)
    if new.level_or_suggested == draft.level_or_suggested:
        return new
    return with_level(new, new.level_or_suggested).having(level="")


def with_level(draft: Draft, key: str) -> Draft:
    """`draft` with a level chosen; where it is another one, layout, chunk and bitmap fall back to what it has."""
    if key == draft.level:
        return draft
    row = level(key)
    return draft.having(
        level=key,
        layout="",
        chunk=draft.chunk if row.has_chunk else "",
        bitmap="internal",
        first_sync="",
        spares=draft.spares if row.has_bitmap else 0,  # of use where a disk may fail
    )


def _wide(draft: Draft) -> Draft:
    """Without groups, and the spares that they left."""
    return draft.having(groups=1, spares=0) if draft.groups > 1 else draft


def with_choice(draft: Draft, choice: LevelChoice, disks: Sequence[Disk]) -> Draft:
    """`draft` with a row of Level taken. Of `disks`, all that are chosen, groups leave the largest as spares."""
    new = with_level(_wide(draft), choice.key)
    if choice.groups == 1:
        return new.having(layout=choice.layout) if choice.layout else new
    from raidtui.core.advice.groups import divided  # the first picture is of no level
    from raidtui.core.advice.proposals import proposed_chunk_bytes

    taken, left = divided(disks, len(disks) - choice.spares)
    in_order = tuple(disk.id for disk in (*taken, *left))
    chunk = proposed_chunk_bytes(choice.key, len(taken) // choice.groups, any(disk.rotational for disk in taken))
    return new.having(
        disks=in_order,
        proposed_for=in_order if draft.proposed_for == draft.disks else draft.proposed_for,
        groups=choice.groups,
        spares=choice.spares,
        chunk=chunk_text(chunk) if chunk else "",
    )


def level_choices(
    draft: Draft, splits: "Sequence[Split]" = (), *, all_of_them: bool = False
) -> tuple[LevelChoice, ...]:
    """As they are offered: the usual layouts of RAID 10, the splits, and what is chosen. Beside groups without the
    levels that nobody builds of so many disks, unless `all_of_them`.
    """
    here, choices = level_choice(draft), []
    for row in LEVELS:
        if not splits or all_of_them or row.key not in _RARE or row.key == here.key:
            choices += [LevelChoice(row.key, layout) for layout in (_layouts_10(draft) if row.key == "10" else ("",))]
        own = [LevelChoice(row.key, "", split.groups, split.left) for split in splits if split.key == row.key]
        choices += own if here in own or here.groups == 1 or here.key != row.key else [*own, here]
    return tuple(choices)


def _layouts_10(draft: Draft) -> tuple[str, ...]:
    usual = tuple(name for name, row in LAYOUTS_10.items() if row.usual and row.copies <= max(2, draft.array_disks))
    taken = draft.layout_or_default if draft.level_or_suggested == "10" else None
    return usual if taken is None or taken in usual else (*usual, taken)


def level_choice(draft: Draft) -> LevelChoice:
    """Which of them is chosen."""
    key, groups = draft.level_or_suggested, draft.groups
    return LevelChoice(
        key, (draft.layout_or_default or "") if key == "10" else "", groups, draft.spares if groups > 1 else 0
    )


def with_proposal(draft: Draft, proposal: "Proposal | None", disks: Sequence[Disk] = ()) -> Draft:
    """`draft` with what is proposed taken for chosen; None: nothing of it is chosen any more. `disks`: all that are
    chosen, for groups.
    """
    if proposal is None:
        draft = _wide(draft)
        return draft.having(
            proposed_for=(), level="", layout="", chunk="", bitmap="internal", first_sync="", filesystem=""
        )
    view = proposal.preview
    taken = LevelChoice(view.key, "", view.groups, len(disks) - view.disks if view.groups > 1 else 0)
    return with_choice(draft, taken, disks).having(
        layout=view.layout or "",
        chunk=chunk_text(view.chunk_bytes) if view.chunk_bytes else "",
        filesystem=proposal.filesystem,
    )


def chunk_text(chunk_bytes: int) -> str:
    """A chunk as the answers file writes it: 512KiB, 1MiB."""
    number, unit = format_bytes(chunk_bytes, Units.BINARY).split()
    return f"{float(number):g}{unit}"


def chosen(draft: Draft, disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """The chosen disks in the order of choosing; one that is gone from the machine is left out."""
    by_id = {disk.id: disk for disk in disks}
    return tuple(by_id[identity] for identity in draft.disks if identity in by_id)


def answers(draft: Draft) -> Answers:
    """What was chosen, as `run` repeats it."""
    if draft.given is not None:
        return draft.given
    precondition = True if draft.precondition == "yes" else None
    if draft.sweeps:
        setup = Setup() if draft.builds == "recipe" else Setup(filesystem=draft.filesystem_or_default)
        return Answers(
            disks=draft.disks, setup=setup, recipe=draft.recipe, axes=draft.axes, repeat=draft.repeat,
            precondition=precondition,
        )  # fmt: skip
    row = draft.raid
    permanent = draft.is_kept and draft.permanent == "yes"
    has_filesystem = draft.filesystem_or_default != filesystems.NONE
    # what is said of a kept array, of its boot and of its mount holds where there is that
    kept = draft if draft.is_kept else _NOTHING_SAID
    boot = draft if permanent else _NOTHING_SAID
    mount = boot if has_filesystem else _NOTHING_SAID
    return Answers(
        disks=draft.disks,
        setup=Setup(
            level=row.key,
            groups=draft.groups,
            layout=draft.layout_or_default or "",
            chunk=chunk_text(draft.chunk_bytes) if draft.chunk_bytes else "",
            bitmap=draft.bitmap_or_default if row.has_bitmap else "internal",
            filesystem=draft.filesystem_or_default,
            first_sync=draft.first_sync,
            between=draft.between_or_default,
            members="partitions" if draft.partitioned else "disks",
            spares=kept.spares,
        ),
        recipe=draft.recipe,
        repeat=draft.repeat,
        precondition=precondition,
        self_test=kept.self_test,
        after=draft.after,
        use=draft.use,
        permanent=permanent,
        mount_point=mount.mount_point,
        mount_owner=mount.mount_owner,
        mount_mode=mount.mount_mode,
        mount_options=mount.mount_options,
        mount_guard=mount.mount_guard,
        array_name=kept.array_name if row.md_name else "",
        label=kept.label if has_filesystem else "",
        mailaddr=boot.mailaddr,
        reserved_percent=draft.reserved_percent,
    )


def typed_wrongly(draft: Draft) -> dict[str, str]:
    """Field of what was typed for a kept array and cannot be -> why, half a sentence."""
    given = answers(draft)
    typed = {key: text for key in words.BOOT_NAMES if (text := getattr(given, key))}
    wrong = {key: reason for key, text in typed.items() if (reason := JUDGED[key](text))}
    if given.label and (reason := why_not_label(given.label, given.setup.filesystem)):
        wrong = {"label": reason, **wrong}
    return wrong
