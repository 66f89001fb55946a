"""What nvme-cli says of a controller's write cache, in the words of its versions: read, or refused with a sentence."""

import json

import pytest

from raidtui.core.hardware import nvme


@pytest.mark.parametrize(
    "vwc, has", [(1, True), (7, True), (0, False), (6, False), ("7", True), ("0x7", True), ("0", False)]
)
def test_a_controller_says_whether_it_has_a_write_cache(vwc: int | str, has: bool) -> None:
    """Bit 0; the two above it are about flushes of several namespaces. Some versions write numbers as texts."""
    assert nvme.has_write_cache(json.dumps({"vid": 6987, "mn": "QEMU NVMe Ctrl", "vwc": vwc, "nn": 256})) is has


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"vwc": null}', '{"vwc": true}', '{"vwc": "yes"}', '{"vwc": -1}']
)
def test_what_does_not_tell_is_no_answer(text: str) -> None:
    with pytest.raises(ValueError, match="nvme id-ctrl"):
        nvme.has_write_cache(text)


@pytest.mark.parametrize(
    "text, told",
    [
        ("get-feature:0x6 (Volatile Write Cache), Current value:0x000001\n", nvme.ON),
        ("get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n", nvme.ON),
        ("get-feature:0x06 (Volatile Write Cache), Current value:00000000\n", nvme.OFF),
        ("get-feature:0x06 (Volatile Write Cache), Current value: 0x00000000\n", nvme.OFF),
    ],
)
def test_the_current_value_is_read_as_every_version_writes_it(text: str, told: str) -> None:
    assert nvme.write_cache(text) == told


@pytest.mark.parametrize(
    "text", ["", "NVMe status: Invalid Field in Command(0x2)", "Current value:", "Default value:0x1"]
)
def test_another_answer_tells_neither(text: str) -> None:
    with pytest.raises(ValueError, match="feature 6"):
        nvme.write_cache(text)


def test_a_controllers_namespaces_are_counted_as_it_lists_them() -> None:
    assert nvme.namespaces_listed("[   0]:0x1\n[   1]:0x2\n") == 2
    assert nvme.namespaces_listed("[   0]:0x1") == 1
    assert nvme.namespaces_listed("") == 0
