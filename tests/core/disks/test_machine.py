"""A recording keeps every fact; device text is stripped of what a terminal would obey."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks.machine import BlockDevice, BootLine, Machine, Mount, Signature, decode, encode
from raidtui.core.text import clean
from tests.builders.machines import device, machine


@pytest.mark.parametrize(
    "said, kept",
    [
        ("ST4000NM0035-1V4 ", "ST4000NM0035-1V4"),
        ("  two  spaces inside ", "two  spaces inside"),
        ("\x1b[31mRED\x1b[0m", "[31mRED[0m"),
        ("nul\x00l", "null"),
        ("bell\x07 tab\t newline\n", "bell tab newline"),
        ("c1\x9b31m", "c131m"),
        ("abc\u202edcba\u2066x\u2069", "abcdcbax"),
        ("\u200fmark\u061c", "mark"),
        ("line\u2028break\u2029", "linebreak"),
        ("half\ud800", "half"),
        ("X[/]Y :cd: {0} %s", "X[/]Y :cd: {0} %s"),
        ("Größe 4 TB 磁盘", "Größe 4 TB 磁盘"),
        ("", ""),
    ],
)
def test_device_text_is_stripped_of_control_characters_only(said: str, kept: str) -> None:
    assert clean(said) == kept


@given(st.text())
def test_cleaned_text_is_printable_and_clean_already(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in once)
    once.encode()


def test_a_recording_is_the_machine() -> None:
    machine = Machine(
        host="server",
        root=True,
        devices=(
            BlockDevice(
                name="sda",
                devnum="8:0",
                attributes={"size": "2048"},
                signatures=(Signature(kind="ext4", label="home"),),
                read=True,
                unknown_blocks=0,
            ),
        ),
        mounts=(Mount(devnum="8:0", source="/dev/sda", mountpoint="/srv", fstype="ext4"),),
        not_read=("swaps",),
    )
    assert decode(encode(machine)) == machine


def test_a_recording_of_a_later_version_with_more_fields_is_read() -> None:
    document = msgspec.json.decode(encode(Machine(host="server")))
    document["colour"] = "green"
    assert decode(msgspec.json.encode(document)).host == "server"


def test_a_recording_of_a_later_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="schema 99"):
        decode(encode(Machine(schema=99)))


def test_an_edited_recording_brings_no_control_characters_in() -> None:
    assert decode(encode(Machine(host="\x1b[2Jserver"))).host == "[2Jserver"


@given(st.binary(max_size=200).filter(lambda data: b"".join(data.split()) != b"{}"))
def test_anything_else_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a recording|schema"):
        decode(data)


@pytest.mark.parametrize("text, size", [("8", 4096), ("", None), ("much", None), ("-8", None), ("9" * 40, None)])
def test_the_size_is_known_or_not(text: str, size: int | None) -> None:
    assert BlockDevice(name="sda", attributes={"size": text}).size_bytes == size


def test_a_recording_has_the_lines_and_an_older_one_has_none() -> None:
    line = BootLine(file="/etc/fstab", text="UUID=1 /boot ext4", source="UUID=1", place="/boot")
    seen = machine(device(), boot_lines=(line,))
    assert decode(encode(seen)) == seen
    older = encode(seen).replace(b'"boot_lines"', b'"other_lines"')
    assert decode(older).boot_lines == ()
