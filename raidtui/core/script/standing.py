"""What a plan's script looks at before anything else: whether what it would make permanent stands already.

Then it is done: nothing is asked and nothing is changed. Where only a part of it stands it is refused, part by part.
"""

from collections.abc import Iterator

from raidtui.core.boot import lines, ownership
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan
from raidtui.core.plan.permanence import mount_point
from raidtui.core.plan.steps import Command, Edit, SetOwner, shell_word

_FUNCTIONS = r"""
# What this script added to a file before, and what stands of it now: a line of `lacking` for each thing that does not.
added() { # FILE
  [ ! -e "$1" ] || awk -v first="# $mark: from here" -v last="# $mark: to here" \
    '$0 == last { inside = 0 } inside; $0 == first { inside = 1 }' "$1"
}
lacking=
lacks() { lacking+=${lacking:+; }$1; }
member_stands() { # INDEX
  local folder slot
  folder=/sys/block/$(name "$array")/md
  for slot in "$folder"/rd*; do
    [ "$(basename "$(readlink --canonicalize "$slot/block")")" = "$(name "${members[$1]}")" ] || continue
    [[ $(< "$slot/state") != *in_sync* ]] || return 0
  done
  lacks "${members[$1]} (${serials[$1]}) is not in sync in it"
}
boot_mounts() { # FILE FOLDER
  local source made
  source=$(findmnt --noheadings --output SOURCE --mountpoint "$2") || source=
  made=$(findmnt --noheadings --output UUID --mountpoint "$2") || made=
  [ "$source" -ef "$array" ] || { lacks "what is mounted at $2 is not its file system"; return; }
  case $1 in
    *.mount) grep --quiet --fixed-strings "/dev/disk/by-uuid/$made" "$1" && systemctl is-enabled --quiet "${1##*/}" ;;
    *) [ "$(findmnt --fstab --noheadings --output SOURCE "$2")" = "UUID=$made" ] ;;
  esac || lacks "$1 does not mount it by its UUID at $2"
}
owned_by() { # FOLDER USER GROUP MODE
  local names numbers
  read -r -a names <<< "$(stat --format '%U %G %a' "$1")"
  read -r -a numbers <<< "$(stat --format '%u %g' "$1")"
  [[ -z $2 || $2 = "${names[0]}" || $2 = "${numbers[0]}" ]] &&
    [[ -z $3 || $3 = "${names[1]}" || $3 = "${numbers[1]}" ]] && [[ -z $4 || $4 = "${names[2]}" ]]
}"""
_BEGIN = r"""
if [ -n "$line" ]; then
  array=${{line#ARRAY }} array=${{array%% *}} uuid=${{line##*UUID=}}
  said=$(mdadm --detail --export "$array" 2>/dev/null | sed -n 's/^MD_UUID=//p') || said=
  if [ "$said" != "$uuid" ]; then
    lacks "$array ($uuid) does not run"
  else
    for index in {members}; do member_stands "$index"; done"""
_END = r"""
  [ -z "$lacking" ] || refuse "It was built before, and not all of it stands: $lacking"
  echo "It stands already, as $array ($uuid): nothing was done." >&2
  exit 0
fi
array="""


def first_look(plan: Plan) -> Iterator[str]:
    """The lines of the script that end it where all of it stands; none for a plan that makes nothing permanent.

    Of a plan whose run has drawn its UUIDs the array that this run made is the one, too.
    """
    if plan.permanence is None or plan.kept_stage is None:
        return
    kept, stage = plan.stages[plan.kept_stage], plan.stages[plan.permanence]
    conf, *mounts = (step for step in stage.steps if isinstance(step, Edit))
    members = next(step.members for step in kept.steps if isinstance(step, Command) and step.role == "create")
    file = shell_word(conf.path)
    yield f"mark='raidtui {plan.code}, by hand'"
    yield _FUNCTIONS
    yield f"line=$(added {file} | grep '^ARRAY ') || line="
    if uuid := _made(plan):
        yield f'[ -n "$line" ] || line=$(grep --no-messages {shell_word(f"^{uuid}$")} {file}) || line='
    yield _BEGIN.format(members=" ".join(map(str, members)))
    for mount in mounts:
        yield f"    boot_mounts {shell_word(mount.path)} {shell_word(mount_point(plan))}"
    for step in stage.steps:
        if isinstance(step, SetOwner):
            yield f"    {_owned(step)}"
    yield "  fi"
    for line in conf.lines[1:]:
        grep = f"grep --quiet --line-regexp --fixed-strings {shell_word(line)} {file}"
        yield f"  {grep} || lacks {shell_word(f'{conf.path} has no line {line}')}"
    yield _END


def _owned(step: SetOwner) -> str:
    folder, owner_and_mode = shell_word(step.folder), " ".join(filter(None, (step.owner, step.mode)))
    user, group = (shell_word(name) for name in ownership.split(step.owner))
    mode = f"{int(step.mode, 8):o}" if step.mode else "''"
    return f"owned_by {folder} {user} {group} {mode} || lacks {shell_word(f'{step.folder} is not {owner_and_mode}')}"


def _made(plan: Plan) -> str:
    """The ARRAY line of the array that this plan's run made; "" where no run has drawn its UUIDs."""
    try:
        filled = slots.filled(plan)
    except ValueError:
        return ""
    assert plan.kept_stage is not None
    array = filled.stages[plan.kept_stage].array
    return lines.array(array.name, array.uuid) if array else ""
