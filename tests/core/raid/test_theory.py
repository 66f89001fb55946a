"""What the model expects, row by row of the table it comes from."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.ceilings import HostLimits, Limit
from raidtui.core.raid.confidence import Asked, Confidence, confidence
from raidtui.core.raid.depth_curve import CurveSource, DiskCurves, one_figure, parse_curve
from raidtui.core.raid.levels import LEVELS
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load, Service, rate_at
from raidtui.core.raid.theory import predict, sequential_rate, split_share, write_penalty
from raidtui.core.units import MB

S, X = 100 * MB, 200.0


@pytest.mark.parametrize(
    "key, disks, layout, read_mbps, write_mbps",
    [
        ("0", 4, None, 400, 400),
        ("1", 2, None, 100, 100),
        ("1", 4, None, 100, 100),
        ("4", 3, None, 200, 200),
        ("5", 3, None, 200, 200),
        ("5", 24, None, 2300, 2300),
        ("6", 4, None, 200, 200),
        ("10", 4, "n2", 200, 200),
        ("10", 3, "n2", 150, 150),
        ("10", 4, "o2", 200, 200),
        ("10", 4, "f2", 400, 200),
        ("10", 6, "n3", 200, 200),
        ("linear", 3, None, 100, 100),
        ("jbod", 3, None, 300, 300),
    ],
)
def test_rotating_disks_pass_over_what_they_skip(
    key: str, disks: int, layout: str | None, read_mbps: float, write_mbps: float
) -> None:
    said = predict(key, disks, S, X, layout)
    assert (said.seq_read_bytes_per_s / MB, said.seq_write_bytes_per_s / MB) == (read_mbps, write_mbps)


@pytest.mark.parametrize(
    "key, disks, layout, measured_mbps",
    [("5", 3, None, 282), ("6", 4, None, 379), ("10", 3, "n2", 283), ("10", 3, "o2", 283), ("4", 4, None, 282)],
)
def test_disks_without_seeks_read_from_all_but_raid4s_parity_disk(
    key: str, disks: int, layout: str | None, measured_mbps: float
) -> None:
    """Measured on disks held to 94 MB/s each."""
    said = predict(key, disks, 94 * MB, X, layout, flash=True)
    assert said.seq_read_bytes_per_s == pytest.approx(measured_mbps * MB, rel=0.01)
    assert said.seq_write_bytes_per_s == predict(key, disks, 94 * MB, X, layout).seq_write_bytes_per_s


@pytest.mark.parametrize(
    "key, disks, layout, penalty, write_iops",
    [
        ("0", 4, None, 1, 800),
        ("1", 2, None, 2, 200),
        ("1", 3, None, 3, 200),
        ("10", 4, "n2", 2, 400),
        ("10", 6, "f3", 3, 400),
        ("5", 2, None, 2, 200),
        ("5", 3, None, 3, 200),
        ("5", 4, None, 4, 200),
        ("5", 24, None, 4, 1200),
        ("6", 4, None, 4, 200),
        ("6", 5, None, 5, 200),
        ("6", 12, None, 6, 400),
        ("4", 3, None, 3, 200),
        ("4", 4, None, 4, 200),
        ("4", 5, None, 4, 100),
        ("4", 24, None, 4, 100),
        ("linear", 3, None, 1, 600),
        ("jbod", 3, None, 1, 600),
    ],
)
def test_what_a_small_write_costs(key: str, disks: int, layout: str | None, penalty: int, write_iops: float) -> None:
    said = predict(key, disks, S, X, layout)
    assert (said.write_penalty, said.rand_write_iops) == (penalty, write_iops)


def test_all_disks_answer_random_reads_but_for_raid4s_parity_disk() -> None:
    assert {row.key: predict(row.key, 4, S, X).rand_read_iops for row in LEVELS if row.key != "4"} == {
        row.key: 800 for row in LEVELS if row.key != "4"
    }
    assert predict("4", 4, S, X).rand_read_iops == 600


@pytest.mark.parametrize(
    "key, layout, disks, as_parity_only",
    [
        ("5", "parity-last", 6, 1),
        ("5", "parity-first", 6, 1),
        ("6", "parity-last", 8, 2),
        ("6", "left-symmetric-6", 8, 1),
    ],
)
def test_disks_of_parity_alone_answer_no_read_and_hold_writes_back(
    key: str, layout: str, disks: int, as_parity_only: int
) -> None:
    expected = predict(key, disks, S, X, layout, flash=True)
    rotating_parity = predict(key, disks, S, X, flash=True)
    assert expected.rand_read_iops == pytest.approx((disks - as_parity_only) * X)
    assert expected.seq_read_bytes_per_s == pytest.approx((disks - as_parity_only) * S)
    assert expected.rand_write_iops == pytest.approx(X / 2)  # read and written there for every small write
    assert expected.rand_write_iops < rotating_parity.rand_write_iops
    if key == "5":
        assert msgspec.structs.asdict(expected) == msgspec.structs.asdict(predict("4", disks, S, X, flash=True))


@pytest.mark.parametrize("read_share, iops", [(0.7, 800 / (0.7 + 0.3 * 4)), (1, 800), (0, 200)])
def test_a_mix_lies_between_its_reads_and_its_writes(read_share: float, iops: float) -> None:
    assert predict("5", 4, S, X, read_share=read_share).rand_mixed_iops == pytest.approx(iops)


def test_raid4s_parity_disk_holds_a_mix_back_too() -> None:
    assert predict("4", 24, S, X, read_share=0.5).rand_mixed_iops == pytest.approx(200)


def test_no_share_of_reads_no_figure_for_a_mix() -> None:
    assert predict("5", 4, S, X).rand_mixed_iops is None


@pytest.mark.parametrize("queue_depth, bound", [(1, True), (3, True), (4, False), (64, False)])
def test_a_short_queue_leaves_disks_idle(queue_depth: int, bound: bool) -> None:
    said = predict("0", 4, S, X, queue_depth=queue_depth)
    assert said.rand_read_iops == pytest.approx(
        rate_at(RequestShape("0", 4, rotating=True), one_figure(X), Load(queue_depth), Service.ROTATING).iops
    )
    assert X * 0.96 < said.rand_read_iops < 800
    assert said.upper_bound is bound
    assert said.limited_by["rand_read_iops"] is (Limit.DISKS if queue_depth == 64 else Limit.QUEUE)


@given(st.integers(4, 12), st.integers(1, 1024), st.floats(0, 1), st.sampled_from([row.key for row in LEVELS]))
def test_no_figure_is_above_all_disks_together(disks: int, queue_depth: int, read_share: float, key: str) -> None:
    said = predict(key, disks, S, X, queue_depth=queue_depth, read_share=read_share)
    assert max(said.seq_read_bytes_per_s, said.seq_write_bytes_per_s) <= disks * S
    assert said.rand_mixed_iops is not None
    assert max(said.rand_read_iops, said.rand_write_iops, said.rand_mixed_iops) <= disks * X * (1 + 1e-9)


# Without a single run.


def test_raid0_at_a_queue_of_one_writes_what_one_disk_writes() -> None:
    said = predict("0", 4, S, X, queue_depth=1)
    assert said.rand_write_iops == pytest.approx(X, rel=0.03)
    assert predict("0", 4, S, X, queue_depth=1, flash=True).rand_write_iops == pytest.approx(X)


def test_four_disks_of_10_us_are_not_faster_than_a_processor() -> None:
    said = predict("0", 4, 7000 * MB, 1e6, queue_depth=32, flash=True)
    assert said.rand_read_iops == said.rand_write_iops == pytest.approx(217_391, abs=1)
    assert said.limited_by["rand_read_iops"] is Limit.CPU and Limit.CPU in said.assumed_limits
    measured = HostLimits(fio_s_per_operation=1e-6, md_s_per_operation=1e-6, processes=2, assumed=frozenset())
    said = predict("0", 4, 7000 * MB, 1e6, queue_depth=32, flash=True, host=measured)
    assert said.rand_read_iops == 1e6 and not said.assumed_limits


@pytest.mark.parametrize("queue_depth", [512, None])
def test_raid5_writes_what_its_threads_let_through(queue_depth: int | None) -> None:
    host = HostLimits(processes=64)
    said = predict("5", 8, 7000 * MB, 1e6, queue_depth=queue_depth, flash=True, host=host)
    assert (said.rand_write_iops, said.limited_by["rand_write_iops"]) == (65_000, Limit.MD_THREAD)
    four = msgspec.structs.replace(host, parity_threads=4)
    assert predict("5", 8, 7000 * MB, 1e6, queue_depth=queue_depth, flash=True, host=four).rand_write_iops == 260_000


def test_a_stream_keeps_no_more_disks_busy_than_it_has_chunks_under_way() -> None:
    """Four disks of 2 GB/s, chunk 64 KiB, one request at a time; md hands on each chunk in 2.1 us, and the second
    ends 1.5 us and 0.12 us a page after the first.
    """
    shape, host = RequestShape("0", 4, chunk_bytes=65536, block_bytes=65536), HostLimits()

    def rate(blocks: int, queue: int) -> float:
        stream = msgspec.structs.replace(shape, block_bytes=65536 * blocks)
        return sequential_rate(stream, 2e9, False, None, host, queue).value / 2e9

    assert rate(1, 1) == pytest.approx(1, rel=0.07) and rate(2, 1) == pytest.approx(1.62, rel=0.01)
    assert rate(1, 2) == pytest.approx(2, rel=0.07) and rate(1, 64) == pytest.approx(4, rel=0.05)
    assert sequential_rate(shape, 2e9, False, None, host).value == 8e9  # any queue
    one = sequential_rate(shape, 2e9, False, None, host, 1)
    assert one.limit is Limit.QUEUE and sequential_rate(shape, 2e9, False, None, host, 64).limit is Limit.DISKS
    separate = RequestShape("jbod", 4, block_bytes=65536)
    assert sequential_rate(separate, 2e9, False, None, host, 4).value == pytest.approx(8e9)


def test_a_stream_of_small_requests_is_held_by_its_processes() -> None:
    small = RequestShape("0", 4, chunk_bytes=65536)
    found = sequential_rate(small, 3.39e9, False, None, HostLimits(processes=4), 1024)
    assert found.limit is Limit.CPU and found.value == pytest.approx(4 * 4096 / 4.6e-6, rel=0.02)


def test_stripes_of_flash_are_held_by_mds_thread_and_those_of_hdds_are_not() -> None:
    flash = predict("6", 24, 3e9, 250e3, flash=True)
    assert flash.seq_write_bytes_per_s == pytest.approx(9.9e9, rel=0.01)
    assert flash.limited_by["seq_write_mbps"] is Limit.MD_THREAD and Limit.MD_THREAD in flash.assumed_limits
    assert predict("6", 6, 180e6, 150).seq_write_bytes_per_s == 720e6


def test_raidz_reads_small_blocks_as_one_disk_and_btrfs_has_no_model() -> None:
    said = predict("zfs-raidz1", 4, 500e6, 90e3, flash=True)
    assert (said.rand_read_iops, said.rand_write_iops, said.seq_read_bytes_per_s) == (90e3, 90e3, 1.5e9)
    assert set(said.confidence.values()) == {Confidence.UPPER}
    with pytest.raises(ValueError, match="no model of btrfs"):
        predict("btrfs-raid1", 2, 500e6, 90e3)


@pytest.mark.parametrize(
    "key, flash, layout, confirmed",
    [
        ("0", True, None, "seq_read_mbps seq_write_mbps rand_read_iops rand_write_iops"),
        ("5", False, None, "seq_read_mbps seq_write_mbps rand_read_iops rand_write_iops"),
        ("5", True, None, "seq_read_mbps rand_read_iops rand_write_iops"),  # stripes by md's thread: 0.2 to 1.5
        ("10", False, "f2", "seq_write_mbps rand_read_iops rand_write_iops"),  # reads elsewhere 0.7 of it
        ("1", True, None, "seq_write_mbps rand_read_iops rand_write_iops"),  # one reader: 1 to n times, by the kernel
    ],
)
def test_what_was_measured_elsewhere(key: str, flash: bool, layout: str | None, confirmed: str) -> None:
    said = predict(key, 4, 500e6 if flash else 200e6, 90e3 if flash else 150, layout, flash=flash)
    found = [name for name, value in said.confidence.items() if value is Confidence.CONFIRMED]
    assert " ".join(found) == confirmed


def test_a_request_of_many_chunks_at_a_time_is_an_upper_limit() -> None:
    shape = RequestShape("0", 4, chunk_bytes=65536, block_bytes=262144)
    alone = msgspec.structs.replace(shape, block_bytes=65536)
    found = [confidence(Asked(one, True, False, Limit.QUEUE)) for one in (shape, alone)]
    assert found == [Confidence.UPPER, Confidence.CONFIRMED]


def test_several_threads_and_assumed_processors_confirm_nothing() -> None:
    several = predict("5", 8, 7e9, 1e6, flash=True, host=HostLimits(parity_threads=4))
    assert several.confidence["rand_write_iops"] is Confidence.UPPER
    one_process = predict("0", 4, 7e9, 1e6, queue_depth=32, flash=True)
    assert one_process.confidence["rand_read_iops"] is Confidence.UPPER


def test_a_full_queue_comes_from_as_many_processes_as_it_takes() -> None:
    assert predict("0", 8, S, 1e6, flash=True).rand_read_iops == 8e6


@pytest.mark.parametrize(
    "key, layout, figures",
    [
        # of 200 MB/s, in blocks of 4096: reads pass once, writes as many times as they are stored, and are read before
        ("0", None, (200, 200, 200e6 / 4096, 200e6 / 4096)),
        ("5", None, (200, 200 * 3 / 4, 200e6 / 4096, 200e6 / 8192)),
        ("10", "n2", (200, 100, 200e6 / 4096, 200e6 / 8192)),
    ],
)
def test_the_narrowest_link_carries_copies_and_parity_too(
    key: str, layout: str | None, figures: tuple[float, ...]
) -> None:
    said = predict(
        key, 4, 1000 * MB, 1e6, layout, flash=True, link_bytes_per_s=200e6, host=HostLimits(parity_threads=99)
    )
    mbps = (said.seq_read_bytes_per_s / MB, said.seq_write_bytes_per_s / MB)
    assert (*mbps, said.rand_read_iops, said.rand_write_iops) == pytest.approx(figures)
    assert set(said.limited_by.values()) == {Limit.LINK}


def test_writes_may_be_slower_than_reads() -> None:
    curves = DiskCurves(parse_curve("1:100,32:300"), parse_curve("1:50,32:150"), CurveSource.AS_GIVEN)
    said = predict("5", 6, S, curves, read_share=0.5)
    # a write is two reads and two writes: six reads' time
    assert said.rand_read_iops == 1800 and said.rand_write_iops == pytest.approx(300)
    assert said.rand_mixed_iops == pytest.approx(6 * 300 / (0.5 + 0.5 * 6))
    assert predict("5", 6, S, curves, queue_depth=1, flash=True).rand_write_iops == pytest.approx(1 / (0.01 + 0.02))


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"key": "6", "disks": 3}, "RAID 6 needs 4 disks; choose 1 more."),
        ({"queue_depth": 0}, "A queue depth of 0 does nothing"),
        ({"read_share": 70}, "A read share of 70 is not possible: give 0"),
        ({"iops": -1.0}, "are numbers from 0 on"),
        ({"bytes_per_s": float("nan")}, "are numbers from 0 on"),
        ({"bytes_per_s": float("inf")}, "are numbers from 0 on"),
        ({"link_bytes_per_s": 0}, "A link of 0 bytes/s carries nothing"),
    ],
)
def test_impossible_inputs_are_answered_with_one_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        predict(**({"key": "5", "disks": 3, "bytes_per_s": S, "iops": X} | arguments))


@pytest.mark.parametrize(
    "block, chunk, offset, share",
    [
        (8192, 65536, 63 * 512, 0.125),
        (8192, 131072, 63 * 512, 0.0625),
        (8192, 8192, 63 * 512, 1.0),
        (8192, 65536, 128 * 512, 0.0),
        (8192, 4096, 0, 1.0),
        (4096, 65536, 0, 0.0),
    ],
)
def test_which_share_of_transfers_is_split(block: int, chunk: int, offset: int, share: float) -> None:
    assert split_share(block, chunk, offset) == share


def test_the_penalty_stands_alone_too() -> None:
    assert write_penalty("10", 4, "n3") == 3
