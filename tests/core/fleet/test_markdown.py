"""A fleet's markdown: escaped, whole."""

import msgspec

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.sections import blocks
from raidtui.core.page.markdown import markdown
from tests.core.fleet.rack import host_run_of


def test_it_holds_each_host_and_no_name_breaks_it() -> None:
    runs = [host_run_of(number) for number in range(5)]
    hostile = msgspec.structs.replace(runs[4], host="a|b\n# c\x1b[2J", outcome="failed", errors=("<script>",))
    text = markdown(blocks(fleet_of([*runs[:4], hostile])))
    assert text.startswith("# 5 hosts, 30 disks\n")
    assert all(f"| node{number} " in text for number in range(4))
    assert "\x1b" not in text and "\n# c" not in text and r"a\|b" in text and r"\<script\>" in text
