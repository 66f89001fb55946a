"""Fresh Debians: the package in one of Debian 12, installed, asked, carried out, taken away again; a clone in newer
ones and the single file, by a person without root's rights.

A root is made by mmdebstrap, which needs no root's rights, and is gone afterwards; all that is done there is done by
its hooks.
"""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from tests.packages.row import CLIENTS, REPOSITORY, Failed, Place, need

_SUITE = "bookworm"
# A mirror of the suite that changes daily may be some days old.
_OPTIONS = {"testing": ('--aptopt=Acquire::Check-Valid-Until "false"',)}
_SHELLS = "bash-completion,zsh,fish,man-db,groff-base"
_TO_CLONE = "ca-certificates,git,make,passwd,python3-venv"
_PRACTICE = "user-mode-linux,kmod,mount,udev,systemd,dbus,util-linux,iproute2,sysstat,gcc,libc6-dev,xfsprogs"
# A maker without an address of their own; whoever makes it to hand it on has one in DEBEMAIL.
_OF_MAKER = ("bogus-mail-host", "root-in-")
# No chroot, in which the kernel lets nobody make the user namespace that practice disks want: another root. Its /proc
# has to be written to for that, which that of the hooks cannot be.
_INSIDE = (
    'mount -t proc proc "$1/proc" && mount --rbind "$1" "$1" && cd "$1" && mkdir -p old && pivot_root . old'
    ' && exec chroot . sh -c "umount -l /old && rmdir /old && exec sh /root/checks.sh"'
)
_ENTER = f"unshare --mount --propagation private sh -c {shlex.quote(_INSIDE)}"
_CHECKS = """\
set -eu
say() { echo "== $*"; }
apt-get install --yes --quiet --no-install-recommends /root/raidtui.deb >/root/apt.log 2>&1 \\
  || { cat /root/apt.log; exit 1; }
say version; raidtui --version
say compiled; find /usr/lib/raidtui -name 'wizard.cpython-*.pyc' | grep -q . && echo yes
say manual; man -P cat raidtui | grep -c 'raidtui\\|RAIDTUI'
say bash; bash -c 'source /usr/share/bash-completion/completions/raidtui; COMP_LINE="raidtui sto" COMP_POINT=11; \\
  _raidtui_completion; echo "${COMPREPLY[*]}"'
say zsh; zsh -f -c 'autoload -U compinit; compinit -D -u; echo $_comps[raidtui]'
say fish; fish -c 'complete -C "raidtui sto"'
say doctor; raidtui doctor || true
say practice; raidtui practice --disks 3 </dev/null >/root/report.md 2>/root/practice.log && head -3 /root/report.md \\
  || { echo FAILED; tail -5 /root/practice.log; }
say purge; apt-get purge --yes --quiet raidtui >/dev/null; ls -A /usr/lib/raidtui 2>&1 || true
"""
# A clone as its README says it: what it needs is installed by root, all else is done by a person who may do nothing.
_OF_CLONE = """\
set -eu
say() { echo "== $*"; }
useradd --create-home person
cp -r /root/clone /home/person/raidtui && chown -R person: /home/person
cd /home/person/raidtui
make packages >/root/apt.log 2>&1 || { cat /root/apt.log; exit 1; }
say version; . /etc/os-release; echo "$PRETTY_NAME, $(python3 --version)"
say practice
su person -c "env @CLIENTS@ make run" </dev/null >/root/report.md 2>/root/run.log \\
  || { echo FAILED; tail -n 5 /root/run.log; }
head -n 3 /root/report.md; grep -o "All is cleared away" /root/report.md || true
say deb; su person -c "env @CLIENTS@ make deb" </dev/null >/root/deb.log 2>&1 || tail -n 5 /root/deb.log
apt-get install --yes --quiet --no-install-recommends ./dist/*.deb >/root/apt.log 2>&1 || tail -n 5 /root/apt.log
cd / && /usr/bin/raidtui --version && /usr/bin/raidtui capacity 5 --disk 4TBx4
systemctl list-unit-files --root=/ raidtui-status.timer | grep -o disabled
"""

_OF_SINGLE = """\
set -eu
say() { echo "== $*"; }
useradd --create-home person
say machine; . /etc/os-release; echo "$PRETTY_NAME, $(python3 --version)"; pip --version 2>&1 || true
for user in person root; do
  say "version-$user"; su $user -c "/srv/raidtui.pyz --version"
  say "capacity-$user"; su $user -c "/srv/raidtui.pyz capacity 5 --disk 4TBx4"
  say "demo-$user"; su $user -c "/srv/raidtui.pyz demo" </dev/null 2>/dev/null | head -n 1
  say "screen-$user"; su $user -c "TERM=xterm-256color python3 /srv/screen.py Maintain -- /srv/raidtui.pyz"
done
"""


def lintian(place: Place, package: Path) -> list[str]:
    """What lintian says of it in errors and warnings; of who made it nothing."""
    said = place.run("sh", "-c", f"lintian --fail-on none {shlex.quote(str(package))} 2>/dev/null")
    return [
        line for line in said.splitlines() if line[:2] in ("E:", "W:") and not any(tag in line for tag in _OF_MAKER)
    ]


def installed(place: Place, package: Path) -> str:
    """What was seen in the fresh root."""
    parts = asked(place, _SUITE, f"{_SHELLS},{_PRACTICE}", _CHECKS, {package: "root/raidtui.deb"})
    need_in(parts, "version", "raidtui ")
    need_in(parts, "compiled", "yes")
    need(int(parts["manual"].split()[0]) > 5, f"man raidtui: {parts['manual']}")
    for shell, answer in {"bash": "stop", "zsh": "_raidtui", "fish": "stop"}.items():
        need_in(parts, shell, answer)
    need_in(parts, "doctor", "ok   mdadm")
    need_in(parts, "practice", "# ")
    need_in(parts, "purge", "No such file")
    return "version, manual, three shells, doctor, a run on practice disks; nothing is left of it"


def cloned(place: Place, suite: str) -> str:
    """What was seen where a person runs a clone in a fresh root of this suite."""
    clone = place.folder / "clone"
    place.run("git", "clone", "--quiet", REPOSITORY, clone)
    words, copies = clients()
    parts = asked(place, suite, _TO_CLONE, _OF_CLONE.replace("@CLIENTS@", words), {clone: "root/clone", **copies})
    need_in(parts, "practice", "# ")
    need_in(parts, "practice", "All is cleared away")
    need_in(parts, "deb", "survives  1 failed disk")
    need_in(parts, "deb", "disabled")  # the timer
    return f"{parts['version'].strip()}: `make run` without root's rights, a run on practice disks; its package"


def single(place: Place, file: Path, suite: str) -> str:
    """What the single file says in a fresh root of this suite."""
    copies = {file: "srv/raidtui.pyz", Path(__file__).with_name("screen.py"): "srv/screen.py"}
    parts = asked(place, suite, "python3,passwd", _OF_SINGLE, copies)
    need_in(parts, "machine", "not found")  # no pip, so no packages
    for user in ("person", "root"):
        need_in(parts, f"version-{user}", "raidtui ")
        need_in(parts, f"capacity-{user}", "survives  1 failed disk")
        need_in(parts, f"demo-{user}", "# ")
        need_in(parts, f"screen-{user}", "What do you want to do?")
    return f"{parts['machine'].splitlines()[0]}: version, capacity, demo, first screen, as a person and as root"


def clients() -> tuple[str, dict[Path, str]]:
    """How pip and uv are set up here: words for `env`, and the certificates that they name, for the same place."""
    settings = {name: value for name, value in os.environ.items() if name.startswith(CLIENTS)}
    files = {Path(value) for name, value in settings.items() if name in ("PIP_CERT", "SSL_CERT_FILE")}
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
    return words, {file: str(file).lstrip("/") for file in files}


def asked(place: Place, suite: str, packages: str, checks: str, copies: Mapping[Path, str]) -> dict[str, str]:
    """What the checks say in a fresh root of a suite, part by part; files are copied there first."""
    script = place.folder / "checks.sh"
    script.write_text(checks)
    files = {**copies, script: "root/checks.sh"}
    # With their times: the byte code of a copied Python holds for those alone, and a person can write none for root's.
    hooks = [
        f'mkdir -p "$1/{Path(name).parent}" && cp -rL --preserve=timestamps {shlex.quote(str(file))} "$1/{name}"'
        for file, name in files.items()
    ]
    hooks.append(f'{_ENTER} enter "$1"')
    said = place.run(
        *("mmdebstrap", "--quiet", "--variant=apt", f"--include={packages},mount"),
        '--aptopt=APT::Install-Recommends "false"',
        *_OPTIONS.get(suite, ()),
        *(f"--customize-hook={hook}" for hook in hooks),
        *(suite, "/dev/null"),
    )
    return dict(part.partition("\n")[::2] for part in said.split("== ")[1:])


def need_in(parts: dict[str, str], name: str, words: str) -> None:
    if words not in parts.get(name, ""):
        raise Failed(f"{name} in the fresh root:\n{parts.get(name, 'never came')}")
