"""Arrays in the states of core/arrays/conditions.py that a practice kernel can make; their printed commands, run."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from raidtui.core.arrays.array import Array, Condition
from raidtui.core.arrays.status import KeptArray
from raidtui.system.arrays import now
from raidtui.system.claims import lock_nodes
from tests.lab.guest.disk_states import command, create_array, settle, stop, udev_looks, until, whole
from tests.lab.guest.in_place import carried_out
from tests.remedies_table import Row

NODE, MD = "/dev/md7", Path("/sys/block/md7/md")
DISKS = [f"/dev/sd{letter}" for letter in "abcdef"]
A, B, C, D, E, FREE = DISKS
_PROGRAMS = ("mdadm ", "echo ", "raidtui ")
_OPEN = ("--add", "--add-journal")  # the person names the disk
_CLEANED: dict[str, tuple[str, str]] = {}


class State(NamedTuple):
    kind: str
    words: str
    make: Callable[[], object]
    expected: bool = False  # a run keeps it
    behind: bool = False  # udev does not look until the commands have run


def tried(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def create(level: str, *members: str, bitmap: str = "none", more: Sequence[str] = ()) -> None:
    plain = level in ("0", "linear")
    safe = () if plain else ("--assume-clean", *(() if "--write-journal" in more else (f"--bitmap={bitmap}",)))
    spares = 1 if "--spare-devices=1" in more else 0
    create_array(NODE, f"--level={level}", f"--raid-devices={len(members) - spares}", *safe, *members, *more)


def stopped(level: str, *members: str, bitmap: str = "none", more: Sequence[str] = ()) -> None:
    create(level, *members, bitmap=bitmap, more=more)
    stop(NODE, *DISKS)


def gathered(*members: str) -> None:
    """One by one, as udev does; md starts it with the last one alone."""
    for member in members:
        tried("mdadm", "--incremental", member)
    settle()


def pull(node: str) -> None:
    Path("/sys/block", node.removeprefix("/dev/"), "device/delete").write_text("1\n")
    settle()


def put_back() -> None:
    for host in Path("/sys/class/scsi_host").iterdir():
        (host / "scan").write_text("- - -\n")
    settle()
    until(lambda: all(Path(node).exists() for node in DISKS), lambda: str(sorted(Path("/dev").glob("sd?"))))


def clean() -> None:
    """No array and no superblock; all disks are here."""
    udev_looks(True)
    put_back()
    with lock_nodes(DISKS):
        for node in sorted(Path("/dev").glob("md[0-9]*")):
            tried("mdadm", "--stop", str(node))
        written = [disk for disk in DISKS if _CLEANED.get(disk) != _written(disk)]
        if written:  # each opening for writing has udev look at that disk
            tried("mdadm", "--zero-superblock", "--force", *written)
            tried("wipefs", "--all", "--quiet", *written)
        _CLEANED.update({disk: _written(disk) for disk in DISKS})
    settle()
    if list(Path("/sys/block").glob("loop*/loop")):
        tried("losetup", "--detach-all")


def _written(node: str) -> tuple[str, str]:
    """Which disk it is, as one that was put back is another; how many sectors were written to it."""
    folder = Path("/sys/block", node.removeprefix("/dev/"))
    return (folder / "diskseq").read_text(), (folder / "stat").read_text().split()[6]


def fail(node: str, *, remove: bool = False) -> None:
    tried("mdadm", NODE, "--fail", node)
    if remove:
        until(lambda: tried("mdadm", NODE, "--remove", node).returncode == 0)
    settle()


def write(file: str, text: str) -> None:
    (MD / file).write_text(f"{text}\n")


def readonly() -> None:
    until(lambda: tried("mdadm", "--readonly", NODE).returncode == 0)
    settle()


def held(action: str) -> None:
    """Until it has come to where it is held."""
    until(lambda: (MD / "sync_action").read_text() == f"{action}\n")
    until(lambda: (MD / "sync_completed").read_text()[:1].isdigit())


def frozen() -> None:
    """What was held goes on once it is let go."""
    write("sync_action", "frozen")
    write("sync_max", "max")


def idle() -> bool:
    return all(file.read_text().strip() in ("idle", "frozen") for file in Path("/sys/block").glob("md*/md/sync_action"))


def left_out(bitmap: str) -> None:
    create("1", A, B, bitmap=bitmap)
    fail(B, remove=True)


def read_auto(level: str, *members: str, without: Sequence[str] = ()) -> None:
    """Stopped, and assembled without some: nothing is written until somebody does."""
    stop(NODE, *DISKS)
    with lock_nodes(DISKS):
        command("mdadm", "--assemble", "--run", NODE, *(member for member in members if member not in without))
    settle()


def with_spare_before_it_is_used() -> None:
    create("1", A, B)
    write("sync_action", "frozen")
    fail(B, remove=True)
    command("mdadm", "--zero-superblock", B)
    command("mdadm", NODE, "--add", C)
    settle()


def journalled() -> None:
    create("5", A, B, C, more=("--write-journal", D))
    until(idle)


def reshaping() -> None:
    create("5", A, B, C)
    write("sync_max", "4096")
    command("mdadm", NODE, "--add", D)
    command("mdadm", "--grow", NODE, "--raid-devices=4")
    held("reshape")


def resync_cut() -> None:
    create_array(NODE, "--level=5", "--force", "--raid-devices=3", "--bitmap=none", A, B, C)
    stop(NODE, *DISKS)


def resyncing() -> None:
    resync_cut()
    command("mdadm", "--assemble", NODE, A, B, C)
    write("sync_max", "98304")
    tried("mdadm", "--readwrite", NODE)
    held("resync")


def rebuilding(*how: str) -> None:
    write("sync_max", "4096")
    for argv in how:
        command("mdadm", *argv.split())
    held("recover")


def mismatching(level: str, *members: str) -> None:
    create(level, *members)
    offset = int((MD / "dev-sdb/offset").read_text()) * 512
    stop(NODE, *DISKS)
    command("dd", "if=/dev/urandom", f"of={B}", "bs=64K", "count=1", "oflag=direct", f"seek={(offset >> 16) + 64}")
    settle()
    with lock_nodes(DISKS):
        tried("mdadm", "--assemble", NODE, *members)
    settle()
    tried("mdadm", "--readwrite", NODE)
    write("sync_action", "check")
    until(idle)


def halves(state: str = "") -> None:
    """The second one without mdadm, which looks for the first."""
    stopped("1", A, B, bitmap="internal")
    with lock_nodes(DISKS):
        command("mdadm", "--assemble", "--run", NODE, A)
        Path("/sys/module/md_mod/parameters/new_array").write_text("md8\n")
        files = [("metadata_version", "1.2"), ("new_dev", "8:16"), *((("array_state", state),) if state else ())]
        for file, text in files:
            Path("/sys/block/md8/md", file).write_text(f"{text}\n")
    settle()
    command("udevadm", "trigger", "--settle", "/sys/block/md8")


def gone() -> None:
    create("1", A, B, bitmap="internal")
    udev_looks(False)
    Path("/sys/block/sdb/device/delete").write_text("1\n")


def large() -> None:
    """On sparse files: 110 GiB."""
    command("modprobe", "loop")
    for number in (0, 1):
        command("truncate", "--size=110G", f"/run/large{number}")
        command("losetup", f"/dev/loop{number}", f"/run/large{number}")
    create("1", "/dev/loop0", "/dev/loop1")


def does(*steps: Callable[[], object]) -> Callable[[], None]:
    def make() -> None:
        for step in steps:
            step()

    return make


STATES = (
    State("split", "RAID 1: each half runs on its own", lambda: halves("active")),
    State("failed", "RAID 5 of 3: two have failed",
          does(lambda: create("5", A, B, C), lambda: fail(B), lambda: fail(C))),
    State("member-failed", "the same", does(lambda: create("5", A, B, C), lambda: fail(B), lambda: fail(C))),
    State("stopped-and-expected", "a RAID 1 that a run keeps is stopped", lambda: stopped("1", A, B), expected=True),
    State("inactive", "RAID 5: 2 of 3 gathered, the third is here",
          does(lambda: stopped("5", A, B, C, bitmap="internal"), lambda: gathered(A, B))),
    State("inactive", "the same, the third is pulled",
          does(lambda: stopped("5", A, B, C, bitmap="internal"), lambda: pull(C), lambda: gathered(A, B))),
    State("inactive", "RAID 5: 1 of 3 gathered, the others are pulled",
          does(lambda: stopped("5", A, B, C), lambda: pull(C), lambda: pull(B), lambda: gathered(A))),
    State("inactive", "RAID 5: 1 of 3 gathered, and `mdadm --run` has failed",
          does(lambda: stopped("5", A, B, C), lambda: gathered(A), lambda: tried("mdadm", "--run", NODE))),
    State("inactive", "RAID 5, not stopped cleanly: 2 of 3 gathered, the third is pulled",
          does(resync_cut, lambda: pull(C), lambda: gathered(A, B))),
    State("inactive", "RAID 5: its journal is not gathered",
          does(lambda: create_array(NODE, "--level=5", "--raid-devices=3", A, B, C, "--write-journal", D),
               lambda: until(lambda: whole("md7")), lambda: stop(NODE, *DISKS), lambda: gathered(A, B, C))),
    State("inactive", "RAID 0: 3 of 4 gathered, the fourth is here",
          does(lambda: stopped("0", A, B, C, D), lambda: gathered(A, B, C))),
    State("inactive", "the same, the fourth is pulled",
          does(lambda: stopped("0", A, B, C, D), lambda: pull(D), lambda: gathered(A, B, C))),
    State("inactive", "RAID 1: one half runs, the other is gathered", lambda: halves()),
    State("degraded", "RAID 1: one of two has failed", does(lambda: create("1", A, B), lambda: fail(B))),
    State("member-failed", "the same", does(lambda: create("1", A, B), lambda: fail(B))),
    State("member-failed", "the same, read-only", does(lambda: create("1", A, B), lambda: fail(B), readonly)),
    State("failed-disk-stays", "RAID 1: a spare has replaced a failed disk",
          does(lambda: create("1", A, B, C, more=("--spare-devices=1",)), lambda: fail(B), lambda: until(idle))),
    State("member-gone", "RAID 1: a disk is pulled, and udev has not looked yet", gone, behind=True),
    State("member-missing", "RAID 1: a disk is gone",
          does(lambda: create("1", A, B), lambda: fail(B, remove=True), lambda: pull(B))),
    State("journal-lost", "RAID 5: its journal has failed", does(journalled, lambda: fail(D))),
    State("journal-lost", "RAID 5, started without its journal",
          does(journalled, lambda: stop(NODE, *DISKS), lambda: pull(D), lambda: gathered(A, B, C),
               lambda: tried("mdadm", "--run", NODE))),
    State("not-rebuilding", "RAID 1: a disk is gone, no spare",
          does(lambda: create("1", A, B), lambda: fail(B, remove=True), lambda: pull(B))),
    State("not-rebuilding", "the same, read-only",
          does(lambda: create("1", A, B), lambda: fail(B, remove=True), lambda: pull(B), readonly)),
    State("not-rebuilding", "RAID 1 without a bitmap: a disk was away", lambda: left_out("none")),
    State("not-rebuilding", "RAID 1 with a spare, syncs frozen", with_spare_before_it_is_used),
    State("not-rebuilding", "RAID 1 with a spare, read-only until the first write",
          does(with_spare_before_it_is_used, lambda: read_auto("1", A, C))),
    State("rebuilding", "RAID 1: a new disk is filled",
          does(lambda: left_out("none"), lambda: command("mdadm", "--zero-superblock", B),
               lambda: rebuilding(f"{NODE} --add {C}"))),
    State("rebuilding", "RAID 5: a disk is replaced while it works",
          does(lambda: create("5", A, B, C),
               lambda: rebuilding(f"{NODE} --add {D}", f"{NODE} --replace {B} --with {D}"))),
    State("left-out", "RAID 1 with a bitmap: a disk was away", lambda: left_out("internal")),
    State("left-out", "the same, read-only", does(lambda: left_out("internal"), readonly)),
    State("left-out", "RAID 1 without a bitmap: a disk was away", lambda: left_out("none")),
    State("left-out", "RAID 5 without a bitmap: a disk was away",
          does(lambda: create("5", A, B, C), lambda: fail(B, remove=True))),
    State("left-out", "RAID 1 without a bitmap, started with one disk, nothing written since",
          does(lambda: create("1", A, B), lambda: read_auto("1", A, B, without=[B]))),
    State("left-out", "RAID 1: a spare has the place of the disk that was away",
          does(lambda: create("1", A, B, C, bitmap="internal", more=("--spare-devices=1",)), lambda: fail(B),
               lambda: until(idle), lambda: fail(B, remove=True))),
    State("left-out", "RAID 5: its old journal is left out",
          does(journalled, lambda: fail(D), readonly, lambda: tried("mdadm", NODE, "--remove", D))),
    State("resync", "RAID 5 after its creation", resyncing),
    State("resync-waits", "RAID 5, not stopped cleanly, read-only until the first write",
          does(resync_cut, lambda: tried("mdadm", "--assemble", NODE, A, B, C), settle)),
    State("resync-waits", "RAID 5 after its creation, syncs frozen", does(resyncing, frozen)),
    State("reshape", "RAID 5 from 3 to 4 disks", reshaping),
    State("reshape-waits", "the same, stopped and assembled", does(reshaping, lambda: read_auto("5", A, B, C, D))),
    State("reshape-waits", "the same, syncs frozen", does(reshaping, frozen)),
    State("check", "RAID 1 is checked",
          does(lambda: create("1", A, B), lambda: write("sync_max", "4096"), lambda: write("sync_action", "check"),
               lambda: held("check"))),
    State("frozen", "RAID 1, syncs frozen", does(lambda: create("1", A, B), lambda: write("sync_action", "frozen"))),
    State("read-only", "RAID 1, read-only", does(lambda: create("1", A, B), readonly)),
    State("read-only", "RAID 5, started without its journal",
          does(journalled, lambda: stop(NODE, *DISKS), lambda: pull(D), lambda: gathered(A, B, C),
               lambda: tried("mdadm", "--run", NODE))),
    State("mismatches-of-copies", "RAID 1: 64 KiB of a disk overwritten", lambda: mismatching("1", A, B)),
    State("mismatches-of-parity", "RAID 5: the same", lambda: mismatching("5", A, B, C)),
    State("stopped", "RAID 1, stopped", lambda: stopped("1", A, B)),
    State("write-error", "RAID 1 without a spare",
          does(lambda: create("1", A, B), lambda: write("dev-sdb/state", "write_error"))),
    State("write-error", "RAID 1 with a spare",
          does(lambda: create("1", A, B, C, more=("--spare-devices=1",)),
               lambda: write("dev-sdb/state", "write_error"))),
    State("write-error", "RAID 0", does(lambda: create("0", A, B), lambda: write("dev-sdb/state", "write_error"))),
    State("to-be-replaced", "RAID 5 without a spare",
          does(lambda: create("5", A, B, C), lambda: command("mdadm", NODE, "--replace", B))),
    State("bad-blocks", "RAID 1: a sector in the list of a disk",
          does(lambda: create("1", A, B), lambda: write("dev-sdb/bad_blocks", "4096 8"))),
    State("corrected", "RAID 1: md counts corrected errors",
          does(lambda: create("1", A, B), lambda: write("dev-sdb/errors", "16"))),
    State("no-bitmap", "RAID 1 of 110 GiB without a bitmap", large),
    State("never-checked", "RAID 1 without a record of a check", lambda: create("1", A, B)),
)  # fmt: skip


def look(state: State) -> tuple[Array, ...]:
    kept = (lambda uuids: {uuid: KeptArray("the-run") for uuid in uuids}) if state.expected else (lambda uuids: {})
    return now.look(kept).arrays


def found(state: State) -> tuple[Array, Condition]:
    """The array in that state. Of two the last one: the other runs already."""
    seen = [(array, one) for array in look(state) for one in array.conditions if one.kind == state.kind]
    assert seen, (state, [one.kind for array in look(state) for one in array.conditions])
    return seen[-1]


def commands_in(text: str) -> list[str]:
    """Those that are run as printed. An `mdadm -I` without a node is for a disk that comes back."""
    quoted = [words for words in text.split("`")[1::2] if words.startswith(_PROGRAMS) and words != "mdadm -I"]
    return [f"{words} {FREE}" if words.endswith(_OPEN) else words for words in quoted]


def run(words: str) -> str:
    """What it printed; it must succeed."""
    done = carried_out(*words.split()[1:]) if words.startswith("raidtui ") else tried("bash", "-c", words)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def in_sync(arrays: Sequence[Array], uuid: str) -> int:
    return sum(len(array.of_role("in sync")) for array in arrays if array.uuid == uuid)


def words_of(arrays: Sequence[Array], uuid: str) -> str:
    return "; ".join(_words(array) for array in arrays if array.uuid == uuid)


def _words(array: Array) -> str:
    if array.health in ("inactive", "stopped"):
        count = len(array.of_role("gathered", "left out"))
        return f"{array.health}, {count} here"
    state = f", {array.array_state}" if array.array_state in ("readonly", "read-auto") else ""
    disks = " ".join(member.device for member in array.of_role("in sync", "journal"))
    return f"{array.health}{state}: {disks} of {array.slots}"


def carried(state: State) -> Row:
    """Made, its commands run, looked at again: md refuses none, and no fewer members are in sync."""
    state.make()
    if not state.behind:
        settle()
    before = look(state)
    array, condition = found(state)
    uuid, printed = array.uuid, commands_in(condition.remedy)
    told = {words: run(words) for words in printed}
    udev_looks(True)
    if printed:
        until(idle)
        settle()
    after = look(state)
    assert in_sync(after, uuid) >= in_sync(before, uuid), (state, printed, after)
    did = f"{words_of(before, uuid)} → {words_of(after, uuid)}" if printed else words_of(before, uuid)
    left = [f"/dev/{member.device}" for member in array.of_role("left out")]
    erased = [disk for disk in left if "mdadm: added" in told.get(f"mdadm {NODE} --add {disk}", "")]
    for disk in erased:
        refused(state, disk)
    shown = tuple(words.replace(uuid, "UUID") for words in printed)
    return Row(state.kind, state.words, shown, did + ("; md refuses --re-add and -I" if erased else ""))


def refused(state: State, disk: str) -> None:
    """In the same state md takes this disk neither by --re-add nor by -I."""
    for argv in (("mdadm", NODE, "--re-add", disk), ("mdadm", "--incremental", disk)):
        clean()
        state.make()
        array, _ = found(state)
        tried(*argv)
        until(idle)
        assert in_sync(look(state), array.uuid) == len(array.of_role("in sync")), (state, argv)
