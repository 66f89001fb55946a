"""The files of boot, judged byte for byte: as before, with the run's lines, or neither."""

import msgspec
import pytest

from raidtui.core.boot.distributions import place
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.summary import imagined
from raidtui.core.units import GB
from tests.builders.plans import planned
from tests.server.boot_files import FSTAB, MDADM_CONF, standing, written

_DRAWN = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")
_BEFORE = {MDADM_CONF: b"HOMEHOST <system>\n", FSTAB: b"LABEL=root / ext4 defaults 0 1"}  # no end of line
_LINES = {
    MDADM_CONF: b"# raidtui run: from here\nARRAY /dev/md/raidtui-00112233 UUID=00112233:44556677:8899aabb:ccddeeff\n"
    b"# raidtui run: to here\n",
    FSTAB: b"\n# raidtui run: from here\n"
    b"UUID=ffeeddcc-bbaa-9988-7766-554433221100 /srv/array ext4 defaults,nofail 0 2\n"
    b"# raidtui run: to here\n",
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    disks = imagined([100 * GB] * 3, flash=False)
    setup = Setup(level="5", filesystem="ext4")
    debian = place("ID=debian", lambda path: path == MDADM_CONF, lambda program: True, systemd=True)
    made = planned(disks, setup, debian, repeat=1, after="keep", permanent=True)
    return msgspec.structs.replace(made, uuids=_DRAWN)


def test_the_lines_of_the_run_are_added_to_what_was_there(plan: Plan) -> None:
    assert written(plan, "run", _BEFORE) == {path: _BEFORE[path] + _LINES[path] for path in _BEFORE}


@pytest.mark.parametrize(
    "content, word",
    [
        (_BEFORE[FSTAB], "as before"),
        (_BEFORE[FSTAB] + _LINES[FSTAB], "written"),
        (_BEFORE[FSTAB] + _LINES[FSTAB][:-1], "neither"),
        (b"", "neither"),
    ],
)
def test_a_file_that_is_not_whole_is_neither(plan: Plan, content: bytes, word: str) -> None:
    now = {**_BEFORE, FSTAB: content}
    assert standing(now, _BEFORE, written(plan, "run", _BEFORE)) == {MDADM_CONF: "as before", FSTAB: word}
