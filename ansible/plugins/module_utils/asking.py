# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""Runs `raidtui` for a module; `command` interprets its output."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.raidtui.raidtui.plugins.module_utils import command

EXECUTABLE = {"executable": {"type": "path", "default": "raidtui"}}
# The code is not secret: it fits one plan on one machine, is shown with the plan, and has to be seen to be compared.
CONFIRMED = {
    "answers": {"type": "str", "required": True},
    "confirm": {"type": "str", "default": "", "no_log": False},
    "erase": {"type": "list", "elements": "str", "default": []},
}


class Asking:
    """A module and its command."""

    def __init__(self, **options):
        self.module = AnsibleModule(argument_spec={**EXECUTABLE, **options}, supports_check_mode=True)
        self.given = self.module.params
        self._executable = self.module.get_bin_path(self.given["executable"], required=True)

    def ask(self, *words):
        """Exit status, standard output and standard error of the command; its input is the answer file, if any."""
        return self.module.run_command([self._executable, *words], data=self.given.get("answers"), binary_data=True)

    def read(self, *words):
        """The JSON of a read-only command; ends the module if it prints none."""
        status, stdout, stderr = self.ask(*words)
        try:
            return command.document(stdout, stderr)
        except command.CommandFailed as failed:
            self.module.fail_json(msg=f"raidtui {words[0]}: {failed}", rc=status)

    def end(self, result):
        if result.get("failed"):
            self.module.fail_json(**result)
        self.module.exit_json(**result)
