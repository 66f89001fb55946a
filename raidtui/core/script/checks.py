"""What a plan's bash script looks at before it touches a disk: one check for all that it does, in bash.

Refuses where it cannot look. What no shell can see is for `raidtui disks --free`, and is said where that is missing.
"""

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
  local name said=$1
  shift
  for name in "$@"; do
    if name=$(grep --max-count=1 "^$name=." <<< "$said"); then echo "${name#*=}"; return; fi
  done
}
of_kernel() { # FOLDER FILE...
  local file folder=$1
  shift
  for file in "$@"; do
    if [ -s "$folder/$file" ] && file=$(cat "$folder/$file") && [ -n "$file" ]; then echo "$file"; return; fi
  done
}
identity() { # KIND NODE: an identity of this kind; its serial number
  local said folder found
  folder=$(folder_of "$2")
  said=$(udevadm info --query=property --name="$2")
  case $1 in
    serial) found=$(of_udev "$said" SCSI_IDENT_SERIAL ID_SCSI_SERIAL ID_SERIAL_SHORT)
      [ -n "$found" ] || found=$(of_kernel "$folder" device/serial serial)
      [ -n "$found" ] || found=$(of_udev "$said" ID_SERIAL DM_SERIAL)
      tr -d '[:space:]' <<< "$found" ;;
    wwn-*) found=$(of_udev "$said" ID_WWN_WITH_EXTENSION ID_WWN DM_WWN)
      [ -n "$found" ] || found=$(of_kernel "$folder" wwid device/wwid dm/uuid)
      case $found in naa.*) found=0x${found#naa.} ;; mpath-3*) found=0x${found#mpath-3} ;; esac
      sed -E 's/^[[:space:]]+|[[:space:]]+$//g; s/[[:space:]]+/_/g; s/^/wwn-/' <<< "$found" ;;
    serial-*) of_udev "$said" ID_SERIAL | sed -E 's/[[:space:]]+/_/g; s/^/serial-/' ;;
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

# The node of a member's partition, by what the kernel says lies on the member.
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

# The device numbers of a disk and of its partitions, as `stat` writes them; of a block device's folder in /sys.
number() { local text; read -r text < "$1/dev"; printf '%x:%x' "${text%:*}" "${text#*:}"; }
numbers() {
  local part
  printf ' %s ' "$(number "$1")"
  for part in "$1"/*/partition; do [ ! -e "$part" ] || printf ' %s ' "$(number "${part%/*}")"; done
}

# What is on a member, a line each: number of the partition (0: the disk), kind, UUID.
contents() { # FOLDER NODE
  local part found
  on_device 0 "$2"
  for part in "$1"/*/partition; do
    [ -e "$part" ] || continue
    found=$(on_device "$(cat "$part")" "/dev/$(basename "${part%/*}")")
    echo "${found:-$(cat "$part") partition}"
  done
}
on_device() { # NUMBER NODE
  local text
  text=$(wipefs --no-act --parsable --noheadings --output USAGE,TYPE,UUID "$2") || echo "$1 unreadable"
  awk -F, -v number="$1" '
    /^#/ || !NF || $2 == "PMBR" { next }
    { print number, $1 == "partition-table" ? $2 : $2 " " $3 }' <<< "$text" | sed 's/ $//' | sort -u
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
      own) [ -z "$line" ] || [[ " $own " == *" ${uuid,,} "* ]] || return 1 ;;
    esac
  done <<< "$3"
}

# Does a path lead to the member or a partition of it?
leads_here() {
  local found
  found=$(stat --dereference --format %t:%T -- "$1" 2>/dev/null) && [[ $here == *" $found "* ]]
}

# Why a member must not be touched at this moment, a line each; nothing where it may be. free: it is to be written to;
# own: what this script made is to be taken away; used: this script's array or file system stands on it.
why_not() { # MODE INDEX
  local mode=$1 index=$2 node=${members[$2]} folder here fd before other found expected
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
    [ "$mode" = used ] && [ "${other##*/}" = "$(basename "$(readlink --canonicalize "$array")")" ] ||
      echo "$node is part of ${other##*/}"
  done
  for other in /sys/fs/btrfs/*/devices/*; do  # of each that is mounted, all devices
    [ -e "$other/dev" ] && [[ $here == *" $(number "$other") "* ]] || continue
    found=$(basename "${other%/devices/*}")
    [ "$mode" = used ] && [[ " $own " == *" ${found//-/} "* ]] || echo "$node is part of the mounted btrfs $found"
  done

  for other in /sys/block/loop*/loop/backing_file; do
    [ -e "$other" ] || continue
    found=$(cat "$other")
    [ -e "$found" ] || echo "${other%/loop/*} lies on $found, which is not to be found: it may be $node"
    ! leads_here "$found" || echo "$node lies under ${other%/loop/*}: losetup --detach"
  done
  for found in target_core_mod:target nvmet:nvmet usb_f_mass_storage:usb_gadget ocfs2_nodemanager:cluster; do
    [ ! -d "/sys/module/${found%:*}" ] || [ -d "/sys/kernel/config/${found#*:}" ] ||
      echo "${found%:*} may export $node, and cannot be asked: mount -t configfs none /sys/kernel/config"
  done
  for other in /sys/kernel/config/target/core/*/*/; do
    [ -d "$other" ] || continue
    case $other in */alua/ | */hba_*/) continue ;; esac
    while IFS= read -r found; do  # its words after "File: " end at two spaces, and may have single ones in them
      ! leads_here "$found" || echo "$node is exported by $other"
    done < <(cat "$other/udev_path" 2>/dev/null || true; echo
      sed -n -e 's/.*File: \(.*\)  Size: [0-9].*/\1/p' -e 's/.*UDEV PATH: \(.*\)  readonly: .*/\1/p' \
        "$other/info" 2>/dev/null)
    case $other in */pscsi_*) [ -s "$other/udev_path" ] || echo "$other may export $node: it does not say what" ;; esac
  done
  for other in /sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path \
    /sys/kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file /sys/class/udc/*/device/gadget*/lun*/file \
    /sys/kernel/scst_tgt/devices/*/filename; do
    [ -e "$other" ] || continue
    ! leads_here "$(head -n 1 "$other")" || echo "$node is exported by ${other%/*}"
  done
  for other in /sys/bus/xen-backend/devices/vbd-*/physical_device; do  # major:minor, both hexadecimal
    [ -e "$other" ] || continue
    [[ $here != *" $(cat "$other") "* ]] || echo "$node is exported by ${other%/*}"
  done
  for other in /sys/class/rnbd-server/ctl/devices/*/block_dev; do
    [ -e "$other/dev" ] || continue
    [[ $here != *" $(number "$other") "* ]] || echo "$node is exported by ${other%/*}"
  done
  for other in /sys/kernel/config/cluster/*/heartbeat/*/dev; do
    [ -e "$other" ] || continue
    ! leads_here "/dev/$(cat "$other")" || echo "$node is written to by ${other%/*}"
  done

  case ${identities[index]} in  # another node of the same disk, which may be in use where this one is free
    wwn-*) found=WWN ;;
    serial-*) found=MODEL,SERIAL,SIZE ;;
    *) found= ;;
  esac
  if [ -n "$found" ]; then
    before=$(lsblk --nodeps --noheadings --raw --bytes --output "$found" "$node")
    while read -r other; do
      [ "/dev/$other" = "$node" ] || [ -e "$folder/slaves/$other" ] ||
        [ "$(lsblk --nodeps --noheadings --raw --bytes --output "$found" "/dev/$other")" != "$before" ] ||
        echo "$node and /dev/$other are one disk: make a multipath map, or unplug one path"
    done < <(lsblk --nodeps --noheadings --raw --output KNAME)
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
  local mode=$1 index round reasons wrote named=() empty=()
  shift
  same
  [ ${#locks[@]} != 0 ] || udevadm settle --timeout=30 || true  # what udev probes is not somebody else's use
  for index in "$@"; do
    wrote=$(writes "$index")
    for round in {1..8}; do
      reasons=$(why_not "$mode" "$index")
      [ -n "$reasons" ] || break
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
    [ ${#named[@]} = 0 ] || raidtui disks --free "${named[@]}" >&2 || refuse 'raidtui says that a disk is not free'
    [ ${#empty[@]} = 0 ] || raidtui disks --free --blank "${empty[@]}" >&2 ||
      refuse 'raidtui says that a disk is not free, or not blank any more'
  fi
}
check_members_free() { check_members free "${!members[@]}"; }

check_members_blank() {
  local member
  for member in "${members[@]}"; do
    [ -z "$(wipefs --no-act "$member")" ] || { echo "$member is not blank: wipefs --no-act $member" >&2; exit 1; }
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
