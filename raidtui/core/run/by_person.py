"""What a run waits for a person to do, as plan and journal tell."""

from raidtui.core.plan.model import Plan, carried_out
from raidtui.core.plan.roles import PersonRole
from raidtui.core.plan.steps import ByPerson
from raidtui.core.run.state import RunState

# What the program asks of the person, said before it does: what is typed at its first question is seen.
ASKED: dict[PersonRole, str] = {
    "encrypt": "cryptsetup prompts three times: YES in capital letters (create a container on the empty array), a new"
    " passphrase, the passphrase again. It is not shown while you type. Without it the data are lost. Then cryptsetup"
    " works silently for some seconds, up to a minute on a slow machine.",
    "unlock": "cryptsetup prompts once for the container's passphrase, then works silently for some seconds, up to a"
    " minute on a slow machine.",
}
# Said at once, while the first of it is got ready.
READY = "raidtui checks the array first (some seconds), then explains the prompts."


def due(plan: Plan, state: RunState) -> ByPerson | None:
    """The step that waits for a person now; None where none does. That its worker lives is another question."""
    step = state.step
    if step is None or step.undoing or state.stopping or not 0 <= step.stage < len(plan.stages):
        return None
    steps = carried_out(plan, step.stage).steps
    return next((one for one in steps if isinstance(one, ByPerson) and one.role == step.role), None)


def words(run: str) -> str:
    """What to do about it."""
    return f"the run waits for you: `raidtui passphrase {run}`, as root in a terminal"
