"""First answer files as TOML text: an example with the usual keys, and the file of a recommendation. Pure."""

from collections.abc import Sequence
from typing import Any

from raidtui.core.advice.groups import Groups, divided, groups_of
from raidtui.core.advice.proposals import Advice
from raidtui.core.advice.wording import are_better, heading
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import Answers, Setup, given_fields, to_document
from raidtui.core.raid.levels import split_name
from raidtui.core.text import clean
from raidtui.core.units import KIB, both, format_bytes

_AT_BOOT = "permanent"  # the key
# A commented key may be uncommented: all of them at once are valid together (tests/core/advice/test_answer_file.py).
EXAMPLE = f"""\
# Answer file for `raidtui plan FILE` (shows steps and code) and `raidtui run FILE --confirm CODE`.
# All data on these disks will be lost. `raidtui disks` shows the identities; serial numbers work too.
disks = [
    "wwn-0x5000c500a1b2c3d4",
    "wwn-0x5000c500a1b2c3d5",
    "wwn-0x5000c500a1b2c3d6",
]
recipe = "quick"               # benchmark; `raidtui recipes` lists all
after = "keep"                 # or "teardown": the array is removed after the benchmark
# use = "media"                # or backup files vms databases scratch: results for it come first
# self_test = "short"          # SMART self-test of each disk before anything is erased
# array_name = "store"         # node: /dev/md/store
# label = "files"              # of the file system
# {_AT_BOOT} = true             # assembled and mounted at each boot
# mount_point = "/srv/files"   # with the line above
# mailaddr = "root"            # with the same: mail alerts of mdadm --monitor

[setup]
level = "5"                    # 0 1 4 5 6 10 linear jbod
chunk = "512KiB"
filesystem = "xfs"             # none ext2 ext4 xfs btrfs
# bitmap = "internal"          # or none, ppl, journal
# spares = 0                   # how many of the disks, the last ones, are spares
"""


def recommended(advice: Advice, disks: Sequence[Disk]) -> tuple[dict[str, Any], str]:
    """The best proposal on these members, in order (groups, where they are better), as TOML; the comment before it."""
    best = advice.best
    found = groups_of(advice, disks)
    if found and found.count > 1 and are_better(found, best):
        return _grouped(advice, found, disks)
    row, chunk_bytes = best.preview.raid, best.preview.chunk_bytes
    answers = Answers(
        disks=tuple(disk.id for disk in disks),
        after="keep" if row.md_name else "teardown",
        use=advice.wish.use,
        setup=Setup(
            level=best.preview.key,
            layout=(best.preview.layout or "") if row.key == "10" else "",
            chunk=f"{chunk_bytes // KIB}KiB" if chunk_bytes else "",
            filesystem=best.filesystem,
        ),
    )
    return document_of(answers), _comment(f"{heading(best)}, for {advice.wish.use}", disks)


def _comment(first: str, disks: Sequence[Disk], spares: int = 0) -> str:
    lines = [first, "All data on these disks will be lost:"]
    for number, disk in enumerate(disks):
        if number == len(disks) - spares:
            lines.append("Spares, shared by the groups while mdadm --monitor runs:")
        described = " ".join(filter(None, (disk.name, disk.model, disk.serial, format_bytes(disk.size_bytes))))
        lines.append(f"  {clean(described)}")
    return "".join(f"# {line}\n" for line in lines)


def _grouped(advice: Advice, found: Groups, disks: Sequence[Disk]) -> tuple[dict[str, Any], str]:
    """The other disks are spares."""
    view, (taken, spares) = found.view, divided(disks, found.count * found.disks)
    setup = Setup(
        level=view.key,
        groups=found.count,
        chunk=f"{(view.chunk_bytes or 0) // KIB}KiB",
        filesystem=advice.best.filesystem,
        spares=len(spares),
    )
    chosen = (*taken, *spares)
    answers = Answers(disks=tuple(disk.id for disk in chosen), after="keep", use=advice.wish.use, setup=setup)
    named = split_name(view.raid, found.count, len(taken))
    first = f"{named}: {both(found.array_bytes)} usable, for {advice.wish.use}"
    return document_of(answers), _comment(first, chosen, len(spares))


def document_of(answers: Answers) -> dict[str, Any]:
    """As TOML; of the setup what is not at its default."""
    document, given = to_document(answers), given_fields(answers.setup)
    document["setup"] = {key: value for key, value in document["setup"].items() if key in given}
    return document
