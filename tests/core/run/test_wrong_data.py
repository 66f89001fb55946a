"""Data that tests got back otherwise than written: the first place of each disk or file."""

from raidtui.core.run.events import DataDiffered
from raidtui.core.run.state import RunState, first_bytes, fold_all, wrong_data_words
from tests.builders import sweeps

PLAN = sweeps.plan("burn-in", 2)
FIRST = PLAN.members[0]


def test_the_first_test_of_each_names_its_place() -> None:
    events = [
        DataDiffered(at_s=1.0, trial="a", first={FIRST.id: 512}),
        DataDiffered(at_s=2.0, trial="b", first={FIRST.id: 4096, "/srv/file": 0}),
    ]
    state = fold_all(events)
    assert first_bytes(state) == {FIRST.id: 512, "/srv/file": 0}
    texts = wrong_data_words(PLAN, state)
    assert any(f"{FIRST.serial} gave back something else than was written, first at byte 512" in text for text in texts)
    assert wrong_data_words(PLAN, RunState()) == []
