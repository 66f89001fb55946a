"""Data that tests got back otherwise than written, whatever became of the tests: by member, and in words."""

from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState


def first_bytes(state: RunState) -> dict[str, int]:
    """Member identity, or else path -> first byte of its first such test."""
    return {name: at_byte for event in reversed(state.wrong) for name, at_byte in event.first.items()}


def words(plan: Plan, state: RunState) -> list[str]:
    """A line a disk or file."""
    titles = {member.id: f"{member.model} {member.serial or member.id}".strip() for member in plan.members}
    return [
        f"{titles.get(name, name)} gave back something else than was written, first at byte {at_byte}"
        for name, at_byte in first_bytes(state).items()
    ]
