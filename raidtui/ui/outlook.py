"""What the draft would become over its disks, and what is proposed for its purpose."""

from raidtui.core.advice.outlook import Outlook, outlook_of
from raidtui.core.advice.proposals import Advice, NoAdvice, Wish, advise
from raidtui.core.disks.disk import Disk
from raidtui.ui.draft import Draft


def outlook(draft: Draft, disks: tuple[Disk, ...]) -> Outlook:
    """What `draft` gives over `disks`, its members in order."""
    key, layout, chunk_bytes = draft.level_or_suggested, draft.layout_or_default, draft.chunk_bytes
    return outlook_of(key, layout, chunk_bytes, disks, partitioned=draft.partitioned)


def advice_of(draft: Draft, disks: tuple[Disk, ...]) -> Advice | str | None:
    """What is proposed for the purpose that was told, why nothing can be, or None where no purpose was told."""
    if draft.use is None:
        return None
    try:
        return advise(Wish(draft.use, draft.survive), disks)
    except NoAdvice as reason:
        return str(reason)
