"""The bash about a ZFS pool, run with programs that are written down."""

import subprocess

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.boot.distributions import DISTRIBUTIONS, BootPlace
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.raid import zfs
from raidtui.core.script import pool_lines
from tests.builders.racks import RACK, answers

PLACE = BootPlace(distribution=DISTRIBUTIONS[0], mdadm_conf="/etc/mdadm/mdadm.conf", systemd=True)


def plan() -> Plan:
    given = msgspec.structs.replace(
        answers(4, "zfs-raidz1"), jobs=("seq_read",), repeat=1, after="keep", permanent=True, pool_name="tank"
    )
    return make(given, recipes.load("quick"), RACK, "here", programs=(*zfs.PROGRAMS, zfs.MODULE), place=PLACE)


@pytest.mark.parametrize("guid, status", [("7", 0), ("8", 3)])
def test_a_long_cache_file_in_which_the_pool_is_the_first_is_read_to_its_end(guid: str, status: int) -> None:
    """A zdb that is cut off as it prints fails, and with it what it is asked for."""
    made = plan()
    assert made.kept_stage is not None
    functions = "\n".join(pool_lines.first_look(made, made.stages[made.kept_stage])).partition("if [")[0]
    stubs = """set -euo pipefail; shopt -s inherit_errexit
refuse() { echo "$1" >&2; exit 3; }
zpool() { return 1; }
zdb() { echo '    pool_guid: 7'; for ((line = 0; line < 40000; line++)); do echo '        path: /dev/sda1'; done; }
"""
    ended = subprocess.run(
        ["bash", "-c", f"{stubs}{functions}\npool={guid}; pool_at_boot"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == status, ended.stderr
