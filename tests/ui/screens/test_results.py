"""Results: gain and efficiency, why a run failed, what is left and what can be done with it."""

import asyncio
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.core.plan.kept import permanence
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.demo.recording import load
from raidtui.runs.directory import COMMISSIONING
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.figures import FiguresTable
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.overview import TabLine
from tests.builders.journals import started
from tests.replay import RUNS
from tests.runs.rig import plan_permanent
from tests.seeds import paired
from tests.ui.followed import RUN, ended, live_app, text
from tests.ui.machines import REMOVE, RecordedServices, disk
from tests.ui.pilots import LARGE, SIZES, Size, listed, on_screen, opened, press, ready
from tests.ui.runs import START_S, View, view_of


async def test_the_end_leads_to_results_with_gain_and_efficiency() -> None:
    app = live_app(ended())
    async with opened(app) as pilot:
        shown = await on_screen(pilot)
        assert isinstance(app.screen, ResultsScreen)
        assert "Finished after 1 min 30 s" in shown
        assert shown.count("× one disk") == 1 and "one disk" in shown and "expected" in shown and "diff." in shown
        assert "Sequential write (outer)" in shown and "Sequential write (file)" not in shown  # the first ones fit
        assert "MB/s" in shown and "▸ Next: `raidtui again r s1-member0-seq_write` to remeasure" in shown
        told = f"Results: {RUN}; `raidtui report {RUN.name}` prints them."  # not the newest: this one
        assert app.screen.last_words == (0, told)
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_failed_run_says_why_and_exits_with_1() -> None:
    app = live_app(ended("failed", done=1, reason="mdadm: cannot open /dev/sdb: busy"))
    async with opened(app) as pilot:
        assert "✗ FAILED after 1 min 30 s: mdadm: cannot open /dev/sdb: busy" in await on_screen(pilot)
        await pilot.press("q")
    assert app.return_code == 1


async def test_export_writes_where_it_says_and_never_over_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = live_app(ended())
    async with opened(app, LARGE) as pilot:
        await pilot.press("e", "enter")
        written = tmp_path / f"raidtui-{RUN.name}.md"
        assert str(written) in text(app, "#detail").replace("\n ", "")
        assert written.read_text().startswith("# ")
        await pilot.press("e", "enter")
        assert "exists" in text(app, "#detail").replace("\n", "")


async def test_the_page_of_an_array_that_stays_can_be_read(tmp_path: Path) -> None:
    app = RaidtuiApp(RecordedServices(views=[ended(kept=True)]), attach=tmp_path)
    async with opened(app) as pilot:
        await pilot.press("h")
        assert isinstance(app.screen, ResultsScreen)  # there is no such page
        (tmp_path / COMMISSIONING).touch()
        await pilot.press("h")
        shown = await listed(pilot)
        assert isinstance(app.screen, DetailsScreen) and " The array" in shown.splitlines()
        assert str(tmp_path / COMMISSIONING) in shown.partition("\n\n")[0].replace("\n ", "")
        assert "raidtui replace raidtui-00000000 OLD NEW" in shown
        await pilot.press("escape")
        assert isinstance(app.screen, ResultsScreen)


@pytest.mark.parametrize("size", [SIZES[0], LARGE])
async def test_enter_on_a_kept_array_opens_its_handover_where_the_foot_was(tmp_path: Path, size: Size) -> None:
    (tmp_path / COMMISSIONING).touch()
    app = RaidtuiApp(RecordedServices(views=[ended(kept=True)]), attach=tmp_path)
    async with opened(app, size) as pilot:
        shown = await on_screen(pilot)
        assert "▸ Next: enter handover" in shown and shown.count("Next:") == 1
        assert len(text(app, "#detail").split("\n")) == 1
        await press(pilot, "enter")
        assert isinstance(app.screen, DetailsScreen)
        _, foot, *_ = (await listed(pilot)).split("\n\n")  # the page's name is before it, in as many lines as it needs
        assert foot.startswith("  Array kept, not mounted.")


async def test_what_stands_at_the_foot_is_whole_after_the_window_became_narrower() -> None:
    app = live_app(ended())
    async with opened(app, LARGE) as pilot:
        await pilot.press("y")
        said = text(app, "#detail").split()
        assert said[-3:] == ["must", "allow", "this)."]
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        foot = app.screen.query_one("#detail", Lines)
        assert foot.text.split() == said and len(foot.lines) <= foot.size.height
        assert max(map(len, foot.text.splitlines())) < 80


async def test_a_kept_array_says_how_to_make_it_permanent_and_can_be_cleared_away() -> None:
    app = live_app(ended(kept=True))
    services = app.services
    assert isinstance(services, RecordedServices)
    async with opened(app, (100, 40)) as pilot:
        first = await on_screen(pilot)
        assert first.index("Your array is ready  raidtui-00000000") < first.index("as expected")
        assert "TB free, not mounted" in first and "Any 1 disk may fail" in first
        assert "! Nothing mounts it at boot: the report has the commands" in first and "Array kept" not in first
        await pilot.press("5")
        shown = (await listed(pilot)).partition(" Answer")[0]
        words = " ".join(shown.split())
        assert "To mount it at boot, run the commands at the end of " in words and "/etc/fstab" not in shown
        assert "Handover document (h)" in shown and f"{RUN}/commissioning.md" in shown
        await pilot.resize_terminal(160, 40)
        await pilot.pause()
        shown = (await listed(pilot)).partition(" Answer")[0]
        for line in permanence.shell_lines(ended(kept=True).plan):
            assert line in shown
        await press(pilot, "D")
        await press(pilot, "enter")
        assert not services.cleaned
        await press(pilot, "D")
        await press(pilot, *"remove", "enter")
        assert "Nothing was done: type exactly `remove vms`" in app.screen.query_one("#said", Lines).text
        await press(pilot, *REMOVE)
        assert services.cleaned == [RUN]


async def test_results_without_a_kept_array_do_not_offer_to_clear_away() -> None:
    app = live_app(ended())
    async with opened(app):
        await asyncio.sleep(0)
        assert "remove" not in app.screen.query_one("KeyBar", Lines).text


async def test_a_stopped_run_says_that_the_disks_are_blank_only_if_that_was_looked_at() -> None:
    app = live_app(ended("stopped", done=2))
    async with opened(app) as pilot:
        assert "Disks not checked: they may contain test data." in await on_screen(pilot)
    look = events.StepStarted(
        at_s=START_S, stage=1, what="Check that the disks are blank", line="x", role="members-blank", undoing=True
    )
    found = events.StepEnded(at_s=START_S + 1, what=look.what)
    end = events.RunEnded(at_s=START_S + 90, outcome="stopped", kept=False)
    app = live_app(view_of(3, 40, look, found, end))
    async with opened(app) as pilot:
        assert "No array. The disks are blank (no signatures)." in await on_screen(pilot)


async def test_the_answer_comes_first_and_is_copied_through_the_terminal() -> None:
    app = live_app(ended())
    async with opened(app, LARGE) as pilot:
        shown = await on_screen(pilot)
        assert shown.index("as expected") < shown.index("Next: ") < shown.index("1[Results]") < shown.index("diff.")
        await pilot.press("y")
        assert app.clipboard.startswith(ended().plan.title) and "\nNext: " in app.clipboard
        assert f"{len(app.clipboard.encode())} bytes sent" in text(app, "#detail")


async def test_a_picture_of_the_card_is_written_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = live_app(ended())
    async with opened(app, LARGE) as pilot:
        await pilot.press("p", "enter")
        assert (tmp_path / f"raidtui-{RUN.name}.svg").read_text().startswith("<svg")
        await pilot.press("p", *"card", "enter")
        assert (tmp_path / "card.svg").is_file()


@pytest.mark.parametrize("key", ["x", "enter"])
async def test_the_plan_that_explains_the_run_is_made_and_leads_to_review(key: str) -> None:
    view = ended() if key == "x" else load(RUNS / "raid5-of-3").view()
    app = live_app(view)
    services = app.services
    assert isinstance(services, RecordedServices)
    services.disks = tuple(
        disk(member.name, id=member.id, size_bytes=member.size_bytes) for member in view.plan.members
    )
    async with opened(app, LARGE) as pilot:
        if key == "enter":
            assert "▸ Next: enter explain: measure random 4K write again: each disk by itself" in await on_screen(pilot)
        await pilot.press(key)
        await app.workers.wait_for_complete()
        await pilot.pause()
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, ReviewScreen)
        await pilot.press("s")
        assert ("Random 4K write" if key == "x" else "--grow --bitmap=none") in await listed(pilot)
        await pilot.press("escape")
        assert isinstance(app.screen, ResultsScreen)
        assert "Report:" in app.screen.query_one("#detail", Lines).text


@pytest.mark.parametrize("known", [False, True], ids=["at once", "once it is known what explains it"])
async def test_x_explains_the_test_under_the_cursor(known: bool) -> None:
    app = live_app(ended())
    services = app.services
    assert isinstance(services, RecordedServices)
    members = ended().plan.members
    services.disks = tuple(disk(member.name, id=member.id, size_bytes=member.size_bytes) for member in members)
    async with opened(app, LARGE) as pilot:
        steps_before = app.step_names
        await pilot.press("home")
        job = app.screen.query_one(FiguresTable).chosen[1].job.removesuffix("-bare")
        await pilot.press("x")
        if known:
            await ready(pilot)
        else:
            await pilot.press("x")  # of two the first
        await app.workers.wait_for_complete()
        await pilot.pause()
        await app.workers.wait_for_complete()
        assert isinstance(app.screen, ReviewScreen)
        assert [type(screen).__name__ for screen in app.screen_stack].count("ReviewScreen") == 1
        assert app.draft.given and list(app.draft.given.jobs) == [job]
        assert app.step_names != steps_before
        await pilot.press("escape")
        assert isinstance(app.screen, ResultsScreen) and app.step_names == steps_before


async def test_a_kept_array_that_is_not_permanent_yet_is_made_so_once_that_is_typed() -> None:
    plan = plan_permanent()
    state = fold_all(
        [
            started("r"),
            events.StageEnded(at_s=2, stage=plan.kept_stage or 0, kept=True),
            events.RunEnded(at_s=3, outcome="failed", reason="no room on /boot", kept=True),
        ]
    )
    run = RunStatus(RUN, "failed", "12 of 12 measured", "RAID 1 of 2", 12, 12, kept=True, resumable=True)
    services = RecordedServices(views=[View(plan, state, (), ())], all_runs=(run,))
    app = RaidtuiApp(services, attach=RUN)
    async with opened(app, LARGE) as pilot:
        assert "r: add the array to mdadm.conf and fstab" in text(app, "#detail")
        await press(pilot, "r")
        await press(pilot, *"persistent", "space", *"on", "space", *"rack7", "enter")
        assert services.made_permanent == [RUN] and not services.resumed


async def test_a_kept_array_is_not_explained_from_here() -> None:
    """Its disks are taken: the command names what stands on them."""
    app = live_app(ended(kept=True))
    async with opened(app, LARGE) as pilot:
        await pilot.press("x")
        assert isinstance(app.screen, ResultsScreen) and "Looking" not in text(app, "#detail")


@pytest.mark.parametrize("practice", [True, False])
async def test_of_a_kept_array_x_says_why_it_explains_nothing_yet(
    practice: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if practice:
        monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(ended(kept=True))
    async with opened(app) as pilot:
        await pilot.press("x")
        said = " ".join((await listed(pilot)).split())
        assert (
            said.startswith("! Array kept: explaining would rebuild it. D removes it first, then x")
            and ("--target /mnt` (one test file" in said) is not practice
        )


async def test_what_another_practice_machine_kept_is_neither_said_to_stand_nor_cleared_away() -> None:
    app = live_app(replace(ended(kept=True), not_here=True))
    async with opened(app) as pilot:
        shown = await on_screen(pilot)
        assert "another practice machine" in shown and "x explain" not in shown
        assert "Array kept" not in shown and "Your array" not in shown
        await press(pilot, "D", "x")
        assert isinstance(app.screen, ResultsScreen)


async def test_escape_leads_from_results_to_the_runs_and_back() -> None:
    app = live_app(ended())
    async with opened(app) as pilot:
        await press(pilot, "4", "escape", "escape")  # the first tab, then the runs
        assert isinstance(app.screen, RunsScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, ResultsScreen)


@pytest.mark.parametrize("kept", [False, True])
async def test_the_way_to_all_runs_stands_below_where_the_window_is_small(kept: bool) -> None:
    app = live_app(ended(kept=kept))
    async with opened(app):
        keys = app.screen.query_one(KeyBar).text
        assert "R runs" in keys and "? help" in keys and ("D remove" in keys) is kept


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_tabs_are_opened_by_their_numbers_and_by_the_mouse(size: Size) -> None:
    app = live_app(load(RUNS / "raid5-of-3").view())
    async with opened(app, size) as pilot:
        assert "1[Results]" in await on_screen(pilot)
        for key, telling in zip(
            "2345", ("Throughput over time", "stripe cache (256 pages)", "its metadata", "Report: "), strict=True
        ):
            await pilot.press(key)
            shown = await on_screen(pilot)
            assert telling in shown and f"{key}[" in shown, shown
        at = app.screen.query_one(TabLine).text.index("3 Why")
        await pilot.click(TabLine, offset=(at, 0))
        assert "3[Why]" in await on_screen(pilot)
        await pilot.press("escape")
        assert "1[Results]" in await on_screen(pilot) and isinstance(app.screen, ResultsScreen)


async def test_a_key_shows_the_next_chart_and_another_its_scale() -> None:
    app = live_app(load(RUNS / "raid5-of-3").view())
    async with opened(app) as pilot:
        await pilot.press("2", "space")
        assert "Latency by percentile, ms  logarithmic (l)   2 of 4 (space)" in await on_screen(pilot)
        await pilot.press("l")
        assert "linear (l)" in await on_screen(pilot)
        await pilot.press("space")
        assert "Each disk vs median, %" in await on_screen(pilot)


async def test_enter_without_a_next_step_of_its_own_names_the_command() -> None:
    view = load(RUNS / "rack-of-24").view()
    app = live_app(view)
    async with opened(app) as pilot:
        await press(pilot, "enter")
        assert isinstance(app.screen, ResultsScreen)
        assert f"`raidtui again {view.state.run} members-seq_write`" in text(app, "#detail").replace("\n ", " ")


@pytest.mark.parametrize(
    "size, name", paired(SIZES, ["raid10-of-6", "rack-of-24", "queue-by-jobs", "existing-folder"]), ids=str
)
async def test_without_colours_every_word_and_number_is_there(
    name: str, size: Size, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for colours in (True, False):
        if not colours:
            monkeypatch.setenv("NO_COLOR", "1")
        app = live_app(load(RUNS / name).view())
        async with opened(app, size) as pilot:
            seen.append(Counter(re.findall(r"[\w.%×−±~]+", await on_screen(pilot))))
            assert app.no_color is not colours
    assert sum(seen[0].values()) > 100 and seen[0] - seen[1] == Counter()
