# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)

from __future__ import annotations

from ansible_collections.raidtui.raidtui.plugins.module_utils import same_plan


def _listed_codes(given, text):
    return same_plan.codes(str(text), str(given))


class FilterModule:
    def filters(self):
        return {"same_plan": same_plan.compared, "listed_codes": _listed_codes}
