"""A machine that is written down, with a LUKS container on the run's array: its header, and whether it is open."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from raidtui.core.disks.machine import Signature
from raidtui.core.plan.model import LayerPlan
from raidtui.runs import directory
from raidtui.runs.waiting import Ended
from raidtui.system.process import Done
from raidtui.system.signatures import Reading
from tests.runs.rig import Argv, Rig, plan_of

START_BYTES = 16 << 20


class WithLuks(Rig):
    """A stage whose array stands. `headers`: what blkid finds on the array, `keys` how many passphrases open it; what
    closes the container and wipes the array changes them.
    """

    def __init__(self, folder: Path) -> None:
        self.drawn = directory.drawn(plan_of(after="keep", filesystem="ext4", between="luks"))
        super().__init__(folder, self.drawn)
        stage = self.plan.stages[-1]
        assert stage.layer and stage.array and stage.filesystem
        self.layer: LayerPlan = stage.layer
        self.array, self.stands_on = "md127", tuple(one.name for one in self.seen.devices)
        self.superblocks = {one.path: stage.array.uuid for one in self.seen.devices}
        self.headers: tuple[Signature, ...] | None = (self.header(),)
        self.keys, self.start_bytes = 1, START_BYTES
        self.mapped = {self.layer.group: "dm-0"}
        self.mapping_uuid = f"CRYPT-LUKS2-{self.layer.uuid.replace('-', '')}-{self.layer.group}"
        self.answer = self._told
        self.executor.begin(len(self.plan.stages) - 1, stage)

    def header(self, uuid: str = "") -> Signature:
        return Signature(kind="crypto_LUKS", uuid=uuid or self.layer.uuid)

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        return {name: Reading(signatures=self.headers if name == self.array else ()) for name in names}

    def text(self, path: str | Path) -> str:
        return self.mapping_uuid if str(path).endswith("/dm/uuid") else super().text(path)

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        if argv[:2] != ("cryptsetup", "luksDump"):
            return super().ask(argv, timeout_s)
        keyslots: dict[str, dict[str, str]] = {str(number): {} for number in range(self.keys)}
        told = {"keyslots": keyslots, "segments": {"0": {"offset": str(self.start_bytes)}}}
        return Done(0, json.dumps(told), "")

    def _told(self, argv: Argv) -> Ended:
        match argv[:2]:
            case ("cryptsetup", "close"):
                self.mapped = {}
            case ("wipefs", "--all"):
                self.headers = ()
            case ("mdadm", "--stop"):
                self.array = None
            case ("mdadm", "--zero-superblock"):
                del self.superblocks[argv[-1]]
        return Ended(0, "")
