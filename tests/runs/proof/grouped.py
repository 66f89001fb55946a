"""A written machine with groups under a RAID 0, on which a proof runs: each array by its UUID, with its own members."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from raidtui.core.arrays.array import Sync
from raidtui.core.disks.machine import Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.runs.waiting import Ended
from raidtui.system.process import Done
from raidtui.system.signatures import Reading
from tests.builders.plans import planned
from tests.runs.proof.members import seen_of
from tests.runs.proof.proving import ProofRig
from tests.runs.rig import Argv

DISKS = 6
SEEN = seen_of(DISKS, 1 << 30)
_LOOKS = 4


def plan() -> Plan:
    return planned(disks_of(SEEN), Setup(level="5", groups=2), recipe="proof")


class GroupedRig(ProofRig):
    """`running`: UUID -> kernel name; `made_of`: kernel name -> names of its members; `counted`: kernel name -> sectors
    that its next check counts; `says_of`: path -> what is read there; `read_auto`: these wait for their
    first write.
    """

    def __init__(self, folder: Path) -> None:
        self.running: dict[str, str] = {}
        self.made_of: dict[str, tuple[str, ...]] = {}
        self.counted: dict[str, str] = {}
        self.checks: dict[str, int] = {}
        self.says_of: dict[str, str] = {}
        self.read_auto: set[str] = set()
        super().__init__(folder, plan(), SEEN)
        array = self.plan.stages[-1].array
        assert array
        self.named_ = dict(zip((array.name, *(group.name for group in array.groups)), array.uuids, strict=True))
        self.kernel = dict(zip(array.uuids, ("md127", "md126", "md125"), strict=True))
        for group in ("md126", "md125"):
            path = f"/sys/block/{group}/md/sync_min"
            self.settings[path] = folder / f"{group}-sync_min"
            self.settings[path].write_text("0")

    def _done(self, argv: Argv) -> Ended:
        if argv[0] != "mdadm":
            return super()._done(argv)
        name = argv[-1].removeprefix("/dev/")
        array, member = argv[2].removeprefix("/dev/") if argv[2:] else "", argv[-1]
        match argv[1]:
            case "--create" | "--assemble":
                uuid = next((word[7:] for word in argv if word.startswith("--uuid=")), "")
                own = uuid or self.named_[member.removeprefix("/dev/md/")]
                on = [word for word in argv[3:] if word.startswith("/dev/") and not word.startswith("/dev/md/")]
                assert own not in self.running
                if argv[1] == "--create":
                    self.superblocks |= dict.fromkeys(on, own)
                assert all(self.superblocks[one] == own for one in on), argv
                self._come_up(own)
            case "--stop":
                (uuid,) = (uuid for uuid, running in self.running.items() if running == name)
                assert name == "md127" or "md127" not in self.running.values()
                del self.running[uuid]
            case "--fail":
                assert name in self.made_of[array]
                self.failed = {*self.failed, name}
            case "--remove":
                self.failed = self.failed - {name}
                self.made_of[array] = tuple(one for one in self.made_of[array] if one != name)
            case "--readwrite":
                self.read_auto = self.read_auto - {array}
            case "--zero-superblock":
                del self.superblocks[member]
            case "--add":
                assert name not in self.made_of[array]
                self.made_of[array] = (*self.made_of[array], name)
                self.superblocks[member] = next(uuid for uuid, running in self.running.items() if running == array)
            case "--action=check":
                self.checks[array] = _LOOKS + ("md126" in array)  # one ends before the other
                self.checked = True
        return Ended(0, "")

    def _come_up(self, uuid: str) -> None:
        name = self.running[uuid] = self.kernel[uuid]
        nodes = [node for node, found in self.superblocks.items() if found == uuid]
        self.made_of[name] = tuple(sorted(node.removeprefix("/dev/") for node in nodes))

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        """For a look at what was stopped."""
        if argv[:2] == ("mdadm", "--assemble"):
            self._come_up(argv[4].removeprefix("--uuid="))
        elif argv[:2] == ("mdadm", "--stop"):
            self._done(tuple(argv))
        else:
            return super().ask(argv, timeout_s)
        return Done(0, "", "")

    def find_array(self, uuid: str) -> str | None:
        return self.running.get(uuid)

    def named(self, name: str) -> str | None:
        return self.running.get(self.named_[name])

    def slaves(self, array: str) -> tuple[str, ...]:
        return self.made_of.get(array, ())

    def lacking(self, array: str) -> int:
        return (2 if array == "md127" else DISKS // 2) - len(self.working(array))

    def is_dead(self, array: str) -> bool:
        return array not in self.running.values()

    def sync(self, array: str) -> Sync | None:
        if not self.checks.get(array):
            return None
        self.checks[array] -= 1
        return Sync("check", 1000, 1000, 50.0)

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        found = super().signatures_on(names)
        outer = {name: self.superblocks.get(f"/dev/{name}") for name in ("md126", "md125")}
        own = {
            name: Reading(signatures=(Signature(kind="linux_raid_member", uuid=uuid),))
            for name, uuid in outer.items()
            if uuid
        }
        return {name: own.get(name, found[name]) for name in names}

    def text(self, path: str | Path) -> str:
        if str(path) in self.says_of:
            return self.says_of[str(path)]
        _, *parts = Path(path).parts
        array = parts[2] if len(parts) > 2 else ""
        match parts[-1]:
            case "mismatch_cnt":
                return self.counted.get(array, "0") if self.checked else "0"
            case "array_state":
                return "read-auto" if array in self.read_auto else "active"
            case "level":
                return "raid0" if array == "md127" else "raid5"
            case "raid_disks":
                return "2" if array == "md127" else "3"
            case "slot":
                name = parts[-2].removeprefix("dev-")
                return str("abcdef".index(name[-1]) % 3) if name in self.slaves(array) else ""
        return super().text(path)
