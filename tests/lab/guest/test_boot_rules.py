"""mdadm.conf by mdadm's own rules: each row of the table done by mdadm. Before: the block size in superblocks."""

import os

from raidtui.core.arrays.superblock import TOLD
from raidtui.core.raid.block_size import is_written_by
from raidtui.runs import kept_arrays
from raidtui.system.arrays import now
from raidtui.system.discovery import read_machine
from tests.builders.boot_rules import RULES
from tests.lab.guest import boot_rules
from tests.lab.guest.disk_states import command, create_array, settle

RACK = dict(disks=3, size_mib=256)


def test_what_older_kernels_refuse_is_told_by_kernel_and_superblock() -> None:
    """Of both kernels of the lab the newer one writes its block size."""
    is_written = is_written_by(os.uname().release)
    create_array("/dev/md7", "--assume-clean", "-l1", "-n2", "--bitmap=none", *boot_rules.DISKS)
    (array,) = now.look(kept_arrays.kept_arrays).arrays
    assert array.older_kernels == ("refuse it" if is_written else "")
    command("dd", "if=/dev/zero", "of=/dev/md7", "bs=4096", "count=1", "conv=fsync", "status=none")  # md notes a write
    command("mdadm", "--stop", "/dev/md7")
    settle()
    told = [one.told[TOLD] for one in read_machine().devices if one.name in ("sda", "sdb")]
    assert told == ["512" if is_written else "0"] * 2


def test_mdadm_does_what_the_table_says() -> None:
    """The node decides, and whether there is one."""
    boot_rules.alone()
    array = boot_rules.Array()
    wrong = []
    for rule in RULES:
        by = (rule.conf, rule.title, rule.host)
        found = (array.incremental(*by), array.scan(*by) if rule.scan else "")
        if found != (rule.incremental, rule.scan):
            wrong.append((*rule, found))
    assert not wrong
