"""docs/alerts.yml, docs/dashboard.json and the metrics, as Debian's Prometheus has them: promtool's checks, and a
Prometheus that scrapes a practice kernel. Neither is installed on this machine: that would start them.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.packages.row import REPOSITORY, Failed, NotRun, Place, need

_DEBIANS = ("prometheus", "prometheus-node-exporter")
_METRIC = re.compile(r"\b(?:raidtui|node)_[a-z_]+\b(?!=)")
# In the first state: a mirror with differing copies, an array that is being rebuilt.
_FIRING = {"RaidArrayDegraded", "RaidArrayMismatches"}
_PENDING = {"RaidArrayNeedsAttention"}
_QUIET = {"RaidArrayFailed", "RaidStatusOld", "RaidPoolFailed", "RaidPoolDegraded"}


def scraped(place: Place) -> str:
    """What was seen."""
    programs = _programs(place)
    checked = place.run(programs / "promtool", "check", "rules", "--lint=all", REPOSITORY / "docs" / "alerts.yml")
    need("SUCCESS" in checked and "FAILED" not in checked, checked)
    guest = Path(__file__).with_name("scraped.py")
    said = place.run(sys.executable, "-m", "raidtui.practice", "-n", "6", "--", sys.executable, guest, programs)
    found = re.search(r"^SEEN (.*)$", said, re.MULTILINE)
    if not found:
        raise Failed(said[-4000:])
    seen: dict[str, Any] = json.loads(found[1])
    _metrics_are_clean(programs, seen["metrics"])
    exported = {line.split("{")[0].split()[0] for line in seen["metrics"].splitlines() if not line.startswith("#")}
    without = set()
    for kind in ("queries", "ranges"):
        for query, answer in seen[kind].items():
            need(isinstance(answer, int), f"{query}: {answer}")
            # `node_…`: the collector's own, of the file's age
            if {name for name in _METRIC.findall(query) if name.startswith("raidtui_")} <= exported:
                need(answer, f"no series for {query}, although the metrics are there")
            elif not answer:
                without.add(query)
    alerts, later = seen["alerts"], seen["later"]
    need(len(alerts) == checked_rules(checked), f"rules that Prometheus has: {sorted(alerts)}")
    need(not (bad := {name: state for name, (state, _) in alerts.items() if state != "ok"}), f"rules: {bad}")
    states = {name: state for name, (_, state) in alerts.items()}
    for names, state in ((_FIRING, "firing"), (_PENDING, "pending"), (_QUIET, "inactive")):
        need(not (other := {n: states[n] for n in names if states[n] != state}), f"not {state}: {other}")
    need(later["RaidArrayFailed"][1] == "firing", f"after a second failure: {later}")
    return (
        f"promtool content with rules and metrics; {len(seen['queries'])} queries answered, {len(without)} of them"
        f" without a series here (no SMART, no pool); firing: {', '.join(sorted(_FIRING))}, RaidStatusOld with an old"
        " file, RaidArrayFailed after a second failure"
    )


def checked_rules(said: str) -> int:
    return int(re.findall(r"(\d+) rules? found", said)[0])


def _programs(place: Place) -> Path:
    """The folder of Debian's programs, unpacked."""
    try:
        place.folder.chmod(0o777)  # apt fetches as a user of its own
        place.run("apt-get", "download", "--quiet", *_DEBIANS)
    except Failed as reason:
        raise NotRun(f"apt cannot fetch {' and '.join(_DEBIANS)}: {str(reason).strip().splitlines()[-1]}") from None
    for package in place.folder.glob("*.deb"):
        place.run("dpkg-deb", "--extract", package, place.folder / "debian")
    return place.folder / "debian" / "usr" / "bin"


def _metrics_are_clean(programs: Path, metrics: str) -> None:
    argv = (programs / "promtool", "check", "metrics")
    done = subprocess.run(argv, input=metrics, capture_output=True, text=True, check=False)
    need(done.returncode == 0 and not done.stdout + done.stderr, f"promtool check metrics: {done.stdout}{done.stderr}")
