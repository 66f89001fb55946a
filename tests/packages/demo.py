"""`raidtui demo` where nothing else works: a fresh Debian without udev, a person who may do nothing, a filter that
refuses namespaces and mounts. From the wheel by uv, its cache empty at first.
"""

import os
from pathlib import Path

from tests.packages.debian import asked, clients, need_in
from tests.packages.row import TOOLS, Failed, NotRun, Place, need

_WITHOUT_DOWNLOAD_S = 10.0
_SECOND_START_S = 1.0
_STARTS = 5  # the fastest counts: other work on the machine only slows them
_HERE = Path(__file__).parent
_CHECKS = """\
set -eu
say() { echo "== $*"; }
useradd --create-home person
cd /home/person
as() { setpriv --reuid=person --regid=person --init-groups env -i PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \\
  HOME=/home/person LD_LIBRARY_PATH=@LIBRARIES@ TERM="$TERM" UV_PYTHON=@PYTHON@ @CLIENTS@ UV_CACHE_DIR="$CACHE" \\
  /usr/bin/python3 /srv/held.py "$@"; }
timed() { began=$(date +%s%N); "$@" </dev/null >/root/report.md 2>/root/err || { cat /root/err; return 1; }
  echo $((($(date +%s%N) - began) / 1000000)); head -n 1 /root/report.md; }
wheel=$(echo /srv/raidtui-*.whl)
from_folder="uv tool run --offline --no-index --find-links /srv/wheels --from $wheel raidtui"
TERM=xterm-256color CACHE=/home/person/nothing
say machine; . /etc/os-release; echo "$PRETTY_NAME, $(LD_LIBRARY_PATH=@LIBRARIES@ @PYTHON@ --version)"
ls /run/udev 2>&1 || true
say nothing; timed as uv tool run --from $wheel raidtui demo
CACHE=/home/person/fetched
say download; timed as uv pip install --quiet --target /home/person/target $wheel
CACHE=/home/person/cache
say offline; timed as $from_folder demo
enter=$(printf '\\r')
say keys; as @SCREEN@ Maintain . "Press Enter" "$enter" "anything else starts nothing" \\
  "erase 6 disks of server$enter" "Done: " -- $from_folder demo
for number in @STARTS@; do say "start$number"; as @SCREEN@ Maintain -- $from_folder demo; done
say pipe; as $from_folder demo 2>/dev/null | cat
say rack; timed as $from_folder demo --run slow-of-24
TERM=dumb
say dumb; as @SCREEN@ "## Changed settings" -- $from_folder demo
say practice; as $from_folder practice </dev/null 2>&1 || true
say end
"""


def demonstrated(place: Place, suite: str, version: str, *, of_debian: bool = True) -> str:
    """What was seen in the fresh root of this suite, by Debian's Python or by another one."""
    python = "/usr/bin/python3" if of_debian else "/opt/python/bin/python3"
    fetched = {} if of_debian else {_other_python(place, version): "opt/python"}
    wheels = place.folder / "wheels"
    wheel = next(place.made.glob("*.whl"))
    only = ("--only-binary=:all:", f"--python-version={version}")
    place.run(TOOLS / "python", "-m", "pip", "download", "--quiet", *only, "--dest", wheels, wheel)
    words, certificates = clients()
    checks = _CHECKS.replace("@CLIENTS@", words).replace("@PYTHON@", python)
    checks = checks.replace("@LIBRARIES@", "" if of_debian else "/opt/python/lib")
    checks = checks.replace("@SCREEN@", "/usr/bin/python3 /srv/screen.py")
    checks = checks.replace("@STARTS@", " ".join(map(str, range(_STARTS))))
    copies = {
        **certificates,
        **fetched,
        wheel: f"srv/{wheel.name}",
        wheels: "srv/wheels",
        TOOLS / "uv": "usr/local/bin/uv",
        _HERE / "held.py": "srv/held.py",
        _HERE / "screen.py": "srv/screen.py",
    }
    parts = asked(place, suite, "python3,passwd", checks, copies)
    need_in(parts, "machine", f"Python {version}.")
    need_in(parts, "machine", "No such file")
    for name in ("nothing", "offline", "pipe", "rack"):
        need_in(parts, name, "# ")
    for text in ("DEMO: nothing is touched", "Done: "):
        need_in(parts, "keys", text)
    need_in(parts, "dumb", "## Changed settings")
    need_in(parts, "practice", "raidtui demo")
    times = (int(parts[name].split()[0]) / 1000 for name in ("nothing", "download", "offline"))
    from_nothing_s, download_s, rest_s = times
    first_s = float(parts["keys"].split()[0])
    starts_s = [float(parts[f"start{number}"].split()[0]) for number in range(_STARTS)]
    need(rest_s <= _WITHOUT_DOWNLOAD_S, f"{rest_s:.1f} s without the download")
    if min(starts_s) >= _SECOND_START_S:
        said = f"first screen after {starts_s} s on a later start"
        if (load := os.getloadavg()[0]) > (os.cpu_count() or 1):
            raise NotRun(f"{said}, but the load is {load:.1f} on {os.cpu_count()} CPUs; all else was seen")
        raise Failed(said)
    later = ", ".join(f"{seconds:.2f}" for seconds in starts_s)
    return (
        f"{parts['machine'].splitlines()[0]}: from nothing {from_nothing_s:.1f} s; download alone {download_s:.1f} s,"
        f" the rest alone {rest_s:.1f} s; first screen {first_s:.2f} s, then {later} s;"
        " a run replayed, a pipe, TERM=dumb"
    )


def _other_python(place: Place, version: str) -> Path:
    """The folder of a Python that pyenv has, or that uv fetches."""
    of_pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    if found := sorted(of_pyenv.glob(f"{version}.*")):
        return found[-1]
    folder = place.folder / "pythons"
    try:
        place.run(TOOLS / "uv", "python", "install", "--no-bin", "--install-dir", folder, version)
    except Failed as reason:
        raise NotRun(f"uv cannot fetch Python {version} here: {str(reason).strip().splitlines()[-1].strip()}") from None
    return next(path for path in folder.glob("cpython-*") if not path.is_symlink())
