"""Names, owners and folders that this machine cannot give: told by their fields, and refused by a plan."""

from pathlib import Path

import pytest

from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from raidtui.runs import planning
from raidtui.system import md


@pytest.mark.parametrize(
    "field, text, reason",
    [
        ("array_name", "store", "there is an array store here already; choose another name"),
        ("mount_owner", "no-such-user", "no user 'no-such-user' is known on this machine; write another, or a number"),
        ("mount_point", "full", "is not empty: what is in it would be hidden; choose another folder"),
    ],
)
def test_what_this_machine_cannot_give_is_told_and_refused(
    field: str, text: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(md, "named", lambda name: name == "store")
    free, full = tmp_path / "free", tmp_path / "full"
    (full / "something").mkdir(parents=True)
    typed = {"mount_point": str(free), field: str(full) if text == "full" else text}
    answers = Answers(after="keep", permanent=True, setup=Setup(level="5", filesystem="xfs"), **typed)  # type: ignore[arg-type]
    told = planning.why_not_here(answers)
    assert list(told) == [field] and told[field].endswith(reason)
    with pytest.raises(PlanRefused) as refused:
        planning.plan_on(answers, (), "a-machine")
    assert (refused.value.field, refused.value.sentence) == (field, told[field])


def test_what_is_not_mounted_at_boot_needs_no_folder(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    assert planning.why_not_here(Answers(mount_point=str(tmp_path), mount_owner="no-such-user")) == {}
