#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_facts
short_description: Return the md arrays and raidtui's runs of a host as facts
version_added: 0.1.0
description:
  - Returns the state of the md arrays, and the runs of raidtui. Nothing is changed.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.looking
"""

EXAMPLES = r"""
- name: Read the state of the arrays
  raidtui.raidtui.raidtui_facts:

- name: Check that all arrays are good
  ansible.builtin.assert:
    that: ansible_facts.raidtui.status.arrays | rejectattr('grade', 'equalto', 'good') | list | length == 0
"""

RETURN = r"""
ansible_facts:
  description: The content of C(ansible_facts.raidtui).
  returned: success
  type: dict
  contains:
    raidtui:
      description: Version, arrays and runs of the host.
      returned: success
      type: dict
      contains:
        version:
          description: The version of the command.
          returned: success
          type: str
        status:
          description: The output of C(raidtui status --json).
          returned: success
          type: dict
        runs:
          description: The runs of C(raidtui runs --json), oldest first.
          returned: success
          type: list
          elements: dict
"""

from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import Asking


def main():
    asking = Asking()
    facts = {
        "version": asking.ask("--version")[1].split()[-1],
        "status": asking.read("status", "--json"),
        "runs": asking.read("runs", "--json")["runs"],
    }
    asking.end({"changed": False, "ansible_facts": {"raidtui": facts}})


if __name__ == "__main__":
    main()
