"""The Ansible collection, by Ansible itself: `python -m tests.ansible [PART...]`, all if none named.

The collection is built and installed from its archive. `sanity`: `ansible-test sanity`, without a container; what it
cannot run here it says. `install`: the role's own install from wheels, into a folder of its own on this machine.
`services`: what the role tells systemd, by a stand-in. `plays`: the role and the modules on real md arrays in practice
(a kernel of its own). `rack`: the role over ssh on servers in QEMU (tests/ansible/rack.py). Ansible's environment is
.venv-ansible, or RAIDTUI_ANSIBLE. Exit status 1 where something failed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.ansible import rack

REPOSITORY = Path(__file__).parents[2]
ANSIBLE = Path(os.environ.get("RAIDTUI_ANSIBLE", REPOSITORY / ".venv-ansible")) / "bin"
COLLECTIONS = "collections"
_DISKS, _DISK_MIB = 8, 96
# What ansible-test makes its own environments with; it loads a script from a server of Ansible's for it, unless one is
# in its cache. This one makes them from Python's own pip and the package index, as all else here.
_PIP = "24.2"
_GET_PIP = """
import ensurepip, os, runpy, sys
ensurepip.bootstrap(default_pip=True)
os.environ.pop("PIP_CONFIG_FILE")  # which it has set for itself
sys.argv = ["pip", "install", *(word for word in sys.argv[1:] if word not in ("--no-setuptools", "--no-wheel"))]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_SYSTEMCTL = """#!/bin/sh
echo "$@" >> {told}
case "$1" in
  is-enabled) grep -q "enable $2" {told} && echo enabled && exit; echo disabled; exit 1;;
  show) grep -q "start $2" {told} && state=active || state=inactive
    printf "Id=%s\\nLoadState=loaded\\nActiveState=%s\\nUnitFileState=disabled\\n" "$2" $state;;
esac
"""


def _run(*argv: str | Path, cwd: Path = REPOSITORY, environment: Mapping[str, str] = {}) -> int:
    """Its exit status; `environment`: what it has there in place of ours."""
    print("$", *argv, file=sys.stderr, flush=True)
    words = [str(word) for word in argv]
    return subprocess.run(
        words, cwd=cwd, stdin=subprocess.DEVNULL, check=False, env=os.environ | environment
    ).returncode


def _installed(out: Path) -> Path:
    """The collection as `ansible-galaxy` installs it from its archive."""
    galaxy = ANSIBLE / "ansible-galaxy"
    failed = _run(sys.executable, "-m", "packing.collection", galaxy, out)
    (archive,) = out.glob("raidtui-raidtui-*.tar.gz")
    failed |= _run(galaxy, "collection", "install", "--offline", "--collections-path", out / COLLECTIONS, archive)
    if failed:
        sys.exit(1)
    return out / COLLECTIONS / "ansible_collections/raidtui/raidtui"


def _sanity(out: Path) -> int:
    collection = _installed(out)
    _run("git", "init", "--quiet", collection)  # by what git knows ansible-test finds the files
    cache = out / "home/.ansible/test/cache"
    cache.mkdir(parents=True)
    (cache / f"get_pip_{_PIP.replace('.', '_')}.py").write_text(_GET_PIP)
    own = {"HOME": str(out / "home"), "PATH": f"{ANSIBLE}:/usr/sbin:/usr/bin:/sbin:/bin"}
    _run(ANSIBLE / "ansible-test", "--version", environment=own)
    return _run(ANSIBLE / "ansible-test", "sanity", "--color", "no", cwd=collection, environment=own)


def _install(out: Path) -> int:
    """Twice: the second time nothing changes, and the command that was installed runs."""
    _installed(out)
    if _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", out / "wheels", REPOSITORY):
        return 1
    role = {"name": "raidtui.raidtui.commission", "tasks_from": "install.yml"}
    tasks = [{"ansible.builtin.include_role": role}]
    where = {"commission_wheels": str(out / "wheels"), "commission_home": str(out / "opt")}
    where |= {"commission_python": sys.executable, "ansible_python_interpreter": sys.executable}
    play = out / "play.yml"
    play.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "vars": where, "tasks": tasks}]))
    own = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(out / COLLECTIONS), "ANSIBLE_NOCOLOR": "1"}
    argv = [str(ANSIBLE / "ansible-playbook"), "--inventory", "localhost,", "--connection", "local", str(play)]
    played = [subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False, env=own) for _ in range(2)]
    print(*(each.stdout for each in played), file=sys.stderr)
    failed = any(each.returncode for each in played) or "changed=0" not in played[1].stdout
    return int(failed or _run(out / "opt/bin/raidtui", "--version"))


def _services(out: Path) -> int:
    """The role's services, twice, by a systemctl that notes what it is told: the second time nothing is started."""
    _installed(out)
    told, systemctl = out / "told", out / "bin/systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(_SYSTEMCTL.format(told=told))
    systemctl.chmod(0o755)
    role = {"name": "raidtui.raidtui.commission", "tasks_from": "services.yml"}
    where = {"commission_smartd": True, "commission_mdmonitor": True, "ansible_python_interpreter": "/usr/bin/python3"}
    tasks = [{"ansible.builtin.include_role": role}]
    play = out / "play.yml"
    play.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "vars": where, "tasks": tasks}]))
    own = {"ANSIBLE_COLLECTIONS_PATH": str(out / COLLECTIONS), "PATH": f"{systemctl.parent}:{os.environ['PATH']}"}
    argv = (ANSIBLE / "ansible-playbook", "--inventory", "localhost,", "--connection", "local", play)
    failed = any([_run(*argv, environment=own) for _ in range(2)])
    verbs = [line.split()[:2] for line in told.read_text().splitlines()]
    changing = [words for words in verbs if words[0] not in ("show", "is-enabled", "is-active")]
    print(changing, file=sys.stderr)
    smartd = changing[0][1]
    units = (smartd, "mdmonitor.service")
    expected = [[verb, unit] for unit in units for verb in ("enable", "start")]
    return int(failed or changing != expected or smartd not in ("smartd.service", "smartmontools.service"))


def _plays(out: Path) -> int:
    _installed(out)
    guest = ("env", f"PYTHONPATH={REPOSITORY}", sys.executable, "-m", "tests.ansible.guest", str(ANSIBLE))
    rack = ("-n", str(_DISKS), "-s", str(_DISK_MIB), "-o", str(out))
    return _run(sys.executable, "-m", "raidtui.practice", *rack, "--", *guest)


def _rack(out: Path) -> int:
    kept = Path(os.environ.get("RACK_OUT", out)).resolve()
    kept.mkdir(parents=True, exist_ok=True)
    _installed(out)
    return rack.rows(kept, ANSIBLE, out / COLLECTIONS)


_PARTS: dict[str, Callable[[Path], int]] = {
    "sanity": _sanity,
    "install": _install,
    "services": _services,
    "plays": _plays,
    "rack": _rack,
}


def main() -> int:
    wanted = sys.argv[1:] or list(_PARTS)
    if unknown := set(wanted) - set(_PARTS):
        print(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}", file=sys.stderr)
        return 2
    status = 0
    for name in wanted:
        out = Path(tempfile.mkdtemp(prefix=f"raidtui-ansible-{name}-"))
        failed = bool(_PARTS[name](out))
        print(f"{name}: {'FAILED' if failed else 'ok'}; see {out}", file=sys.stderr)
        status |= failed
    return status


if __name__ == "__main__":
    sys.exit(main())
