"""Starts jail.py, the warden, with its specification."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
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
