"""fio's argument list for one job on one target. Every option stands under fio's own name; fio is not started here."""

from collections.abc import Callable, Sequence
from functools import partial

from raidtui.core.recipe import FioOptions, Job
from raidtui.core.units import parse_bytes

# What a job may say. Everything that names a file, a device, a host or a program is left out: what is written to,
# and what is started, only the plan decides.
OPTIONS = frozenset(
    """
    blocksize bs bsrange bssplit blockalign buffer_compress_percentage buffered clat_percentiles cpus_allowed direct
    disable_clat disable_lat disable_slat do_verify end_fsync fallocate fdatasync fsync group_reporting gtod_reduce
    hipri invalidate io_size ioengine iodepth iodepth_batch iodepth_batch_complete iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_low lat_percentiles loops norandommap number_ios numjobs offset
    offset_increment overwrite percentile_list ramp_time random_distribution random_generator randrepeat randseed
    rate rate_iops readwrite refill_buffers runtime rw rw_sequencer rwmixread rwmixwrite scramble_buffers size
    slat_percentiles softrandommap ss ss_dur ss_ramp startdelay thinktime thread time_based unified_rw_reporting
    unlink verify verify_backlog verify_fatal verify_interval zero_buffers
    """.split()  # noqa: SIM905
)
ENGINES = ("libaio", "io_uring", "psync", "sync", "vsync", "pvsync", "pvsync2", "posixaio", "mmap")
# Shares of a size, as fio writes them ("100%"), are of the device; a file gets the same share of its span.
_PERCENT = "%"


def argv(job: Job, output: str, filenames: Sequence[str], size_bytes: int | None = None) -> tuple[str, ...]:
    """`fio …` for `job`, its JSON into the file `output`; one fio job for each of `filenames`, started together.

    `size_bytes` is the span that a share of 100 % stands for, given where the target is a file (None: a device,
    whose size fio knows).
    """
    options = dict(job.fio)
    if size_bytes is not None:
        options["size"] = file_span_bytes(options, size_bytes)
    common = [f"--{name}={_text(value)}" for name, value in options.items()]
    sections = []
    for number, filename in enumerate(filenames):
        name = job.name if len(filenames) == 1 else f"{job.name}.{number}"
        sections += [f"--name={name}", f"--filename={filename}"]
    return ("fio", "--output-format=json", f"--output={output}", *common, *sections)


def file_span_bytes(options: FioOptions, span_bytes: int) -> int:
    """How large the file of a job is when a share of 100 % stands for `span_bytes`; never larger than that."""
    size = str(options.get("size", "100%"))
    if size.endswith(_PERCENT):
        return int(span_bytes * float(size.removesuffix(_PERCENT)) / 100)
    return min(parse_bytes(_fio_size(size)), span_bytes)


def seconds(options: FioOptions, name: str) -> float:
    """A duration of fio's ("5", "600s", "2m") in seconds; 0 where the option is not given."""
    text = str(options.get(name, 0)).strip()
    for suffix, factor in (("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400)):
        if text.endswith(suffix):
            return float(text.removesuffix(suffix)) * factor
    return float(text)


def block_bytes(options: FioOptions) -> int:
    """The block size in bytes (of reads, where writes have another); fio's own default is 4096."""
    return parse_bytes(_fio_size(str(options.get("bs", "4k")).partition(",")[0]))


def count(options: FioOptions, name: str) -> int:
    """A number such as iodepth or numjobs; fio's default for both is 1."""
    return int(options.get(name, 1))


def check(job: Job) -> None:
    """May a job have these options, and can those that a plan needs be read? ValueError naming job and option."""
    for name in sorted(job.fio):
        if name not in OPTIONS:
            raise ValueError(f"job.{job.name}.fio: {name!r} is not an option that a job may have; leave it out")
    if (engine := job.fio.get("ioengine", ENGINES[0])) not in ENGINES:
        raise ValueError(f"job.{job.name}.fio: ioengine cannot be {engine!r}; choose one of {', '.join(ENGINES)}")
    readers: dict[str, Callable[[FioOptions], object]] = {
        "bs": block_bytes,
        "size": lambda options: file_span_bytes(options, 1),
        **{name: partial(seconds, name=name) for name in ("runtime", "ramp_time")},
        **{name: partial(count, name=name) for name in ("iodepth", "numjobs")},
    }
    for name, read in readers.items():
        try:
            read(job.fio)
        except ValueError as error:
            raise ValueError(f"job.{job.name}.fio: {name} cannot be {job.fio.get(name)!r}") from error


def is_sequential(rw: str) -> bool:
    """Is this `rw` of fio's one that goes through its target in order?"""
    return not rw.startswith("rand")


def _fio_size(text: str) -> str:
    """fio takes 4k, 1g, 25G as powers of 1024 (kb_base=1024), with or without a B."""
    number = text.rstrip("bBiI")
    return f"{number}iB" if number[-1:].isalpha() else number


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
