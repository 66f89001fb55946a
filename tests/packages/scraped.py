"""`scraped.py BIN FILE`, in a practice kernel. Arrays in several states: their metrics, by node_exporter, scraped by
Prometheus, both in BIN; its answers to the dashboard's queries and the state of the alert rules, as JSON into FILE.
"""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
_SCRATCH = Path("/run/metrics")
_METRICS = _SCRATCH / "raidtui.prom"
_API = "http://127.0.0.1:9090/api/v1/"
_WAITS_S = 120
_VARIABLE = re.compile(r"label_values\((.*), (\w+)\)")
_CONFIGURATION = f"""\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{DOCS}/alerts.yml"]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["127.0.0.1:9100"]}}]
"""


def main(programs: Path, answers: Path) -> None:
    _arrays()
    _SCRATCH.mkdir()
    _write_metrics()
    (_SCRATCH / "prometheus.yml").write_text(_CONFIGURATION)
    servers = (
        ("prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
         f"--collector.textfile.directory={_SCRATCH}", "--web.listen-address=127.0.0.1:9100"),
        ("prometheus", f"--config.file={_SCRATCH}/prometheus.yml", f"--storage.tsdb.path={_SCRATCH}/data",
         "--web.listen-address=127.0.0.1:9090"),
    )  # fmt: skip
    started = [subprocess.Popen((programs / name, *words), stderr=subprocess.DEVNULL) for name, *words in servers]
    try:
        # several samples: the dashboard asks for increases
        _until(lambda: _values("count_over_time(raidtui_status_not_read[1m]) >= 3"))
        metrics = _METRICS.read_text()
        said = {"metrics": metrics, "queries": _dashboard(), "ranges": _ranges(), "alerts": _rules()}
        os.utime(_METRICS, times=(time.time() - 7200, time.time() - 7200))
        _until(lambda: _rules()["RaidStatusOld"][1] == "firing")
        _stop_what_should_run()
        _write_metrics()
        _until(lambda: _rules()["RaidArrayFailed"][1] == "firing")
        said["later"] = _rules()
    finally:
        for server in started:
            server.terminate()
    answers.write_text(json.dumps(said))


def _arrays() -> None:
    """A mirror whose copies differ, as a check has found; an array that is being rebuilt, slowly."""
    create = ("mdadm", "--create", "--run", "--assume-clean", "--bitmap=none")
    _run(*create, "/dev/md/copies", "--level=1", "--raid-devices=2", "/dev/sda", "/dev/sdb")
    _run("dd", "if=/dev/urandom", "of=/dev/sdb", "bs=1M", "seek=64", "count=1", "oflag=direct")
    _sysfs("copies", "sync_action").write_text("check\n")
    subprocess.run(("mdadm", "--wait", "/dev/md/copies"), check=False)  # 1: nothing to wait for any more
    _run(*create, "/dev/md/data", "--level=5", "--raid-devices=3", "/dev/sdc", "/dev/sdd", "/dev/sde")
    _sysfs("data", "sync_speed_max").write_text("1000\n")
    _run("mdadm", "/dev/md/data", "--fail", "/dev/sdd", "--remove", "/dev/sdd", "--add", "/dev/sdf")


def _stop_what_should_run() -> None:
    line = subprocess.run(("mdadm", "--detail", "--brief", "/dev/md/data"), check=True, capture_output=True, text=True)
    with Path("/etc/mdadm/mdadm.conf").open("a") as file:
        file.write(line.stdout)
    _run("mdadm", "--stop", "/dev/md/data")


def _sysfs(name: str, setting: str) -> Path:
    return Path("/sys/block", Path("/dev/md", name).resolve().name, "md", setting)


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def _write_metrics() -> None:
    argv = (sys.executable, "-m", "raidtui", "status", "--prometheus", str(_METRICS))
    subprocess.run(argv, check=False)  # the exit status is that of the arrays


def _until(holds: Any) -> None:
    ends_s = time.monotonic() + _WAITS_S
    while not holds():
        if time.monotonic() > ends_s:
            raise TimeoutError(f"not within {_WAITS_S} s; the rules: {_rules()}")
        time.sleep(0.5)  # Prometheus announces nothing


def _asked(path: str, **words: str) -> Any:
    """The data of an answer, None while nobody answers; a sentence for a query that is refused."""
    try:
        with urllib.request.urlopen(f"{_API}{path}?{urllib.parse.urlencode(words)}", timeout=60) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        return f"refused: {error.read().decode()}"
    except OSError:
        return None


def _values(query: str) -> list[Any]:
    data = _asked("query", query=query)
    return data["result"] if isinstance(data, dict) else []


def _dashboard() -> dict[str, Any]:
    """The number of results of each query of the dashboard, or why it is refused."""
    return {query: _count(_asked("query", query=_filled(query))) for query in _queries()} | {
        f"label_values({metric}, {label})": _count(_asked(f"label/{label}/values", **{"match[]": _filled(metric)}))
        for metric, label in _variables()
    }


def _ranges() -> dict[str, Any]:
    """The same over the last minute, as a chart asks."""
    now_s = time.time()
    words = {"start": f"{now_s - 60}", "end": f"{now_s}", "step": "5"}
    return {query: _count(_asked("query_range", query=_filled(query), **words)) for query in _queries()}


def _count(data: Any) -> Any:
    if isinstance(data, dict):
        return len(data["result"])
    return len(data) if isinstance(data, list) else data


def _filled(query: str) -> str:
    """All hosts and all arrays, as the dashboard's variables begin."""
    return query.replace("$instance", ".*").replace("$device", ".*")


def _queries() -> list[str]:
    dashboard = json.loads((DOCS / "dashboard.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def _variables() -> list[tuple[str, str]]:
    variables = json.loads((DOCS / "dashboard.json").read_text())["templating"]["list"]
    asked = [variable["query"]["query"] for variable in variables if variable["type"] == "query"]
    return [found.groups() for query in asked if (found := _VARIABLE.fullmatch(query))]  # type: ignore[misc]


def _rules() -> dict[str, tuple[str, str, list[str]]]:
    """(health, state, sentences) of each alert."""
    data = _asked("rules")
    rules = [rule for group in data["groups"] for rule in group["rules"]] if isinstance(data, dict) else []
    return {
        rule["name"]: (
            rule["health"],
            rule["state"],
            [alert["annotations"][kind] for alert in rule["alerts"] for kind in ("summary", "description")],
        )
        for rule in rules
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
