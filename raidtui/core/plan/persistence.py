"""What makes a kept array come back after a reboot: shell lines for a person to run, each whole on its own.

Debian's places; the others are named in a comment. Field names: mdadm.conf(5), fstab(5).
"""

from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan

FOLDER = "/srv/array"


def lines(plan: Plan) -> tuple[str, ...]:
    """The lines for the last stage's array and file system of a run; none where the plan keeps no array."""
    if plan.stages[-1].array is None or plan.answers.after != "keep":
        return ()
    try:
        stage = slots.filled(plan).stages[-1]
    except ValueError:  # of no run that could have kept anything
        return ()
    assert stage.array
    known = f"ARRAY /dev/md/{stage.array.name} UUID={stage.array.uuid}"
    said = [
        f"echo '{known}' >> /etc/mdadm/mdadm.conf  # elsewhere than on Debian: /etc/mdadm.conf",
        "update-initramfs -u  # Fedora, RHEL, SUSE: dracut -f",
    ]
    if stage.filesystem:
        entry = f"UUID={stage.filesystem.uuid} {FOLDER} {stage.filesystem.kind} defaults,nofail 0 0"
        said += [f"mkdir -p {FOLDER}", f"echo '{entry}' >> /etc/fstab", f"mount {FOLDER}"]
    return tuple(said)
