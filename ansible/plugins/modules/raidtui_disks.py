#!/usr/bin/python
# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: raidtui_disks
short_description: List the disks of a host, and whether each can be used
version_added: 0.1.0
description:
  - Returns all disks of the host, each with its verdict. Nothing is changed.
extends_documentation_fragment:
  - raidtui.raidtui.command
  - raidtui.raidtui.command.looking
options:
  health:
    description: Read the health of the disks too (SMART).
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: List the disks
  raidtui.raidtui.raidtui_disks:
  register: seen

- name: Show the free and blank disks
  ansible.builtin.debug:
    msg: "{{ seen.disks | selectattr('verdict.standing', 'equalto', 'ok') | map(attribute='serial') }}"
"""

RETURN = r"""
disks:
  description: The output of C(raidtui disks --json). C(raidtui schema disks) prints its schema.
  returned: success
  type: list
  elements: dict
health:
  description: The drives of C(raidtui health --json). C(raidtui schema health) prints its schema.
  returned: success
  type: list
  elements: dict
"""

from ansible_collections.raidtui.raidtui.plugins.module_utils.asking import Asking


def main():
    asking = Asking(health={"type": "bool", "default": False})
    health = asking.read("health", "--json")["drives"] if asking.given["health"] else []
    asking.end({"changed": False, "disks": asking.read("disks", "--json")["disks"], "health": health})


if __name__ == "__main__":
    main()
