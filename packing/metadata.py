"""`[project.urls]` and README at a build: the addresses of raidtui/owner.toml. None while they are empty."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ByOwner(MetadataHookInterface):
    """A build has no raidtui to import: the modules are run from the sources."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        owner, readme = (runpy.run_path(str(root / path)) for path in ("raidtui/owner.py", "packing/readme.py"))
        text = readme["packaged"]((root / "README.md").read_text(), owner["addresses"]().get("repository", ""))
        metadata["urls"] = owner["urls"]()
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
