"""What about a kept array is not its run's, as a table; how it is read: tests/runs/care/test_absence.py."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import ArrayMember, KnownDisk, Upon
from raidtui.core.arrays.status import KeptArray
from raidtui.core.care import by_hand
from raidtui.core.plan import slots
from raidtui.runs import kept_arrays
from tests.builders import ensuring
from tests.builders.arrays import UUID

PLAN = slots.filled(ensuring.plan())
ARRAY = ensuring.the_array(ensuring.standing())
KEPT = KeptArray("r1", kept_arrays.members_of(PLAN, UUID.replace(":", "")))
OWN = Upon(device="md127", kind="ext4", uuid=ensuring.FILESYSTEM)
ADDED = ArrayMember(role="spare", device="sdz", disk=KnownDisk(id="wwn-z", serial="Z9"))


@pytest.mark.parametrize(
    "array, kept, says",
    [
        ({"upon": (OWN,)}, {}, []),
        ({"upon": (OWN, Upon(device="md127p1", kind="xfs"))}, {}, ["/dev/md127p1 has xfs, which is not the run's"]),
        ({"upon": (replace(OWN, mounted_at=("/mnt",)),)}, {}, ["it is mounted at /mnt", "strange"]),
        ({"upon": (OWN,), "members": (*ARRAY.members, ADDED)}, {}, ["its member Z9 is not the run's"]),
        ({"upon": (OWN,)}, {"grown_by": "r2"}, ["run r2 has grown it"]),
        ({"upon": (OWN,), "health": "stopped"}, {}, ["it does not run (stopped); `raidtui status` says what to do"]),
    ],
)
def test_each_thing_that_is_not_the_runs_is_named(array: Any, kept: Any, says: list[str]) -> None:
    seen, of_run = replace(ARRAY, **array), replace(KEPT, **kept)
    assert list(by_hand.not_own(PLAN, seen, of_run, {"/mnt": "strange"})) == says


def test_one_that_is_not_here_is_not_looked_into() -> None:
    assert list(by_hand.not_own(PLAN, None, KEPT, {})) == ["it does not run"]
    assert list(by_hand.not_own(PLAN, ARRAY, None, {})) == ["it does not run"]
