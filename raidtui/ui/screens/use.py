"""Workload of the array, with a proposal and its reasons, or none."""

from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.advice import wording
from raidtui.core.advice.proposals import MOST_SURVIVED, USUALLY_SURVIVED, Advice, Proposal
from raidtui.core.raid import filesystems
from raidtui.core.raid.levels import level
from raidtui.core.raid.purposes import Workload
from raidtui.ui.draft import suggested_level, with_proposal
from raidtui.ui.preview import advice_of
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.number_line import NumberLine
from raidtui.ui.widgets.option_list import OptionPick

_MYSELF = ""


class UseScreen(StepScreen):
    """Its proposal is filled into the next steps."""

    STEP = "Use"
    QUESTION = "What is it for? Fills in the next steps (changeable)."
    HELP = (
        "Arrow keys: purpose. 0, 1, 2: disk failures the array must survive, whichever disks fail. 1 is usual; 2 if a"
        " rebuild of large disks takes long or nobody can replace a disk soon. The proposal and its reasons are below:"
        " sizes are computed from these disks, speeds are predicted as multiples of one disk. It fills in Level,"
        " Layout and File system, and may survive more. Enter at once: choose these yourself. No array is a backup: it"
        " survives failed disks, not deletion, overwriting, fire or theft. Keep a copy elsewhere."
    )
    TERMS = ("array", "chunk", "parity", "rebuild", "IOPS")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            str(count),
            f"survive({count})",
            "survive",
            id=f"use.survive-{count}",
            show=count == 0,
            key_display="0 1 2" if count == 0 else None,
            tooltip=f"Must survive {count} failed disk{'' if count == 1 else 's'}",
        )
        for count in range(MOST_SURVIVED + 1)
    ]

    def __init__(self) -> None:
        super().__init__()
        self._asked_for: dict[Workload, int] = {}  # by purpose, how many failed disks the person said

    def body(self) -> ComposeResult:
        yield OptionPick("An array for", self._uses, self.draft.use or _MYSELF, id="use")
        yield NumberLine("must survive", MOST_SURVIVED, "disk failures, any disks (0, 1, 2)", id="survive")

    def on_mount(self) -> None:
        self.query_one(OptionPick).focus()
        if self.draft.use is None:
            return
        self._asked_for[self.draft.use] = self.draft.survive
        if self.draft.proposed_for != self.draft.disks:  # else it was filled in, and what was changed since stays
            self._propose(self.draft.use, self.draft.survive)

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        use = Workload(pick_taken.key) if pick_taken.key else None
        self._propose(use, self._asked_for.get(use, USUALLY_SURVIVED[use]) if use else self.draft.survive)

    def on_number_line_taken(self, number_taken: NumberLine.Taken) -> None:
        self.action_survive(number_taken.number)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "survive":  # where nothing is proposed nothing has to
            return self.draft.use is not None
        return super().check_action(action, parameters)

    def action_survive(self, count: int) -> None:
        if self.draft.use is None:
            self.app.bell()  # a click on the line
        else:
            self._asked_for[self.draft.use] = count
            self._propose(self.draft.use, count)

    def refill(self) -> None:
        super().refill()
        self.query_one(NumberLine).present(self.draft.survive if self.draft.use else None)

    def blocker(self) -> str:
        advice = self._advice()
        return advice if isinstance(advice, str) else ""

    def show_detail(self, text: str, look: str = "") -> None:
        detail = self.query_one("#detail", Lines)
        width = max(20, (detail.size.width or 80) - 3)
        advice = self._advice()
        if not isinstance(advice, Advice):
            detail.show([((f" {line}", look),) for line in wrap(text, width)])
            return
        lines: list[Line] = [((f" {line}", "head"),) for line in wrap(text, width)]
        for sentence in wording.sentences(advice):
            lines += [((f" {line}", ""),) for line in wrap(sentence, width)]
        lines += [((f" {line}", "dim"),) for line in wrap(wording.second_best(advice), width)]
        detail.show(lines)

    def detail(self) -> tuple[str, str]:
        advice = self._advice()
        if isinstance(advice, str):
            return advice, "warn"
        if advice is None:
            highlighted = level(suggested_level(self.draft.array_disks)).name
            return (
                f"No proposal: choose level, layout and file system on the next steps. Preselected: {highlighted}.",
                "dim",
            )
        left = self.draft.array_disks
        proposed = "Proposed" if left == len(self.draft.disks) else f"Proposed for the {left} data disks"
        proposed += f": {wording.heading(advice.best)}"
        if changed := self._changed(advice.best):
            return f"Your choice: {', '.join(changed)} (kept until the purpose changes). {proposed}", "head"
        return proposed, "head"

    def _changed(self, proposal: Proposal) -> list[str]:
        """Differences from the proposal; with another level only that."""
        draft, proposed = self.draft, with_proposal(self.draft, proposal)
        if draft.level_or_suggested != proposed.level:
            return [level(draft.level_or_suggested).name]
        ours, theirs = (
            (one.layout_or_default or "", one.chunk, one.filesystem_or_default) for one in (draft, proposed)
        )
        layout, chunk, filesystem = ours
        no_filesystem = filesystem == filesystems.NONE
        words = (layout, f"chunk {chunk or 'default'}", "no file system" if no_filesystem else filesystem)
        return [text for text, our, their in zip(words, ours, theirs, strict=True) if our != their]

    def _propose(self, use: Workload | None, survive: int) -> None:
        draft = msgspec.structs.replace(
            self.draft, use=use, survive=survive, proposed_for=self.draft.disks, bitmap="internal"
        )
        self.wizard.draft = draft
        advice = self._advice()
        # where these disks cannot do what is asked, what was proposed of others is none either
        self.take(with_proposal(draft, advice.best if isinstance(advice, Advice) else None))
        self.refresh_bindings()

    def _advice(self) -> Advice | str | None:
        """Proposal, why there is none, or None if not wanted."""
        return advice_of(self.draft, self.members, self.speed)

    def _uses(self) -> list[Option]:
        uses = [Option(use.value, title, explanation) for use, (title, explanation) in wording.USES.items()]
        return [Option(_MYSELF, "I choose myself", "no proposal"), *uses]
