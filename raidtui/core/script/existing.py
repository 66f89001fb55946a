"""First check of a script: if its permanent result exists, nothing is asked or changed; a part is refused."""

import shlex
from collections.abc import Iterator

from raidtui.core.boot import entries, ownership
from raidtui.core.plan import slots
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Edit, SetOwner, shell_word
from raidtui.core.raid.layers import LAYERS

_FUNCTIONS = r"""
# What this script added to a file before, and what is left of it now: a line of `lacking` for each missing thing.
added() { # FILE
  [ ! -e "$1" ] || awk -v first="# $mark: from here" -v last="# $mark: to here" \
    '$0 == last { inside = 0 } inside; $0 == first { inside = 1 }' "$1"
}
lacking=
lacks() { lacking+=${lacking:+; }$1; }
boot_mounts() { # FILE FOLDER
  local source made
  source=$(findmnt --noheadings --output SOURCE --mountpoint "$2") || source=
  made=$(findmnt --noheadings --output UUID --mountpoint "$2") || made=
  [ "$source" -ef "$device" ] || { lacks "what is mounted at $2 is not its file system"; return; }
  case $1 in
    *.mount) grep --quiet --fixed-strings "/dev/disk/by-uuid/$made" "$1" && systemctl is-enabled --quiet "${1##*/}" ;;
    *) [ "$(findmnt --fstab --noheadings --output SOURCE "$2")" = "UUID=$made" ] ;;
  esac || lacks "$1 does not mount it by its UUID at $2"
}"""
_BEGIN_BASH = r"""
if [ -n "$line" ]; then
  array=${line#ARRAY } array=${array%% *} uuid=${line##*UUID=}
  said=$(mdadm --detail --export "$array" 2>/dev/null | sed -n 's/^MD_UUID=//p') || said=
  if [ "$said" != "$uuid" ]; then
    lacks "$array ($uuid) does not run"
  else"""
_END_BASH = r"""
  [ -z "$lacking" ] || refuse "It was built before, and parts are missing: $lacking"
  echo "Exists already, as $array ($uuid): nothing was done." >&2
  exit 0
fi
array="""


def first_look(plan: Plan) -> Iterator[str]:
    """Lines that end the script if all exists; none without permanence. With drawn UUIDs the run's array counts too."""
    if plan.permanence is None or plan.kept_stage is None:
        return
    stage = plan.stages[plan.permanence]
    conf, *later_edits = (step for step in stage.steps if isinstance(step, Edit))
    file = shell_word(conf.path)
    yield f"mark='raidtui {plan.code}, by hand'"
    yield _FUNCTIONS
    yield f"line=$(added {file} | grep '^ARRAY ') || line="
    if file_made := _file_made(plan):
        yield f'[ -n "$line" ] || line=$(grep --no-messages {shell_word(f"^{file_made}$")} {file}) || line='
    yield _BEGIN_BASH
    built = plan.stages[plan.kept_stage].array
    assert built
    layer = plan.stages[plan.kept_stage].layer  # which is called by the name of its array
    node = LAYERS[layer.kind].node.format(LAYERS[layer.kind].called("${array##*/}")) if layer else ""
    yield f"    device={f'/dev/{node}' if node else '$array'}"
    yield '    mdadm --detail --test "$array" >/dev/null || lacks "$array is not whole: cat /proc/mdstat"'
    for edit in later_edits:
        if edit.path == entries.CRYPTTAB:
            name = LAYERS["luks"].called("${array##*/}")
            yield f'    grep --quiet "^{name} " {entries.CRYPTTAB} || lacks "{entries.CRYPTTAB} does not open it"'
            continue
        own = next(
            (of("${array##*/}") for of in (entries.rules_file, entries.unit_file) if edit.path == of(built.name)), ""
        )
        if own:
            yield f'    [ -e "{own}" ] || lacks "{own} is missing"'
            continue
        yield f"    boot_mounts {shell_word(edit.path)} {shell_word(mount_point(plan))}"
    for step in stage.steps:
        if isinstance(step, SetOwner):
            yield f"    {_owned(step)}"
    yield "  fi"
    for line in conf.lines[1:]:
        grep = f"grep --quiet --line-regexp --fixed-strings {shell_word(line)} {file}"
        yield f"  {grep} || lacks {shell_word(f'{conf.path} has no line {line}')}"
    yield _END_BASH


def _owned(step: SetOwner) -> str:
    """find(1) takes users and groups by name and number."""
    user, group = ownership.split(step.owner)
    find_tests = (("-user", user), ("-group", group), ("-perm", step.mode))
    tests = shlex.join(word for test in find_tests if test[1] for word in test)
    lacks = shell_word(f"{step.folder} is not {' '.join(filter(None, (step.owner, step.mode)))}")
    return f'[ -n "$(find {shell_word(step.folder)} -maxdepth 0 {tests} || true)" ] || lacks {lacks}'


def _file_made(plan: Plan) -> str:
    try:
        filled = slots.filled(plan)
    except ValueError:
        return ""
    assert plan.kept_stage is not None
    stage = filled.stages[plan.kept_stage]
    return entries.array(stage.array.name, stage.array.uuid, stage.spares) if stage.array else ""
