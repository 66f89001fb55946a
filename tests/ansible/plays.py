"""Plays of Ansible's in a folder: the inventory, what a person has decided for a host, a play and what came of it."""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Task = Mapping[str, Any]


class Failed(Exception):
    """What did not come."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Failed(what)


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))  # JSON is YAML
    return path


def changes(output: str, host: str) -> int:
    """How many tasks changed something on a host, as the end of a play says; -1 where it does not name the host."""
    recap = re.search(rf"^{host}\s+: ok=\d+\s+changed=(\d+)", output, re.MULTILINE)
    return int(recap[1]) if recap else -1


class Plays:
    """Of the programs of Ansible in a folder, with the collections in another."""

    def __init__(self, folder: Path, programs: Path, collections: Path) -> None:
        self.folder, self._programs, self._collections = folder, programs, collections

    def inventory(self, hosts: Mapping[str, Mapping[str, Any]], role: Mapping[str, Any]) -> None:
        """The hosts, each with how it is reached, and the role's variables for all of them."""
        written(self.folder / "hosts.json", {"all": {"hosts": hosts, "vars": role}})

    def decided(self, host: str, **variables: Any) -> None:
        """What a person writes for a host."""
        written(self.folder / f"host_vars/{host}.json", variables)

    def begin(self, *options: str, tasks: Sequence[Task] = (), together: bool = False) -> "Play":
        """A play of the role, a host at a time or all `together`, or of these tasks."""
        body = {"tasks": tasks} if tasks else {"roles": ["raidtui.raidtui.commission"]}
        batch = {} if together else {"serial": 1}
        path = written(self.folder / "play.yml", [{"hosts": "all", "gather_facts": False, **batch, **body}])
        argv = (str(self._programs / "ansible-playbook"), "-i", str(self.folder / "hosts.json"), *options, str(path))
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(self._collections),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_RETRY_FILES_ENABLED": "0",
            "ANSIBLE_LOCALHOST_WARNING": "0",
        }
        return Play(argv, environment, self.folder / "play.log")

    def play(self, *options: str, tasks: Sequence[Task] = (), status: int = 0, together: bool = False) -> str:
        """The output of a play that ends with this status."""
        with self.begin(*options, tasks=tasks, together=together) as play:
            return play.ended(status)


class Play:
    """A play that goes on; at the end of the block it has ended, by itself or not."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        with log.open("wb") as output:
            self._going = subprocess.Popen(
                argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )

    def __enter__(self) -> "Play":
        return self

    def __exit__(self, *_: object) -> None:
        if self._going.poll() is None:
            self._going.terminate()
        self._going.wait()

    def ended(self, status: int = 0) -> str:
        """Its output, once it has ended; Failed where that is with another status, or with a traceback."""
        returned = self._going.wait()
        output = self._log.read_text()
        need(returned == status, f"status {returned}, not {status}:\n{output}")
        need("Traceback" not in output, f"a traceback:\n{output}")
        return output
