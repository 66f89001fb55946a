"""Events of data that were not as written, of tests outside of proofs."""

from raidtui.core.run.event import Count, Event


class DataDiffered(Event, frozen=True, kw_only=True, tag="data-differed"):
    """A test of no proof got back something else than was written. `first`: member identity, or else path -> first
    byte.
    """

    trial: str
    first: dict[str, Count]
