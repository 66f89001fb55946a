"""What is handed to workers to remove an array of answers, and what not; by the command: tests/cli/test_ensure.py."""

from pathlib import Path

import pytest

from raidtui.core.care.ensured import Ensured
from raidtui.runs import directory, launch
from raidtui.runs.care import planning
from raidtui.runs.removal.decision import Consent
from tests.builders.arrays import UUID
from tests.builders.ensuring import BLANK, BY_RULE, kept_run, standing


@pytest.fixture
def cleaned(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[Consent]:
    handed: list[Consent] = []
    monkeypatch.setattr(launch, "clean", lambda path, consent: handed.append(consent))
    return handed


def test_what_is_not_there_is_done(cleaned: list[Consent]) -> None:
    gone = planning.removed(BY_RULE, BLANK, check=False, confirm="", erase=(UUID,))
    assert gone == Ensured(diff=gone.diff) and gone.diff.before == gone.diff.after == "array: none\n"
    unclear = planning.removed(BY_RULE, standing(), check=False, confirm="", erase=(UUID,))
    assert "not known to be built by these answers" in unclear.refused and not cleaned


@pytest.mark.parametrize("check, handed", [(True, False), (False, True)])
def test_only_code_and_uuid_together_remove_it(
    tmp_path: Path, cleaned: list[Consent], check: bool, handed: bool
) -> None:
    code = directory.read_plan(kept_run(tmp_path)).code
    for confirm, erase in ((code, ()), ("", (UUID,)), ("00000000", (UUID,)), (code, (UUID[::-1],))):
        if check and not confirm:
            continue
        assert planning.removed(BY_RULE, standing(), check=check, confirm=confirm, erase=erase).refused
    assert not cleaned
    done = planning.removed(BY_RULE, standing(), check=check, confirm=code, erase=(UUID,))
    assert (done.changed, done.uuid, done.refused) == (True, "", "") and bool(cleaned) is handed
