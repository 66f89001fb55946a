# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""Options and attributes of several modules."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  executable:
    description: The C(raidtui) command of the host, by name or path.
    type: path
    default: raidtui
requirements:
  - raidtui on the host
author:
  - The raidtui authors (!UNKNOWN)
"""

    CONFIRMED = r"""
options:
  answers:
    description: The text of an answer file (TOML). P(ansible.builtin.file#lookup) reads one on the controller.
    type: str
    required: true
  confirm:
    description:
      - The code of the plan, read there by a person. It fits no other machine and no other disks.
      - It is not secret, and is logged like any other option.
    type: str
    default: ''
  erase:
    description:
      - The disks with a warning that are erased all the same, by serial or identity.
      - A person decides on them for each host. Never fill them in from the result of a module.
    type: list
    elements: str
    default: []
"""

    LOOKING = r"""
attributes:
  check_mode:
    description: Nothing is ever changed.
    support: full
  diff_mode:
    description: The module has no diff.
    support: none
"""
