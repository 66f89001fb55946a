"""A demo as one moving picture: from the question to the answer, of a recorded machine and the run on it.

An app's screen as SVG, and several of one size as one that moves.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from raidtui.demo import recording
from raidtui.demo.services import SPEED, DemoServices
from raidtui.ui.app import RaidtuiApp

_LOOK = re.compile(r"\.path-(r\d+) \{ (.*?) \}\n?")
_ELEMENT = re.compile(r"<rect [^>]*/>|<text [^>]*>[^<]*</text>")
_TITLE = re.compile(r'<text [^>]*class="path-title"[^>]*>[^<]*</text>')
_BACK = re.compile(
    r'<rect fill="(?P<fill>[^"]*)" x="(?P<x>[^"]*)" y="(?P<y>[^"]*)"'
    r' width="(?P<width>[^"]*)" height="(?P<height>[^"]*)"/>'
)
_NO_NEWS = re.compile(r' shape-rendering="crispEdges"| clip-path="url\([^)]*\)"| xml:space="preserve"')
_BLANK = re.compile(r">(?:&#160;|\s)*</text>$")
_CONTENT = '<g transform="translate(9, 41)"'


def still(app: App[Any], name: str, title: str = "raidtui") -> str:
    """What the app shows. Rich names the picture's parts by a number of its own: by the picture's name here.

    Some renderers drop blanks at the edge of a text, non-breaking ones too, unless they are told to keep them.
    """
    drawn = re.sub(r"terminal-\d+-", f"{name}-", app.export_screenshot(title=title, simplify=True))
    return drawn.replace("<text ", '<text xml:space="preserve" ')


@dataclass(frozen=True)
class Frame:
    """A picture by the name of `path`, and for how long it stands."""

    drawn: str
    seconds: float


def moving(frames: Sequence[Frame]) -> str:
    """All of them in one picture, over and over; where nothing moves, the last. Each text is held once."""
    looks: dict[str, str] = {}  # how it looks -> its class, the same in all frames
    held: dict[str, str] = {}  # text or background -> its id
    shown = []
    for number, frame in enumerate(frames):
        drawn = frame.drawn
        for name, look in _LOOK.findall(drawn):
            drawn = drawn.replace(f'path-{name}"', f'{looks.setdefault(look, f"look{len(looks)}")}"')
        title, *used = (
            f'<use href="#{held.setdefault(text, f"t{len(held)}")}"/>'
            for text in (*_TITLE.findall(drawn), *_elements(drawn[drawn.index(_CONTENT) :]))
        )
        shown.append(f'<g id="f{number}" class="frame">{title}{_CONTENT} class="path-matrix">{"".join(used)}</g></g>')
    last = frames[-1].drawn
    frame_around = _TITLE.sub("", _LOOK.sub("", last[: last.index(_CONTENT)]))
    texts = "\n".join(re.sub(r"^<(\w+) ", rf'<\1 id="{name}" ', text) for text, name in held.items())
    style = "\n".join([*(f".{name} {{ {look} }}" for look, name in looks.items()), *_times(frames)])
    frame_around = frame_around.replace("</style>", f"{style}\n</style>", 1).replace("</defs>", f"{texts}\n</defs>", 1)
    return "\n".join((frame_around, *shown, "</svg>\n"))


def _elements(drawn: str) -> list[str]:
    """Texts and backgrounds: the colour of most once over all, neighbours of another one as one."""
    found = [_NO_NEWS.sub("", element) for element in _ELEMENT.findall(drawn)]
    backs = [match for element in found if (match := _BACK.fullmatch(element))]
    wide: Counter[str] = Counter()
    for back in backs:
        wide[back["fill"]] += round(float(back["width"]))
    usual = wide.most_common(1)[0][0] if wide else ""
    joined: list[tuple[str, float, str, float, str]] = []
    for back in backs:
        fill, x, y, width, height = back["fill"], float(back["x"]), back["y"], float(back["width"]), back["height"]
        if joined and joined[-1][0] == fill and joined[-1][2] == y and abs(joined[-1][1] + joined[-1][3] - x) < 0.5:
            joined[-1] = (fill, joined[-1][1], y, joined[-1][3] + width, height)
        else:
            joined.append((fill, x, y, width, height))
    rects = [
        f'<rect fill="{fill}" x="{x:g}" y="{y}" width="{width:g}" height="{height}"/>'
        for fill, x, y, width, height in joined
        if fill != usual
    ]
    right = max((x + width for _, x, _, width, _ in joined), default=0.0)
    foot = max((float(back["y"]) + float(back["height"]) for back in backs), default=0.0)
    ground = f'<rect fill="{usual}" x="0" y="1.5" width="{right:g}" height="{foot - 1.5:g}"/>'
    return [
        ground,
        *rects,
        *(element for element in found if element.startswith("<text") and not _BLANK.search(element)),
    ]


def _times(frames: Sequence[Frame]) -> list[str]:
    """When each is seen, in CSS: alone, and in its turn."""
    total_s, begun_s = sum(frame.seconds for frame in frames), 0.0
    lines = ["rect { shape-rendering: crispEdges } text { white-space: pre }"]
    lines += [f".frame {{ visibility: hidden }} #f{len(frames) - 1} {{ visibility: visible }}"]
    for number, frame in enumerate(frames):
        begins, ends = (100 * at_s / total_s for at_s in (begun_s, begun_s + frame.seconds))
        begun_s += frame.seconds
        before = "0% { visibility: hidden } " if number else ""
        after = (
            " 100% { visibility: hidden }" if number == len(frames) - 1 else f" {ends:.3f}% {{ visibility: hidden }}"
        )
        lines.append(f"@keyframes k{number} {{ {before}{begins:.3f}% {{ visibility: visible }}{after} }}")
        lines.append(f"#f{number} {{ animation: k{number} {total_s:g}s step-end infinite }}")
    lines.append("@media (prefers-reduced-motion: reduce) { .frame { animation: none !important } }")
    return lines


_SIZE = (112, 32)
# Keys, one after the other, and for how long what they lead to stands. The window's title says which was pressed.
_WALK = (
    ("", 3.0),
    ("enter", 0.0),
    ("a", 2.0),
    ("enter", 0.0),
    ("", 5.0),
    ("enter", 2.5),
    ("enter", 3.0),
    ("enter", 2.0),
    ("enter", 0.0),
    ("enter", 0.0),
)
_TYPED_S = 1.5
_LIVE_FRAMES, _LIVE_S = 5, 2.0
_READ_S = (8.0, 5.0)  # the results, and their charts


def film(name: str) -> str:
    """SVG of the recording `name`."""
    return asyncio.run(walked(name))


async def walked(name: str) -> str:
    now_s = 0.0
    recorded = recording.load(recording.folder_of(name))
    services = DemoServices(name, lambda: now_s)
    app = RaidtuiApp(services)
    frames: list[Frame] = []

    def take(seconds: float, pressed: str = "") -> None:
        title = f"raidtui demo    {pressed}" if pressed else "raidtui demo"
        if seconds:
            frames.append(Frame(still(app, "path", title), seconds))

    async with app.run_test(size=_SIZE) as pilot:
        await settled(pilot)
        while app.screen.due:  # type: ignore[attr-defined]  # Start
            await pilot.pause(0.05)
        for key, seconds in _WALK:
            await _pressed(pilot, key)
            take(seconds, key)
        phrase = f"erase {len(recorded.plan.members)} disks of {services.host()}"
        await _pressed(pilot, *("space" if char == " " else char for char in phrase))
        take(_TYPED_S, phrase)
        await _pressed(pilot, "enter")
        lasts_s = (recorded.events[-1].at_s - recorded.events[0].at_s) / SPEED
        for number in range(1, _LIVE_FRAMES + 1):
            now_s = lasts_s * number / _LIVE_FRAMES + (number == _LIVE_FRAMES)
            app.screen.tick()  # type: ignore[attr-defined]  # Live
            await settled(pilot)
            if number < _LIVE_FRAMES:
                take(_LIVE_S)
        for key, seconds in zip(("", "2"), _READ_S, strict=True):
            await _pressed(pilot, key)
            take(seconds, key)
    return moving(frames)


async def _pressed(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*(key for key in keys if key))
    await settled(pilot)


async def settled(pilot: Pilot[int]) -> None:
    """What was asked of threads has come back, and what was asked for on its account, too."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
