"""A clock for what waits with a child."""

import time


class Clock:
    """Ticks every `interval_s`; counts them."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self.next_s = time.monotonic() + interval_s
        self.ticks = 0

    def due_s(self) -> float:
        return max(0.0, self.next_s - time.monotonic())

    def tick(self) -> None:
        if not self.due_s():
            self.ticks += 1
            self.next_s += self.interval_s
