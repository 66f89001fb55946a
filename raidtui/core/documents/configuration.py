"""What config.toml holds."""

from typing import Literal

import msgspec


class Configuration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """config.toml. `on_end`: argv at a run's end, () for none. `keys`: action -> key; screens know the actions. The
    rest is what the screens begin with.
    """

    on_end: tuple[str, ...] = ()
    on_end_limit_s: float = 60.0
    keys: dict[str, str] = {}
    theme: str = ""
    units: Literal["decimal", "binary"] = "decimal"
    recipe: str = ""
    mailaddr: str = ""
    mount_options: str = ""
