#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_array
short_description: Create an md array if it does not exist, or remove it
version_added: 0.1.0
description:
  - If the array of this answer file exists as defined, nothing is done.
  - If it does not exist, it is built, but only with the code of its plan in O(confirm). Without the code the task
    fails, with the plan in RV(plan).
  - If something else is on the disks, or the array differs from the answer file, the task is refused.
  - The module waits for the end of the run. For a run of hours use M(raidtui.raidtui.raidtui_run) first, and check
    the result with this module.
  - With O(state=absent) the boot entries of the array are removed, and the array is unmounted. The array itself, with
    all data on it, is removed only if O(erase) has its UUID. Without it the task fails, with the UUID in RV(uuid).
    It is never removed if anything on it is not the run's, or if it is not as the run built it.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.confirmed
options:
  state:
    description:
      - With V(absent) O(confirm) is the code of the run that built the array.
    type: str
    choices: [present, absent]
    default: present
  erase:
    description:
      - The disks with a warning that are erased all the same, by serial or identity.
      - With O(state=absent) the UUID of the array, and nothing else.
      - A person decides on them for each host. Never fill them in from the result of a module.
attributes:
  check_mode:
    description: No disk is written to, and O(confirm) is optional.
    support: full
  diff_mode:
    description: Shows the array before and after the task.
    support: full
seealso:
  - module: raidtui.raidtui.raidtui_run
"""

EXAMPLES = r"""
- name: Create the array if it does not exist
  raidtui.raidtui.raidtui_array:
    answers: "{{ lookup('ansible.builtin.file', 'array.toml') }}"
    confirm: "{{ array_code }}" # of this host, from host_vars; a person wrote it there

- name: Remove its boot entries, and the array if a person has written its UUID
  raidtui.raidtui.raidtui_array:
    answers: "{{ lookup('ansible.builtin.file', 'array.toml') }}"
    state: absent
    confirm: "{{ array_code }}"
    erase: "{{ array_uuid | default([]) }}" # of this host, from host_vars
"""

RETURN = r"""
uuid:
  description: UUID of the existing array, as mdadm writes it, or empty.
  returned: always
  type: str
run:
  description: The run that built it.
  returned: always
  type: str
code:
  description: The code of the plan, if the array does not exist.
  returned: always
  type: str
plan:
  description: The plan of a missing array, as C(raidtui plan --json) prints it. Empty if the array exists.
  returned: always
  type: dict
erase:
  description: The disks with a warning, with their contents and the name for O(erase). For a person to read.
  returned: always
  type: list
  elements: dict
refused:
  description: The reason, if the task was refused for safety.
  returned: always
  type: str
"""

from ansible_collections.raidtui.raidtui.plugins.module_utils import command
from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import CONFIRMED, Asking


def main():
    states = {"type": "str", "choices": ["present", "absent"], "default": "present"}
    asking = Asking(**CONFIRMED, state=states)
    given, check = asking.given, asking.module.check_mode
    status, stdout, stderr = asking.ask(*command.ensure(given["state"], check, given["confirm"], given["erase"]))
    try:
        ensured = command.document(stdout, stderr)
    except command.CommandFailed as failed:
        asking.module.fail_json(msg=str(failed), rc=status)
    asking.end(command.array_result(ensured, status, stderr))


if __name__ == "__main__":
    main()
