"""Bash functions of a script: NVMe write cache by nvme-cli, self-tests of disks, lines added to boot files."""

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
