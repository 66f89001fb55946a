"""Words in a row of which one of each group is taken, by key or click."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from raidtui.ui.render.choice_rows import WordGroup, words_line
from raidtui.ui.widgets.lines import Lines


class WordRow(Lines):
    class Taken(Message):
        def __init__(self, group: int, number: int) -> None:
            super().__init__()
            self.group, self.number = group, number

    def __init__(self, groups: Sequence[WordGroup] = (), *, id: str) -> None:
        super().__init__([words_line(groups)], id=id)
        self._groups = tuple(groups)

    def present(self, groups: Sequence[WordGroup]) -> None:
        self._groups = tuple(groups)
        self.show([words_line(groups)])

    def on_click(self, event: events.Click) -> None:
        reach = 0
        for at, group in enumerate(self._groups):
            reach += len(group.before)
            for number, word in enumerate(group.words):
                if event.y == 0 and reach <= event.x < reach + len(word) + 2:
                    self.post_message(self.Taken(at, number))
                reach += len(word) + 2
            reach += len(group.after)
