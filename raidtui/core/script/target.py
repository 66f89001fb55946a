"""The plan of what is measured as it stands, as a bash script: it looks, reads, and removes the file that it makes."""

import shlex

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import shell
from raidtui.core.plan.target import Existing
from raidtui.core.script.checks import OWN_FOLDERS

_HEAD = """\
#!/bin/bash
# {title}: the steps of a raidtui plan, by hand. Confirmation code {code}.
# Nothing that is there is changed. Run it as root in a folder of your own for its results: fio/ is made there.
set -euo pipefail
export LC_ALL=C
target={path}
"""
_DEVICE = """
target=$(readlink --canonicalize-existing "$target")  # fio would split the name of a link at a colon
# It must be the device that the plan was made for, by its size.
check_target() {{
  [ "$(blockdev --getsize64 "$target")" = {size} ] || {{ echo "$target has not {size} bytes: plan again" >&2; exit 3; }}
}}
"""
_FOLDER = """
# It must lie in the kind of file system that the plan was made for. The file's name is one that is not there.
check_target() {{
  [ "$(findmnt --noheadings --output FSTYPE --target "$target")" = {filesystem} ] ||
    {{ echo "$target is not on {filesystem}: plan again" >&2; exit 3; }}
}}
file=$target/raidtui-by-hand-$$.fio
held=$file
"""
_CONFIRM = """
read -r -p 'Type the code {code} to continue: ' typed
[ "$typed" = {code} ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
mkdir -p fio
"""


def script(plan: Plan, target: Existing) -> str:
    """The whole plan as bash; the file is removed by a trap, whatever ends the script. ValueError for an ablation."""
    if plan.answers.explain:
        raise ValueError("explain: settings of disks in use are switched and put back by a run alone: no script of it")
    title = target.title.replace("\n", " ")
    lines = [_HEAD.format(title=title, code=plan.code, path=shlex.quote(target.path))]
    lines.append(OWN_FOLDERS.format(folders="fio"))
    about = _DEVICE if target.kind == "device" else _FOLDER
    lines.append(about.format(size=target.size_bytes, filesystem=shlex.quote(target.filesystem)))
    lines.append(_CONFIRM.format(code=plan.code))
    for stage in plan.stages:
        for step in stage.steps:
            lines += [f": {shlex.quote(step.what)}", shell(step)]
    return "\n".join(lines) + "\n"
