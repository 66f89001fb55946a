"""The page: one file, no script, nothing from elsewhere, every name escaped."""

import re
from html.parser import HTMLParser

import msgspec

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.sections import blocks
from raidtui.core.page.html import html as rendered
from tests.core.fleet.rack import host_run_of


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_it_is_whole_in_itself_and_needs_no_script() -> None:
    runs = [host_run_of(number, speed=0.7 if number == 3 else 1.0) for number in range(9)]
    html = rendered("Fleet", blocks(fleet_of(runs)))
    tags = _Tags()
    tags.feed(html)
    assert html.startswith("<!DOCTYPE html>\n<html") and "</html>" in html
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.tags)
    assert not {"src", "href", "onload", "onclick"} & tags.attributes and "url(" not in html
    assert tags.tags.count("svg") == 6 and tags.tags.count("h1") == 1
    assert "prefers-color-scheme: dark" in html and "@media print" in html
    assert len(re.findall(r"<tr class=.marked.>", html)) == 1


def test_no_name_becomes_markup() -> None:
    hostile = msgspec.structs.replace(host_run_of(0), host="<script>alert(1)</script>\x1b", outcome="failed")
    html = rendered("Fleet", blocks(fleet_of([hostile, *map(host_run_of, range(1, 5))])))
    assert "<script" not in html and "&lt;script&gt;" in html and "\x1b" not in html
