"""What a script has of the disks' own self-tests, where its plan asks for them: in bash."""

FUNCTIONS = r"""
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
