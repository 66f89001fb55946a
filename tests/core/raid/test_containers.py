"""LUKS between an array and its file system: where its data begin, what it holds, what cryptsetup tells of it."""

import json

import pytest

from raidtui.core.raid import containers
from raidtui.core.units import KIB, MIB

# As cryptsetup 2.6.1 told it of a container of ours, cut to what is read.
TOLD = json.dumps({
    "keyslots": {"0": {"type": "luks2", "key_size": 64}},
    "segments": {"0": {"type": "crypt", "offset": "16908288", "size": "dynamic", "sector_size": 512}},
})  # fmt: skip


@pytest.mark.parametrize("align, start", [(MIB, 16 * MIB), (192 * KIB, 86 * 192 * KIB), (48 * MIB, 48 * MIB)])
def test_the_data_begin_behind_the_header_at_a_whole_stripe(align: int, start: int) -> None:
    assert containers.start_bytes(align) == start and start % align == 0 and start >= containers.HEADER_BYTES
    assert containers.room_bytes(start + 8192 + 512, align) == 8192  # whole sectors of the largest kind
    assert containers.room_bytes(start - 1, align) == 0


def test_cryptsetup_is_told_what_is_known_and_nothing_that_answers_for_a_person() -> None:
    argv = containers.format_argv("/dev/md127", "00112233-4455-6677-8899-aabbccddeeff", 192 * KIB)
    assert argv[argv.index("--offset") + 1] == str(86 * 192 * 2) and "--verify-passphrase" in argv
    assert not {"--batch-mode", "-q", "--key-file", "-d"} & {*argv, *containers.open_argv("/dev/md127", "x")}


def test_an_open_one_is_known_by_header_and_name() -> None:
    uuid = containers.mapping_uuid("00112233-4455-6677-8899-aabbccddeeff", "luks-x")
    assert uuid == "CRYPT-LUKS2-00112233445566778899aabbccddeeff-luks-x"


def test_what_cryptsetup_tells() -> None:
    assert containers.parse_query(TOLD) == containers.LuksHeader(start_bytes=86 * 192 * KIB, keys=1)


@pytest.mark.parametrize(
    "told", ["", "[]", "{}", '{"segments": {}, "keyslots": {}}', '{"segments": {"0": {"offset": "x"}}, "keyslots": {}}']
)
def test_what_cannot_be_read_is_said(told: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        containers.parse_query(told)
