"""Bash for the kept ZFS pool: creation, and detection of an existing one by name and disks, then by GUID."""

from collections.abc import Iterator

from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.kept.pool_steps import name_of
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.steps import Command, Step, role_of, shell_word
from raidtui.core.raid import zfs

NEEDS = """
for program in zpool zfs zdb sfdisk; do
  command -v "$program" >/dev/null ||
    refuse "ZFS is missing on this machine ($program): install OpenZFS (Debian: zfsutils-linux and zfs-dkms)"
done
[ -d /sys/module/zfs ] || modprobe zfs || refuse "ZFS' module is missing on this machine, or cannot be loaded"
"""
_FUNCTIONS = r"""
pool_guid() {{ zpool get -H -o value guid "$pool_name" 2>/dev/null; }}
pool=$(pool_guid) || pool=
own_pool() {{
  local here parts index
  [ -n "$pool" ] && [ "$(pool_guid)" = "$pool" ] || refuse "the pool $pool_name ($pool) is not here, or is another"
  here=$(zpool status -P -L "$pool_name" | awk '$1 ~ "^/dev/" {{ print $1 }}' | sort)
  parts=$(for index in "${{!members[@]}}"; do part "$index" 1; done | sort) || parts=
  [ "$here" = "$parts" ] || refuse "the pool $pool_name ($pool) is on other disks: it is left alone"
}}
no_pool() {{ ! pool_guid >/dev/null || refuse "there is a pool $pool_name already: it is left alone"; }}
pool_made() {{
  pool=$(pool_guid)
  own_pool
  echo "$pool_name has the GUID $pool" >&2
}}
stable() {{ # INDEX NUMBER: a link that leads there after a boot, too
  local node link
  node=$(part "$1" "$2")
  for link in /dev/disk/by-id/* /dev/disk/by-partuuid/*; do
    [ "$(readlink --canonicalize "$link")" != "$node" ] || {{ echo "$link"; return; }}
  done
  echo "$node"
}}
pools_start() {{
  local unit
  for unit in {units}; do
    systemctl is-enabled --quiet "$unit" || refuse "boot imports no pools here: systemctl enable $unit"
  done
  [ -s {cache} ] || ! systemctl is-enabled --quiet {scan} || [ "$(zpool list -H -o name)" = "$pool_name" ] ||
    refuse 'boot finds other pools by a scan, and would not beside a cache file: zpool set cachefile= POOL, for each'
}}
pool_came_back() {{
  own_pool
  [ "$(zpool list -H -o health "$pool_name")" = ONLINE ] || refuse "$pool_name is not ONLINE: zpool status"
}}
pool_at_boot() {{
  zdb -C -U {cache} | grep "pool_guid: $pool\$" >/dev/null || refuse "$pool_name is not in {cache}"
}}"""
_LOOKS = {"create-pool": "no_pool", "export-pool": "own_pool", "place-pool": "own_pool", "mount": "own_pool"}


def is_kept(plan: Plan) -> bool:
    """The kept pool is the plan's only one."""
    making = [
        number
        for number, stage in enumerate(plan.stages)
        if any(role_of(step) == "create-pool" for step in stage.steps)
    ]
    return making == [plan.kept_stage]


def first_look(plan: Plan, kept: Stage) -> Iterator[str]:
    """Functions, and lines that end the script if all exists."""
    assert kept.filesystem
    yield f"pool_name={shell_word(name_of(kept.filesystem))}"
    yield _FUNCTIONS.format(units=" ".join(zfs.UNITS), cache=zfs.CACHE_FILE, scan=zfs.SCAN_UNIT)
    yield 'if [ -n "$pool" ]; then'
    yield "  own_pool"
    yield "  pool_came_back"
    if folder := mount_point(plan):
        source = f"$(findmnt --noheadings --output SOURCE --mountpoint {shell_word(folder)})"
        yield f'  [ "{source}" = "$pool_name" ] || refuse "$pool_name ($pool) is not mounted where it belongs"'
        yield "  pool_at_boot"
    yield '  echo "Exists already, as $pool_name ($pool): nothing was done." >&2'
    yield "  exit 0"
    yield "fi"


def look_lines(step: Command) -> list[str]:
    return [_LOOKS[step.role]] if step.role in _LOOKS else []


def line(step: Step, rendered: str) -> str:
    """Skipped if the mountpoint property has mounted it."""
    if isinstance(step, Command) and step.role == "mount":
        return f"mountpoint --quiet {shell_word(step.folder)} || {rendered}"
    return rendered
