"""The least that Textual can be: an app of one label. What the wizard's start is held against."""

from textual.app import App, ComposeResult
from textual.widgets import Label


class OneLabel(App[None]):
    """One label."""

    def compose(self) -> ComposeResult:
        yield Label("one label stands here")


if __name__ == "__main__":
    OneLabel().run()
