"""What can go wrong with practice disks, each as one clear sentence."""


class PracticeError(Exception):
    """Practice disks cannot be had; the text says why and what to do."""


class BootError(PracticeError):
    """The practice kernel did not come up, or ended without a word; `log` is the tail of what it printed."""

    def __init__(self, sentence: str, log: str) -> None:
        super().__init__(f"{sentence} Its log ends:\n{log}" if log else f"{sentence} It left no log.")
        self.log = log
