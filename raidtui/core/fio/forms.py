"""Allowed fio options and the form of their values: a closed list, none names a file or program."""

import re
from functools import lru_cache

PATTERNS = ("read", "write", "rw", "randread", "randwrite", "randrw")
ENGINES = ("libaio", "io_uring", "psync", "sync", "vsync", "pvsync", "pvsync2", "posixaio", "mmap")
_CHECKSUMS = """
    crc32c crc32c-intel crc32 crc64 crc16 crc7 md5 sha1 sha256 sha512 sha3-224 sha3-256 sha3-384 sha3-512 xxhash pattern
"""
_ONE = r"[0-9][0-9A-Za-z.%]{0,30}"  # with a unit, or a share
_NUMBER = rf"-?{_ONE}(?:[,:/-]{{1,3}}{_ONE}){{0,60}}"  # or a list of them
_WORDS = {
    "iodepth": "[0-9]{1,9}",
    "numjobs": "[0-9]{1,9}",
    "ioengine": "|".join(ENGINES),
    "rw": "|".join(PATTERNS),
    "verify": "|".join(_CHECKSUMS.split()),
    # of a run, by the digits that are drawn for it, and of a pass of it; then where the block is
    "verify_pattern": r"0x(?:\{name:[0-9]{1,5}\}|[0-9a-f]{8}){2}%o0x5a",
    "zonemode": "strided",
    "rate_iops": rf"{_NUMBER}|\{{rate:[\w.-]{{1,200}}:[0-9]{{1,3}}:[0-9]{{1,3}}\}}",
    "rate_process": "linear|poisson",
    "rw_sequencer": "sequential|identical",
    "random_generator": "tausworthe|tausworthe64|lfsr",
    "random_distribution": rf"(?:random|zipf|pareto|normal|zoned|zoned_abs)(?::{_NUMBER})?",
    "cpus_allowed_policy": "shared|split",
    "fallocate": "none|native|posix|keep|truncate|[01]",
    "unified_rw_reporting": "none|mixed|both|[012]",
    "ss": r"(?:iops|bw|iops_slope|bw_slope):[0-9][0-9.]{0,19}%?",
    "numa_cpu_nodes": r"all|[0-9][0-9,-]{0,99}",
    "numa_mem_policy": r"(?:default|prefer|bind|interleave|local)(?::[0-9][0-9,-]{0,99})?",
}
_NUMBERS = """
    blockalign bs bsrange bssplit buffer_compress_percentage clat_percentiles cpus_allowed direct disable_clat
    disable_lat disable_slat do_verify end_fsync fdatasync fixedbufs fsync group_reporting gtod_reduce hipri
    invalidate io_size iodepth_batch iodepth_batch_complete iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_batch_submit iodepth_low lat_percentiles loops nonvectored norandommap
    number_ios offset offset_increment percentile_list ramp_time randrepeat randseed rate refill_buffers
    registerfiles runtime rwmixread rwmixwrite scramble_buffers size slat_percentiles softrandommap
    sqthread_poll ss_dur ss_ramp startdelay thinktime thread time_based verify_backlog verify_fatal
    verify_interval zero_buffers zonerange zonesize zoneskip
"""
OPTIONS = {
    name: re.compile(form, re.ASCII) for name, form in {**dict.fromkeys(_NUMBERS.split(), _NUMBER), **_WORDS}.items()
}
PLANNED = frozenset({"verify_pattern", "zonemode", "zonerange", "zonesize", "zoneskip"})  # that a plan alone gives


def is_formed(option: str, value: str) -> bool:
    form = OPTIONS.get(option)
    return form is not None and form.fullmatch(value) is not None


@lru_cache(maxsize=4096)
def is_option(word: str) -> bool:
    option, equals, value = word.removeprefix("--").partition("=")
    return bool(equals) and word.startswith("--") and is_formed(option, value)
