# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""What the modules ask `raidtui`, and what its answers mean to Ansible. Pure: nothing here runs a command, and it
imports nothing of Ansible's.
"""

from __future__ import annotations

import json

ANSWERS = "/dev/stdin"  # where the command reads the answers that a module was given
REFUSED = 3
GOING_ON = ("starting", "going on", "stopping")
CUT_OFF = ("cut off", "not begun")


class CommandFailed(Exception):
    """One sentence: what the command said instead of its JSON."""


def confirmed(confirm, erase):
    """The options that say what a person has decided for this host; none where nothing was."""
    options = ["--confirm", confirm] if confirm else []
    for name in erase:
        options += ["--erase", name]
    return options


def said(stderr):
    """The last line that a command said, without its own name: why it ended."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    last = lines[-1] if lines else "raidtui ended, and said nothing"
    return last[len("raidtui: ") :] if last.startswith("raidtui: ") else last


def document(stdout, stderr):
    """The JSON that a command printed, however it ended. CommandFailed where that is none."""
    try:
        read = json.loads(stdout)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise CommandFailed(said(stderr))
    return read


def array_result(ensured, status, stderr):
    """What `raidtui ensure` printed as the result of a task; `failed` where the array does not stand as asked for."""
    plan = ensured["plan"] or {}
    result = {
        "changed": ensured["changed"],
        "uuid": ensured["uuid"],
        "run": ensured["run"],
        "refused": ensured["refused"],
        "erase": ensured["erase"],
        "plan": plan,
        "code": plan.get("code", ""),
        "diff": {"before": lines(ensured["diff"]["before"]), "after": lines(ensured["diff"]["after"])},
    }
    if status:
        why = ensured["refused"] or ensured["failed"] or said(stderr)
        result.update(failed=True, msg=f"refused: {why}" if ensured["refused"] else why)
    return result


def lines(text):
    """With the end of line that Ansible's diff expects."""
    return text if not text or text.endswith("\n") else text + "\n"


def run_of_code(runs, code):
    """The newest of the runs that carries out the plan of this code; None where there is none, or no code."""
    theirs = [run for run in runs if code and run["code"] == code]
    return theirs[-1] if theirs else None


def is_over(run):
    return run["standing"] not in GOING_ON


def to_resume(run):
    """Was it cut off, and can be gone on with? What failed or was stopped is for a person to look at."""
    return run["standing"] in CUT_OFF and run["resumable"]


def erased_by_resume(run, erase):
    """The names that a playbook hands to `raidtui resume`: never that of what its plan keeps, whoever gave it."""
    return [name for name in erase if name not in run["keeps"]]


def not_resumed(run, status, stderr):
    """Why a run was not gone on with. What its plan keeps, and stands, is for a person to remove."""
    why = said(stderr)
    if status != REFUSED or not run["keeps"]:
        return why
    by_hand = f"`raidtui resume {run['run']} --erase {run['keeps'][0]}`"
    return f"refused: {why}. No playbook removes an array that is to be kept: a person looks at it, then {by_hand}"


def run_result(run, changed):
    """How a run stands as the result of a task; `failed` where it is over and did not finish."""
    keys = ("run", "standing", "sentence", "kept", "permanent", "measured", "trials", "left_s", "code")
    result = {key: run[key] for key in keys}
    result.update(changed=changed, over=is_over(run), folder=run["path"])  # `path` is what Ansible adds an owner to
    if is_over(run) and run["standing"] != "finished":
        goes_on = f"; `raidtui resume {run['run']}` goes on" if run["resumable"] else ""
        result.update(failed=True, msg=f"the run {run['run']} is {run['standing']}: {run['sentence']}{goes_on}")
    return result


def plan_result(plan, text, confirm, erase, check_mode):
    """A plan that nothing has carried out yet as the result of a task; `failed` where it may not be.

    A check without a code asks what would be done: it may well be missing then.
    """
    result = {"changed": False, "over": False, "run": "", "standing": "", "plan": plan, "plan_text": text}
    result.update(code=plan["code"], erase=plan["erase"])
    why = ""
    if confirm and confirm != plan["code"]:
        why = f"the code {confirm!r} is not this plan's"
    elif not confirm and not check_mode:
        why = "the confirmation code is missing: read the plan, and give its code for this host"
    elif confirm and (left := [disk for disk in plan["erase"] if not {disk["name"], disk["id"]} & set(erase)]):
        why = "not named in erase: " + "; ".join(f"{disk['name']} ({disk['found']})" for disk in left)
    if why:
        result.update(failed=True, msg=f"refused: {why}")
    else:
        result["changed"] = True
    return result
