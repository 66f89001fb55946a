"""`raidtui fleet` on folders made of a recorded run of 24 disks: what was made slow is named, and nothing else."""

import json
from pathlib import Path

import pytest

from raidtui.core.fleet.fleet import Fleet
from raidtui.runs import collected
from tests.builders import fleets
from tests.builders.tables import csv_rows
from tests.cli.conftest import Command
from tests.schemas import errors_in

HOSTS = 8


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    folder = tmp_path_factory.mktemp("fleet")
    fleets.write(folder, HOSTS)
    return collected.fleet(folder)


@pytest.fixture
def folder(read: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder whose runs were read once for all tests."""
    monkeypatch.setattr(collected, "fleet", lambda _: read)
    return str(tmp_path)


def test_what_was_made_slow_is_named_and_nothing_else(read: Fleet) -> None:
    (experiment,) = read.experiments
    found = experiment.screened
    assert [host.host for host in found.hosts] == [fleets.name(fleets.SLOW_HOST)]
    assert [disk.disk.serial for disk in found.disks] == [fleets.serial(*fleets.SLOW_DISK)]
    assert [(group.kind, group.name) for group in found.groups] == [("firmware", fleets.OTHER_FIRMWARE)]
    assert [run.host for run in experiment.missing] == [fleets.name(fleets.FAILED_HOST)]


def test_each_form_has_it(command: Command, folder: str) -> None:
    slow_disk, slow_host = fleets.serial(*fleets.SLOW_DISK), fleets.name(fleets.SLOW_HOST)
    text = command("fleet", folder)[1]
    assert f"- Slow disks: {slow_disk} (" in text and f"incomplete: {fleets.name(fleets.FAILED_HOST)}." in text
    rows = csv_rows(command("fleet", folder, "--csv")[1])
    assert len(rows) == HOSTS * 4 and sum(row["standing"] != "ok" for row in rows) == 4
    html = command("fleet", folder, "--html")[1]
    assert html.startswith("<!DOCTYPE html>") and slow_disk in html and slow_host in html
    assert errors_in("fleet", json.loads(command("fleet", folder, "--json")[1])) == []


def test_bad_input_is_one_sentence(command: Command, tmp_path: Path) -> None:
    code, _, error = command("fleet", str(tmp_path / "none"))
    assert code == 2 and "no such directory" in error
    assert command("fleet", str(tmp_path), "--html", "--csv")[0] == 2
    code, _, error = command("fleet", str(tmp_path), "--screen")
    assert code == 2 and "leave --screen out" in error
