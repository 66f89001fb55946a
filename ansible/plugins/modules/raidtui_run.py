#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_run
short_description: Carry out answers once, by a run that goes on by itself
version_added: 0.1.0
description:
  - Begins the run of a plan whose code a person has given, and says how it stands. The run is a process of its own
    on the host, and goes on where the connection is lost.
  - Asked again with the same answers and code, it begins nothing, and says how that run stands. A task that asks until
    RV(over) follows it to its end.
  - Without O(confirm) the task fails, with the plan in RV(plan) and RV(plan_text); in check mode it does not fail
    for that.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.confirmed
options:
  resume:
    description:
      - Go on with a run that was cut off, as by a machine that went down. It clears away what that run left, confirmed
        by O(confirm) and O(erase).
      - What failed, or was stopped by somebody, is never gone on with.
      - Where the plan keeps its array, and that array exists, the run is not gone on with, whatever O(erase) names.
        The task fails and names the command for a person.
    type: bool
    default: false
  wait_s:
    description: Ask again until the run is over, for at most so many seconds.
    type: int
    default: 0
  poll_s:
    description: How many seconds to wait between two looks.
    type: int
    default: 15
attributes:
  check_mode:
    description: Nothing is begun; the code and the names are compared with the plan.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
seealso:
  - module: raidtui.raidtui.raidtui_array
"""

EXAMPLES = r"""
- name: Begin the run
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
  description: The run; empty where there is none yet.
  returned: always
  type: str
standing:
  description: As C(raidtui runs) says it; V(finished), V(going on), V(cut off) and others.
  returned: always
  type: str
over:
  description: It has ended, or was cut off.
  returned: always
  type: bool
sentence:
  description: What came of it so far.
  returned: where there is a run
  type: str
kept:
  description: It keeps an array.
  returned: where there is a run
  type: bool
folder:
  description: Its folder on the host.
  returned: where there is a run
  type: str
measured:
  description: How many of its RV(trials) are measured.
  returned: where there is a run
  type: int
trials:
  description: How many measurements its plan has.
  returned: where there is a run
  type: int
left_s:
  description: How many seconds it may take yet.
  returned: where there is a run
  type: float
code:
  description: The code of the plan.
  returned: always
  type: str
plan:
  description: The plan, as C(raidtui plan --json) prints it.
  returned: where there is no run yet
  type: dict
plan_text:
  description: The plan for a person to read, its code at the end.
  returned: where there is no run yet
  type: str
erase:
  description: The disks with a warning, with what is on them and the name that O(erase) takes. For a person to read.
  returned: where there is no run yet
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
    """Begin the run, and do not wait."""
    options = command.confirmed(asking.given["confirm"], asking.given["erase"])
    status, _printed, stderr = asking.ask("run", command.ANSWERS, *options, "--detach")
    if status:
        asking.module.fail_json(msg=command.said(stderr), rc=status)


def resume(asking, run):
    """Go on with the run, and do not wait."""
    options = command.confirmed(asking.given["confirm"], command.erased_by_resume(run, asking.given["erase"]))
    status, _printed, stderr = asking.ask("resume", run["run"], *options, "--detach")
    if status:
        asking.module.fail_json(msg=command.not_resumed(run, status, stderr), rc=status)


def look_at_plan(asking):
    """The plan, and the end of the module unless it is to be carried out."""
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
