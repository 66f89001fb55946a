"""Leaving: from every screen and by both keys it asks where something would end, and only there."""

from contextlib import suppress
from pathlib import Path

import pytest
from textual.worker import WorkerCancelled

from raidtui.runs.status import RunStatus
from raidtui.ui.confirmation import farewell
from raidtui.ui.screens.dialogs import TypedScreen
from tests.ui.followed import ended, live_app
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import opened, opened_on, press, said, wizard

GOING_ON = RunStatus(Path("/runs/one"), "going on", "3 of 12 measured", "RAID 5", 3, 12, alive=True)
KEPT = RunStatus(Path("/runs/two"), "finished", "12 of 12 measured", "RAID 5", 12, 12, kept=True)
OVER = RunStatus(Path("/runs/three"), "finished", "12 of 12 measured", "RAID 5", 12, 12)


@pytest.mark.parametrize(
    "runs, half_chosen, says",
    [
        ((GOING_ON, OVER), True, "ends the practice machine, and the run one with it."),
        ((OVER, KEPT), False, "and the array that two keeps with it."),
        ((GOING_ON, KEPT), False, "and the run one and the array that two keeps with it."),
        ((OVER,), True, "Your choices are not started"),
        ((OVER,), False, ""),
    ],
)
def test_it_asks_where_something_would_end(runs: tuple[RunStatus, ...], half_chosen: bool, says: str) -> None:
    asked = farewell(runs, half_chosen=half_chosen)
    assert says in asked.question if asked and says else asked is None and not says


@pytest.mark.parametrize(
    "way, key",
    [
        ((), "q"),
        ((), "ctrl+c"),
        (("R",), "q"),
        (("R", "n"), "q"),
        (("R", "n"), "ctrl+c"),
        (("question_mark",), "ctrl+c"),
    ],
)
async def test_a_run_of_a_practice_machine_is_not_left_without_asking(
    way: tuple[str, ...], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(ended())
    app.services.all_runs = (GOING_ON,)  # type: ignore[attr-defined]
    async with opened(app) as pilot:
        for pressed in (*way, key):
            await press(pilot, pressed)
        assert app.is_running and isinstance(app.screen, TypedScreen) and "the run one with it" in said(app, "#asked")
        await pilot.press(*"leave", "enter")
    assert app.return_code == 0


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_what_is_half_chosen_is_asked_for_by_both_keys(key: str) -> None:
    async with opened_on("Disks") as (app, pilot):
        await press(pilot, key)
        assert app.is_running and "Your choices are not started" in said(app, "#asked")


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_in_practice_too_nothing_is_asked_where_nothing_would_end(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = wizard(RecordedServices(rack(3), all_runs=(OVER,)))
    async with opened(app) as pilot:
        await pilot.press(key)
        with suppress(WorkerCancelled):  # the app may have left by then
            await app.workers.wait_for_complete()
        await pilot.pause()
    assert app.return_code == 0
