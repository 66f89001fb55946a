"""The end of a report of a kept array: what was written and how to undo it, or what to write by hand."""

import msgspec

from raidtui.core.page.markdown import markdown
from raidtui.core.report.facts import after_a_reboot
from raidtui.core.run.events import FileEdited
from raidtui.core.run.state import RunState
from raidtui.runs import directory
from tests.runs.rig import plan_of, plan_permanent

STATE = RunState(run="the-run", kept=True)


def test_lines_that_were_written_stand_under_their_files() -> None:
    plan = plan_permanent(mount_point="/srv/vms")
    edit = FileEdited(at_s=1, path="/etc/fstab", lines=("UUID=1 /srv/vms ext4 defaults,nofail 0 2",), mark="m")
    state = msgspec.structs.replace(STATE, stages_done=(plan.permanence or 0,), edits={edit.path: edit})
    text = markdown(after_a_reboot(plan, state))
    assert "mounted at /srv/vms" in text and f"# /etc/fstab\n{edit.lines[0]}" in text and "raidtui undo the-run" in text


def test_what_was_not_written_is_told_to_be_written_by_hand() -> None:
    text = markdown(after_a_reboot(directory.drawn(plan_permanent()), STATE))
    assert "As root:" in text and "update-initramfs" in text and "raidtui undo" not in text
    assert list(after_a_reboot(plan_of("1"), RunState())) == []
