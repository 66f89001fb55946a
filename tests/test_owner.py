"""The addresses that the owner fills in: an empty one is printed nowhere."""

import tomllib
from pathlib import Path

import pytest

from raidtui import owner
from raidtui.ui import crash


@pytest.mark.parametrize(
    "repository, reports, urls",
    [
        ("", "", {}),
        ("https://example.org/r", "", {"Source": "https://example.org/r"}),
        ("https://a.org", "https://a.org/i", {"Source": "https://a.org", "Issues": "https://a.org/i"}),
        ("", "bugs@example.org", {}),
    ],
)
def test_filled_in_addresses_are_urls_of_the_package(
    tmp_path: Path, repository: str, reports: str, urls: dict[str, str]
) -> None:
    (file := tmp_path / "owner.toml").write_text(f'repository = "{repository}"\nreports = "{reports}"\n')
    assert owner.urls(file) == urls
    assert owner.addresses(file).get("reports", "") == reports


@pytest.mark.parametrize("reports, end", [("", "crash.log."), ("bugs@example.org", "crash.log to bugs@example.org.")])
def test_a_fault_is_reported_to_the_owner_s_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reports: str, end: str
) -> None:
    monkeypatch.setattr(crash, "runs_root", lambda: tmp_path / "runs")
    monkeypatch.setattr(crash, "addresses", lambda: {"reports": reports} if reports else {})
    assert crash.record(RuntimeError("x")).endswith(end)


def test_the_file_has_the_keys_that_are_read() -> None:
    assert set(tomllib.loads(owner.FILE.read_text())) == {"repository", "reports"}
