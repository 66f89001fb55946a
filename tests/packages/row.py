"""A row: a way to install the program, or what else needs other people's programs, carried out from nothing."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TOOLS = REPOSITORY / ".venv" / "packages" / "bin"
_KEPT = ("LANG", "PATH", "TERM")  # of the environment; package clients read their own files in /etc
CLIENTS = ("PIP_", "UV_", "SSL_CERT_FILE")  # how they are set up here: the names begin so


class Failed(Exception):
    """What was not as it has to be, with all that a program said."""


class NotRun(Exception):
    """What is missing here; nothing is known of what the row asks."""


@dataclass(frozen=True)
class Row:
    """`carry_out` gets a folder that is its own, and says what was seen. The first row leaves the others its wheel."""

    name: str
    carry_out: Callable[["Place"], str]


@dataclass(frozen=True)
class Place:
    """Where rows work. `home`: as a person's who has nothing yet; `made`: what the build leaves for others."""

    folder: Path
    made: Path
    home: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "home", self.folder / "home")
        self.home.mkdir(parents=True)

    def run(self, *argv: str | Path, environment: Mapping[str, str] | None = None, status: int = 0) -> str:
        """All that the command says, in the fresh home; Failed where it ends otherwise."""
        words = [str(word) for word in argv]
        own = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(CLIENTS)}
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**own, "HOME": str(self.home), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != status:
            raise Failed(f"{' '.join(words)}: exit status {done.returncode}, not {status}\n{done.stdout[-4000:]}")
        return done.stdout


def need(holds: object, sentence: str) -> None:
    if not holds:
        raise Failed(sentence)
