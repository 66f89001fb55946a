"""File system, with the way from the labels to `df`, its alignment, and where it is mounted."""

from collections.abc import Iterator
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from raidtui.core.boot.entries import MOUNTED_BELOW
from raidtui.core.raid import filesystems
from raidtui.core.raid.space import Story
from raidtui.ui.draft import Draft, typed_wrongly
from raidtui.ui.paths import in_practice
from raidtui.ui.preview import filesystem_problem, geometry_of, percent_for_root, space_story
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.choice_rows import Option, between_options, reserved_options, titled
from raidtui.ui.render.walk import space_rows
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.panels import PanelStep
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.named_field import NamedField, TypedLine
from raidtui.ui.widgets.pick_list import OptionPick, PickList

_ALIGNED, _ALIGNED_NARROW = 54, 50
_IN_FORM, _NAMED = 22, 12  # columns of a field's name


class FilesystemScreen(PanelStep):
    STEP = "File system"
    QUESTION = "Which file system?"
    HELP = (
        "Up, down: file system. mkfs gets the stripe geometry; it is read back afterwards. xfs (default for a kept"
        " array): aligned, large files, many writers. ext4: aligned, can shrink. btrfs: detects damaged data, but has"
        " no second copy here to repair it. md compares copies and parity only in a check (weekly or monthly on most"
        " systems, or `raidtui scrub`): it repairs unreadable sectors and counts mismatches; only a backup shows which"
        " copy is right. none: bare array, for LVM by hand or as one virtual machine's disk; disks of many VMs: files"
        " on xfs. su: chunk; sw: data disks; su after -l (Review): the xfs log's, 32 KiB for chunks over 256 KiB. m:"
        " mount at boot, folder, owner (the user whose programs write there: libvirt-qemu, postgres; if unsure, keep"
        " root and chown later), mount options, guard, names, LVM, LUKS, share of ext4 for root. z: every byte."
    )
    TERMS = ("stripe", "su, sw", "journal", "md", "initramfs", "mdadm.conf", "mode", "LVM, LUKS")
    BINDINGS = bindings(
        bound("m", "turn_to('form')", "mount", "filesystem.mount", "Mount at boot, owner, LVM, LUKS"),
        bound("z,d", "details", "every byte", "filesystem.details", "Every byte, alignment, command"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._not_here: dict[str, str] = {}

    def panels(self) -> ComposeResult:
        rows = self._rows
        at = next((number for number, row in enumerate(rows) if row.chosen), 0)
        table = PickList(self._lay_out, cursor=at, id="filesystem", classes="panel")
        table.styles.height = self.tall(len(rows))
        table.entitle("File systems", "usable after own metadata")
        turns: list[Widget] = [table]
        if self._is_kept:
            turns.append(VerticalScroll(*self._form(), id="form", classes="panel", can_focus=False))
        yield from self.turning(*turns)
        self.above = len(rows) + (4 if self.low else 5) + self.detail_lines + self._is_kept
        if self._is_kept:
            yield Horizontal(*(self._field(key, _NAMED) for key in words.NAMED), id="named")
            self._show_fields()
        yield Lines([self._legend()], id="legend")
        yield Lines(id="detail")
        yield self.foot("space", self._capacity(), "Alignment and mount", self._aligned(self.beside - self.edge))

    # --- table ----------------------------------------------------------------------------------------------------

    @property
    def _rows(self) -> list[space_rows.SpaceRow]:
        proposed, taken = self._proposed, self.draft.filesystem_or_default
        return [
            space_rows.SpaceRow(row.key, account, self._problem(row.key), row.key == taken, row.key == proposed)
            for row in space_rows.offered()
            if (account := self._story(row.key))
        ]

    def _story(self, key: str) -> Story | None:
        return space_story(self.draft, self.members, self.view, key, rmapbt=self.wizard.scan.rmapbt)

    @property
    def _proposed(self) -> str:
        advice = self.advice
        return advice.best.filesystem if advice else filesystems.USUAL if self._is_kept else filesystems.NONE

    def _problem(self, key: str) -> str:
        return filesystem_problem(self.draft, self.view, key)

    def _lay_out(self, width: int) -> Sheet:
        return space_rows.filesystem_sheet(self._rows, width)

    def choose(self, index: int) -> None:
        self.change(filesystem=self._rows[index].key)

    def blocker(self) -> str:
        return self._problem(self.draft.filesystem_or_default) or words.wrong(self._wrong)

    def detail(self) -> tuple[str, str]:
        if reason := self.blocker():
            return reason, "warn"
        key = self.draft.filesystem_or_default
        if (account := self._story(key)) and account.caution:
            return account.caution, "warn"
        texts = [space_rows.geometry_words(key, geometry_of(self.draft))]
        by_hand = self._is_kept and not self.aside and self.draft.permanent != "yes"
        return " ".join((*texts, *([f"{self._mounted}."] if by_hand else []))), "dim"

    # --- mount ----------------------------------------------------------------------------------------------------

    @property
    def _wrong(self) -> dict[str, str]:
        return typed_wrongly(self.draft) or self._not_here

    def refill(self) -> None:
        super().refill()
        for field in self.query(NamedField):
            field.mark(wrong=field.field_id in self._wrong)
        if self._is_kept:
            ask, draft = partial(self.wizard.services.why_not_here, self.wizard.answers), self.draft
            self.wizard.ask(self, ask, partial(self._told, draft))

    def _told(self, draft: Draft, not_here: dict[str, str]) -> None:
        """Of what was typed meanwhile comes another answer. Review refuses what could not be asked for."""
        if draft == self.draft and not_here != self._not_here:
            self._not_here = not_here
            self.refill()

    def to_blocker(self) -> None:
        for key in self._wrong:
            for field in self.query(f"#{key}").results(TypedLine):
                if self.turned_to is self.turns[0] and key not in words.NAMED:
                    self.action_turn_to("form")
                self.set_focus(field)
                return

    @property
    def _is_kept(self) -> bool:
        return self.draft.may_last

    def _lists_of(self, turn: Widget) -> list[Widget]:
        """The table, then the fields that are always in sight."""
        beside = self.query("#named TypedLine").results(Widget) if turn is self.turns[0] else ()
        return [*super()._lists_of(turn), *(field for field in beside if field.focusable)]

    @property
    def _has_filesystem(self) -> bool:
        return self.draft.filesystem_or_default != filesystems.NONE

    def _form(self) -> Iterator[Widget]:
        yield OptionPick("At boot", self._permanence, self.draft.permanent, id="permanent")
        yield from map(self._field, words.MOUNT_NAMES)
        guard = OptionPick("Mount guard", self._guards, self.draft.mount_guard, id="mount_guard")
        guard.display = False
        yield guard
        yield self._field("label")
        yield OptionPick("File system on", between_options, self.draft.between, id="between")
        reserved = OptionPick("For root", reserved_options, self.draft.reserved, id="reserved")
        reserved.display = False
        yield reserved

    def _field(self, key: str, room: int = _IN_FORM) -> NamedField:
        field = NamedField(words.BOOT_NAMES[key], getattr(self.draft, key), words.BOOT_HINTS[key], id=key, room=room)
        field.display = self._is_shown(key)
        return field

    def _is_shown(self, key: str) -> bool:
        """Of what is mounted at boot; of a bare array its name alone."""
        if key == "array_name":
            return self.draft.raid.md_name is not None
        return self._has_filesystem and (key == "label" or self.draft.permanent == "yes")

    def _guards(self) -> list[Option]:
        return titled({"": "none", "immutable": "immutable"}, words.MOUNT_GUARD)

    def action_turn_to(self, name: str) -> None:
        self._show_fields()
        super().action_turn_to(name)

    def _show_fields(self) -> None:
        for field in self.query(NamedField):
            field.display = self._is_shown(field.field_id)
        for pick in self.query("#mount_guard"):
            pick.display = self._is_shown("mount_guard")
        for pick in self.query("#between"):
            pick.display = self._has_filesystem
        for pick in self.query("#reserved"):
            pick.display = bool(filesystems.filesystem(self.draft.filesystem_or_default).reserved_options)

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        self.change(**{pick_taken.pick_list.id or "": pick_taken.key})
        self._show_fields()

    def on_input_changed(self, changed: Input.Changed) -> None:
        key, text, before = changed.input.id, changed.value.strip(), self.draft
        if not key or text == getattr(before, key):
            return
        self.change(**{key: text})
        if key == "array_name" and before.mount_point == f"{MOUNTED_BELOW}/{before.array_name}":  # it goes along
            self.query_one("#mount_point", TypedLine).value = f"{MOUNTED_BELOW}/{text}"

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        if self._wrong:
            self.app.bell()
            self.to_blocker()
        else:
            self.action_next()

    def _permanence(self) -> list[Option]:
        explanations = words.PERMANENT | ({"yes": words.PERMANENT_IN_PRACTICE} if in_practice() else {})
        return titled({"": "by hand", "yes": "mount" if self._has_filesystem else "assemble"}, explanations)

    @property
    def _mounted(self) -> str:
        """One line of what is behind `m`."""
        draft = self.draft
        typed = (draft.mount_point, draft.mount_owner, draft.mount_mode)
        return space_rows.mounted_words(self._has_filesystem, draft.permanent == "yes", typed, draft.between)

    # --- below ----------------------------------------------------------------------------------------------------

    def _legend(self) -> Line:
        return space_rows.space_legend(self._proposed)

    def fill(self) -> None:
        self.lines("legend").show([self._legend()])
        self.lines("space").show(self._capacity())
        self.lines("why").show(self._aligned(self.beside - self.edge))

    def _capacity(self) -> list[Line]:
        key = self.draft.filesystem_or_default
        account = self._story(key)
        for panel in self.query("#space").results(Lines):
            panel.entitle(f"Capacity with {key}" if self._has_filesystem else "Capacity")
        if account is None:
            return []
        return space_rows.capacity_page(account, *self.room("#space"))

    @property
    def beside(self) -> int:  # type: ignore[override]
        return _ALIGNED if self.wide else _ALIGNED_NARROW

    def _aligned(self, width: int) -> list[Line]:
        key = self.draft.filesystem_or_default
        lines = space_rows.alignment_lines(
            key, geometry_of(self.draft), width, percent_for_root(self.draft, self._story(key))
        )
        mount: list[Line] = [(), (("Mount  ", "*accent"),), ((self._mounted, ""),)] if self._is_kept else []
        return [*lines, *mount]

    def action_details(self) -> None:
        self.app.push_screen(DetailsScreen(self._details))

    def _details(self, width: int) -> list[Line]:
        account = self._story(self.draft.filesystem_or_default)
        return [*(space_rows.exact_lines(account) if account else []), (), *self._aligned(width)]
