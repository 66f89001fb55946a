"""Kernel settings that a plan may set during its run, their values, and whether they are put back."""

import re

_MEMBER = r"\{member:[0-9]{1,9}\}"
ARRAY = r"\{(?:array|group:[0-9]{1,4})\}"  # or each of its groups
_FEW = re.compile(r"[0-9]{1,9}", re.ASCII)
# Path of a setting -> its values, and whether it is put back. No recipe sets speed limits yet.
_SETTINGS: tuple[tuple[re.Pattern[str], re.Pattern[str], bool], ...] = (
    (
        re.compile(rf"/sys/block/{ARRAY}/md/(stripe_cache_size|group_thread_cnt|sync_speed_m(ax|in))"),
        _FEW,
        True,
    ),
    (re.compile(rf"/sys/block/{ARRAY}/md/sync_min"), re.compile("0"), False),
    (re.compile(r"/sys/block/\{(member|beneath):[0-9]{1,9}\}/queue/wbt_lat_usec"), _FEW, True),
    (
        re.compile(rf"/sys/block/{_MEMBER}/device/scsi_disk/\*/cache_type|nvme/{_MEMBER}/volatile-write-cache"),
        re.compile("write through"),
        True,
    ),
    (re.compile("/proc/sys/vm/drop_caches"), re.compile("3"), False),
    (re.compile("/proc/sys/dev/raid/speed_limit_m(ax|in)"), _FEW, True),
    (re.compile(rf"/sys/block/{_MEMBER}/queue/scheduler"), re.compile("none|mq-deadline|kyber|bfq"), True),
    (re.compile(r"/sys/block/\{array\}/queue/read_ahead_kb"), _FEW, True),
)


def may_set(path: str, value: str, *, restore: bool) -> bool:
    return any(
        of.fullmatch(path) and values.fullmatch(value) and restore == put_back for of, values, put_back in _SETTINGS
    )


def may_put_back(path: str) -> bool:
    return any(of.fullmatch(path) and put_back for of, _, put_back in _SETTINGS)
