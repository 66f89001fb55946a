"""First answer files: valid as printed, and with every commented key uncommented."""

import re
import tomllib

from raidtui.core.advice.answer_file import EXAMPLE, recommended
from raidtui.core.advice.proposals import Wish, advise
from raidtui.core.plan.answers import Setup, parse
from raidtui.core.plan.summary import imagined
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import TB


def test_the_example_is_valid() -> None:
    answers = parse(tomllib.loads(EXAMPLE))
    assert answers.setup == Setup(level="5", chunk="512KiB", filesystem="xfs")
    assert (answers.recipe, answers.after) == ("quick", "keep") and EXAMPLE.count("wwn-") == 3


def test_its_commented_keys_are_valid_together() -> None:
    text, keys = re.subn(r"^# (?=[a-z_]+ = )", "", EXAMPLE, flags=re.MULTILINE)
    answers = parse(tomllib.loads(text))
    assert keys == 9 and (answers.mount_point, answers.permanent, answers.label) == ("/srv/files", True, "files")


def test_a_recommendation_is_the_best_proposal_on_these_disks() -> None:
    disks = imagined([8 * TB] * 6, flash=False)
    document, comment = recommended(advise(Wish(Workload.VMS), disks), disks)
    answers = parse(document)
    assert answers.disks == tuple(disk.id for disk in disks)
    assert document["setup"] == {"level": "10", "layout": "n2", "chunk": "512KiB", "filesystem": "xfs"}
    assert (answers.use, answers.after) == (Workload.VMS, "keep")
    assert comment.startswith("# RAID 10 n2, chunk 512 KiB, xfs: 24.0 TB") and len(comment.splitlines()) == 8


def test_a_single_disk_is_not_kept() -> None:
    disks = imagined([8 * TB], flash=False)
    document, _ = recommended(advise(Wish(Workload.SCRATCH, 0), disks), disks)
    assert (parse(document).after, document["setup"]["level"]) == ("teardown", "jbod")
