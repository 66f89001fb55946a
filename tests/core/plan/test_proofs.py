"""The recorded proofs of the model: each figure is near theory, or its report says why it is not."""

from pathlib import Path

import pytest

REPORTS = Path(__file__).parents[2] / "recordings/reports"
RANDOM = ["RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"]
THROTTLED = [f"{level} wbt {held}" for level in RANDOM for held in ("2000", "off")]
LEVELS = ["RAID 0", "RAID 1", "RAID 4", "RAID 5", "RAID 6", "RAID 10 n2", "RAID 10 o2", "RAID 10 f2"]


def deviations(text: str, heading: str) -> dict[str, float]:
    """Level and what else differs -> per cent off theory, of the first table after a heading."""
    lines = [line for line in text.split(f"### {heading}\n", 1)[1].split("```", 1)[0].splitlines() if line[:1] == "|"]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    at = header.index("Off theory, %")
    throttled = header.index("Write throttling, µs") if "Write throttling, µs" in header else None
    return {row[0] if throttled is None else f"{row[0]} wbt {row[throttled]}": float(row[at]) for row in rows}


def explained(text: str, heading: str, level: str) -> bool:
    """Is there a cause in the report, other than that there is none?"""
    block = text.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    causes = [line for line in block.splitlines() if line.startswith("- off theory: ")]
    return any(f"{level} (" in line and "nothing that was recorded" not in line for line in causes)


@pytest.mark.parametrize(
    ("name", "heading", "limit", "levels"),
    [
        ("levels-94", "Sequential write, one stream", 10, LEVELS),
        ("levels-94", "Sequential read, one stream", 10, LEVELS),
        ("random-100", "Random 4K write", 15, THROTTLED),
        ("random-100", "Random 4K read", 15, THROTTLED),
    ],
)
def test_near_theory_or_explained(name: str, heading: str, limit: float, levels: list[str]) -> None:
    text = (REPORTS / f"{name}.md").read_text()
    found = deviations(text, heading)
    assert list(found) == levels
    assert [level for level, off in found.items() if abs(off) > limit and not explained(text, heading, level)] == []


def test_without_the_kernels_throttling_random_writes_are_what_the_model_says() -> None:
    text = (REPORTS / "random-100.md").read_text()
    found = deviations(text, "Random 4K write")
    assert [name for name, off in found.items() if name.endswith(" off") and abs(off) > 15] == []
    assert found["RAID 10 n2 wbt 2000"] < -15
