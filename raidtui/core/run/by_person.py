"""What a run waits for a person to do, as plan and journal tell."""

from raidtui.core.plan.model import Plan, carried_out
from raidtui.core.plan.roles import PersonRole
from raidtui.core.plan.steps import ByPerson
from raidtui.core.run.state import RunState

# What the program asks of the person, said before it does: what is typed at its first question is seen.
ASKED: dict[PersonRole, str] = {
    "encrypt": "cryptsetup asks three times: for YES, in capital letters, to make a container on the empty array; then"
    " for a new passphrase, and for the same again. The passphrase does not show while you type it. Lost, the data are"
    " lost. Then it works for some seconds, on a slow machine for a minute, without a word.",
    "unlock": "cryptsetup asks once for the passphrase of the container, to open it; then it works for some seconds, on"
    " a slow machine for a minute, without a word.",
}
# Said at once, while the first of it is got ready.
READY = "raidtui looks at the array first, for some seconds; then it says what cryptsetup asks."


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
