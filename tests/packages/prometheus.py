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
_HERE, _ANSWERS = Path(__file__).parent, "answers.json"
_METRIC = re.compile(r"\braidtui_[a-z_]+\b")
_DEGRADED = re.compile(r"127\.0\.0\.1:9100: md\d+ is degraded")
# What each alert waits for; those of SMART and pools have no series in practice.
_CASES = {
    "RaidArrayFailed": ('raidtui_array_grade{device="md0",grade="failed"}', "1", "critical"),
    "RaidArrayDegraded": ('raidtui_array_grade{device="md0",grade="degraded"}', "1", "critical"),
    "RaidArrayNeedsAttention": ('raidtui_array_grade{device="md0",grade="attention"}', "1", "warning"),
    "RaidArrayMismatches": ('raidtui_array_mismatch_bytes{device="md0"}', "4096", "warning"),
    "RaidMemberSmartFailing": ('raidtui_array_member_smart_healthy{device="md0",member="sda"}', "0", "critical"),
    "RaidMemberWorn": ('raidtui_array_member_wear_ratio{device="md0",member="sda"}', "0.9", "warning"),
    "RaidPoolFailed": ('raidtui_pool_grade{pool="tank",grade="failed"}', "1", "critical"),
    "RaidPoolDegraded": ('raidtui_pool_grade{pool="tank",grade="degraded"}', "1", "critical"),
    "RaidPoolNeedsAttention": ('raidtui_pool_grade{pool="tank",grade="attention"}', "1", "warning"),
    "RaidStatusNotRead": ("raidtui_status_not_read{}", "2", "warning"),
    "RaidStatusOld": ('node_textfile_mtime_seconds{file="/x/raidtui.prom"}', "0", "warning"),
}
# Emulated disks have no SMART, and no practice kernel has ZFS.
_NOT_IN_PRACTICE = {
    *(f"raidtui_array_member_{of}" for of in ("smart_healthy", "temperature_celsius", "wear_ratio")),
    *(f"raidtui_pool_{of}" for of in ("allocated_bytes", "condition", "grade", "health", "size_bytes")),
}
# In the first state: a mirror with differing copies, an array that is being rebuilt.
_FIRING = {"RaidArrayDegraded", "RaidArrayMismatches"}
_PENDING = {"RaidArrayNeedsAttention"}
_QUIET = {"RaidArrayFailed", "RaidStatusOld", "RaidPoolFailed", "RaidPoolDegraded"}


def scraped(place: Place) -> str:
    """What was seen."""
    programs = _programs(place)
    checked = place.run(programs / "promtool", "check", "rules", "--lint=all", REPOSITORY / "docs" / "alerts.yml")
    need("SUCCESS" in checked and "FAILED" not in checked, checked)
    # What the kernel sees of the place: its folder of results.
    inside = Path("/var/lib/raidtui")
    guest = (sys.executable, _HERE / "scraped.py", inside / programs.relative_to(place.folder), inside / _ANSWERS)
    place.run(sys.executable, "-m", "raidtui.practice", "-n", "6", "-o", place.folder, "--", *guest)
    seen: dict[str, Any] = json.loads((place.folder / _ANSWERS).read_text())
    _metrics_are_clean(programs, seen["metrics"])
    exported = {line.split("{")[0].split()[0] for line in seen["metrics"].splitlines() if not line.startswith("#")}
    missing: set[str] = set()
    for kind in ("queries", "ranges"):
        for query, answer in seen[kind].items():
            need(isinstance(answer, int), f"{query}: {answer}")
            lacking = set(_METRIC.findall(query)) - exported
            need(answer or lacking, f"no series for {query}, although its metrics are there")
            missing |= set() if answer else lacking
    need(missing <= _NOT_IN_PRACTICE, f"metrics that practice disks have: {sorted(missing - _NOT_IN_PRACTICE)}")
    alerts, later = seen["alerts"], seen["later"]
    need(len(alerts) == checked_rules(checked), f"rules that Prometheus has: {sorted(alerts)}")
    need(not (bad := {name: health for name, (health, _, _) in alerts.items() if health != "ok"}), f"rules: {bad}")
    states = {name: state for name, (_, state, _) in alerts.items()}
    for names, state in ((_FIRING, "firing"), (_PENDING, "pending"), (_QUIET, "inactive")):
        need(not (other := {n: states[n] for n in names if states[n] != state}), f"not {state}: {other}")
    need(later["RaidArrayFailed"][1] == "firing", f"an array that should run is stopped: {later}")
    sentences = [sentence for _, _, told in (*alerts.values(), *later.values()) for sentence in told]
    need(any(_DEGRADED.fullmatch(sentence) for sentence in sentences), f"no sentence on the array: {sentences}")
    need(
        not (wrong := [sentence for sentence in sentences if "<" in sentence or "%!" in sentence]),
        f"sentences: {wrong}",
    )
    _each_fires(place, programs, set(alerts))
    return (
        f"promtool content with rules and metrics; {len(seen['queries'])} queries answered, no series of"
        f" {', '.join(sorted(missing))}; firing: {', '.join(sorted(_FIRING))}, RaidStatusOld with an old"
        " file, RaidArrayFailed once the array is stopped"
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


def _each_fires(place: Place, programs: Path, names: set[str]) -> None:
    """After two hours of its series, as promtool evaluates the rules."""
    need(names == set(_CASES), f"alerts without a case, or cases without an alert: {names ^ set(_CASES)}")
    tests: list[Any] = []
    for name, (series, value, severity) in _CASES.items():
        labels = series.partition("{")[2].removesuffix("}")
        expected = (
            f'ALERTS{{alertname="{name}",alertstate="firing",severity="{severity}"{"," if labels else ""}{labels}}}'
        )
        tests.append(
            {
                "interval": "1m",
                "input_series": [{"series": series.removesuffix("{}"), "values": f"{value}x120"}],
                "promql_expr_test": [
                    {
                        "expr": f'ALERTS{{alertname="{name}",alertstate="firing"}}',
                        "eval_time": "2h",
                        "exp_samples": [{"labels": expected, "value": 1}],
                    }
                ],
            }
        )
    rules = str(REPOSITORY / "docs" / "alerts.yml")
    file = place.folder / "alerts-test.yml"
    file.write_text(json.dumps({"rule_files": [rules], "evaluation_interval": "1m", "tests": tests}))  # JSON is YAML
    place.run(programs / "promtool", "test", "rules", file)
