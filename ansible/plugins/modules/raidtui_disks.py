#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_disks
short_description: The disks of a host, and which of them may be used
version_added: 0.1.0
description:
  - Looks at all disks of the host and judges each; nothing is changed.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.looking
"""

EXAMPLES = r"""
- name: Look at the disks
  raidtui.raidtui.raidtui_disks:
  register: seen

- name: Those that are free and blank
  ansible.builtin.debug:
    msg: "{{ seen.disks | selectattr('verdict.standing', 'equalto', 'ok') | map(attribute='serial') }}"
"""

RETURN = r"""
disks:
  description: As C(raidtui disks --json) prints them; C(raidtui schema disks) is their schema.
  returned: success
  type: list
  elements: dict
"""

from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import Asking


def main():
    asking = Asking()
    asking.end({"changed": False, "disks": asking.read("disks", "--json")["disks"]})


if __name__ == "__main__":
    main()
