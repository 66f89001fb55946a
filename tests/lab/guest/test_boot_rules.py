"""mdadm.conf by mdadm's own rules: each row of the table done by mdadm. The node decides, and whether there is one."""

from tests.builders.boot_rules import RULES
from tests.lab.guest import boot_rules

RACK = dict(disks=2, size_mib=64)


def test_mdadm_does_what_the_table_says() -> None:
    boot_rules.alone()
    array = boot_rules.Array()
    wrong = []
    for rule in RULES:
        by = (rule.conf, rule.title, rule.host)
        found = (array.incremental(*by), array.scan(*by) if rule.scan else "")
        if found != (rule.incremental, rule.scan):
            wrong.append((*rule, found))
    assert not wrong
