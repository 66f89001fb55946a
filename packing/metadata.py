"""`[project.urls]` at a build: the addresses of raidtui/owner.toml. None while they are empty."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Urls(MetadataHookInterface):  # type: ignore[misc]
    """A build has no raidtui to import: its module is run from the sources."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["urls"] = runpy.run_path(str(Path(self.root) / "raidtui" / "owner.py"))["urls"]()
