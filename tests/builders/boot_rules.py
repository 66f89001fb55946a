"""The table of mdadm.conf's rules: what mdadm does with a line, and what the program says of it."""

from typing import NamedTuple

from tests.builders.machines import CASES

UUID = "11111111:22222222:33333333:44444444"
_OTHER = "00000000:22222222:33333333:44444444"


class Rule(NamedTuple):
    """`incremental`, `scan`: the node's name by mdadm, "-": not assembled, "": not tried."""

    conf: str
    title: str
    host: str
    assembly: str
    incremental: str
    scan: str


RULES = tuple(
    Rule(*(field.strip() for field in line.split(" ; ")))
    for line in (CASES / "b02_boot_rules.txt").read_text().splitlines()
    if not line.startswith("#")
)


def text_of(conf: str) -> str:
    """Rows have U for the array's UUID, W for another, and a bar between lines."""
    words = conf.replace("UUID=U", f"UUID={UUID}").replace("uuid=U", f"uuid={UUID}").replace("UUID=W", f"UUID={_OTHER}")
    return words.replace("|", "\n") + "\n"
