# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""Command lines of `raidtui`, and its output as results of tasks. Pure: runs no command, imports nothing of Ansible."""

from __future__ import annotations

import json

ANSWERS = "/dev/stdin"  # the command reads the module's answer file there
REFUSED = 3
GOING_ON = ("starting", "going on", "stopping")
CUT_OFF = ("cut off", "not begun")


class CommandFailed(Exception):
    """One sentence: the command's message instead of its JSON."""


def confirmed(confirm, erase):
    """The options with a person's decisions for this host."""
    options = ["--confirm", confirm] if confirm else []
    for name in erase:
        options += ["--erase", name]
    return options


def ensure(state, check, confirm, erase):
    """The words of `raidtui ensure`."""
    options = ["--absent"] if state == "absent" else []
    options += ["--check"] if check else []
    return ["ensure", ANSWERS, *options, *confirmed(confirm, erase)]


def said(stderr):
    """The last line of a command's message, without its name: the reason for its end."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    last = lines[-1] if lines else "raidtui ended without a message"
    return last[len("raidtui: ") :] if last.startswith("raidtui: ") else last


def document(stdout, stderr):
    """The JSON that a command printed, whatever its status; else CommandFailed."""
    try:
        read = json.loads(stdout)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise CommandFailed(said(stderr))
    return read


def array_result(ensured, status, stderr):
    """The output of `raidtui ensure` as the result of a task; `failed` if the array is not as defined."""
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
    """With the line end that Ansible's diff expects."""
    return text if not text or text.endswith("\n") else text + "\n"


def run_of_code(runs, code):
    """The newest run of the plan with this code, or None."""
    theirs = [run for run in runs if code and run["code"] == code]
    return theirs[-1] if theirs else None


def is_over(run):
    return run["standing"] not in GOING_ON


def to_resume(run):
    """Was it interrupted, and can be resumed? A person looks at failed or stopped runs."""
    return run["standing"] in CUT_OFF and run["resumable"]


def erased_by_resume(run, erase):
    """The names that a playbook passes to `raidtui resume`: never a kept or proved array's, whoever gave it."""
    return [name for name in erase if name not in run["keeps"]]


def not_resumed(run, status, stderr):
    """Why a run was not resumed. Only a person names the existing array of a plan that keeps or proves it."""
    why = said(stderr)
    if status != REFUSED or not run["keeps"]:
        return why
    by_hand = f"`raidtui resume {run['run']} --erase {run['keeps'][0]}`"
    return f"refused: {why}. No playbook names a run's array: a person looks at it, then {by_hand}"


def run_result(run, changed):
    """The state of a run as the result of a task; `failed` if it has ended without finishing."""
    keys = ("run", "standing", "sentence", "kept", "permanent", "measured", "trials", "left_s", "code")
    result = {key: run[key] for key in keys}
    result.update(changed=changed, over=is_over(run), folder=run["path"])  # `path` is what Ansible adds an owner to
    if is_over(run) and run["standing"] != "finished":
        goes_on = f"; `raidtui resume {run['run']}` continues it" if run["resumable"] else ""
        result.update(failed=True, msg=f"the run {run['run']} is {run['standing']}: {run['sentence']}{goes_on}")
    return result


def plan_result(plan, text, confirm, erase, check_mode):
    """A plan not yet carried out, as the result of a task; `failed` if it must not be. A check needs no code."""
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
