"""The text that node_exporter collects: Prometheus' form, names with units, nothing made up where nothing is known."""

import re

from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.arrays.monitor import CheckMarks
from raidtui.core.arrays.prometheus import text_of
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.disks.machine import Machine
from tests.builders.arrays import DIGITS, NOW_S, UUID, in_sync, md, with_members

# prometheus.io/docs/instrumenting/exposition_formats: a sample's line
SAMPLE = re.compile(r'(?P<name>[a-z_]+)(\{([a-z]+="([^"\\\n]|\\["\\n])*"(,(?!\})|(?=\})))+\})? -?[0-9.e+]+')
ARRAY = f'device="md127",uuid="{UUID}"'


def text(around: Surroundings | None = None, **files: str) -> str:
    seen = with_members(md("raid1", in_sync("sda", "sdb") | {"sdb": ("1", "spare")}, **files))
    return text_of(status_of(seen, around or Surroundings(), NOW_S))


def test_every_line_has_the_form_and_every_family_its_head_once() -> None:
    lines = text(sync_action="recover", sync_completed="1 / 4", sync_speed="8").splitlines()
    heads = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(heads) == len(set(heads)) == len([line for line in lines if line.startswith("# HELP ")])
    family = ""
    for line in lines:
        if line.startswith("# TYPE "):
            family = line.split()[2]
            assert ("counter" in line) == family.endswith("_total")
        elif not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match and match["name"] == family, line


def test_what_is_known_is_a_sample() -> None:
    around = Surroundings(
        checks=CheckMarks(done_s={DIGITS: 1.7e9}),
        smart={"sda": {"health": "failing", "used, %": 25, "temperature, °C": 31}},
        boot=BootFiles(not_read=("/etc/fstab: no",)),
    )
    told = text(around, sync_action="recover", sync_completed="1 / 4", sync_speed="8")
    for line in (
        f'raidtui_array_grade{{{ARRAY},grade="degraded"}} 1',
        f'raidtui_array_grade{{{ARRAY},grade="good"}} 0',
        f'raidtui_array_health{{{ARRAY},health="degraded"}} 1',
        f'raidtui_array_health{{{ARRAY},health="clean"}} 0',
        f'raidtui_array_members{{{ARRAY},role="rebuilding"}} 1',
        f'raidtui_array_members{{{ARRAY},role="failed"}} 0',
        f'raidtui_array_members{{{ARRAY},role="in-sync"}} 1',
        f"raidtui_array_size_bytes{{{ARRAY}}} 1069547520",
        f'raidtui_array_sync_progress_ratio{{{ARRAY},action="recover"}} 0.25',
        f'raidtui_array_sync_left_seconds{{{ARRAY},action="recover"}} 0.1875',
        f"raidtui_array_last_check_timestamp_seconds{{{ARRAY}}} 1700000000",
        f'raidtui_array_condition{{{ARRAY},kind="smart-failing",grade="attention"}} 1',
        "raidtui_status_not_read 1",
    ):
        assert f"{line}\n" in told, line
    assert re.search(r'raidtui_array_member_smart_healthy\{.*slot="0",member="sda",disk="wwn-.*"\} 0\n', told)
    assert re.search(r'raidtui_array_member_temperature_celsius\{.*member="sda".*\} 31\n', told)
    assert re.search(r'raidtui_array_member_wear_ratio\{.*member="sda".*\} 0.25\n', told)


def test_only_a_check_that_was_followed_is_complete() -> None:
    around = Surroundings(checks=CheckMarks(done_s={DIGITS: 1.7e9}))
    assert "raidtui_array_last_check_complete" not in text(around)
    followed = Surroundings(kept={DIGITS: KeptArray("run", checked_s=1.7e9)})
    assert f"raidtui_array_last_check_complete{{{ARRAY}}} 1\n" in text(followed)


def test_what_is_not_known_has_no_sample() -> None:
    told = text()
    for name in ("sync_", "mismatch", "last_check", "temperature", "smart", "wear"):
        assert f"raidtui_array_{name}" not in told and f"raidtui_array_member_{name}" not in told
    assert text_of(status_of(Machine(), Surroundings(), NOW_S)).splitlines()[-1] == "raidtui_status_not_read 0"


def test_a_name_is_quoted() -> None:
    seen = with_members(md("raid1", in_sync("sda", "sdb"), name='m"d\\'))
    assert 'device="m\\"d\\\\"' in text_of(status_of(seen, Surroundings(), NOW_S))
