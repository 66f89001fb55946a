"""What makes a kept array come back after a reboot, where raidtui does not do it: shell lines for a person to run.

Each is whole on its own. Debian's places; the others are named in a comment.
"""

from raidtui.core.boot import lines as boot_lines
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.raid.filesystems import filesystem


def lines(plan: Plan) -> tuple[str, ...]:
    """The lines for the array that a run keeps and its file system; none where the plan keeps no array."""
    if plan.kept_stage is None or plan.stages[plan.kept_stage].array is None:
        return ()
    try:
        stage = slots.filled(plan).stages[plan.kept_stage]
    except ValueError:  # of no run that could have kept anything
        return ()
    assert stage.array
    array_line = boot_lines.array(stage.array.name, stage.array.uuid, stage.spares)
    commands = [
        f"echo '{array_line}' >> /etc/mdadm/mdadm.conf  # elsewhere than on Debian: /etc/mdadm.conf",
        "update-initramfs -u  # Fedora, RHEL, SUSE: dracut -f",
    ]
    if stage.filesystem:
        folder, kind = boot_lines.FOLDER, stage.filesystem.kind
        entry = boot_lines.fstab(stage.filesystem.uuid, folder, kind, filesystem(kind).fsck_pass)
        commands += [f"mkdir -p {folder}", f"echo '{entry}' >> /etc/fstab", f"mount {folder}"]
    return tuple(commands)
