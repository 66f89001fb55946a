"""The rpm in a fresh root: installed by rpm, asked, taken away again.

The root is Debian's, with Debian's rpm, as no mirror of Fedora or openSUSE is at hand: that each dependency has that
name there is not checked.
"""

import sys
from pathlib import Path

from tests.packages.debian import asked, need_in
from tests.packages.row import Place, need

_HERE = Path(__file__).parent
_CHECKS = """\
set -eu
say() { echo "== $*"; }
say install; rpm --force-debian --nodeps --install /root/raidtui.rpm 2>&1 && echo done; touch /root/installed
say version; raidtui --version
say capacity; raidtui capacity 5 --disk 4TBx4
say demo; raidtui demo </dev/null 2>/dev/null | head -n 1
say screen; TERM=xterm-256color python3 /root/screen.py Maintain -- raidtui
say manual; man -P cat raidtui | grep -c 'raidtui\\|RAIDTUI'
say bash; bash -c 'source /usr/share/bash-completion/completions/raidtui; COMP_LINE="raidtui sto" COMP_POINT=11; \\
  _raidtui_completion; echo "${COMPREPLY[*]}"'
say zsh; zsh -f -c 'fpath+=/usr/share/zsh/site-functions; autoload -U compinit; compinit -D -u; echo $_comps[raidtui]'
say fish; fish -c 'complete -C "raidtui sto"'
say doctor; raidtui doctor || true
say verify; rpm --verify --nodeps raidtui && find /usr/lib/raidtui -newer /root/installed -name '*.pyc*' | wc -l; \\
  find /usr/lib/raidtui -name '*.pyc' | wc -l
say erase; rpm --force-debian --erase raidtui 2>&1; ls -A /usr/lib/raidtui /usr/bin/raidtui 2>&1 || true
"""
_PACKAGES = "python3,rpm,bash-completion,zsh,fish,man-db,groff-base"


def installed(place: Place, package: Path) -> str:
    """What was seen in the fresh root."""
    needs = place.run("rpm", "--query", "--package", "--requires", package).splitlines()
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    need({python, "mdadm", "fio", "/usr/bin/udevadm"} <= set(needs), f"it requires {needs}")
    # What is inside is for nobody else: no python3dist(textual) that another package might get from here.
    gives = place.run("rpm", "--query", "--package", "--provides", package).splitlines()
    need(all(line.startswith("raidtui") for line in gives), f"it provides {gives}")
    copies = {package: "root/raidtui.rpm", _HERE / "screen.py": "root/screen.py"}
    parts = asked(place, "bookworm", _PACKAGES, _CHECKS, copies)
    need_in(parts, "install", "done")
    need_in(parts, "version", "raidtui ")
    need_in(parts, "capacity", "survives  1 failed disk")
    need_in(parts, "demo", "# ")
    need_in(parts, "screen", "What do you want to do?")
    need(int(parts["manual"].split()[0]) > 5, f"man raidtui: {parts['manual']}")
    for shell, answer in {"bash": "stop", "zsh": "_raidtui", "fish": "stop"}.items():
        need_in(parts, shell, answer)
    need_in(parts, "doctor", "mdadm")
    later, compiled = map(int, parts["verify"].split())
    need(not later and compiled > 500, f"compiled at the installation: {compiled}, later: {later}")
    need(parts["erase"].count("No such file") == 2, f"left after its removal: {parts['erase']}")
    return "in a Debian root by rpm (no Fedora mirror here): starts, three shells, manual; nothing is left of it"
