"""Checks of a plan's script before it touches disks or array, in bash. Refuses where it cannot look; what a shell
cannot see is left to `raidtui disks --free`, whose absence is reported.

First check of a script: if its permanent result exists, nothing is asked or changed; a part is refused.
"""

import shlex
from collections.abc import Iterator

from raidtui.core.boot import entries, ownership
from raidtui.core.plan import slots
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Edit, SetOwner, shell_word
from raidtui.core.raid.layers import LAYERS

OWN_FOLDERS = r"""
# What it writes and mounts must not be led elsewhere by a link: nobody else may make one in its folders.
umask 077
for folder in . {folders}; do
  [ -e "$folder" ] || [ -L "$folder" ] || continue
  [ ! -L "$folder" ] && [ -d "$folder" ] && [ -O "$folder" ] && [ -z "$(find "$folder" -maxdepth 0 -perm /022)" ] || {{
    echo "$(realpath -s "$folder") is a link, or not your own folder, or others may write to it:" \
      'start in one that is yours alone (mkdir -m 700 results). Nothing was done.' >&2
    exit 3
  }}
done
"""
CHECKS = r"""
refuse() { echo "$1. Nothing more is done." >&2; exit 3; }
for program in awk basename blockdev cat find flock grep lsblk mdadm readlink sed sort stat tr udevadm wipefs; do
  command -v "$program" >/dev/null || refuse "$program is missing, and without it the disks cannot be looked at"
done
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] ||
  refuse 'This is a container: run it on the host, where all programs can be seen'
command -v raidtui >/dev/null || echo 'raidtui is not here to be asked: SCSI reservations, locks of self-encrypting' \
  'disks, and data without a signature are not known of' >&2

# Who a device says it is, as the plan names disks: udev's word, else the kernel's.
of_udev() { # PROPERTIES NAME...: the first that is there
  local line name said=$'\n'$1
  shift
  for name in "$@"; do
    [[ $said == *$'\n'"$name="[!$'\n']* ]] || continue
    line=${said#*$'\n'"$name="}
    echo "${line%%$'\n'*}"
    return
  done
}
of_kernel() { # FOLDER FILE...
  local file said folder=$1
  shift
  for file in "$@"; do
    [ -e "$folder/$file" ] && IFS= read -r said < "$folder/$file" && [ -n "$said" ] || continue
    echo "$said"
    return
  done
}
identity() { # KIND NODE: an identity of this kind; its serial number
  local said folder found words
  folder=$(folder_of "$2")
  said=$(udevadm info --query=property --name="$2")
  case $1 in
    serial) found=$(of_udev "$said" SCSI_IDENT_SERIAL ID_SCSI_SERIAL ID_SERIAL_SHORT)
      [ -n "$found" ] || found=$(of_kernel "$folder" device/serial serial)
      [ -n "$found" ] || found=$(of_udev "$said" ID_SERIAL DM_SERIAL)
      echo "${found//[[:space:]]/}" ;;
    wwn-*) found=$(of_udev "$said" ID_WWN_WITH_EXTENSION ID_WWN DM_WWN)
      [ -n "$found" ] || found=$(of_kernel "$folder" wwid device/wwid dm/uuid)
      case $found in naa.*) found=0x${found#naa.} ;; mpath-3*) found=0x${found#mpath-3} ;; esac
      read -r -a words <<< "$found"
      local IFS=_
      echo "wwn-${words[*]}" ;;
    serial-*) found=$(of_udev "$said" ID_SERIAL)
      read -r -a words <<< "$found"
      local IFS=_
      echo "serial-${words[*]}" ;;
  esac
}
folder_of() { readlink --canonicalize-existing "/sys/dev/block/$(printf '%d:%d' $(stat --format '0x%t 0x%T' "$1"))"; }

# The node of a disk: where its link leads, if that says it is the planned disk and has the planned size.
disk() { # INDEX
  local node link=${links[$1]} size=${sizes[$1]} said
  node=$(readlink --canonicalize-existing "$link") || refuse "$link is not here: connect it, or plan again"
  [ "$(blockdev --getsize64 "$node")" = "$size" ] || refuse "$link has not $size bytes: plan again"
  said=$(identity "${identities[$1]}" "$node") || refuse "$node does not say who it is"
  [ "$said" = "${identities[$1]}" ] || refuse "$link leads to $node, which is $said, not ${identities[$1]}: plan again"
  said=$(identity serial "$node") || refuse "$node does not say who it is"
  [ "$said" = "${serials[$1]}" ] ||
    refuse "$link leads to $node with serial number $said, not ${serials[$1]}: plan again"
  echo "$node"
}

# The node of a member's partition, by what the kernel shows on the member.
part() { # INDEX NUMBER
  local folder file
  folder=$(folder_of "${members[$1]}")
  for file in "$folder"/*/partition; do
    [ -e "$file" ] && [ "$(cat "$file")" = "$2" ] || continue
    file=$(sed -n 's/^DEVNAME=//p' "${file%/partition}/uevent")
    echo "/dev/$file"
    return
  done
  refuse "${members[$1]} has no partition $2: plan again"
}

# Every link must still lead to its node, and that still be the planned disk.
same() {
  local index
  for index in "${!members[@]}"; do
    [ "$(disk "$index")" = "${members[index]}" ] ||
      refuse "${links[index]} is not ${members[index]} any more: start again"
  done
}

# The device numbers of a disk and of its partitions, as `stat` writes them; the kernel's own are decimal.
as_stat() { printf -v "$1" '%x:%x' "${2%:*}" "${2#*:}"; } # VARIABLE MAJOR:MINOR
numbers() {
  local part text
  for part in "$1/dev" "$1"/*/partition; do
    [ -e "$part" ] && read -r text < "${part%/*}/dev" || continue
    as_stat text "$text"
    printf ' %s ' "$text"
  done
}

# What is on a member, a line each: number of the partition (0: the disk), kind, UUID.
contents() { # FOLDER NODE
  local part name number
  on_device 0 "$2"
  for part in "$1"/*/partition; do
    [ -e "$part" ] && read -r number < "$part" || continue
    name=${part%/partition} name=${name##*/}
    on_device "$number" "/dev/${name//!//}" partition
  done
}
on_device() { # NUMBER NODE WHERE-NOTHING-IS-ON-IT
  local text
  text=$(wipefs --no-act --parsable --noheadings --output USAGE,TYPE,UUID "$2") || text=,unreadable,
  awk -F, -v number="$1" -v nothing="${3-}" '
    function line(text) { sub(/ $/, "", text); if (!(text in seen)) print number " " text; seen[text] }
    /^#/ || !NF || $2 == "PMBR" { next }
    { line($1 == "partition-table" ? $2 : $2 " " $3); some = 1 }
    END { if (!some && nothing) line(nothing) }' <<< "$text"
}

# Is what is on a member what may be there? planned: what the plan found, no more and no less; left: nothing else than
# that; own: nothing but what this script made, by the UUIDs of the plan.
may_hold() { # EXPECTED INDEX CONTENTS
  local line uuid
  [ "$1" != planned ] || { [ "$(sort <<< "$3")" = "$(sort <<< "${planned[$2]}")" ]; return; }
  while read -r line; do
    uuid=${line##* } uuid=${uuid//[-:]/}
    case $1 in
      left) [ -z "$line" ] || [[ $'\n'${planned[$2]} == *$'\n'"${line%partition}"* ]] || return 1 ;;
      own) [ -z "$line" ] || [[ " $own " == *" ${uuid,,} "* ]] || own_table "$2" "$line" || return 1 ;;
    esac
  done <<< "$3"
}

# Is this line of the partition table that this script made, by its UUID, or of its one partition, empty yet?
own_table() { # INDEX LINE
  local uuid
  [ "$2" = '0 gpt' ] || [ "$2" = '1 partition' ] || return 1
  uuid=$(sfdisk --disk-id "${members[$1]}") || return 1
  uuid=${uuid//-/}
  [ -n "$uuid" ] && [[ " $own " == *" ${uuid,,} "* ]]
}

# All that says what lies under it or is served by it: the file that says it, a NUL, and a line of it. One process,
# however many there are: each of them would be a second of a slow machine. Only where one is there and cannot be read
# they are gone through one by one, and it is named.
tellers() {
  (
    shopt -s nullglob
    how=(--text --no-messages --with-filename --null '') ended=0
    files=(/sys/fs/btrfs/*/devices/*/dev \
      /sys/block/loop*/loop/backing_file /sys/kernel/config/target/core/*/*/{info,udev_path} \
      /sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path \
      /sys/kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file \
      /sys/class/udc/*/device/gadget*/lun*/file /sys/kernel/scst_tgt/devices/*/filename \
      /sys/bus/xen-backend/devices/vbd-*/physical_device /sys/class/rnbd-server/ctl/devices/*/block_dev/dev \
      /sys/kernel/config/cluster/*/heartbeat/*/dev)
    grep "${how[@]}" /dev/null "${files[@]}" || ended=$?
    [ "$ended" -lt 2 ] || for file in "${files[@]}"; do
      grep "${how[@]}" "$file" || [ $? = 1 ] || [ ! -e "$file" ] || printf 'cannot be read\0%s\n' "$file"
    done
  )
}

# The device numbers of those paths that lead somewhere, a line each: number, path.
devices_of() { stat --dereference --format '%t:%T %n' -- "$@" 2>/dev/null; }

# Why a member must not be touched at this moment, a line each; nothing where it may be. free: it is to be written to;
# own: what this script made is to be removed; used: this script's array or file system uses it.
why_not() { # MODE INDEX
  local mode=$1 index=$2 node=${members[$2]} folder here fd before other found expected words
  for fd in "${locks[@]}"; do exec {fd}<&-; done  # in this subshell: what is open in it would be found below
  folder=$(folder_of "$node")
  here=$(numbers "$folder")
  [[ $here == *" $(stat --format %t:%T "$node") "* ]] || echo "$node cannot be found in /sys"

  if [ "$mode" != used ]; then
    before=$(awk '{ print $1, $5, 0 }' "$folder/stat")
    # what has no other trace writes now and then: before the script's own first write it is watched for longer
    [ "$expect" = planned ] && sleep 1 || sleep 0.1
    [ "$(awk '{ print $1, $5, $9 }' "$folder/stat")" = "$before" ] || echo "$node is being read or written by somebody"
    # To set the block size that it has changes nothing, and the kernel wants the disk for itself to do it.
    blockdev --setbsz "$(blockdev --getbsz "$node")" "$node" 2>/dev/null ||
      echo "$node is in use: it or a part of it is mounted, swapped on, or a member of something"
    found=$(contents "$folder" "$node") expected=$expect
    [ "$mode" = free ] || expected=own
    may_hold "$expected" "$index" "$found" || echo "$node does not hold what it should ($expected): ${found:-nothing}"
  fi
  for other in "$folder"/holders/* "$folder"/*/holders/*; do
    [ -e "$other" ] || continue
    found=$(readlink --canonicalize "$array")
    [ "$mode" = used ] && [ "${other##*/}" = "${found##*/}" ] ||
      echo "$node is part of ${other##*/}"
  done

  for found in target_core_mod:target nvmet:nvmet usb_f_mass_storage:usb_gadget ocfs2_nodemanager:cluster; do
    [ ! -d "/sys/module/${found%:*}" ] || [ -d "/sys/kernel/config/${found#*:}" ] ||
      echo "${found%:*} may export $node, and cannot be asked: mount -t configfs none /sys/kernel/config"
  done
  local -A use=() silent=()  # by path: what it is said to be; LIO's SCSI disks that do not say which they are
  for other in /sys/kernel/config/target/core/pscsi_*/*/; do [ ! -d "$other" ] || silent[${other%/}]=silent; done
  while IFS= read -r -d '' other && IFS= read -r found; do
    case $other in
      'cannot be read') echo "$found cannot be read: it may be about $node" ;;
      */backing_file)
        other=${other%/loop/*}
        [ -e "$found" ] || echo "$other lies on $found, which is not to be found: it may be $node"
        [ -z "$found" ] || use[$found]="lies under $other: losetup --detach" ;;
      */udev_path)
        [ -z "$found" ] || { use[$found]="is exported by ${other%/*}"; silent[${other%/*}]=; } ;;
      */info)  # its words after "File: " end at two spaces, and may have single ones in them; else any path
        read -r -a words <<< "${found//\"/}"
        for expected in "${words[@]}"; do
          [[ $expected != */* ]] || use[/${expected#*/}]="is exported by ${other%/*}"
        done
        [[ ! $found =~ 'Config: '[^/]*(/.+)' Size: '[0-9] ]] || use[${BASH_REMATCH[1]}]="is exported by ${other%/*}"
        [[ ! $found =~ 'File: '(.+)'  Size: '[0-9] ]] || use[${BASH_REMATCH[1]}]="is exported by ${other%/*}"
        [[ ! $found =~ 'UDEV PATH: '(.+)'  readonly: ' ]] || use[${BASH_REMATCH[1]}]="is exported by ${other%/*}" ;;
      */device_path | */file | */filename) [ -z "$found" ] || use[$found]="is exported by ${other%/*}" ;;
      */heartbeat/*) [ -z "$found" ] || use[/dev/$found]="is written to by ${other%/*}" ;;
      */physical_device)  # hexadecimal
        [[ $here != *" $found "* ]] || echo "$node is exported by ${other%/*}" ;;
      */block_dev/dev)
        as_stat found "$found"
        [[ $here != *" $found "* ]] || echo "$node is exported by ${other%/block_dev/*}" ;;
      /sys/fs/btrfs/*)  # of each that is mounted, all devices
        as_stat found "$found"
        other=${other#/sys/fs/btrfs/} other=${other%%/*}
        [[ $here == *" $found "* ]] && ! { [ "$mode" = used ] && [[ " $own " == *" ${other//-/} "* ]]; } || continue
        echo "$node is part of the mounted btrfs $other" ;;
    esac
  done < <(tellers)
  for other in "${!silent[@]}"; do
    [ -z "${silent[$other]}" ] || echo "$other may export $node: it does not say what"
  done
  while read -r found other; do  # do these paths lead to the member or a partition of it?
    [[ $here != *" $found "* ]] || echo "$node ${use[$other]}"
  done < <([ ${#use[@]} = 0 ] || devices_of "${!use[@]}")

  case ${identities[index]} in  # another node of the same disk, which may be in use where this one is free
    wwn-*) found=WWN ;;
    serial-*) found=MODEL,SERIAL,SIZE ;;
    *) found= ;;
  esac
  if [ -n "$found" ]; then
    found=$(lsblk --nodeps --noheadings --raw --bytes --output "KNAME,$found")
    before=$'\n'$found$'\n' before=${before#*$'\n'"${node#/dev/} "} before=${before%%$'\n'*}
    while IFS= read -r other; do  # a column may be empty: no blank is taken away
      expected=${other#* } other=${other%% *}
      [ "/dev/$other" = "$node" ] || [ -e "$folder/slaves/$other" ] || [ "$expected" != "$before" ] ||
        echo "$node and /dev/$other are one disk: make a multipath map, or unplug one path"
    done <<< "$found"
  fi

  while read -r found other; do
    [[ $here != *" $found "* ]] || echo "$node is open in $(cat "${other%/fd/*}/comm" 2>/dev/null) ($other)"
  done < <(find -L /proc/[0-9]*/fd -mindepth 1 -maxdepth 1 -type b ! -path "/proc/$$/*" \
    -exec stat --dereference --format '%t:%T %n' {} + 2>/dev/null)
}

# How often a member was written to.
writes() { awk '{ print $5 }' "$(folder_of "${members[$1]}")/stat"; }

# Nothing is done to a member before this.
locks=() array=
check_members() { # MODE INDEX...
  local mode=$1 index round reasons wrote patient named=() empty=()
  shift
  same
  [ ${#locks[@]} != 0 ] || udevadm settle --timeout=30 || true  # what udev probes is not somebody else's use
  for index in "$@"; do
    wrote=$(writes "$index")
    patient=$((SECONDS + 6))  # who probes a disk has gone by then
    for round in {1..8}; do
      reasons=$(why_not "$mode" "$index")
      [ -n "$reasons" ] && { [ "$round" = 1 ] || [ "$SECONDS" -lt "$patient" ]; } || break
      sleep 0.5
    done
    [ -z "$reasons" ] || refuse "$reasons"
    [ "$mode" != free ] || [ "$(writes "$index")" = "$wrote" ] ||  # what probes a disk writes nothing
      refuse "${members[index]} was written by somebody a moment ago"
    if [ "$expect" = planned ] && [ -n "${blank[index]}" ]; then
      empty+=("${identities[index]}")
    else
      named+=("${identities[index]}")
    fi
  done
  if [ "$mode" = free ] && [ ${#locks[@]} = 0 ] && command -v raidtui >/dev/null; then
    [ ${#named[@]} = 0 ] || raidtui disks --free "${tables[@]}" "${named[@]}" >&2 ||
      refuse 'a disk is not free (raidtui disks --free)'
    [ ${#empty[@]} = 0 ] || raidtui disks --free --blank "${tables[@]}" "${empty[@]}" >&2 ||
      refuse 'a disk is not free, or not blank any more (raidtui disks --free)'
  fi
}
check_members_free() { check_members free "${!members[@]}"; }

check_members_blank() {
  local member
  for member in "${members[@]}"; do
    [ -z "$(wipefs --no-act "$member")" ] || { echo "$member is not blank: wipefs --no-act $member" >&2; exit 1; }
  done
}

# Each member has the one partition that this script made, and nothing else.
check_partitions() {
  local index found
  for index in "${!members[@]}"; do
    found=$(part "$index" 1)
    [ "$(contents "$(folder_of "${members[index]}")" "${members[index]}" | sort)" = $'0 gpt\n1 partition' ] &&
      own_table "$index" '0 gpt' || refuse "${members[index]} has not the partition $found alone, empty"
  done
}

# The array's name must be free before it is made, and then be that of the array that was made.
check_no_array() { [ ! -e "$array" ] || refuse "$array is there already: stop that array or rename it"; }
check_array() { # UUID
  local found
  found=$(mdadm --detail --export "$array" | sed -n 's/^MD_UUID=//p') || true
  [ "$found" = "$1" ] || refuse "$array is not the array that this script made"
}
"""


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
