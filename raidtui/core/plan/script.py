"""A plan as a bash script that does the same by hand: same commands, same order, same UUIDs, same refusals."""

import shlex

from raidtui.core.plan import confirmation, target_script
from raidtui.core.plan.model import (
    Member,
    Plan,
    sections,
    shown_steps,
)
from raidtui.core.plan.steps import (
    PLACEHOLDER,
    Command,
    Step,
    Write,
    shell,
    shell_path,
    shell_word,
)
from raidtui.core.units import both

_HEAD = """\
#!/bin/bash
# {title}: the steps of a raidtui plan, by hand. Confirmation code {code}.
# IT ERASES the disks named below. Run it as root in a folder for its results: fio/ and mnt/ are made there.
set -euo pipefail
export HOME="$PWD" LC_ALL=C  # wipefs keeps what it erases in the home folder

# The node of a disk, by its identity; its size must be the planned one.
disk() {{ # LINK SIZE_BYTES
  local node
  node=$(readlink --canonicalize-existing "$1") || {{ echo "$1 is not here: connect it, or plan again" >&2; exit 3; }}
  [ "$(blockdev --getsize64 "$node")" = "$2" ] || {{ echo "$1 has not $2 bytes: plan again" >&2; exit 3; }}
  echo "$node"
}}

# Every link must still lead to its node: asked before each line that names a member.
same() {{
  local index
  for index in "${{!members[@]}}"; do
    if [ "$(readlink --canonicalize "${{links[index]}}")" != "${{members[index]}}" ]; then
      echo "${{links[index]}} is not ${{members[index]}} any more: start again" >&2; exit 3
    fi
  done
}}

# A disk with a warning is asked for by itself.
confirm() {{ # WARNING WORD
  local typed
  read -r -p "$1. Type $2 to erase it: " typed
  [ "$typed" = "$2" ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
}}

# Nothing may be mounted, swapped on, stacked on, or part of something else, on a member or a partition of it.
# (No grep -q: it would end before what it reads, which counts as a failure.)
check_members_free() {{
  local member
  same
  for member in "${{members[@]}}"; do
    if lsblk --noheadings --raw --output MOUNTPOINTS "$member" | grep . >/dev/null \\
      || lsblk --noheadings --raw --output TYPE "$member" | grep -vx -e disk -e part >/dev/null; then
      echo "$member is in use: lsblk $member" >&2; exit 3
    fi
    if {{ wipefs --no-act --noheadings --output TYPE "$member"; lsblk --noheadings --raw --output FSTYPE "$member"; }} |
      grep -i -e raid_member -e LVM -e zfs -e LUKS -e bcache -e ceph -e drbd -e BitLocker -e mpath >/dev/null; then
      echo "$member or a part of it belongs to something: lsblk --fs $member; wipefs --no-act $member" >&2; exit 3
    fi
  done
}}

check_members_blank() {{
  local member
  for member in "${{members[@]}}"; do
    [ -z "$(wipefs --no-act "$member")" ] || {{ echo "$member is not blank: wipefs --no-act $member" >&2; exit 1; }}
  done
}}

show_geometry() {{ # DEVICE
  if findmnt --source "$1" >/dev/null; then return; fi
  dumpe2fs -h "$1" 2>/dev/null | grep -i -e stride -e 'stripe width' -e 'block size' \\
    || xfs_db -r -c 'sb 0' -c 'p blocksize unit width' "$1"
}}

# The kernel's name of a device; the partition on the array.
name() {{ basename "$(readlink --canonicalize-existing "$1")"; }}
partition() {{ lsblk --noheadings --raw --output PATH,TYPE "$array" | awk '$2 == "part" {{ print $1; exit }}'; }}

# A kernel setting, in whose path one * may stand for whatever is there; its old value is kept, to be put back.
declare -A old
setting() {{ # PATH VALUE
  local file
  file=$(compgen -G "$1") || {{ echo "$1 is not there" >&2; return 0; }}
  old[$1]=$(sed 's/.*\\[\\(.*\\)\\].*/\\1/' "$file") || {{ echo "$1 cannot be read, and is left alone" >&2; return 0; }}
  echo "$2" > "$file"
}}
put_back() {{ # PATH
  [ -z "${{old[$1]-}}" ] || echo "${{old[$1]}}" > "$(compgen -G "$1")"
  unset "old[$1]"
}}
trap 'for path in "${{!old[@]}}"; do put_back "$path"; done' EXIT
"""

_CONFIRM = """
printf '%s\\n' {shown} 'And what is on them at this moment:' >&2
lsblk --output NAME,SIZE,MODEL,SERIAL,FSTYPE,LABEL "${{members[@]}}" >&2
read -r -p 'Everything on them will be lost. Type the code {code} to go on: ' typed
[ "$typed" = {code} ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
"""


def script(plan: Plan) -> str:
    """The whole plan as bash. Disks are found by their /dev/disk/by-id links, never by today's names."""
    if plan.existing:
        return target_script.script(plan, plan.existing)
    lines = [_HEAD.format(title=_comment(plan.title), code=plan.code)]
    for index, member in enumerate(plan.members):
        link = member.link or f"/dev/disk/by-id/{member.id}"
        lines.append(f"# {_comment(_shown(member))}")
        lines.append(f"member_{index}=$(disk {shlex.quote(link)} {member.size_bytes})")
        lines += [
            f"part_{index}_{number}=$(readlink --canonicalize-existing {shlex.quote(f'{link}-part{number}')})"
            for number in member.partitions
        ]
    links = (member.link or f"/dev/disk/by-id/{member.id}" for member in plan.members)
    lines.append("links=(" + " ".join(map(shlex.quote, links)) + ")")
    lines.append("members=(" + " ".join(f'"$member_{index}"' for index in range(len(plan.members))) + ")")
    shown = " ".join(shlex.quote(_shown(member)) for member in plan.members)
    folders = dict.fromkeys(step.folder for step in shown_steps(plan) if isinstance(step, Command) and step.folder)
    lines.append(_CONFIRM.format(shown=shown, code=plan.code))
    for member in confirmation.doubtful(plan.members):
        told = _comment(f"{member.model} {member.serial} ({member.id}): {member.warning}")
        lines.append(f"confirm {shlex.quote(told)} {shlex.quote(confirmation.word(member, plan.members))}")
    lines.append(shlex.join(["mkdir", "-p", "fio", *folders]))
    for section in sections(plan):
        lines.append(f"\n# {_comment(section.title)}")
        array = plan.stages[section.stage].array
        if array and not section.undoing:
            lines.append(f"array=/dev/md/{array.name}")
        held = False
        for step in section.steps:
            locked = getattr(step, "locked", False)
            if locked != held:
                lines.append(_LOCK if locked else _UNLOCK)
                held = locked
            lines.append(f": {shlex.quote(PLACEHOLDER.sub(lambda found: found.group(1), step.what))}")
            if isinstance(step, Command) and step.members:
                lines.append("same")
            lines.append(_line(step))
        if held:
            lines.append(_UNLOCK)
    return "\n".join(lines) + "\n"


# udev's own protocol: whoever holds a lock on the node keeps udev from probing it behind our back.
_LOCK = """\
locks=()
for member in "${members[@]}"; do exec {fd}<"$member"; flock --exclusive --timeout 30 "$fd"; locks+=("$fd"); done"""
_UNLOCK = 'for fd in "${locks[@]}"; do exec {fd}<&-; done; udevadm settle'


def _line(step: Step) -> str:
    """A step of the script; a setting that is to be put back goes through the function that keeps the old value."""
    if isinstance(step, Write) and step.restore:
        return f"setting {shell_path(step.path)} {shell_word(step.value)}"
    return shell(step)


def _shown(member: Member) -> str:
    return f"{member.model} {member.serial} ({member.id}), {both(member.size_bytes)}, now: {member.found}"


def _comment(text: str) -> str:
    return text.replace("\n", " ")
