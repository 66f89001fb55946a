"""The power cut of a proof as far as it went, from the journal; of the array that was created last."""

import msgspec
from msgspec.structs import replace

from raidtui.core.proof.witnessed import CopiesAsked
from raidtui.core.run.events import PowerCutAnswered, PowerCutAwaited


class PowerCut(msgspec.Struct, frozen=True):
    """`writing`: nothing has ended the acknowledged writes since they began, but a dead worker. `acknowledged`: the
    highest number that the witness has (0: power was not cut; None: not given yet). `found`: writes, all read back.
    `tags`: of all attempts, this one last; `copies`: how each member was asked for them (None: not yet).
    `waits`: an array that comes up waits for its first write.
    """

    tag: str
    boot_id: str
    began_at_s: float
    writing: bool = True
    acknowledged: int | None = None
    found: int = 0
    found_at_s: float = 0.0
    tags: tuple[str, ...] = ()
    copies: CopiesAsked | None = None
    waits: bool = False

    @property
    def is_skipped(self) -> bool:
        return self.acknowledged == 0

    def may_be_cut(self, boot_id: str) -> bool:
        """Whether the machine booted while they went on."""
        return self.writing and self.boot_id != boot_id


def after(cut: PowerCut | None, event: PowerCutAwaited | PowerCutAnswered) -> PowerCut | None:
    if isinstance(event, PowerCutAwaited):
        tags = (*(cut.tags if cut else ()), event.tag)
        return PowerCut(event.tag, event.boot_id, event.at_s, tags=tags, waits=event.waits is True)
    return cut and replace(
        cut,
        acknowledged=event.acknowledged,
        found=event.found,
        found_at_s=event.at_s if event.found else 0.0,
        copies=event.copies or cut.copies,
    )


def ended(cut: PowerCut | None) -> PowerCut | None:
    """The writes were ended by their worker."""
    return cut and replace(cut, writing=False)
