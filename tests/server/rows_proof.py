"""The row of a proof: an array over two buses is proved, the plug pulled in its rebuild, and kept over a boot."""

from pathlib import Path

from raidtui.core.run import proof
from raidtui.core.run.state import fold_all
from raidtui.core.units import MB, MIB
from tests.server import permanent, rack, runs
from tests.server.machine import Broken, Server
from tests.server.permanent import FOLDER
from tests.server.row import Row

_UNITS = "ls -A /etc/systemd/system /etc/systemd/system/multi-user.target.wants /etc/udev/rules.d"
_PAGES = 1024  # of the stripe cache
_SETUP = {"level": "6", "filesystem": "ext4", "stripe_cache_size": _PAGES}
_REBUILD = 2  # of its resyncs
_STATES = 6


def _proof(server: Server, out: Path) -> str:
    """Cut in a rebuild, resumed to the end; after another boot its rules are in force, and are taken back."""
    disks = [*runs.of_kind(server, "nvme"), *runs.of_kind(server, "sas")]
    before, units = permanent.boot_contents(server), server.run(_UNITS)
    run = runs.begin(server, permanent.answers(server, disks, permanent=True) | {"setup": _SETUP, "recipe": "proof"})
    run.to_step("sync-finished", times=_REBUILD)
    server.cut()
    cut_s = server.boot()
    server.take(str(run.path), out / "cut-off")
    run.resume()
    state = fold_all(run.journal())
    proved = proof.result(run.plan, state)
    if not proved or not proved.holds or len(proved.verified) != _STATES:
        raise Broken(f"the proof is {proved}, {state.reason}")
    if (built := sum(step.role == "create" for step in state.steps)) != 1:
        raise Broken(f"the array was built {built} times")
    array, _ = permanent.built(run.plan)
    written, node = permanent.filled(server, FOLDER), permanent.node(server)
    server.power_down()
    took_s = server.boot()
    server.take(str(run.path), out / "run")
    if (back := permanent.node(server)) != node or permanent.digest(server, FOLDER) != written:
        raise Broken(f"{FOLDER} was on {node}, is on {back}, or its file is another")
    pages = server.run(f"cat /sys/block/$(basename $(readlink -f /dev/md/{array.name}))/md/stripe_cache_size").strip()
    if pages != str(_PAGES):
        raise Broken(f"the stripe cache has {pages} pages, {_PAGES} were to last")
    page = server.raidtui("report", run.name)
    if "verified in 6 states of the array: 0 blocks differ" not in page:
        raise Broken(f"the report does not say what was proved: {page}")
    run.undo()
    if (now := permanent.boot_contents(server)) != before or server.run(_UNITS) != units:
        raise Broken(f"after `raidtui undo` the files of boot are {now}, and {server.run(_UNITS)}")
    seen = f"cut in a rebuild, up after {cut_s:.0f} s; resumed on the same array: verified in {_STATES} states"
    return f"{seen}; booted in {took_s:.0f} s: {node} at {FOLDER}, {pages} pages of stripe cache; undone byte for byte"


ROWS = (Row(name="proof", disks=rack.rack(128 * MIB, nvme=2, sas=3, bytes_per_s=16 * MB), act=_proof),)
