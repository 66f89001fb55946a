"""A journal with a damaged line in its middle: counted, and what it may hide is named."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Write
from raidtui.core.report.context import RunContext
from raidtui.core.report.markdown import markdown
from raidtui.core.run import events, journal_lines
from raidtui.core.run.progress import damage, settings_in_doubt
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs import directory, status
from raidtui.ui.render.results_lines import sentence_lines
from tests.builders import handmade

SPEED = "/sys/block/{array}/md/sync_speed_min"
CACHE = "/sys/block/{member:0}/queue/write_cache"
DROP = "/proc/sys/vm/drop_caches"
LINES = [
    journal_lines.encode(event)
    for event in (
        events.StageStarted(at_s=1, stage=0),
        events.StepStarted(at_s=1, stage=0, what="Speed", line="echo 1"),
        events.SettingChanged(at_s=1, path=SPEED, old="1000", new="500000"),
        events.StepEnded(at_s=2, what="Speed"),
        events.StepStarted(at_s=2, stage=0, what="Cache", line="echo 2"),
        events.SettingChanged(at_s=2, path=CACHE, old="write back", new="write through"),
        events.StepEnded(at_s=3, what="Cache"),
        events.Warned(at_s=4, text="warm"),
    )
]


@pytest.fixture
def plan() -> Plan:
    made = handmade.plan()
    writes = (
        Write(what="Speed", path=SPEED, value="500000"),
        Write(what="Cache", path=CACHE, value="write through"),
        Write(what="Drop", path=DROP, value="3", restore=False),
    )
    later = Write(what="Later", path="/sys/later", value="1")
    stages = [replace(made.stages[0], steps=writes, trials=(), build=0)] * 2
    stages[1] = replace(stages[1], steps=(later,))
    return replace(made, stages=tuple(stages))


def journal(damaged: int | None, by: bytes = b"\x00\xffgarbage") -> RunState:
    lines = [by + b"\n" if number == damaged else line for number, line in enumerate(LINES)]
    return fold_all(journal_lines.read(b"".join(lines))[0])


def test_a_whole_journal_says_nothing(plan: Plan) -> None:
    assert damage(plan, journal(None)) == "" and settings_in_doubt(plan, journal(None)) == ()


@pytest.mark.parametrize("by", [b"", b"\x00" * 50, b"[1]", b'{"event":"setting-changed","at_s":2}', b"{}", b"[" * 9999])
def test_a_changed_setting_that_was_lost_is_named(plan: Plan, by: bytes) -> None:
    state = journal(5, by)
    assert (state.damaged, state.settings) == (1, {SPEED: "1000"})
    assert settings_in_doubt(plan, state) == (CACHE,)
    assert damage(plan, state) == (
        "1 line of its journal cannot be read: what it told, as a result or a changed setting, is missing."
        f" Perhaps changed, and not put back: {CACHE}"
    )


def test_one_more_damaged_line_takes_no_other_setting_into_doubt(plan: Plan) -> None:
    assert settings_in_doubt(plan, journal(7)) == ()
    assert damage(plan, journal(7)).startswith("1 line of its journal cannot be read")


def test_a_newer_workers_event_is_no_damage(plan: Plan) -> None:
    assert journal(7, b'{"event":"teleported","at_s":3.5}').damaged == 0


def test_a_torn_tail_is_no_damage() -> None:
    found, end = journal_lines.read(b"".join(LINES) + b'{"event": "warn')
    assert end == len(b"".join(LINES)) and fold_all(found).damaged == 0


def test_report_and_results_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    made = handmade.plan()
    whole = handmade.state(made)
    torn = replace(whole, damaged=2)
    assert "cannot be read" not in markdown(made, whole)
    assert "**2 lines of its journal cannot be read: what they told" in markdown(made, torn)

    def shown(state: RunState) -> str:
        lines = sentence_lines(RunContext(made, state), 200)
        return "\n".join("".join(text for text, _ in line) for line in lines)

    assert "cannot be read" not in shown(whole)
    assert "2 lines of its journal cannot be read" in shown(torn)


def test_the_list_of_runs_says_so(tmp_path: Path) -> None:
    made = handmade.plan()
    path = directory.create(made, tmp_path / "runs")
    lines = [journal_lines.encode(event) for event in handmade.journal(made)]
    (path / directory.JOURNAL).write_bytes(b"".join([*lines[:3], b"damaged\n", *lines[3:]]))
    assert status.status_of_run(path).damage.startswith("1 line of its journal cannot be read")
