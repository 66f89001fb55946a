"""Level by keys: a purpose proposes, the row under the cursor is taken, and failures are simulated in the drawing."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from textual.events import Key

from raidtui.core.advice.answer_file import recommended
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import to_document
from raidtui.core.raid.levels import level
from raidtui.core.raid.purposes import Workload
from raidtui.ui.disk_view import level_sums
from raidtui.ui.draft import LevelChoice, answers, level_choices, with_disks
from raidtui.ui.preview import level_view
from raidtui.ui.render import cells
from raidtui.ui.screens.chunk import ChunkScreen
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing, WordRow
from raidtui.ui.widgets.pick_list import PickList
from tests.builders.labels import nominal_bytes
from tests.seeds import paired
from tests.ui.machines import RecordedServices, disk, rack
from tests.ui.pilots import LARGE, SMALL, Size, opened, opened_on, press, ready, said, turned_to, wizard

SIZES = [SMALL, (100, 32), LARGE, (200, 60)]


def box(count: int, gigabytes: int, **fields: object) -> tuple[Disk, ...]:
    return tuple(disk(f"sd{chr(97 + at)}", size_bytes=nominal_bytes(gigabytes), **fields) for at in range(count))


def asked(app: Any) -> str:
    return said(app, "#question")


# --- purpose ------------------------------------------------------------------------------------------------------


async def test_a_purpose_is_in_force_and_fills_in_the_steps_that_follow() -> None:
    async with opened_on("Level", RecordedServices(box(6, 8000)), after="keep") as (app, pilot):
        assert (app.draft.use, app.draft.survive, app.draft.level) == (Workload.FILES, 1, "6")
        assert app.draft.filesystem == "xfs" and asked(app) == "Which level? RAID 6, 6 disks, 32.0 TB = 29.1 TiB usable"
        await pilot.press("left")
        assert (app.draft.use, app.draft.level) == (Workload.MEDIA, "6")
        await pilot.press("0")
        assert (app.draft.survive, app.draft.level) == (0, "0")
        await pilot.press("2")
        assert (app.draft.survive, app.draft.level) == (2, "6")
        await pilot.press("right", "right")
        assert (app.draft.use, app.draft.level, app.draft.layout) == (Workload.VMS, "10", "n2")
        assert "[VMs]" in app.screen.query_one(WordRow).text
        pick = app.screen.query_one(PickList)
        assert pick.cursor == level_choices(app.draft).index(LevelChoice("10", "n2"))


async def test_the_purposes_go_round_and_each_has_its_own_number_of_failures() -> None:
    async with opened_on("Level", rack(6), use=Workload.BACKUP, after="keep") as (app, pilot):
        await pilot.press("2", "left")
        assert (app.draft.use, app.draft.survive, app.draft.level) == (Workload.SCRATCH, 0, "0")
        await pilot.press("1", "left")
        assert (app.draft.use, app.draft.survive) == (Workload.DATABASES, 1)
        await pilot.press("right", "right")
        assert (app.draft.use, app.draft.survive) == (Workload.BACKUP, 2)
        await pilot.press("left")
        assert (app.draft.use, app.draft.survive) == (Workload.SCRATCH, 1)


async def test_purpose_and_number_of_failures_are_chosen_by_clicks_too() -> None:
    async with opened_on("Level", rack(6), use=Workload.VMS, after="keep") as (app, pilot):
        row = app.screen.query_one(WordRow)
        assert "[1]" in row.text
        await pilot.click(WordRow, offset=(row.text.index(" 2") + 1, 0))
        await pilot.pause()
        assert app.draft.survive == 2 and app.draft.layout == "n3" and "[2]" in row.text
        await pilot.click(WordRow, offset=(row.text.index("scratch"), 0))
        await pilot.pause()
        assert app.draft.use is Workload.SCRATCH and "[scratch]" in row.text


async def test_what_nothing_survives_is_said_and_not_gone_on_with_unless_a_level_is_chosen() -> None:
    chosen: dict[str, Any] = {"use": Workload.VMS, "survive": 2, "level": "6", "after": "keep"}
    async with opened_on("Level", rack(2), **chosen) as (app, pilot):
        assert app.draft.level == ""  # one that was proposed of more disks
        await pilot.press("enter")
        assert isinstance(app.screen, LevelScreen) and "add 1, or survive fewer" in said(app)
        await pilot.press("v")
        assert isinstance(app.screen, LevelScreen)
        await pilot.press("1", "enter")
        assert isinstance(app.screen, FilesystemScreen) and app.draft.level == "1"
    async with opened_on("Level", rack(2), **chosen) as (app, pilot):
        await pilot.press("up", "enter")
        assert app.draft.level == "0" and not isinstance(app.screen, LevelScreen)


async def test_what_was_changed_since_stays_when_the_way_back_leads_here() -> None:
    async with opened_on("Level", rack(6), use=Workload.BACKUP, survive=2, after="keep") as (
        app,
        pilot,
    ):
        assert app.draft.level == "6"
        changed = replace(app.draft, layout="right-symmetric", bitmap="journal", filesystem="ext4", spares=1)
        await turned_to("Level", app, pilot, **msgspec.structs.asdict(changed))
        assert app.draft == changed
        fewer = replace(changed, disks=changed.disks[:4])
        await turned_to("Level", app, pilot, **msgspec.structs.asdict(fewer))
        assert (app.draft.layout, app.draft.bitmap, app.draft.filesystem) != ("right-symmetric", "journal", "ext4")


async def test_a_level_that_was_chosen_by_hand_stays_and_another_purpose_fills_in_again() -> None:
    chosen: dict[str, Any] = {"level": "5", "chunk": "64KiB", "after": "keep"}
    async with opened_on("Level", rack(6), **chosen) as (app, pilot):
        assert (app.draft.level, app.draft.chunk, app.draft.use) == ("5", "64KiB", Workload.FILES)
        await pilot.press("right")
        assert (app.draft.level, app.draft.layout) == ("10", "n2")


async def test_the_proposed_level_comes_back_with_its_layout_and_a_click_on_it_changes_nothing_more() -> None:
    services = RecordedServices(rack(6))
    async with opened_on("Level", services, use=Workload.SCRATCH, survive=1, after="keep") as (app, pilot):
        await pilot.press("home", *["down"] * 8)
        assert (app.draft.level, app.draft.layout, app.draft.filesystem) == ("10", "f2", "xfs")
        assert isinstance(app.screen, LevelScreen)
        app.screen.change(chunk="64KiB")
        await pilot.click(PickList, offset=(8, 2 + 8))
        await pilot.pause()
        assert (app.draft.level, app.draft.layout, app.draft.chunk) == ("10", "f2", "64KiB")
        await pilot.click(PickList, offset=(8, 2 + 5))
        await pilot.pause()
        assert (app.draft.level, app.draft.layout) == ("10", "n2")


async def test_where_nothing_is_kept_no_purpose_is_asked_and_right_leads_on() -> None:
    async with opened_on("Level", rack(6)) as (app, pilot):
        assert not app.screen.query(WordRow) and app.draft.use is None
        await pilot.press("2", "right")
        assert isinstance(app.screen, ChunkScreen) and app.draft.survive == 1


@pytest.mark.parametrize(
    "size, wish",
    paired(
        SIZES,
        [
            (box(6, 8000), Workload.MEDIA, 1, "RAID 6"),
            (box(4, 2000, rotational=False, transport="nvme"), Workload.DATABASES, 1, "RAID 10 n2"),
            (box(24, 1200), Workload.VMS, 1, "RAID 10 n2"),
            (box(4, 2000), Workload.MEDIA, 1, "RAID 5"),  # the longest: what its rebuild risks is told
        ],
    ),
)
async def test_all_reasons_are_one_key_away(size: Size, wish: tuple[tuple[Disk, ...], Workload, int, str]) -> None:
    disks, use, survive, words = wish
    async with opened_on("Level", RecordedServices(disks), size, use=use, survive=survive, after="keep") as (
        app,
        pilot,
    ):
        why = app.screen.query_one("#why", Lines)
        assert why.display == (size[0] >= 100)
        if size[1] >= 40:
            assert len(why.lines) <= why.size.height and "usable" in why.text
        if why.display:
            assert f"{words} proposed for" in why.text and max(map(len, why.text.splitlines())) <= why.size.width
        await pilot.press("d")
        assert isinstance(app.screen, DetailsScreen)
        text = " ".join(app.screen.query_one(Listing).text.split())
        assert text.startswith(f"Proposed: {words}") and "Second best, " in text and "TiB" in text


# --- level --------------------------------------------------------------------------------------------------------


async def test_every_level_is_listed_and_impossible_ones_say_what_they_take() -> None:
    async with opened_on("Level", rack(2)) as (app, pilot):
        levels = app.screen.query_one(PickList)
        assert "RAID 6 needs 4 disks; choose 2 more." in " ".join(levels.text.split())
        await pilot.press("home", *["down"] * 4)
        assert app.draft.level == "6"
        await pilot.press("enter")
        assert isinstance(app.screen, LevelScreen)
        assert "choose 2 more" in said(app)


async def test_layouts_of_raid_10_are_rows_and_a_chosen_one_has_its_own() -> None:
    async with opened_on("Level", rack(6), level="10", layout="o3") as (app, pilot):
        names = [
            line.strip("▸◆ ")[:10] for line in app.screen.query_one(PickList).text.splitlines() if "RAID 10" in line
        ]
        assert names == ["RAID 10 n2", "RAID 10 n3", "RAID 10 o2", "RAID 10 f2", "RAID 10 o3"]
        await pilot.press("up")
        assert (app.draft.level, app.draft.layout) == ("10", "f2")


async def test_a_level_that_was_not_chosen_follows_the_number_of_disks_and_a_chosen_one_stays() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await pilot.press("right", "down", "space", "enter")
        assert app.answers.setup.level == "jbod"
        await pilot.press("enter")
        await pilot.press("escape", "escape")
        await pilot.press("down", "space", "enter")
        assert app.answers.setup.level == "1"
        await pilot.press("home")
        assert app.answers.setup.level == "0"
        await pilot.press("escape")
        await pilot.press("down", "space", "enter")
        assert app.answers.setup.level == "0"


@pytest.mark.parametrize("key", ["1", "jbod", "linear"])
async def test_a_level_without_chunk_goes_on_to_the_file_system(key: str) -> None:
    async with opened_on("Level", rack(2), level=key) as (app, pilot):
        assert "Chunk" not in app.step_names
        await pilot.press("enter")
        assert isinstance(app.screen, FilesystemScreen)


async def test_what_was_chosen_right_before_enter_is_what_the_next_step_is_about() -> None:
    async with opened_on("Level", rack(6), LARGE, level="5") as (app, pilot):
        for key in ("up", "enter", "enter"):  # at once, as over a slow line: 4, which has no layouts
            app.post_message(Key(key, None))
        await ready(pilot)
        assert isinstance(app.screen, ChunkScreen) and app.draft.level == "4"
        assert not app.screen.query("#layout") and len(app.screen_stack) == 3


async def test_a_key_behind_enter_changes_nothing_on_the_step_that_is_left() -> None:
    async with opened_on("Level", rack(6), LARGE, level="5") as (app, pilot):
        for key in ("enter", "home", "end", "up"):
            app.post_message(Key(key, None))
        await ready(pilot)
        assert isinstance(app.screen, ChunkScreen) and app.draft.level == "5"


@pytest.mark.parametrize(
    "key, screen", [("v", ReviewScreen), ("c", ChunkScreen), ("f", FilesystemScreen), ("t", MeasureScreen)]
)
async def test_one_key_leads_to_any_step_and_escape_back(key: str, screen: type) -> None:
    async with opened_on("Level", rack(6), after="keep") as (app, pilot):
        draft = app.draft
        await press(pilot, key)
        assert isinstance(app.screen, screen) and app.draft == draft
        await pilot.press("escape")
        assert isinstance(app.screen, LevelScreen)


async def test_where_nothing_is_open_on_chunk_its_key_leads_on() -> None:
    async with opened_on("Level", rack(6), level="0") as (app, pilot):
        for key in ("end", "c"):  # at once: separate disks
            app.post_message(Key(key, None))
        await ready(pilot)
        assert isinstance(app.screen, FilesystemScreen) and app.draft.level == "jbod"


@pytest.mark.parametrize("after", ["keep", "teardown"])
async def test_enter_alone_reaches_review_from_disks(after: str) -> None:
    app = wizard(rack(6))
    async with opened(app) as pilot:
        app.draft = replace(app.draft, after=after)
        await pilot.press("a")
        seen = []
        for _ in range(5):
            await press(pilot, "enter")
            seen.append(type(app.screen).__name__)
            if seen[-1] != "ReviewScreen":
                assert " TB = " in asked(app) and " TiB usable" in asked(app)
        assert seen == ["LevelScreen", "ChunkScreen", "FilesystemScreen", "MeasureScreen", "ReviewScreen"]


# --- failures -----------------------------------------------------------------------------------------------------


async def test_failures_are_simulated_by_the_placement_and_nothing_is_chosen_by_them() -> None:
    async with opened_on("Level", rack(6), use=Workload.VMS, after="keep") as (app, pilot):
        draft = app.draft
        await pilot.press("x")
        assert said(app) == "✓ sda failed: no data lost, survives 0 more (1 more in 4 of 5 cases)"
        assert "✗sda" in said(app, "#drawing") and "╳╳" in said(app, "#drawing")
        await pilot.press("x")
        assert said(app) == "✗ sda, sdb failed: data lost"
        await pilot.press("X", "right_square_bracket", "x")
        assert said(app) == "✓ sda, sdc failed: no data lost, survives 0 more (1 more in 2 of 4 cases)"
        assert app.draft == draft
        await pilot.press("home", *["down"] * 4)  # the same failures of another level
        assert said(app) == "✓ sda, sdc failed: no data lost, survives 0 more" and app.draft.level == "6"
        await pilot.press("X", "X", "X")
        assert said(app) == level("6").summary and "╳" not in said(app, "#drawing")


async def test_a_click_on_a_disk_fails_and_repairs_it() -> None:
    async with opened_on("Level", rack(4), LARGE, level="5") as (app, pilot):
        drawing = app.screen.query_one("#drawing", Lines)
        at = drawing.text.splitlines()[0].index("sdc") + 2
        await pilot.click("#drawing", offset=(at, 2))
        assert said(app) == "✓ sdc failed: no data lost, survives 0 more"
        await pilot.click("#drawing", offset=(at, 2))
        assert said(app) == level("5").summary


async def test_the_keys_say_that_failures_are_simulated() -> None:
    async with opened_on("Level", rack(6), LARGE, after="keep") as (app, _):
        bar = app.screen.query_one(KeyBar).text
        assert (
            "x simulate" in bar
            and "0 1 2 survive" in bar
            and "d why" in bar
            and "c f t any step" in bar
            and "v review" in bar
        )


# --- looks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size, disks", paired(SIZES, [3, 8, 24]))
async def test_without_colours_the_text_has_every_word_and_number(
    monkeypatch: pytest.MonkeyPatch, size: Size, disks: int
) -> None:
    signs = str.maketrans(dict.fromkeys("█▒░▪■[]{}()▄▖", " "))

    async def shown() -> list[str]:
        async with opened_on("Level", rack(disks), size, use=Workload.VMS, after="keep") as (
            app,
            pilot,
        ):
            await pilot.press("x")
            lines = [*app.screen.query(Lines), *app.screen.query(PickList)]
            return " ".join(each.text for each in lines if each.display).translate(signs).split()

    coloured = await shown()
    monkeypatch.setattr(cells, "use_colours", lambda _: None)
    monkeypatch.setattr(cells, "_colours", False)
    assert sorted(await shown()) == sorted(coloured)


@pytest.mark.parametrize("size, disks", paired(SIZES, [8, 2, 60]))
async def test_nothing_is_cut(size: Size, disks: int) -> None:
    async with opened_on("Level", rack(disks), size, after="keep") as (app, pilot):
        for key in ("home", *["down"] * 10):
            await pilot.press(key)
            for lines in app.screen.query(Lines):
                if lines.display and lines.id != "why":
                    assert "…" not in lines.text
                    assert max(map(len, lines.text.splitlines() or [""])) <= lines.size.width, lines.id
            assert "…" not in app.screen.query_one(PickList).text


async def test_a_level_holds_as_much_on_disks_as_here() -> None:
    """The chunk of the proposal rounds otherwise than mdadm's own: two chunks of each disk are seen on small ones."""
    small = tuple(replace(one, size_bytes=(130 << 20) + (450 << 10), rotational=False) for one in box(6, 8000))
    async with opened_on("Disks", RecordedServices(small), after="keep") as (app, pilot):
        disks = app.screen
        assert isinstance(disks, DisksScreen)
        before = {one.name: one.array_bytes for one in level_sums(app.draft, disks.members, disks.speed)}
        await press(pilot, "enter")
        screen = app.screen
        assert isinstance(screen, LevelScreen)
        views = {
            choice.key: level_view(screen.draft, choice, screen.members, screen.speed, screen.advice)
            for choice in level_choices(screen.draft)
            if choice.layout in ("", "n2")
        }
        held = {
            view.level: view.capacity.array_bytes for view in views.values() if view.capacity and view.level in before
        }
        assert before == held and len(before) == 3


# --- groups -------------------------------------------------------------------------------------------------------


async def test_many_hard_disks_are_proposed_as_groups_with_spares_as_by_advise() -> None:
    disks = box(24, 16000)
    async with opened_on("Level", RecordedServices(disks), after="keep") as (app, pilot):
        told, _ = recommended(advise(Wish(Workload.FILES, 1), disks), disks)
        assert to_document(answers(app.draft))["setup"].items() >= told["setup"].items()
        assert (app.draft.groups, app.draft.spares, app.draft.chunk) == (2, 2, "256KiB")
        assert asked(app) == "Which level? RAID 60, 2 × 11, 288 TB = 262 TiB usable"
        rows = app.screen.query_one(PickList).text
        assert [row for row in ("50 3×8", "60 2×12", "◆ RAID 60 2×11+2", "60 3×8") if row not in rows] == []
        assert not any(word in rows for word in ("RAID 4", "linear", "RAID 1 "))
        await press(pilot, "down")
        assert (app.draft.groups, app.draft.spares, app.draft.chunk) == (3, 0, "512KiB")
        await press(pilot, "a")
        assert "RAID 4" in app.screen.query_one(PickList).text and app.draft.groups == 3
        await press(pilot, "down", "down", "up")
        assert (app.draft.level, app.draft.groups, app.draft.spares) == ("10", 1, 0)


async def test_failures_are_simulated_by_group() -> None:
    async with opened_on("Level", RecordedServices(box(24, 16000)), LARGE, after="keep") as (app, pilot):
        assert "╭───── group 1 ─────╮" in said(app, "#drawing")
        await press(pilot, "x", "x")
        assert said(app).startswith("✓ sda, sdb failed: no data lost, group 1 survives 0 more (1 more in 11 of 20")
        await press(pilot, *["right_square_bracket"] * 11, "x")
        assert "sda, sdb, sdn failed: no data lost, group 1 survives 0 more" in said(app)
        await press(pilot, "left_square_bracket", *["left_square_bracket"] * 6, "x")
        assert said(app) == "✗ sda, sdb, sdh, sdn failed: group 1 lost, all data lost"


async def test_the_largest_disks_are_the_spares_and_a_choice_of_other_disks_has_no_groups() -> None:
    disks = (disk("sda", size_bytes=nominal_bytes(18000)), *box(24, 16000)[1:])
    async with opened_on("Level", RecordedServices(disks), after="keep") as (app, _):
        assert (app.draft.groups, app.draft.disks[-2:]) == (2, (disks[0].id, disks[-1].id))
        assert app.draft.proposed_for == app.draft.disks
        fewer = with_disks(app.draft, app.draft.disks[:9])
        assert (fewer.groups, fewer.spares) == (1, 0)
