"""The developer's way into the practice kernel: what it refuses."""

from pathlib import Path

import pytest

from raidtui.practice import __main__ as practice


@pytest.mark.parametrize(
    "options, says",
    [
        (["-s", "12a"], "-s 12a: give the disks' sizes as whole numbers of MiB"),
        (["-k", "{empty}"], "there is no linux.uml with a folder modules/ beside it in {empty}"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    options: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    filled_in = [option.format(empty=tmp_path) for option in options]
    monkeypatch.setattr("sys.argv", ["raidtui.practice", *filled_in, "--", "true"])
    try:
        status = practice.main()
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    assert status == 2 and says.format(empty=tmp_path) in capsys.readouterr().err
