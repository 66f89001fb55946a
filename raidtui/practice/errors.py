"""Errors of practice disks, one sentence each."""


class PracticeError(Exception):
    pass


class BootError(PracticeError):
    """The kernel did not boot, or ended silently; `log`: end of its output."""

    def __init__(self, sentence: str, log: str) -> None:
        super().__init__(f"{sentence} Its log ends:\n{log}" if log else f"{sentence} It left no log.")
        self.log = log
