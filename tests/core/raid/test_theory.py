"""What the model expects, row by row of the table it comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.levels import LEVELS
from raidtui.core.raid.theory import predict, split_share, write_penalty
from raidtui.core.units import MB

S, X = 100 * MB, 200.0


@pytest.mark.parametrize(
    ("key", "disks", "layout", "read_mbps", "write_mbps"),
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
    said = predict(key, disks, S, X, layout).to_json()
    assert (said["seq_read_mbps"], said["seq_write_mbps"]) == (read_mbps, write_mbps)


@pytest.mark.parametrize(
    ("key", "disks", "layout", "measured_mbps"),
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
    ("key", "disks", "layout", "penalty", "write_iops"),
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
        ("4", 4, None, 4, 100),
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
    assert predict("4", 4, S, X, queue_depth=6).rand_read_iops == pytest.approx(600 * 6 / 8)


@pytest.mark.parametrize(("read_share", "iops"), [(0.7, 800 / (0.7 + 0.3 * 4)), (1, 800), (0, 200)])
def test_a_mix_lies_between_its_reads_and_its_writes(read_share: float, iops: float) -> None:
    assert predict("5", 4, S, X, read_share=read_share).rand_mixed_iops == pytest.approx(iops)


def test_raid4s_parity_disk_holds_a_mix_back_too() -> None:
    assert predict("4", 24, S, X, read_share=0.5).rand_mixed_iops == pytest.approx(200)


def test_no_share_of_reads_no_figure_for_a_mix() -> None:
    assert predict("5", 4, S, X).rand_mixed_iops is None


@pytest.mark.parametrize(
    ("queue_depth", "iops", "bound"), [(1, 200, True), (3, 400, True), (4, 3200 / 7, False), (64, 800 * 64 / 67, False)]
)
def test_a_short_queue_leaves_disks_idle(queue_depth: int, iops: float, bound: bool) -> None:
    said = predict("0", 4, S, X, queue_depth=queue_depth)
    assert said.rand_read_iops == pytest.approx(iops)
    assert said.upper_bound is bound


@given(st.integers(4, 24), st.integers(1, 1024), st.floats(0, 1), st.sampled_from([row.key for row in LEVELS]))
def test_no_figure_is_above_all_disks_together(disks: int, queue_depth: int, read_share: float, key: str) -> None:
    said = predict(key, disks, S, X, queue_depth=queue_depth, read_share=read_share)
    assert max(said.seq_read_bytes_per_s, said.seq_write_bytes_per_s) <= disks * S
    assert said.rand_mixed_iops is not None
    assert max(said.rand_read_iops, said.rand_write_iops, said.rand_mixed_iops) <= disks * X * (1 + 1e-9)


def test_the_json_is_that_of_the_command() -> None:
    assert predict("5", 3, 94 * MB, 120).to_json() == {
        "seq_read_mbps": 188,
        "seq_write_mbps": 188,
        "rand_read_iops": 360,
        "rand_write_iops": 120,
        "rand_mixed_iops": None,
        "write_penalty": 3,
        "upper_bound": False,
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"key": "6", "disks": 3}, "RAID 6 needs 4 disks; choose 1 more."),
        ({"queue_depth": 0}, "A queue depth of 0 does nothing"),
        ({"read_share": 70}, "A read share of 70 is not possible: give 0"),
        ({"iops": -1.0}, "cannot be negative"),
    ],
)
def test_impossible_inputs_are_answered_with_one_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        predict(**({"key": "5", "disks": 3, "bytes_per_s": S, "iops": X} | arguments))


@pytest.mark.parametrize(
    ("block", "chunk", "offset", "share"),
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
