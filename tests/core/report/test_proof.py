"""The states of a proof as a table, and in a line of the commissioning page."""

import msgspec
import pytest

from raidtui.core.report.context import RunContext
from raidtui.core.report.markdown import markdown
from raidtui.core.report.series import NOT_PROVED, proof, proof_covered, proof_line
from tests.builders import handmade
from tests.core.answer import golden


def test_each_state_has_its_row() -> None:
    plan, state = golden.runs()["made-up: proof"]()
    serials = [member.serial for member in plan.members]
    rows = [row for row in markdown(plan, state).splitlines() if row.endswith("0 blocks differ |")]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert [cell[:2] for cell in cells] == [
        ["healthy", "none"],
        ["1 disk out", serials[0]],
        ["2 disks out", f"{serials[0]}, {serials[1]}"],
        ["rebuilt", "none"],
        ["2 other disks out", f"{serials[2]}, {serials[3]}"],
        ["assembled again", "none"],
    ]
    assert {cell[3] for cell in cells} == {"100 MB/s"}


def test_a_state_that_differs_is_marked_and_those_after_it_are_not_verified() -> None:
    plan, state = golden.runs()["made-up: proof, a block differs"]()
    ends = [row.rstrip(" |").rpartition("| ")[2] for row in markdown(plan, state).splitlines() if "disk" in row[:20]]
    assert [end for end in ends if end in ("0 blocks differ", "DIFFERS", "not verified")] == [
        "0 blocks differ", "DIFFERS", "not verified",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name, row, page",
    [
        (
            "power cut",
            ["power cut", "none", "50.6 GB", "–", "0 blocks differ"],
            "all copies and parity in 3 states; power cut: 48213 acknowledged writes, parity of 24107 stripes"
            " (2 left out)",
        ),
        (
            "copies not asked",
            [
                "power cut",
                "none",
                "50.6 GB",
                "–",
                "copies not asked",
            ],
            "all copies and parity in 3 states; power cut: 48213 acknowledged writes, copies not asked"
            " (md began its resync first)",
        ),
        (
            "no power cut",
            ["power cut", "none", "–", "–", "not tested"],
            "all copies and parity in 3 states; power cut: not tested",
        ),
    ],
)
def test_a_power_cut_is_tested_or_marked(name: str, row: list[str], page: str) -> None:
    plan, state = golden.runs()[f"made-up: proof, {name}"]()
    (found,) = (line for line in markdown(plan, state).splitlines() if line.startswith("| power cut"))
    assert [cell.strip() for cell in found.split("|")[1:-1]] == row
    assert proof_covered(plan, state) == page


def test_the_commissioning_page_has_the_proof_and_its_date() -> None:
    plan, state = golden.runs()["made-up: proof"]()
    assert proof_line(plan, state) == ("3.00 TB written, verified in 6 of 6 states, 0 blocks differ, 2023-11-14")
    plan, state = golden.runs()["made-up: proof, a block differs"]()
    assert proof_line(plan, state) == ("3.00 TB written, verified in 2 of 6 states, DIFFERS, 2023-11-14")
    assert proof_line(plan, msgspec.structs.replace(state, trials=(), differed=())) == NOT_PROVED
    quick = handmade.plan()
    assert proof_line(quick, handmade.state(quick)) == NOT_PROVED
    assert list(proof(RunContext(quick, handmade.state(quick)))) == []
