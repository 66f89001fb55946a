"""What is measured as it stands, as a bash script: it looks, reads, and removes the file that it makes."""

from raidtui.core.script.render import script
from tests.builders.targets import device, folder, plan


def test_the_script_looks_reads_and_removes_its_file_by_a_trap() -> None:
    text = script(plan(folder("/srv")))
    assert "trap 'rm --force \"$file\"' EXIT" in text and "wipefs" not in text and "ERASES" not in text
    assert text.index("conv=excl") < text.index("trap")
    assert "--readonly" in script(plan(device()))
