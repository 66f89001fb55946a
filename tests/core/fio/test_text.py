"""What fio prints, and how it writes sizes, times and names."""

import pytest

from raidtui.core.fio import text as fio_text
from raidtui.core.fio.result import parse
from tests.builders.fio import TEXTS, one


def test_words_around_the_document_do_not_matter_but_are_kept() -> None:
    assert one("capped-depth.txt").warnings[0].startswith("note: both iodepth >= 1")
    assert parse("fio: warning {x}\n" + TEXTS["seq-read.json"] + "fio: end\n", "x")[0].read == one("seq-read.json").read


def test_a_result_that_begins_within_a_line_of_what_a_job_found_wrong_is_read() -> None:
    """As fio 3.33 printed it when one of its jobs was in the middle of such a line."""
    torn = "pattern: verify failed at file /dev/sdg offset 50331648, "
    measurement = parse(torn + TEXTS["seq-read.json"], "x")[0]
    assert measurement.read == one("seq-read.json").read and measurement.status == "ok"


@pytest.mark.parametrize(
    "text, kb_base, size_bytes",
    [
        ("4k", "1024", 4096), ("4K", "1024", 4096), ("4kb", "1024", 4096), ("4kib", "1024", 4000), ("4k", "1000", 4000),
        ("4kib", "1000", 4096), ("100GB", "1024", 100 * 2**30), ("512", "1024", 512), ("512b", "1024", 512),
        ("50%", "1024", None), ("", "1024", None), ("1.5m", "1024", 1572864),
    ],
)  # fmt: skip
def test_sizes_as_fio_reads_them(text: str, kb_base: str, size_bytes: int | None) -> None:
    assert fio_text.parse_bytes(text, kb_base) == size_bytes


@pytest.mark.parametrize("text, seconds", [("60", 60), ("600s", 600), ("10m", 600), ("500ms", 0.5), ("x", None)])
def test_times_as_fio_reads_them(text: str, seconds: float | None) -> None:
    assert fio_text.parse_seconds(text) == seconds


def test_a_colon_of_a_name_stands_behind_a_backslash() -> None:
    by_path = r"/dev/disk/by-path/pci-0000\:00\:1f.2"
    assert fio_text.split_filenames(f"/dev/sda:{by_path}") == ("/dev/sda", "/dev/disk/by-path/pci-0000:00:1f.2")
