"""Starting jail.py, the warden: one place that knows its specification and its command line."""

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
    """What the warden is to lock in. `argv` empty: only try whether a jail can be built.

    `files` are copied and `texts` written into the nest by name; `writable` folders of the host appear there.
    `covered` places of the host are empty in the jail, but for the folders that are `shown`.
    `descriptors` become the kernel's 3, 4, 5, …; over `control` the warden asks the guest to halt.
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
    """The warden process, in a session of its own; it notices the death of the thread that calls this."""
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
