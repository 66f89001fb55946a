"""docs/alerts.yml and docs/dashboard.json name only metrics, labels and values that the program prints."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from raidtui.core.arrays.array import GRADES, Health
from raidtui.core.arrays.monitor import CheckMarks
from raidtui.core.arrays.prometheus import _FAMILIES, _OF_POOLS, UNREAD, text_of
from raidtui.core.arrays.status import Surroundings, status_of
from tests.builders.arrays import DIGITS, NOW_S, in_sync, md, with_members

DOCS = Path(__file__).parents[3] / "docs"
OF_COLLECTOR = {"instance"}  # Prometheus' own
SELECTOR = re.compile(r"\b((?:raidtui|node)_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'([a-z_]+)(=~|=)"([^"]*)"')
POOL = {"pool", "guid"}
OF_POOLS = {  # no pool is printed here: their labels as in the table
    "raidtui_pool_info": POOL | {"run"},
    "raidtui_pool_health": POOL | {"health"},
    "raidtui_pool_grade": POOL | {"grade"},
    "raidtui_pool_condition": POOL | {"kind", "grade"},
}


def printed() -> dict[str, set[str]]:
    """Every metric with its labels; those of arrays from a text of the program."""
    smart: dict[str, float | str] = {"health": "passed", "used, %": 25, "temperature, °C": 31}
    around = Surroundings(checks=CheckMarks(done_s={DIGITS: 1.7e9}), smart={"sda": smart})
    members = in_sync("sda", "sdb") | {"sdb": ("1", "spare")}
    texts = [
        text_of(status_of(with_members(md("raid1", members, **files)), around, NOW_S))
        for files in (
            {"sync_action": "recover", "sync_completed": "1 / 4", "sync_speed": "8"},
            {"last_sync_action": "check", "mismatch_cnt": "128"},
        )
    ]
    labels: dict[str, set[str]] = {metric.name: OF_POOLS.get(metric.name, POOL) for metric, _ in _OF_POOLS}
    for line in "".join(texts).splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition("{")
            labels[name.split()[0]] = set(re.findall(r'([a-z]+)="', rest))
    return labels


def expressions() -> Iterator[str]:
    yield from re.findall(r"^ +expr: (.+)$", (DOCS / "alerts.yml").read_text(), flags=re.MULTILINE)
    dashboard = json.loads((DOCS / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (
        variable["query"]["query"] for variable in dashboard["templating"]["list"] if variable["type"] == "query"
    )


def wrong_in(expression: str, known: dict[str, set[str]]) -> list[str]:
    wrong = []
    for name, matchers in SELECTOR.findall(expression):
        if name == "node_textfile_mtime_seconds":  # node_exporter's
            continue
        if name not in known:
            wrong.append(name)
            continue
        values: dict[str, Any] = {"grade": GRADES, "health": get_args(Health)}
        for label, sign, value in MATCHER.findall(matchers):
            if label not in known[name] | OF_COLLECTOR or (sign == "=" and value not in values.get(label, [value])):
                wrong.append(f"{name}: {label}={value}")
    return wrong


def test_every_metric_is_in_the_printed_text_or_of_a_pool() -> None:
    names = {metric.name for metric, _ in (*_FAMILIES, *_OF_POOLS)} | {UNREAD.name}
    assert names - printed().keys() <= {
        "raidtui_array_member_corrected_bytes_total",
        "raidtui_array_last_check_complete",  # of one that raidtui followed
    }


@pytest.mark.parametrize("expression", expressions())
def test_a_query_names_what_is_printed(expression: str) -> None:
    known = printed() | {"raidtui_array_member_corrected_bytes_total": {"device", "uuid", "slot", "member", "disk"}}
    assert SELECTOR.search(expression) and wrong_in(expression, known) == []


@pytest.mark.parametrize(
    "wrong", ["raidtui_array_nosuch", 'raidtui_array_grade{array="md0"}', 'raidtui_array_grade{grade="bad"}']
)
def test_another_name_would_be_found(wrong: str) -> None:
    assert wrong_in(wrong, printed()) != []


def test_labels_in_the_words_of_an_alert_are_printed() -> None:
    known = printed()
    labels = set().union(*known.values()) | OF_COLLECTOR
    used = set(re.findall(r"\$labels\.([a-z_]+)", (DOCS / "alerts.yml").read_text()))
    used |= set(re.findall(r"\{\{([a-z_]+)\}\}", (DOCS / "dashboard.json").read_text()))
    assert used and used <= labels


def test_the_status_page_links_both_files() -> None:
    page = (DOCS / "status.md").read_text()
    assert "(alerts.yml)" in page and "(dashboard.json)" in page
