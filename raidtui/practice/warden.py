"""Starts jail.py, the warden, with its specification.

Places of the host's file system that the jail hides: homes and services. Pure: passwd(5) text and paths.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

_SCRIPT = Path(__file__).with_name("jail.py")


@dataclass(frozen=True)
class Sentence:
    """Empty `argv`: only tries a jail. `files` are copied, `texts` written into the nest; `writable` host folders
    appear there. `covered` places are empty except `shown` folders. `descriptors` become 3, 4, 5, …; `control`: to ask
    the guest to halt.
    """

    argv: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    writable: Mapping[str, str] = field(default_factory=dict)
    covered: Sequence[str] = ()
    shown: Sequence[str] = ()
    memory_bytes: int = 0
    descriptors: Sequence[int] = ()
    control: int = -1


def start(sentence: Sentence, log: int | IO[bytes]) -> subprocess.Popen[bytes]:
    """In its own session; notices the calling thread's death."""
    specification = json.dumps({**asdict(sentence), "launcher": os.getpid()})
    passed = (*sentence.descriptors, sentence.control) if sentence.control >= 0 else sentence.descriptors
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(_SCRIPT), specification],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=tuple(passed),
        start_new_session=True,
    )


# Sockets, FIFOs and files of this machine's people and services. jail.py lays its own /run.
_COVERED = ("/home", "/root", "/run", "/tmp", "/var/tmp")
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr")
_FIRST_PERSON = 1000  # of a person's user ids (login.defs' UID_MIN); nobody's home is nobody's
_NOBODY = 65534


def covered(passwd: str, own_home: Path) -> list[Path]:
    """Each home separately, also below another place."""
    homes = {own_home, *_homes(passwd)} - {Path("/"), Path("/var")}
    places = {Path(place) for place in _COVERED} | {home for home in homes if not _is_inside(home, map(Path, _SYSTEM))}
    return sorted(places)


def folders_shown(folders_needed: Iterable[Path], places: Sequence[Path]) -> list[Path]:
    """Needed folders visible despite `places`; never a whole place."""
    return outermost(folder for folder in folders_needed if not any(place.is_relative_to(folder) for place in places))


def _homes(passwd: str) -> Iterable[Path]:
    for fields in (line.split(":") for line in passwd.splitlines()):
        if len(fields) == 7 and fields[2].isdecimal() and fields[5].startswith("/"):
            uid = int(fields[2])
            if uid == 0 or (uid >= _FIRST_PERSON and uid != _NOBODY):
                yield Path(fields[5])


def _is_inside(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def outermost(paths: Iterable[Path]) -> list[Path]:
    outer: list[Path] = []
    for path in sorted(set(paths)):
        if not _is_inside(path, outer):
            outer.append(path)
    return outer
