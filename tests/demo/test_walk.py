"""The whole demo, keys only, in a fresh interpreter: its screens, what it imports, what it opens."""

import json
import subprocess
import sys
from typing import Any

import pytest

from raidtui.demo import recording
from raidtui.demo.services import SPEED
from tests.imports import ROOT

WALKS = [("raid6-of-6", 80, 24), ("raid6-of-6", 200, 60), ("slow-of-24", 120, 40)]
FORBIDDEN = ("/dev/", "/sys/", "/run/", "subprocess", "os.", "socket")
NO_DEVICES = ("/dev/tty", "/dev/null", "/dev/urandom", "/dev/shm/")  # the last has files, of this test, too


@pytest.fixture(scope="module", params=WALKS, ids=str)
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    name, columns, rows = request.param
    folders = {"HOME": str(tmp_path_factory.mktemp("home")), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    argv = (sys.executable, "-m", "tests.demo.walk", name, str(columns), str(rows))
    ended = subprocess.run(argv, cwd=ROOT, env=folders, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return {"name": name, "columns": columns, **json.loads(ended.stdout)}


def test_neither_the_start_of_workers_nor_a_worker_is_imported(walked: dict[str, Any]) -> None:
    modules = set(walked["modules"])
    assert "raidtui.demo.services" in modules and "raidtui.runs.follow" in modules
    assert not modules & {"raidtui.runs.launch", "raidtui.runs.worker", "raidtui.runs.executor", "pyudev", "psutil"}


def test_no_device_is_opened_and_no_program_started(walked: dict[str, Any]) -> None:
    opened = walked["opened"]
    assert any(path.endswith("samples.bin") for path in opened)
    assert [path for path in opened if path.startswith(FORBIDDEN) and not path.startswith(NO_DEVICES)] == []


def test_every_screen_is_marked(walked: dict[str, Any]) -> None:
    screens = {name: text for name, text in walked["shown"].items() if name not in ("stopped", "left with")}
    assert {"StartScreen", "HelpScreen", "ReviewScreen", "LiveScreen", "TypedScreen", "ResultsScreen"} <= set(screens)
    assert [name for name, text in screens.items() if "DEMO: nothing is touched" not in text] == []


def test_the_phrase_on_review_replays_the_recorded_run_up_to_its_results(walked: dict[str, Any]) -> None:
    recorded = recording.load(recording.folder_of(walked["name"]))
    shown, plan = walked["shown"], recorded.plan
    assert f"erase {len(plan.members)} disks of server" in shown["ReviewScreen"]
    assert "DEMO: nothing is erased." in shown["ReviewScreen"]
    replayed = recorded.view(recorded.events[0].at_s + 4 * SPEED).state
    done = sum(replayed.is_final(trial.id) for trial in plan.trials)
    assert 0 < done < 12 and f"Done: {done} of 12" in shown["LiveScreen"]
    results = shown["ResultsScreen"]
    assert "DEMO: nothing is touched · EMULATED" in results and "Finished after" in results
    assert {"raid6-of-6": "✓ All 4 results as expected", "slow-of-24": "Slow disk sdq (34000)"}[
        walked["name"]
    ] in results
    assert "No samples of this test" not in shown["tab 2"]


def test_stop_is_answered_and_the_end_says_what_was_touched(walked: dict[str, Any]) -> None:
    assert walked["shown"]["stopped"] == "DEMO: nothing is carried out"
    assert walked["shown"]["left with"] == "0 None"


def test_no_path_and_no_command_of_the_recorded_machine_is_offered(walked: dict[str, Any]) -> None:
    report = walked["shown"]["tab 5"]
    assert f"`raidtui demo --run {walked['name']} | cat`" in report
    assert "To mount it at boot" not in report and str(ROOT) not in report
