"""The palette (ctrl+p): all that the screen beneath can do, and the themes, found by any part of their words."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider

from raidtui.ui.widgets.bars import key_name


class Offered(NamedTuple):
    """What it does, in words; the key that does it, if there is one; what is called."""

    text: str
    key: str
    run: Callable[[], object]


class Commands(Provider):
    """The keys that are in force beneath, by what they do; and each theme by its name."""

    async def discover(self) -> Hits:
        for offered in self._commands():
            yield DiscoveryHit(offered.text, offered.run, help=offered.key)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offered in self._commands():
            if (score := matcher.match(offered.text)) > 0:
                yield Hit(score, matcher.highlight(offered.text), offered.run, offered.text, offered.key)

    def _commands(self) -> Iterator[Offered]:
        actions: set[str] = set()
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            is_listed = (
                binding.id and binding.description and binding.action != "command_palette"
            )  # Textual's have no id
            if not (is_listed and active.enabled) or binding.action in actions:
                continue
            actions.add(binding.action)
            text = f"{binding.description}: {binding.tooltip}" if binding.tooltip else binding.description
            run = partial(self.app.run_action, binding.action, active.node)
            yield Offered(text, f"key {binding.key_display or key_name(key)}", run)
        if not self.app.no_color:
            for name in sorted(self.app.available_themes):
                yield Offered(f"theme: {name}", "", partial(setattr, self.app, "theme", name))
