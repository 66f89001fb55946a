#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_array
short_description: Have an md array stand, as answers describe it
version_added: 0.1.0
description:
  - Where the array that these answers built stands as asked for, nothing is done.
  - Where nothing of it stands, it is built, but only with the code of its plan in O(confirm). Without it the task
    fails, with the plan in RV(plan).
  - Where something else is on the disks, or the array is not as asked for, it is refused.
  - It waits for the end of the run. What takes hours is begun by M(raidtui.raidtui.raidtui_run), and looked at with
    this module then.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.confirmed
attributes:
  check_mode:
    description: No disk is written to. O(confirm) may be left out then.
    support: full
  diff_mode:
    description: Shows what stands, and what would or does stand then.
    support: full
seealso:
  - module: raidtui.raidtui.raidtui_run
"""

EXAMPLES = r"""
- name: Have the array stand
  raidtui.raidtui.raidtui_array:
    answers: "{{ lookup('ansible.builtin.file', 'array.toml') }}"
    confirm: "{{ array_code }}" # of this host, from host_vars; a person wrote it there
"""

RETURN = r"""
uuid:
  description: UUID of the array that stands, as mdadm writes it; empty where none does.
  returned: always
  type: str
run:
  description: The run that built it.
  returned: always
  type: str
code:
  description: The code of the plan, where nothing stands.
  returned: always
  type: str
plan:
  description: The plan of what does not stand, as C(raidtui plan --json) prints it; empty where it stands.
  returned: always
  type: dict
erase:
  description: The disks with a warning, with what is on them and the name that O(erase) takes. For a person to read.
  returned: always
  type: list
  elements: dict
refused:
  description: Why nothing was done, for safety.
  returned: always
  type: str
"""

from ansible_collections.raidtui.raidtui.plugins.module_utils import command
from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import CONFIRMED, Asking


def main():
    asking = Asking(**CONFIRMED)
    given, check = asking.given, ["--check"] if asking.module.check_mode else []
    status, stdout, stderr = asking.ask(
        "ensure", command.ANSWERS, *check, *command.confirmed(given["confirm"], given["erase"])
    )
    try:
        ensured = command.document(stdout, stderr)
    except command.CommandFailed as failed:
        asking.module.fail_json(msg=str(failed), rc=status)
    asking.end(command.array_result(ensured, status, stderr))


if __name__ == "__main__":
    main()
