# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""Options and attributes that several modules have."""

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
    description: The answers, the text of a TOML file; P(ansible.builtin.file#lookup) reads one on the controller.
    type: str
    required: true
  confirm:
    description:
      - The code of the plan, as a person has read it there. It fits no other machine and no other disks.
      - It is no secret, and is logged as any other option.
    type: str
    default: ''
  erase:
    description:
      - The disks with a warning that are erased all the same, by serial or identity.
      - A person decides on them for each host. Never fill them in from what a module returns.
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
    description: There is nothing to show.
    support: none
"""
