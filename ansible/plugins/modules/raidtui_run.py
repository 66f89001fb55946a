#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_run
short_description: Run an answer file once, in the background
version_added: 0.1.0
description:
  - Starts the run of a plan with a code from a person, and returns its state. The run is a process of its own
    on the host, and continues if the connection is lost.
  - With the same answers and code it starts nothing again, and returns the state of that run. To follow the run,
    repeat the task until RV(over).
  - Without O(confirm) the task fails, with the plan in RV(plan) and RV(plan_text). In check mode it does not fail
    for that reason.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.confirmed
options:
  resume:
    description:
      - Resume an interrupted run, for example after a power cut. This removes what that run left, confirmed
        by O(confirm) and O(erase).
      - A run that failed, or was stopped by somebody, is never resumed.
      - If C(raidtui resume) asks for the name of an array, the run is not resumed, whatever O(erase) names. It asks
        for an array that the plan keeps, and for one that is newer than the journal of its proof.
        The task fails and names the command for a person.
    type: bool
    default: false
  wait_s:
    description: Maximum number of seconds to wait for the end of the run.
    type: int
    default: 0
  poll_s:
    description: Number of seconds between two checks.
    type: int
    default: 15
attributes:
  check_mode:
    description: Nothing is started. The code and the names are compared with the plan.
    support: full
  diff_mode:
    description: The module has no diff.
    support: none
seealso:
  - module: raidtui.raidtui.raidtui_array
"""

EXAMPLES = r"""
- name: Start the run
  raidtui.raidtui.raidtui_run:
    answers: "{{ lookup('ansible.builtin.file', 'burn-in.toml') }}"
    confirm: "{{ burn_in_code }}" # of this host, from host_vars; a person wrote it there

- name: Follow it to its end
  raidtui.raidtui.raidtui_run:
    answers: "{{ lookup('ansible.builtin.file', 'burn-in.toml') }}"
    confirm: "{{ burn_in_code }}"
  register: burn_in
  until: burn_in is failed or burn_in.over
  retries: 2000
  delay: 60
"""

RETURN = r"""
run:
  description: The run, or empty if it does not exist yet.
  returned: always
  type: str
standing:
  description: The state as in C(raidtui runs), for example V(finished), V(going on), V(cut off).
  returned: always
  type: str
over:
  description: Whether it has ended, or was interrupted.
  returned: always
  type: bool
sentence:
  description: Its result so far.
  returned: if the run exists
  type: str
kept:
  description: Whether it keeps an array.
  returned: if the run exists
  type: bool
folder:
  description: Its folder on the host.
  returned: if the run exists
  type: str
measured:
  description: Number of finished measurements of RV(trials).
  returned: if the run exists
  type: int
trials:
  description: Number of measurements in its plan.
  returned: if the run exists
  type: int
left_s:
  description: Estimated remaining seconds.
  returned: if the run exists
  type: float
code:
  description: The code of the plan.
  returned: always
  type: str
plan:
  description: The output of C(raidtui plan --json).
  returned: if the run does not exist yet
  type: dict
plan_text:
  description: The plan for a person to read, its code at the end.
  returned: if the run does not exist yet
  type: str
erase:
  description: The disks with a warning, with their contents and the name for O(erase). For a person to read.
  returned: if the run does not exist yet
  type: list
  elements: dict
"""

import time

from ansible_collections.raidtui.raidtui.plugins.module_utils import command
from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import CONFIRMED, Asking


def run_of(asking):
    runs = asking.read("runs", "--of", command.ANSWERS, "--json")["runs"]
    return command.run_of_code(runs, asking.given["confirm"])


def begin(asking):
    """Start the run, and do not wait."""
    options = command.confirmed(asking.given["confirm"], asking.given["erase"])
    status, _printed, stderr = asking.ask("run", command.ANSWERS, *options, "--detach")
    if status:
        asking.module.fail_json(msg=command.said(stderr), rc=status)


def resume(asking, run):
    """Resume the run, and do not wait."""
    options = command.confirmed(asking.given["confirm"], command.erased_by_resume(run, asking.given["erase"]))
    status, _printed, stderr = asking.ask("resume", run["run"], *options, "--detach")
    if status:
        asking.module.fail_json(msg=command.not_resumed(run, status, stderr), rc=status)


def look_at_plan(asking):
    """Read the plan; end the module unless the plan can be carried out."""
    plan = asking.read("plan", command.ANSWERS, "--json")
    text = asking.ask("plan", command.ANSWERS)[1]
    check_mode = asking.module.check_mode
    result = command.plan_result(plan, text, asking.given["confirm"], asking.given["erase"], check_mode)
    if check_mode or result.get("failed"):
        asking.end(result)


def main():
    options = {"resume": {"type": "bool", "default": False}}
    options.update(wait_s={"type": "int", "default": 0}, poll_s={"type": "int", "default": 15})
    asking = Asking(**CONFIRMED, **options)
    run, changed = run_of(asking), False
    if run is None:
        look_at_plan(asking)
        begin(asking)
        run, changed = run_of(asking), True
    elif asking.given["resume"] and command.to_resume(run):
        if asking.module.check_mode:
            asking.end({**command.run_result({**run, "standing": "going on"}, True), "standing": run["standing"]})
        resume(asking, run)
        run, changed = run_of(asking), True
    end_s = time.monotonic() + asking.given["wait_s"]
    while not command.is_over(run) and time.monotonic() < end_s:
        time.sleep(min(asking.given["poll_s"], max(end_s - time.monotonic(), 0)))
        run = run_of(asking)
    asking.end(command.run_result(run, changed))


if __name__ == "__main__":
    main()
