"""An app's screen as SVG, and several of one size as one that moves."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App

_LOOK = re.compile(r"\.path-(r\d+) \{ (.*?) \}\n?")
_ELEMENT = re.compile(r"<rect [^>]*/>|<text [^>]*>[^<]*</text>")
_TITLE = re.compile(r'<text [^>]*class="path-title"[^>]*>[^<]*</text>')
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
            for text in (*_TITLE.findall(drawn), *_ELEMENT.findall(drawn[drawn.index(_CONTENT) :]))
        )
        shown.append(f'<g id="f{number}" class="frame">{title}{_CONTENT} class="path-matrix">{"".join(used)}</g></g>')
    last = frames[-1].drawn
    frame_around = _TITLE.sub("", _LOOK.sub("", last[: last.index(_CONTENT)]))
    texts = "\n".join(re.sub(r"^<(\w+) ", rf'<\1 id="{name}" ', text) for text, name in held.items())
    style = "\n".join([*(f".{name} {{ {look} }}" for look, name in looks.items()), *_times(frames)])
    frame_around = frame_around.replace("</style>", f"{style}\n</style>", 1).replace("</defs>", f"{texts}\n</defs>", 1)
    return "\n".join((frame_around, *shown, "</svg>\n"))


def _times(frames: Sequence[Frame]) -> list[str]:
    """When each is seen, in CSS: alone, and in its turn."""
    total_s, begun_s = sum(frame.seconds for frame in frames), 0.0
    lines = [f".frame {{ visibility: hidden }} #f{len(frames) - 1} {{ visibility: visible }}"]
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
