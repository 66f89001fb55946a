"""The host's side: `python -m tests.server [ROW...]` boots a server for each row and prints the table.

Without names the core rows, `all` for all of them. Progress goes to standard error. With a folder in SERVER_OUT what
was measured is kept there, and rows that are ok there are not run again. Exit status 1 where a row is not ok, 2 for an
unknown row.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from raidtui.core.units import format_duration
from tests.endurance import table
from tests.server.image import Image, folder, image
from tests.server.machine import Broken, Server
from tests.server.row import Row
from tests.server.rows import ROWS


def _carried_out(row: Row, built: Image, out: Path) -> table.Row:
    """A fresh server, switched off and thrown away at the end, however that comes."""
    began_s = time.monotonic()
    home = Path(tempfile.mkdtemp(prefix=f"{row.name}-", dir=folder()))
    told: table.Row = {"row": row.name, "boot": "", "took": "", "seen": ""}
    try:
        server = Server(row.name, home, built, row.disks)
        try:
            told["boot"] = format_duration(server.boot())
            told["seen"] = row.act(server, out / row.name)
            server.power_down()
            verdict = table.GOOD
        finally:
            server.cut()
    except Broken as broken:
        told["seen"], verdict = str(broken), "differs"
        ignored = shutil.ignore_patterns("*.img", "console")
        shutil.copytree(home, out / f"{row.name}-server", ignore=ignored, dirs_exist_ok=True)
    finally:
        shutil.rmtree(home)
    return told | {"took": format_duration(time.monotonic() - began_s), "verdict": verdict}


@cache
def _built(*, zfs: bool) -> Image:
    """The image that a row needs, made once; where no row needs ZFS, none is made that has it."""
    began_s = time.monotonic()
    built = image(zfs=zfs)
    table.say(f"the image was there after {format_duration(time.monotonic() - began_s)}: {built.root}")
    return built


def main() -> int:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # its server is thrown away, too
    known = {row.name: row for row in ROWS}
    wanted = sys.argv[1:] or [row.name for row in ROWS if row.core]
    if wanted == ["all"]:
        wanted = list(known)
    if unknown := set(wanted) - set(known):
        table.say(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
        return 2
    out = Path(os.environ.get("SERVER_OUT") or tempfile.mkdtemp(prefix="raidtui-server-"))
    out.mkdir(parents=True, exist_ok=True)
    results = out / "rows.jsonl"
    done = {str(one["row"]) for one in table.read(results) if one["verdict"] == table.GOOD}
    for name in wanted:
        if name not in done:
            table.add(results, told := _carried_out(known[name], _built(zfs=known[name].zfs), out))
            table.say(f"{told}")
    last = {str(one["row"]): one for one in table.read(results)}
    print(table.markdown([last[name] for name in wanted]))
    table.say(f"what was measured is under {out}")
    return 0 if all(last[name]["verdict"] == table.GOOD for name in wanted) else 1


if __name__ == "__main__":
    sys.exit(main())
