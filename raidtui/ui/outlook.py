"""What the draft would become over its disks."""

from raidtui.core.advice.outlook import Outlook, outlook_of
from raidtui.core.disks.disk import Disk
from raidtui.ui.draft import Draft


def outlook(draft: Draft, disks: tuple[Disk, ...]) -> Outlook:
    """What `draft` gives over `disks`, its members in order."""
    return outlook_of(draft.level_or_suggested, draft.layout_or_default, draft.chunk_bytes, disks)
