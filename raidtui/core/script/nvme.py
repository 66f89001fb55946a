"""How a script switches the volatile write cache of an NVMe disk: with nvme-cli, as the run does it, or not at all."""

FUNCTIONS = """
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
