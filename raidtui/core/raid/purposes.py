"""Workloads and what counts for each: an opinion, one table, used by proposals and answers."""

import enum
from enum import StrEnum
from typing import NamedTuple


class Workload(StrEnum):
    BACKUP = "backup"
    MEDIA = "media"
    FILES = "files"
    VMS = "vms"
    DATABASES = "databases"
    SCRATCH = "scratch"


class Measure(enum.Enum):
    SPACE = "space"
    LONG_READS = "long reads"
    SMALL_WRITES = "small writes"


class Counts(NamedTuple):
    measure: Measure
    words: str


COUNTS: dict[Workload, Counts] = {
    Workload.BACKUP: Counts(Measure.SPACE, "for a backup space counts more than speed"),
    Workload.MEDIA: Counts(Measure.LONG_READS, "for media files long reads count most"),
    Workload.FILES: Counts(Measure.SPACE, "for shared files space counts more than speed"),
    Workload.VMS: Counts(Measure.SMALL_WRITES, "for virtual machines small writes count most"),
    Workload.DATABASES: Counts(Measure.SMALL_WRITES, "for a database small writes count most"),
    Workload.SCRATCH: Counts(Measure.LONG_READS, "for scratch data long reads and writes count most"),
}
