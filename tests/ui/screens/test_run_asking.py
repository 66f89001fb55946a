"""The name of an array that is not removed without it: typed on each screen that removes one, at two sizes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from raidtui.core.run.events import RunEnded
from raidtui.runs.directory import NotDone
from raidtui.runs.removing import Removal
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.confirmation import Prompt
from raidtui.ui.screens.dialogs import TypedScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.services import RunView
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines
from tests.ui.followed import RUN
from tests.ui.machines import FOUND, MIXED, RecordedServices
from tests.ui.pilots import LARGE, SMALL, Size, at_disk, opened, press, ready, said, wizard
from tests.ui.runs import START_S, view_of

NAME = "raidtui-e07784a4"
WHY = (
    f"{NAME} holds 'a-folder-with-a-rather-long-name', 'database' and 14 others, which this run did not write"
    " (md: last update 2026-11-26 23:59 UTC, 12345 events)"
)
SENTENCE = f"{WHY}; to remove it: `--erase {NAME}`"
NODES = " ".join(f"/dev/sd{letter}" for letter in "bcdefghijklmnopqrstuvwxy")
BY_HAND = (
    f"{WHY}; nothing was changed; to remove it: `mdadm --assemble --run /dev/md/{NAME} {NODES}"
    f" && wipefs --all /dev/md/{NAME}`"
)
NEEDED = NotDone(SENTENCE, refused=True, name=NAME)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE])

KEPT = RunStatus(RUN, "finished", "12 of 12 measured", "RAID 6 of 4", 12, 12, kept=True)
CUT_OFF = RunStatus(RUN, "cut off", "5 of 12 measured; its worker died", "RAID 6", 5, 12, unsettled=True,
                    resumable=True)  # fmt: skip


@asynccontextmanager
async def asked(
    screen: str, size: Size, *missing: NotDone
) -> AsyncIterator[tuple[RecordedServices, RaidtuiApp, Pilot[int]]]:
    """What removes the array of a run on this screen is asked for, its first word typed."""
    end = RunEnded(at_s=START_S + 90, outcome="finished", kept=True, reason="")
    views: list[RunView] = [view_of(3, 40, end, done=100, after="keep")] if screen == "Results" else [view_of(3, 5)]
    run = {"Runs": KEPT, "resume": CUT_OFF}.get(screen)
    services = RecordedServices(
        views=views, all_runs=(run,) if run else (), keepers={MIXED[0].id: RUN}, missing=missing
    )
    app = RaidtuiApp(services, attach=RUN) if screen == "Results" else wizard(services)
    async with opened(app, size) as pilot:
        if screen == "Runs":
            await press(pilot, "R")
        if screen == "Disks":
            await at_disk(app, pilot, MIXED[0].name)
        await press(pilot, "r" if screen == "resume" else "D")
        if screen == "resume":
            await written(pilot, "continue")
        yield services, app, pilot


async def written(pilot: Pilot[int], word: str) -> None:
    await press(
        pilot, *("space" if letter == " " else "minus" if letter == "-" else letter for letter in word), "enter"
    )


def is_read_whole(app: RaidtuiApp, selector: str, sentence: str) -> bool:
    """Are all words of it in lines that the window shows, none wider than it is?"""
    lines = app.screen.query_one(selector, Lines)
    assert max(map(len, lines.text.splitlines())) <= app.size.width
    assert lines.region.height >= len(lines.text.splitlines()) and lines.region.bottom <= app.size.height
    return sentence in " ".join(lines.text.split())


SCREENS = pytest.mark.parametrize("screen", ["Runs", "Results", "Disks", "resume"])


@SIZES
async def test_a_run_that_has_to_name_an_array_goes_on_once_its_name_is_typed(size: Size) -> None:
    second = NotDone("tank is kept, and not looked into; to remove it: `--erase tank`", refused=True, name="tank")
    async with asked("resume", size, NEEDED, second) as (services, app, pilot):
        assert isinstance(app.screen, TypedScreen) and is_read_whole(app, "#asked", f"{SENTENCE}.")
        await written(pilot, NAME[:-1])  # another word does nothing
        assert services.resumed == [] and isinstance(app.screen, TypedScreen)
        await written(pilot, NAME)
        assert services.resumed == [] and "tank is kept" in said(app, "#asked")
        await written(pilot, "tank")
        assert services.resumed == [RUN] and isinstance(app.screen, LiveScreen)


@SIZES
@pytest.mark.parametrize("screen", ["Runs", "Results", "Disks"])
async def test_one_question_lists_all_that_a_removal_does(screen: str, size: Size) -> None:
    does = ("unmount /srv/vms", "take its lines out of /etc/fstab, /etc/mdadm/mdadm.conf", FOUND.does[0])
    found = Removal("vms", does, "holds 'a', which this run did not write", at_boot=True)
    async with asked(screen, size) as (services, app, pilot):
        await press(pilot, "escape")
        assert services.cleaned == [] and not isinstance(app.screen, TypedScreen)
        if screen == "Results":
            assert "D remove" in app.screen.query_one(KeyBar).text
        services.looks[:] = [found]
        await press(pilot, "D")  # it can be asked for again
        asks = [line.strip() for line in app.screen.query_one("#asked", Lines).text.splitlines()]
        assert asks[1:5] == [f"Remove vms, of run {RUN.name}?", *(f"- {what}" for what in does)]
        assert is_read_whole(app, "#asked", "vms holds 'a', which this run did not write. All data on it is lost;")
        assert f"`raidtui undo {RUN.name}` does the first lines alone" in " ".join(asks)
        await written(pilot, "remove")
        assert services.cleaned == [] and isinstance(app.screen, TypedScreen)
        await written(pilot, "remove vms")
        assert services.cleaned == [RUN]


@SIZES
@SCREENS
async def test_a_refusal_with_the_commands_for_24_disks_is_read_whole(screen: str, size: Size) -> None:
    async with asked(screen, size, NotDone(BY_HAND, refused=True)) as (services, app, _):
        assert not isinstance(app.screen, TypedScreen) and is_read_whole(app, "#detail", BY_HAND)
        assert services.cleaned == services.resumed == []


async def test_where_the_screen_that_asked_is_gone_the_app_tells_that_it_was_not_removed() -> None:
    services = RecordedServices(missing=(NEEDED,))
    app = wizard(services)
    async with opened(app) as pilot:
        app.remove_run(TypedScreen(Prompt("never shown", "word")), RUN)
        await ready(pilot)
        assert [note.message for note in app._notifications] == [SENTENCE] and services.cleaned == []
