"""The list of commands in `raidtui --help`: in groups, summaries never cut. The texts are those of the commands."""

from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class GroupedCommands(TyperGroup):
    """Commands under the titles of their groups (`rich_help_panel`), the options last."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        cells = max(map(len, self.commands))
        for title, group in groupby(self.commands.values(), attrgetter("rich_help_panel")):
            with formatter.section(title):
                formatter.write_dl([(str(command.name).ljust(cells), command.short_help) for command in group])
        with formatter.section("Options"):
            formatter.write_dl([row for option in self.get_params(ctx) if (row := option.get_help_record(ctx))])
