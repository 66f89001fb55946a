"""A plan as a bash script: same commands, order and refusals; own UUIDs.

Bash functions of a script: NVMe write cache by nvme-cli, self-tests of disks, lines added to boot files.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from raidtui.core.plan import confirmation, slots
from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import Member, Plan, Section, Stage, carried_out, sections, self_tests_planned, shown_steps
from raidtui.core.plan.steps import (
    PLACEHOLDER,
    Check,
    Command,
    ManualStep,
    Step,
    Write,
    nvme_disk,
    role_of,
    shell,
    shell_path,
    shell_word,
)
from raidtui.core.plan.target import Existing
from raidtui.core.script import bash_checks, pool_lines
from raidtui.core.script.bash_checks import CHECKS, OWN_FOLDERS
from raidtui.core.units import both

NVME = """
# The volatile write cache of an NVMe disk is its controller's: left alone where another disk hangs on it, too.
nvme_disks() { # CONTROLLER'S FOLDER
  local entry
  for entry in "$1"/nvme*n*; do
    basename "$entry" | sed -nE 's/^(nvme[0-9]+)(c[0-9]+)?(n[0-9]+)$/\\1\\3/p'
  done
}
nvme_controller() { # DISK
  local folder found=()
  for folder in /sys/class/nvme/nvme*; do
    ! grep -qxF "$1" <<< "$(nvme_disks "$folder")" || found+=("$folder")
  done
  [ ${#found[@]} = 1 ] || { echo "$1 hangs on ${#found[@]} NVMe controllers" >&2; return 1; }
  basename "${found[0]}"
}
nvme_set() { # PATH VALUE
  local controller value=0
  controller=$(nvme_controller "$(cut -d / -f 2 <<< "$1")") || return 1
  [ "$2" != 'write back' ] || value=1
  nvme set-feature "/dev/$controller" --feature-id=6 --value=$value
}
nvme_setting() { # PATH VALUE
  local disk controller other own now
  disk=$(cut -d / -f 2 <<< "$1")
  controller=$(nvme_controller "$disk") || return 0
  own=$(for member in "${members[@]}"; do name "$member"; done)
  for other in $(nvme_disks "/sys/class/nvme/$controller"); do
    grep -qxF "$other" <<< "$own" || { echo "$other has the cache of $disk, too: left alone" >&2; return 0; }
  done
  [ "$(nvme list-ns "/dev/$controller" | grep -c '^\\[')" = "$(nvme_disks "/sys/class/nvme/$controller" | wc -l)" ] ||
    { echo "$controller has namespaces that are no disks here: left alone" >&2; return 0; }
  grep -q '^vwc *: *0x[0-9a-f]*[13579bdf]$' <<< "$(nvme id-ctrl "/dev/$controller")" ||
    { echo "$disk has no volatile write cache" >&2; return 0; }
  now=$(nvme get-feature "/dev/$controller" --feature-id=6 | sed -nE 's/.*[Cc]urrent value: *(0x)?//p')
  case $now in
    *[13579bdf]) now='write back' ;;
    *[02468ace]) now='write through' ;;
    *) echo "$1 cannot be read: left alone" >&2; return 0 ;;
  esac
  [ -n "${old[$1]+kept}" ] || old[$1]=$now
  nvme_set "$1" "$2"
}
"""


SELF_TESTS = r"""
# All disks at once. One that has no such test is told; one that fails ends the script before anything is erased.
self_tests() { # LENGTH
  local member newest tested=()
  for member in "${members[@]}"; do
    if smartctl --test="$1" "$member" >/dev/null; then tested+=("$member"); else echo "$member: no $1 self-test" >&2; fi
  done
  for member in "${tested[@]}"; do
    # What smartctl ends with tells of the disk, as that an older test failed: no reason not to wait.
    while { smartctl --capabilities --log=selftest "$member" || :; } | grep -i 'test.*in progress' >/dev/null; do
      sleep 10
    done
    newest=$(smartctl --log=selftest "$member" | grep -m 1 -E '^ ?# ?1 |^ *0 ' || true)
    [[ $newest != *[Ff]ail* && $newest != *[Ff]atal* ]] || refuse "$member failed its self-test: $newest"
    echo "$member: ${newest:-nothing is told of its self-test}" >&2
  done
}
"""


BOOT = r"""
umask 022  # from here on it makes what is not its own alone
check_place() { # FOLDER
  [ ! -e "$1" ] || { [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(ls --almost-all "$1")" ] && ! mountpoint --quiet "$1"; } ||
    refuse "$1 is no empty folder"
  ! findmnt --fstab --noheadings "$1" || refuse "fstab mounts something at $1 already"
}
add_lines() { add_block end "$@"; }
add_lines_at_top() { add_block top "$@"; }
add_block() { # end|top FILE LINE... ; the file as it was is kept here
  local file beside at='' place=$1
  shift
  file=$(readlink --canonicalize "$1")
  beside=$(dirname "$file")/.$(basename "$file").raidtui
  shift
  rm --force "$beside"
  if [ -e "$file" ]; then cp --archive "$file" "before$(tr / - <<< "$file")"; cp --archive "$file" "$beside"; fi
  # top: below indented lines that begin it, which would continue with these
  [ "$place" = end ] || [ ! -e "$file" ] ||
    at=$(awk '/^[^[:space:]#]/ { exit } /^[[:space:]]+[^[:space:]]/ { at = NR } END { print at + 0 }' "$file")
  [ -z "$at" ] || head --lines="$at" "$file" > "$beside"
  [ -z "$(tail --bytes=1 "$beside" 2>/dev/null)" ] || echo >> "$beside"
  printf '%s\n' "# $mark: from here" "$@" "# $mark: to here" >> "$beside"
  [ -z "$at" ] || tail --lines=+"$((at + 1))" "$file" >> "$beside"
  sync "$beside"
  mv "$beside" "$file"
  sync "$(dirname "$file")"
}
"""


_HEAD = """\
#!/bin/bash
# {title}: the steps of a raidtui plan, by hand. Confirmation code {code}.
# IT ERASES the disks named below. Run it as root in a folder of your own for its results: fio/ and mnt/ are made there.
set -euo pipefail
shopt -s inherit_errexit  # what fails inside of $(…) ends it
export HOME="$PWD" LC_ALL=C  # wipefs keeps what it erases in the home folder

# A disk with a warning is asked for by itself.
confirm() {{ # WARNING WORD
  local typed
  read -r -p "$1. Type $2 to erase it: " typed
  [ "$typed" = "$2" ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
}}

show_geometry() {{ # DEVICE
  if findmnt --source "$1" >/dev/null; then return; fi
  dumpe2fs -h "$1" 2>/dev/null | grep -i -e stride -e 'stripe width' -e 'block size' \\
    || xfs_db -r -c 'sb 0' -c 'p blocksize unit width' "$1"
}}

# The kernel's name of a device; the partition on the array.
name() {{ basename "$(readlink --canonicalize-existing "$1")"; }}
partition() {{ lsblk --noheadings --raw --output PATH,TYPE "$array" | awk '$2 == "part" {{ print $1; exit }}'; }}

# A share of the operations a second that a test before gave, for one of several jobs.
rate() {{ # FILE PERCENT JOBS
  awk -F '[:,]' -v share="$2" -v jobs="$3" '$1 ~ /^ *"iops" *$/ {{ sum += $2 }}
    END {{ rate = int(sum * share / 100 / jobs); print (rate < 1 ? 1 : rate) }}' "$1"
}}

# A kernel setting, in whose path one * matches whatever is there; its old value is kept, to be restored.
declare -A old
setting() {{ # PATH VALUE
  local file
  file=$(compgen -G "$1") || {{ echo "$1 is not there" >&2; return 0; }}
  [ -n "${{old[$1]+kept}}" ] ||
    old[$1]=$(sed 's/.*\\[\\(.*\\)\\].*/\\1/; s/^[0-9]* (system)$/system/; s/ (local)$//' "$file") ||
    {{ echo "$1 cannot be read: left alone" >&2; return 0; }}
  echo "$2" > "$file"
}}
put_back() {{ # PATH
  [ -z "${{old[$1]-}}" ] || case $1 in
    nvme/*) nvme_set "$1" "${{old[$1]}}" ;;
    *) echo "${{old[$1]}}" > "$(compgen -G "$1")" ;;
  esac
  unset "old[$1]"
}}
trap 'for path in "${{!old[@]}}"; do put_back "$path"; done' EXIT
"""

_CONFIRM = """
printf '%s\\n' {shown} 'And what is on them at this moment:' >&2
lsblk --output NAME,SIZE,TRAN,MODEL,SERIAL,FSTYPE,LABEL "${{members[@]}}" >&2
for member in "${{members[@]}}"; do
  said=$(timeout 30 smartctl --health "$member" 2>/dev/null | sed -n 's/^SMART.*: *//p' || true)
  echo "$member: its own health check (SMART) says ${{said:-nothing}}" >&2
done
echo {unseen} >&2
read -r -p 'Everything on them will be lost. Type the code {code} to continue: ' typed
[ "$typed" = {code} ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
"""


def script(plan: Plan) -> str:
    """Disks by /dev/disk/by-id. PlanNotSafe without unique link, for groups, or if a pool is destroyed again (by
    GUID: a run).
    """
    if plan.existing:
        return _target_script(plan, plan.existing)
    steps = list(shown_steps(plan))
    makes_pool = any(role_of(step) == "create-pool" for step in steps)
    if makes_pool and not pool_lines.is_kept(plan):
        raise PlanNotSafe("a script cannot tell its ZFS pools from others': use `raidtui run`, or leave ZFS out")
    if any(stage.array and stage.array.groups for stage in plan.stages):
        raise PlanNotSafe("a script cannot tell its groups from others' arrays: use `raidtui run`, or leave groups out")
    return "\n".join(_script_lines(plan, steps, makes_pool=makes_pool)) + "\n"


def _script_lines(plan: Plan, steps: Sequence[Step], *, makes_pool: bool) -> Iterator[str]:
    folders = shlex.join(["fio", *dict.fromkeys(filter(None, map(_own_folder, steps)))])
    blank = ("blank" if member.found == "blank" else "" for member in plan.members)
    yield from (
        _HEAD.format(title=_comment(plan.title), code=plan.code),
        OWN_FOLDERS.format(folders=folders),
        f"links=({shlex.join(map(_link, plan.members))})",
        f"identities=({shlex.join(member.id for member in plan.members)})",
        f"serials=({shlex.join(''.join(member.serial.split()) for member in plan.members)})",
        f"sizes=({' '.join(str(member.size_bytes) for member in plan.members)})",
        f"planned=({shlex.join(map(_planned, plan.members))})",
        f"blank=({shlex.join(blank)})  # those that held nothing",
        CHECKS + pool_lines.NEEDS * makes_pool,
    )
    for index, member in enumerate(plan.members):
        yield f"# {_comment(_member_words(member))}"
        yield f"member_{index}=$(disk {index})"
    yield "members=(" + " ".join(f'"$member_{index}"' for index in range(len(plan.members))) + ")"
    kept_pool = plan.stages[plan.kept_stage] if makes_pool and plan.kept_stage is not None else None
    yield from pool_lines.first_look(plan, kept_pool) if kept_pool else bash_checks.first_look(plan)
    yield from _drawn(plan)
    if any(role_of(step) == "record" for step in steps):
        yield f"run=script code={shlex.quote(plan.code)}"
    yield f"tables=()  # what raidtui is told to be this script's own\n{_OF_POOL if makes_pool else ''}".rstrip()
    if any(isinstance(step, Write) and nvme_disk(step.path) for step in steps):
        yield NVME
    if self_tests_planned(plan):
        yield SELF_TESTS
    yield "expect=planned  # what may be on the disks: planned, left of it, or own"
    members_and_notes = shlex.join((*map(_member_words, plan.members), *map(_comment, plan.notes)))
    yield _CONFIRM.format(shown=members_and_notes, code=plan.code, unseen=shlex.quote(confirmation.UNSEEN))
    for member in confirmation.doubtful(plan.members):
        warning_comment = _comment(f"{member.model} {member.serial} ({member.id}): {member.warning}")
        yield f"confirm {shlex.quote(warning_comment)} {shlex.quote(confirmation.word(member, plan.members))}"
    yield f"mkdir -p {folders}"
    for section in sections(plan):
        yield from _section_lines(plan, section)


def _own_folder(step: Step) -> str:
    return step.folder if isinstance(step, Command) and not step.folder.startswith("/") else ""


def _section_lines(plan: Plan, section: Section) -> Iterator[str]:
    stage = carried_out(plan, section.stage)
    first = section.stage == 0 and not section.undoing
    yield f"\n# {_comment(section.title)}"
    if stage.array:
        yield f"array=/dev/md/{shell_word(stage.array.name)}"
    if stage.layer:
        yield f"volume=/dev/{shell_word(stage.layer.node)}"
    if plan.stages[section.stage].permanent:
        yield BOOT
    holds_lock = False
    for step in section.steps:
        locked = getattr(step, "locked", False)
        if holds_lock and not locked:
            yield _UNLOCK
        yield f": {shlex.quote(PLACEHOLDER.sub(lambda match: match.group(1), step.what))}"
        yield from (*_look_lines(plan, stage, step, undoing=section.undoing), *_partitions(step))
        if locked and not holds_lock:
            yield _LOCK
        holds_lock = locked
        yield pool_lines.line(step, _line(step)) if stage.filesystem and stage.filesystem.tables else _line(step)
        if first and isinstance(step, Check) and step.question == "members-free":
            yield "expect=left" if any(member.found != "blank" for member in plan.members) else "expect=own"
    if holds_lock:
        yield _UNLOCK
    if first:
        yield "expect=own"


def _look_lines(plan: Plan, stage: Stage, step: Step, *, undoing: bool) -> list[str]:
    if isinstance(step, ManualStep) and stage.array:
        return [f"check_array {shell_word(stage.array.uuid)}"]
    if not isinstance(step, Command) or step.role == "assemble":
        return []
    if stage.filesystem and stage.filesystem.tables and step.role != "partition":
        return [*pool_lines.look_lines(step), *([_check("free", step.members)] if step.members else [])]
    if step.role == "create":
        return ["check_no_array", _check("free", step.members)]
    if stage.array and step.role in ("fail", "take-out", "add"):
        mode = "free" if step.role == "add" else "used"
        return [f"check_array {shell_word(stage.array.uuid)}", _check(mode, step.members)]
    if step.role == "zero":
        return [_check("own", step.members)]
    if step.members:
        return [_check("own" if undoing or step.role == "mount" else "free", step.members)]
    on_array = stage.array and any("{array" in word or "{volume" in word for word in step.argv)
    checks_before = [f"check_array {shell_word(stage.array.uuid)}"] if stage.array and on_array else []
    if step.role in ("measure", "fill"):
        disks_taken = stage.setup.disks if stage.setup and stage.setup.disks else len(plan.members)
        checks_before.append(_check("used", range(disks_taken)))
    return checks_before


def _partitions(step: Step) -> list[str]:
    """Nodes of named partitions, looked up again: names may have changed."""
    words = " ".join(step.argv) if isinstance(step, Command) else ""
    named = dict.fromkeys(name for name in PLACEHOLDER.findall(words) if name.startswith(("part:", "stable:")))
    return [f"{name.replace(':', '_')}=$({name.replace(':', ' ')})" for name in named]


def _link(member: Member) -> str:
    if not member.link:
        title = " ".join(part for part in (member.model, member.serial) if part) or member.id
        raise PlanNotSafe(
            f"{member.name or member.id} ({title}) has no link in /dev/disk/by-id that leads to it alone, and a script"
            " would not find it: use `raidtui run`, or plan without it"
        )
    return member.link


def _check(mode: str, indices: Iterable[int]) -> str:
    return f"check_members {mode} {' '.join(map(str, indices))}"


def _planned(member: Member) -> str:
    """Partition (0: disk), kind, UUID; no signatureless data, no partitions that only multipath paths show."""
    mark = "p" if member.name[-1:].isdigit() else ""
    lines = set()
    for content in member.contents:
        number = content.device.removeprefix(member.name).removeprefix(mark) or "0"
        if not number.isdecimal():
            continue
        if content.kind != "unknown data":
            lines.add(f"{number} {content.kind} {content.uuid}".rstrip())
        elif number != "0":
            lines.add(f"{number} partition")
    return "\n".join(sorted(lines))


def _drawn(plan: Plan) -> Iterator[str]:
    numbers, notations = range(slots.count(plan)), slots.notations(plan)
    lvm = _DRAW_LVM if "lvm" in notations.values() else ""
    yield f"own=  # UUIDs of what this script makes; $own holds their digits{_DRAW if numbers else ''}{lvm}"
    for number in numbers:
        notation = notations.get(number)
        yield f'uuid_{number}=$({f"as_{notation}" if notation else "echo"} "$(draw)")'
        if notation == "md":
            yield f"name_{number}=${{uuid_{number}:0:8}}"
        yield f'own+=" ${{uuid_{number}//[-:]/}}"'


_OF_POOL = 'for uuid in $own; do tables+=(--own "$uuid"); done'
_DRAW = """
draw() { cat /proc/sys/kernel/random/uuid; }
as_md() { echo "$1" | tr -d - | sed 's/......../&:/g; s/:$//'; }"""
_DRAW_LVM = """
as_lvm() { echo "$1" | tr -d - | sed -E 's/(.{6})(.{4})(.{4})(.{4})(.{4})(.{4})/\\1-\\2-\\3-\\4-\\5-\\6-/'; }"""


# udev's own protocol: whoever holds a lock on the node keeps udev from probing it behind our back.
_LOCK = """\
locks=()
for member in "${members[@]}"; do exec {fd}<"$member"; flock --exclusive --timeout 30 "$fd"; locks+=("$fd"); done"""
_UNLOCK = 'for fd in "${locks[@]}"; do exec {fd}<&-; done; locks=(); udevadm settle'


def _line(step: Step) -> str:
    """Settings that are restored at the end go through a function that keeps the old value."""
    if isinstance(step, Write) and step.restore and not (step.lasts or nvme_disk(step.path)):
        return f"setting {shell_path(step.path)} {shell_word(step.value)}"
    return shell(step)


def _member_words(member: Member) -> str:
    holds = "has to be blank" if member.found == "blank" else f"when planned: {member.found}"
    return f"{member.model} {member.serial} ({member.id}), {both(member.size_bytes)}, {holds}"


def _comment(text: str) -> str:
    return text.replace("\n", " ")


_TARGET_HEAD = """\
#!/bin/bash
# {title}: the steps of a raidtui plan, by hand. Confirmation code {code}.
# Nothing that is there is changed. Run it as root in a folder of your own for its results: fio/ is made there.
set -euo pipefail
export LC_ALL=C
target={path}
"""
_TARGET_DEVICE = """
target=$(readlink --canonicalize-existing "$target")  # fio would split the name of a link at a colon
# It must be the device that the plan was made for, by its size.
check_target() {{
  [ "$(blockdev --getsize64 "$target")" = {size} ] || {{ echo "$target has not {size} bytes: plan again" >&2; exit 3; }}
}}
"""
_TARGET_FOLDER = """
# It must lie in the kind of file system that the plan was made for. The file's name is one that is not there.
check_target() {{
  [ "$(findmnt --noheadings --output FSTYPE --target "$target")" = {filesystem} ] ||
    {{ echo "$target is not on {filesystem}: plan again" >&2; exit 3; }}
}}
file=$target/raidtui-by-hand-$$.fio
held=$file
"""
_TARGET_CONFIRM = """
read -r -p 'Type the code {code} to continue: ' typed
[ "$typed" = {code} ] || {{ echo 'Nothing was done.' >&2; exit 3; }}
mkdir -p fio
"""


def _target_script(plan: Plan, target: Existing) -> str:
    """A trap removes its file in any case. ValueError for an ablation."""
    if plan.answers.explain:
        raise ValueError("explain: settings of disks in use are switched and put back by a run alone: no script of it")
    title = target.title.replace("\n", " ")
    about = _TARGET_DEVICE if target.kind == "device" else _TARGET_FOLDER
    lines = [
        _TARGET_HEAD.format(title=title, code=plan.code, path=shlex.quote(target.path)),
        OWN_FOLDERS.format(folders="fio"),
        about.format(size=target.size_bytes, filesystem=shlex.quote(target.filesystem)),
        _TARGET_CONFIRM.format(code=plan.code),
    ]
    for stage in plan.stages:
        for step in stage.steps:
            lines += [f": {shlex.quote(step.what)}", shell(step)]
    return "\n".join(lines) + "\n"
