"""A kept array comes back after a reboot: the lines name what the plan made, and bash can run them."""

import subprocess

import msgspec

from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.permanence import shell_lines
from tests.builders import sweeps

DRAWN = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")


def kept(filesystem: str) -> Plan:
    """The plan of a run, for which UUIDs were drawn."""
    made = sweeps.plan("quick", 3, setup=Setup(level="5", filesystem=filesystem), after="keep")
    return msgspec.structs.replace(made, uuids=DRAWN)


def test_the_lines_name_the_array_and_the_file_system_by_their_uuids() -> None:
    made = kept("ext4")
    stage = slots.filled(made).stages[-1]
    assert stage.array and stage.filesystem
    said = shell_lines(made)
    assert f"ARRAY /dev/md/{stage.array.name} UUID={stage.array.uuid}" in said[0] and "mdadm.conf" in said[0]
    assert any(f"UUID={stage.filesystem.uuid} /srv/array ext4 defaults,nofail 0 2" in line for line in said)
    for line in said:
        assert subprocess.run(["bash", "-n", "-c", line], check=False).returncode == 0


def test_without_a_file_system_nothing_is_mounted() -> None:
    made = kept("none")
    assert len(shell_lines(made)) == 2 and not any("fstab" in line for line in shell_lines(made))


def test_an_array_that_is_torn_down_is_not_put_into_any_file() -> None:
    assert shell_lines(sweeps.plan("quick", 3, setup=Setup(level="5", filesystem="ext4"))) == ()
