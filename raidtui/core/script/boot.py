"""The bash by which a plan's script makes an array permanent: lines added to a file of boot, whole or not at all."""

FUNCTIONS = r"""
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
