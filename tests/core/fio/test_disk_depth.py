"""The same queue depth at each disk, alone and in an array, within bounds of the machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.job import MOST_JOBS, DiskDepth, FioOptions, Job, count, of_disk, of_disks, on_array, resolved
from raidtui.core.units import GIB, MIB


def job(**options: str | int) -> Job:
    return Job(name="rand", fio={"rw": "randread", "bs": "4k", **options}, disk_depth=DiskDepth(hdd=4, flash=32))


@pytest.mark.parametrize(
    "flash, disks, of_each, of_all",
    [(False, 2, 4, 8), (False, 24, 4, 96), (True, 8, 32, 256), (True, 1, 32, 32)],
)
def test_an_array_has_so_many_times_the_depth_of_one_disk(flash: bool, disks: int, of_each: int, of_all: int) -> None:
    one = resolved(job(numjobs=1), flash, disks)
    assert of_disk(one) == of_each and one.fio["iodepth"] == of_each
    array = of_disks(one.fio, disks)
    assert array["numjobs"] == disks and array["iodepth"] == of_each
    assert count(on_array(one, disks).fio, "numjobs") * of_each == of_all and on_array(one, disks).disk_depth is None


@pytest.mark.parametrize(
    "requests, memory, bs, of_each",
    [
        (65536, 0, "4k", 32),
        (1000, 0, "4k", 20),  # 500 of 24 disks
        (10, 0, "4k", 1),  # not below one
        (65536, GIB, "4k", 32),
        (65536, 40 * MIB, "4k", 21),  # 2 MiB: 512 of 24
        (65536, GIB, "1m", 2),  # 51 of 24
    ],
)
def test_it_is_bounded_by_requests_of_the_kernel_and_by_memory(
    requests: int, memory: int, bs: str, of_each: int
) -> None:
    assert of_disk(resolved(job(bs=bs), True, 24, requests, memory)) == of_each


def test_a_depth_of_its_own_is_of_all_disks_and_processes_are_of_one() -> None:
    own = resolved(job(iodepth=16), True, 8)
    assert own.disk_depth is None and own.fio["iodepth"] == 16 and of_disk(own) == 0 and on_array(own, 8) is own
    four = resolved(job(numjobs=4), True, 8)
    assert (four.fio["iodepth"], four.fio["numjobs"]) == (8, 4) and of_disks(four.fio, 8)["numjobs"] == 32
    assert resolved(job(numjobs=16), False, 8).fio["numjobs"] == 4  # no process without a request
    plain = Job(name="seq", fio={"iodepth": 32})
    assert resolved(plain, True, 8) == plain


@given(st.integers(1, 32), st.integers(1, 8), st.integers(1, 3000))
def test_fio_starts_so_many_processes_and_all_requests_are_made(depth: int, jobs: int, disks: int) -> None:
    options: FioOptions = of_disks({"iodepth": depth, "numjobs": jobs}, disks)
    assert count(options, "numjobs") <= MOST_JOBS
    assert count(options, "iodepth") * count(options, "numjobs") == depth * jobs * disks
