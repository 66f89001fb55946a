"""Which screen asks each step of the choosing. Each is imported when it is first wanted."""

from typing import Any

from raidtui.ui.screens.base import BaseScreen


def screen_of(step: str) -> BaseScreen[Any]:
    """The screen of a step, imported when it is first wanted."""
    match step:
        case "Disks":
            from raidtui.ui.screens.disks import DisksScreen

            return DisksScreen()
        case "Level":
            from raidtui.ui.screens.level import LevelScreen

            return LevelScreen()
        case "Layout":
            from raidtui.ui.screens.layout import LayoutScreen

            return LayoutScreen()
        case "File system":
            from raidtui.ui.screens.filesystem import FilesystemScreen

            return FilesystemScreen()
        case "Measure":
            from raidtui.ui.screens.measure import MeasureScreen

            return MeasureScreen()
        case _:
            from raidtui.ui.screens.review import ReviewScreen

            return ReviewScreen()
