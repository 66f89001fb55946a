"""Where test files lie is journalled right after they were filled, and kept with their stage."""

from pathlib import Path

import pytest

from raidtui.core.disks.extents import Extent
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.runs.measure import journal_extents
from tests.builders.plans import of_role
from tests.runs.rig import Rig, plan_of

LIES = (Extent(0, 4096, 1 << 20),)


@pytest.mark.parametrize("filesystem, told", [("ext4", LIES), ("xfs", LIES), ("btrfs", ())])
def test_extents_are_told_of_file_systems_whose_addresses_are_the_devices(
    tmp_path: Path, filesystem: str, told: tuple[Extent, ...]
) -> None:
    rig = Rig(tmp_path, plan_of(filesystem=filesystem))
    number, stage = next((at, one) for at, one in enumerate(rig.plan.stages) if one.filesystem)
    fill = of_role(stage.steps, "fill")[0]
    name = next(word.partition("=")[2] for word in fill.argv if word.startswith("--filename="))
    rig.files_lie = {Path(name).name: LIES}
    rig.executor.context.begin(number, stage)
    journal_extents(rig.executor.context, fill)
    found = rig.journal.state.placed.get(number, ())
    assert tuple(one for file in found for one in file.extents) == told


def test_a_file_that_is_filled_again_lies_where_it_lies_now() -> None:
    def placed(start_bytes: int) -> events.FilePlaced:
        return events.FilePlaced(at_s=1.0, path="mnt/test", extents=(Extent(0, start_bytes, 4096),))

    state = fold_all([events.StageStarted(at_s=1.0, stage=2), placed(0), placed(8192)])
    assert state.placed == {2: (placed(8192),)}
