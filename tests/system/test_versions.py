"""What tools say of themselves, and how long such a program takes here."""

from collections.abc import Iterator

import pytest

from raidtui.system import versions
from raidtui.system.process import ProcessError


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    versions.command_s.cache_clear()
    yield
    versions.command_s.cache_clear()


def test_the_shortest_of_some_counts_and_it_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.9, 1.0, 1.2, 2.0, 2.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(versions, "run", lambda argv, timeout_s: None)
    assert versions.command_s() == pytest.approx(0.2)
    assert versions.command_s() == pytest.approx(0.2)  # the clock has run out


def test_without_fio_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(argv: object, timeout_s: float) -> None:
        raise ProcessError("fio is not installed")

    monkeypatch.setattr(versions, "run", missing)
    assert versions.command_s() == 0.0
