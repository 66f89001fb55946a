"""What `status` prints for each state of an array, carried out on real md: none fails, none costs a member.

`python -m tests.remedies_table` writes the rows into docs/status.md.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.guest.remedies import STATES, State, carried, clean
from tests.remedies_table import OUT, ROWS_FILE, Row, line

RACK = dict(disks=6, size_mib=96)


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Row]]:
    made: list[Row] = []
    yield made
    Path("/var/lib/raidtui", ROWS_FILE).write_text(json.dumps(made))


@pytest.fixture(scope="module", autouse=True)
def blank() -> Iterator[None]:
    yield
    clean()


@pytest.mark.parametrize("state", STATES, ids=lambda state: f"{state.kind}: {state.words}")
def test_a_printed_command_does_what_it_is_printed_for(state: State, rows: list[Row]) -> None:
    clean()
    row = carried(state)
    rows.append(row)
    assert line(row) in OUT.read_text().splitlines(), f"{line(row)}\n`python -m tests.remedies_table` writes it"
