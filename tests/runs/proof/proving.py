"""A written machine on which a proof runs, and whose worker may die at any command."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from raidtui.core.arrays.array import Sync
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import steps
from raidtui.core.plan.answers import After, ProofAnswers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.proof import pattern
from raidtui.core.run.proof import continued_at
from raidtui.runs import stages
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended
from raidtui.system.signatures import Reading
from tests.builders.journals import started
from tests.builders.plans import planned
from tests.runs.rig import BOOT, SEEN, Argv, Rig

RESULT = (Path(__file__).parents[2] / "recordings" / "fio" / "seq-read.json").read_text()


MIB = 1 << 20
STARTED = started("run", boot_id=BOOT)


class Killed(BaseException):
    """The worker is gone, in the middle of a command."""


def plan(after: After = "teardown", filesystem: str = "none", witness: str = "") -> Plan:
    setup = Setup(level="5", filesystem=filesystem)
    proof = ProofAnswers(cut="witness", witness=witness) if witness else ProofAnswers()
    return planned(disks_of(SEEN), setup, recipe="proof", after=after, proof=proof)


class ArrayContent:
    """What was written to the array, the newest last: pieces, and parts of the pattern."""

    def __init__(self) -> None:
        self._written: list[tuple[int, int, str, bytes]] = []

    def write(self, at: int, piece: bytes, times: int = 1) -> None:
        self._written.append((at, len(piece) * times, "", piece))

    def fill(self, tag: str, at: int, size_bytes: int) -> None:
        self._written.append((at, size_bytes, tag, b""))

    def read(self, offset: int, size_bytes: int) -> bytes:
        found = bytearray(b"old" * (size_bytes // 3 + 1))[:size_bytes]
        for at, length, tag, piece in self._written:
            begin, end = max(at, offset), min(at + length, offset + size_bytes)
            if begin < end:
                request = offset - (offset - MIB) % MIB
                if tag:
                    new = pattern.content(tag, request, begin - request, end - begin)
                else:
                    first, size = (begin - at) // len(piece), end - begin
                    new = (piece * (size // len(piece) + 2))[begin - at - first * len(piece) :][:size]
                found[begin - offset : end - offset] = new
        return bytes(found)


class ProofRig(Rig):
    """A machine whose md does as it is told; `kill_at`: before that command, or after it, the worker dies."""

    def __init__(self, folder: Path, plan: Plan, seen: Machine = SEEN) -> None:
        super().__init__(folder, plan, seen)
        (folder / "fio").mkdir(exist_ok=True)
        self.build()
        self._built = self.answer
        self.answer = self._answer
        self.kill_at, self.late = -1, False
        self.mismatches, self.short_bytes = "0", 0
        self.check: list[Sync] = []  # looks at the one that runs
        self.checked = False
        self.failed: set[str] = set()
        self.faulty = lambda: self.failed
        self.disk = ArrayContent()
        self.on_array: tuple[Signature, ...] = ()
        self.slots = {one.name: number for number, one in enumerate(self.seen.devices)}
        self.level = "raid5"
        for path in ("/proc/sys/vm/drop_caches", "/sys/block/md127/md/sync_min"):
            self.settings[path] = folder / Path(path).name
            self.settings[path].write_text("0")

    def _answer(self, argv: Argv) -> Ended:
        dies = argv[0] != "udevadm" and len(self.commands()) - 1 == self.kill_at
        if dies and not self.late:
            raise Killed
        ended = self._done(argv)
        if dies:
            raise Killed
        return ended

    def commands(self) -> list[Argv]:
        """Without udevadm's, which a look at the members adds once the last look is a second old."""
        return [argv for argv in self.given if argv[0] != "udevadm"]

    def _done(self, argv: Argv) -> Ended:
        name = argv[-1].removeprefix("/dev/")
        match argv[:2]:
            case ("mdadm", "--fail"):
                self.failed = {*self.failed, name}
            case ("mdadm", "--remove"):
                self.failed = self.failed - {name}
                self.stands_on = tuple(one for one in self.slaves("md127") if one != name)
            case ("mdadm", "--add"):
                assert self.stands_on is not None and name not in self.stands_on
                array = self.plan.stages[-1].array
                assert array
                self.stands_on, self.superblocks[argv[-1]] = (*self.stands_on, name), array.uuid
            case ("mdadm", "--action=check"):
                self.check, self.checked = [Sync("check", 1000, 1000, 50.0)] * 4, True
            case ("mdadm", "--assemble"):
                assert self.array is None
                self.array = "md127"
            case ("fio", _):
                options = dict(word.removeprefix("--").partition("=")[::2] for word in argv)
                self._write_result(options["output"], int(options.get("io_size", options["size"])) - self.short_bytes)
                if options["rw"] == "write":
                    tag = options["verify_pattern"].removeprefix("0x").partition("%")[0]
                    self.disk.fill(tag, int(options["offset"]), int(options["size"]))
            case ("dd", word) if "of=/dev/md127" in argv:
                written = (
                    b""
                    if word == "if=/dev/zero"
                    else steps.resolve(pattern.MARK, self.executor.context.device_of).encode()
                )
                at = next((int(part[5:]) for part in argv if part.startswith("seek=")), 0)
                self.write_array(at, written or bytes(MIB))
            case ("wipefs", "--all") if name == "md127":
                self.on_array = ()
            case ("mkfs.ext4", _):
                uuid = argv[argv.index("-U") + 1]
                self.on_array = (Signature(kind="ext4", uuid=uuid),)
                self.write_array(0, b"somebody's inodes")
        return self._built(argv)

    def write_array(self, at: int, piece: bytes) -> None:
        self.disk.write(at, piece)

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        return {name: Reading(signatures=self.on_array if name == "md127" else self.signatures) for name in names}

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        if node != "/dev/md127":
            raise OSError(5, "a member")
        return self.disk.read(offset, size_bytes)

    def _write_result(self, output: str, io_bytes: int) -> None:
        document = json.loads(RESULT)
        document["jobs"][0]["read"]["io_bytes"] = io_bytes
        (self.folder / output).write_text(json.dumps(document))

    def text(self, path: str | Path) -> str:
        *_, folder, file = Path(path).parts
        match file:
            case "mismatch_cnt":
                return self.mismatches
            case "last_sync_action":
                return "check" if self.checked else "recover"
            case "level" if self.array:
                return self.level
            case "raid_disks" if self.array:
                return str(len(self.slots))
            case "slot":
                return str(self.slots[folder.removeprefix("dev-")])
        return super().text(path)

    def sync(self, array: str) -> Sync | None:
        return self.check.pop() if self.check else super().sync(array)

    def after(self) -> "ProofRig":
        """The next worker, on the machine as it is now."""
        self.given, self.kill_at = [], -1
        self.open()
        return self

    def go(self) -> Outcome:
        past = self.journal.state
        self.journal.add(STARTED)
        return stages.go(self.plan, self.executor, past)


MOMENTS = {
    "fill": (0, "fio"),
    "degraded": (3, "fio"),  # the third of the second pattern is written
    "rebuilding": (0, "mdadm --add"),
    "assembled": (0, "mdadm --assemble"),
    "mkfs": (0, "mkfs.ext4"),
}


@cache
def _given(keep: bool) -> tuple[Argv, ...]:
    """All commands of a proof that nothing cuts off."""
    with TemporaryDirectory() as folder:
        whole = ProofRig(Path(folder), plan("keep", "ext4") if keep else plan())
        whole.go()
        return tuple(whole.commands())


def killed(folder: Path, moment: str, *, late: bool = True, keep: bool = True) -> ProofRig:
    """A proof whose worker died in this command."""
    skip, words = MOMENTS[moment]
    found = [at for at, argv in enumerate(_given(keep)) if " ".join(argv[:2]).startswith(words)]
    (own := folder / "run").mkdir()
    rig = ProofRig(own, plan("keep", "ext4") if keep else plan())
    rig.kill_at, rig.late = found[skip], late
    with pytest.raises(Killed):
        rig.go()
    return rig.after()


def index_of(rig: ProofRig) -> int:
    index = continued_at(rig.plan, rig.journal.state)
    assert index is not None
    return index
