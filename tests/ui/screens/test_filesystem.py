"""File system by keys: usable space, the stripes that mkfs is told, and what is mounted at boot behind a key."""

from typing import Any

import pytest

from raidtui.core.raid.purposes import Workload
from raidtui.ui.draft import answers
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.named_field import TypedLine
from raidtui.ui.widgets.pick_list import PickList
from tests.seeds import paired
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, Size, listed, on_screen, opened_on, press, said

KEPT: dict[str, Any] = {"level": "1", "filesystem": "ext4", "after": "keep"}


async def test_the_geometry_that_mkfs_gets_is_shown() -> None:
    async with opened_on("File system", rack(3), LARGE, filesystem="xfs") as (app, pilot):
        assert "su=524288 sw=2" in said(app) and "mkfs.xfs -b size=4096 -d su=524288,sw=2" in said(app, "#why")
        await pilot.press("down")
        assert app.draft.filesystem == "ext4" and "stride=128, stripe-width=256" in said(app)
        await pilot.press("down", "down")
        assert app.draft.filesystem == "btrfs" and "no stripe option" in said(app)
        await pilot.press("down")
        assert app.draft.filesystem == "none" and said(app) == "No file system: tests run on the array itself."


async def test_the_row_under_the_cursor_is_the_choice_and_the_purposes_is_marked() -> None:
    async with opened_on("File system", rack(8), use=Workload.FILES, after="keep") as (app, pilot):
        table = app.screen.query_one("#filesystem", PickList)
        assert "▸◆ xfs" in table.text and "for files ≈ 23.8 TB 21.7 TiB" in said(app, "#space")
        await pilot.press("down")
        assert "▸  ext4" in table.text and "root only" in said(app, "#space")
    async with opened_on("File system", rack(8)) as (app, _):
        assert "▸◆ none" in app.screen.query_one("#filesystem", PickList).text


async def test_one_that_ends_below_the_array_is_not_gone_on_with() -> None:
    async with opened_on("File system", rack(8), filesystem="ext4") as (app, pilot):
        await pilot.press("down", "enter")
        assert isinstance(app.screen, FilesystemScreen) and "choose another file system" in said(app)
        await pilot.press("down", "enter")
        assert isinstance(app.screen, MeasureScreen)


async def test_every_byte_is_one_key_away() -> None:
    async with opened_on("File system", rack(8), filesystem="xfs") as (app, pilot):
        await pilot.press("z")
        assert isinstance(app.screen, DetailsScreen)
        text = app.screen.query_one(Listing).text
        assert "32,006,296,240,128 B" in text and "mkfs.xfs" in text


@pytest.mark.parametrize(
    "choices, fields",
    [
        (KEPT, ["mount_owner", "mount_mode", "mount_options", "label", "array_name", "mount_point"]),
        (KEPT | {"filesystem": "none"}, ["array_name"]),
        ({"level": "1"}, None),
    ],
)
async def test_folder_owner_and_mode_are_asked_of_an_array_that_is_mounted_at_each_boot(
    choices: dict[str, str], fields: list[str] | None
) -> None:
    async with opened_on("File system", rack(2), SMALL, **choices) as (app, pilot):
        assert ("m mount" in app.screen.query_one(KeyBar).text) == (fields is not None)
        await pilot.press("m")
        if fields is None:
            assert not app.screen.query("#form")
            return
        assert app.focused is app.screen.query_one("#permanent")

        def shown() -> list[str | None]:
            return [field.id for field in app.screen.query(TypedLine) if field.parent and field.parent.display]

        assert shown() == [key for key in fields if key in ("array_name", "label")]
        await pilot.press("down")
        assert app.draft.permanent == "yes" and shown() == fields
        mounted = "mount_point" in fields
        assert app.screen.query_one("#mount_guard").display is mounted
        if mounted:
            await pilot.press("down")
            assert app.focused is app.screen.query(TypedLine).first()
            await pilot.press("up")
            assert app.focused is app.screen.query_one("#permanent")
        await pilot.press("escape")
        table = app.screen.query_one("#filesystem")
        assert table.display and table.has_focus
        assert "at boot" not in said(app) and app.screen.query_one("#mount_point").is_on_screen is mounted


async def test_the_folder_goes_along_with_the_name_until_it_is_another() -> None:
    named = {"permanent": "yes", "array_name": "store", "mount_point": "/srv/store"}
    async with opened_on("File system", rack(2), SMALL, **KEPT, **named) as (app, pilot):
        shown = await on_screen(pilot)
        assert " Array name  store " in shown and " Mount at    /srv/store" in shown and "df -h Size" in shown
        await press(pilot, "tab", "end", "2")
        assert (app.draft.array_name, app.draft.mount_point) == ("store2", "/srv/store2")
        assert "/srv/store2" in await on_screen(pilot)
        await press(pilot, "tab", "end", "x", "up", "end", "3")
        assert (app.draft.array_name, app.draft.mount_point) == ("store23", "/srv/store2x")
        await press(pilot, "enter")
        assert isinstance(app.screen, MeasureScreen)


async def test_names_options_and_guard_are_answers_and_a_bad_name_is_refused() -> None:
    async with opened_on("File system", rack(2), SMALL, **KEPT, permanent="yes") as (app, pilot):
        await pilot.press("m")
        for key, text in (("array_name", "store"), ("label", "files"), ("mount_options", "noatime")):
            app.screen.query_one(f"#{key}").focus()
            await pilot.press(*text)
        app.screen.query_one("#mount_guard").focus()
        await pilot.press("down")
        given = answers(app.draft)
        assert (given.array_name, given.label, given.mount_options) == ("store", "files", "noatime")
        assert given.mount_guard == "immutable"
        app.screen.query_one("#array_name").focus()
        await pilot.press("slash")
        assert "Array name: 'store/' is no name" in said(app)


async def test_what_is_typed_there_is_checked_and_none_of_it_has_to_be() -> None:
    async with opened_on("File system", rack(2), SMALL, **KEPT, permanent="yes") as (app, pilot):
        await pilot.press("m")
        app.screen.query_one("#mount_owner").focus()
        await pilot.press(*"qu", "colon")  # no key of the screen
        assert app.draft.mount_owner == "qu:" and "Folder owner: 'qu:' is no owner" in said(app)
        await pilot.press("enter")
        assert app.focused is app.screen.query_one("#mount_owner")
        await pilot.press("escape", "enter")
        assert isinstance(app.screen, FilesystemScreen) and "is no owner" in said(app)
        assert app.focused is app.screen.query_one("#mount_owner")
        await press(pilot, "backspace", "enter", "enter")
        assert isinstance(app.screen, MeasureScreen) and app.answers.mount_owner == "qu"


NOT_HERE = {
    ("mount_owner", "bob"): "no user 'bob' is known on this machine; write another, or a number",
    ("mount_point", "/srv/full"): "/srv/full is not empty; choose another folder",
    ("array_name", "store"): "there is an array store here already; choose another name",
}


@pytest.mark.parametrize(
    "typed, leave",
    paired(
        [
            ("mount_owner", "bob", "Folder owner"),
            ("mount_point", "/srv/full", "Mount at"),
            ("array_name", "store", "Array name"),
            ("label", "thirteen-byte", "Label"),
        ],
        [("enter",), ("escape", "enter"), ("escape", "v")],
    ),
)
async def test_what_this_machine_cannot_give_is_refused_in_its_field(
    typed: tuple[str, str, str], leave: tuple[str, ...]
) -> None:
    key, text, name = typed
    services = RecordedServices(rack(2), not_here=NOT_HERE)
    async with opened_on("File system", services, SMALL, **KEPT | {"filesystem": "xfs"}, permanent="yes") as (
        app,
        pilot,
    ):
        await pilot.press("m")
        field = app.screen.query_one(f"#{key}", TypedLine)
        field.focus()
        await press(pilot, *("slash" if letter == "/" else "minus" if letter == "-" else letter for letter in text))
        reason = NOT_HERE.get((key, text), "thirteen-byte is too long for xfs; give 12 bytes at most")
        assert said(app) == f"{name}: {reason}."
        assert field.parent and f"✗{name}" in field.parent.query_one(Lines).text
        await press(pilot, *leave)
        assert isinstance(app.screen, FilesystemScreen) and app.focused is field
        await press(pilot, "backspace")
        assert name not in said(app) and f" {name}" in field.parent.query_one(Lines).text
        while isinstance(app.screen, FilesystemScreen):
            await press(pilot, "enter")
        assert isinstance(app.screen, MeasureScreen)


async def test_the_usual_folder_that_is_taken_is_refused_before_anything_is_typed() -> None:
    services = RecordedServices(rack(2), not_here={("mount_point", "/srv/array"): "something is mounted there"})
    async with opened_on("File system", services, SMALL, **KEPT, permanent="yes") as (app, pilot):
        assert said(app) == "Mount at: something is mounted there."
        await press(pilot, "enter")
        assert app.focused is app.screen.query_one("#mount_point")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_capacity_has_its_room_again_once_the_form_is_closed(size: Size) -> None:
    async with opened_on("File system", rack(8), size, **KEPT | {"level": "6"}) as (_, pilot):
        before = await on_screen(pilot)
        await press(pilot, "m", "down", "up")
        assert before != await on_screen(pilot)
        await press(pilot, "m")
        assert before == await on_screen(pilot)


@pytest.mark.parametrize("times, layer", [(1, "LVM"), (2, "LUKS")])
async def test_a_layer_below_the_file_system_is_asked_of_an_array_that_stays_and_has_one(
    times: int, layer: str
) -> None:
    async with opened_on("File system", rack(2), LARGE, **KEPT) as (app, pilot):
        await pilot.press("m")
        app.screen.query_one("#between").focus()
        await pilot.press(*["down"] * times)
        assert app.answers.setup.between == layer.lower() and f"{layer} metadata" in said(app, "#space")
        await press(pilot, "enter", "v")
        assert isinstance(app.screen, ReviewScreen)
        review = " ".join(app.screen.query_one(Listing).text.split())
        assert f"ext4 on {layer}" in review
        await pilot.press("c" if layer == "LVM" else "s")
        told = "LVM metadata" if layer == "LVM" else "asks for the passphrase 3 times"
        assert told in " ".join((await on_screen(pilot) if layer == "LVM" else await listed(pilot)).split())
    for changed in ({"filesystem": "none"}, {"after": "teardown"}):
        async with opened_on("File system", rack(2), LARGE, **{**KEPT, **changed}) as (app, pilot):
            await pilot.press("m")
            assert not any(pick.display for pick in app.screen.query("#between")) and not app.answers.setup.between


async def test_the_share_for_root_is_asked_of_ext4_and_by_size_unless_chosen() -> None:
    async with opened_on("File system", rack(8), LARGE, **KEPT | {"level": "6"}) as (app, pilot):
        assert "-m 1" in said(app, "#why") and "root only 240 GB" in said(app, "#space")
        assert app.answers.reserved_percent is None
        await pilot.press("m")
        app.screen.query_one("#reserved").focus()
        await pilot.press("down", "down", "down")
        assert app.answers.reserved_percent == 5 and "-m 5" in said(app, "#why")
        assert "root only 1.20 TB" in said(app, "#space")
    async with opened_on("File system", rack(2), LARGE, **KEPT) as (app, pilot):
        assert "-m " not in said(app, "#why")  # mke2fs' own
    async with opened_on("File system", rack(8), LARGE, after="keep") as (app, pilot):
        await pilot.press("m")
        assert not app.screen.query_one("#reserved").display


@pytest.mark.parametrize(
    "size, array",
    paired([SMALL, (100, 32), LARGE, (200, 60)], [(3, "5"), (8, "10"), (24, "6"), (60, "0"), (2, "1"), (3, "jbod")]),
)
async def test_nothing_is_cut(size: Size, array: tuple[int, str]) -> None:
    disks, level = array
    after = "teardown" if level == "jbod" else "keep"
    async with opened_on("File system", rack(disks), size, level=level, after=after) as (app, pilot):
        for key in ("home", "down", "down", "down", "m"):
            await pilot.press(key)
            for lines in app.screen.query(Lines):
                if lines.display and lines.region.height:
                    texts = lines.text.splitlines()
                    assert max(map(len, texts or [""])) <= lines.size.width, lines.id
                    assert len(texts) <= lines.size.height or key == "m", lines.id
            assert not any("…" in pick.text for pick in app.screen.query(PickList))
