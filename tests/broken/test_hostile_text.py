"""What a device says of itself, from discovery to report and screen: shown, never obeyed, and nothing falls over."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import typer
from textual.geometry import Size

from raidtui import recipes
from raidtui.cli.app import program
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import BlockDevice, Machine, Mount, Signature, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.report import markdown
from raidtui.core.run.state import RunState
from raidtui.core.script.render import script
from raidtui.core.text import clean
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import RecordedServices
from tests.ui.pilots import opened, wizard

HOSTILE = {
    "markup": "X[/]Y [bold red]z[/bold red] [@click=app.quit]q[/]",
    "ansi": "\x1b[31mRED\x1b]0;title\x07\x1b[2J\x9b31m",
    "emoji code": ":cd: :warning: 0000:cd:00.0",
    "right to left": "abc\u202edcba\u2066x\u2069\u200f",
    "nul": "a\x00b\x00",
    "long": "L" * 4096,
    "long and wide": "磁盘" * 2048,
    "markdown": "|`*_<script>alert(1)</script>_*`|\n# heading\n---",
    "combining": "Z" + "\u0301" * 300,
    "shell": "$(reboot) `reboot`; reboot #' \" \\",
    "format": "{0} {name} {} %s %(x)s",
    "lone surrogate": "a\udc80b",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf\r\ng",
}
# What makes a terminal do something: C0 and C1 controls, and signs that turn the direction of a line
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def machine(*texts: str) -> Machine:
    """Disks that say these wherever a disk can say something; of one text three disks."""
    cleaned = [clean(text) for text in texts]  # where outside text comes in (see `discovery`)
    shown = cleaned[0]
    return Machine(
        root=True,
        host=shown,
        machine_id=shown,
        devices=tuple(disk(number, text) for number, text in enumerate(cleaned if len(texts) > 1 else cleaned * 3)),
        mounts=(Mount(devnum="8:99", source=shown, mountpoint=shown, fstype=shown),),
    )


def disk(number: int, shown: str) -> BlockDevice:
    return BlockDevice(
        name=f"sd{'bcdefghijklmnop'[number]}",
        devnum=f"8:{number}",
        properties={
            "ID_WWN": f"0x5000c50000000{number:03}",
            "ID_PATH": shown,
            "ID_REVISION": shown,
            "DEVLINKS": f"/dev/disk/by-id/wwn-0x5000c50000000{number:03}",
        },
        attributes={
            "size": "8388608",
            "device/model": shown,
            "device/serial": f"{shown}{number}",
            "device/vendor": shown,
            "queue/logical_block_size": "512",
        },
        signatures=(Signature(kind="ext4", label=shown, uuid=shown), Signature(kind="gpt")),
        read=True,
        told={"health": f"failing: {shown}"},
    )


@pytest.fixture(params=HOSTILE, ids=str)
def disks(request: pytest.FixtureRequest) -> tuple[Disk, ...]:
    return disks_of(machine(HOSTILE[request.param]))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_commands_print_no_control_character(text: str, tmp_path: Path) -> None:
    dump = tmp_path / "machine.json"
    if "\udc80" not in text:
        raw = encode(machine("TEXT")).decode()
        quoted = encode(Machine(host=text)).decode().partition('"host": "')[2].partition('",\n')[0]
        dump.write_text(raw.replace("TEXT", quoted))
    else:
        dump.write_bytes(encode(machine(text)))
    for arguments in (["disks", "--machine", str(dump)], ["disks", "--machine", str(dump), "--json"]):
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            typer.main.get_command(program())(arguments, standalone_mode=False)
        assert not OBEYED.search(printed.getvalue())
        assert printed.getvalue().count("5000c50000000") >= 3


def test_plan_report_and_script_hold_no_control_character(disks: tuple[Disk, ...]) -> None:
    given = Answers(disks=tuple(disk.id for disk in disks), setup=Setup(level="5"))
    plan = planner.make(given, recipes.load("quick"), disks, "machine")
    assert all(member.warning for member in plan.members)
    text = markdown.markdown(plan, RunState(run="r", outcome="failed", reason=disks[0].model))
    assert not OBEYED.search(text.replace("\t", " "))
    assert not OBEYED.search(script(plan))
    assert not re.search(r"(?m)^# heading", text)
    assert "<script>" not in re.sub(r"(?s)```.*?```", "", text).replace("\\<", "&lt;")


@pytest.mark.parametrize("size", [Size(80, 24), Size(140, 40)], ids=str)
async def test_the_list_of_disks_shows_it_and_obeys_nothing(size: Size) -> None:
    app = wizard(RecordedServices(disks_of(machine(*HOSTILE.values()))))
    async with opened(app, size) as pilot:
        assert sum(not row.is_heading for row in app.screen.query_one(PickList).rows) == len(HOSTILE)
        for key in ("home", *["down"] * (len(HOSTILE) - 1), "space", "a"):
            await pilot.press(key)
            strips = app.screen._compositor.render_strips()
            drawn = "".join(segment.text for strip in strips for segment in strip)
            assert drawn and not OBEYED.search(drawn)
            assert all(strip.cell_length == size.width for strip in strips)
