"""How a tree becomes a file again: JSON with all that JSON can say, lines of it, TOML, udev's database, samples.

What a form cannot say (no null in TOML, no negative counter in a record) is left out or bent into it.
"""

import json
import math
import struct
from typing import Any

import tomli_w


def as_json(tree: Any) -> bytes:
    """NaN and Infinity as Python and fio write them, lone surrogates as escapes, a doubled key twice."""
    return json.dumps(tree).encode()


def as_lines(tree: Any) -> bytes:
    """A line each, as a journal."""
    rows = tree if isinstance(tree, list) else [tree]
    return b"".join(as_json(row) + b"\n" for row in rows)


def as_toml(tree: Any) -> bytes:
    said = _without_null(tree)
    return tomli_w.dumps(said if isinstance(said, dict) else {"x": said}).encode(errors="surrogatepass")


def _without_null(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _without_null(value) for key, value in tree.items() if value is not None}
    if isinstance(tree, list):
        return [_without_null(value) for value in tree if value is not None]
    return tree


def as_udevadm(tree: Any) -> bytes:
    """Records as `of_udevadm` reads them."""
    lines = []
    for record in tree if isinstance(tree, list) else [tree]:
        for key, values in record.items() if isinstance(record, dict) else [("E", record)]:
            if isinstance(values, dict):
                lines += [f"{key}: {name}={value}" for name, value in values.items()]
            else:
                lines += [f"{key}: {value}" for value in (values if isinstance(values, list) else [values])]
        lines.append("")
    return "\n".join(lines).encode(errors="surrogatepass")


def of_udevadm(text: str) -> list[dict[str, Any]]:
    """A record a paragraph: its properties by name, its other lines as lists."""
    records = []
    for paragraph in text.split("\n\n"):
        record: dict[str, Any] = {}
        for line in filter(None, paragraph.split("\n")):
            kind, _, said = line.partition(": ")
            if kind == "E":
                key, _, value = said.partition("=")
                record.setdefault(kind, {})[key] = value
            else:
                record.setdefault(kind, []).append(said)
        records.append(record)
    return records


def as_samples(tree: Any) -> bytes:
    """The header, and records of as many numbers as they say."""
    if not isinstance(tree, dict):
        return as_json(tree) + b"\n"
    records = tree.get("records")
    numbers = [
        _counter(number)
        for record in (records if isinstance(records, list) else [])
        for number in (record if isinstance(record, list) else [record])
    ]
    return as_json(tree.get("header")) + b"\n" + struct.pack(f"<{len(numbers)}Q", *numbers)


def of_samples(data: bytes, most: int) -> dict[str, Any]:
    """The newest `most` records."""
    line, _, rest = data.partition(b"\n")
    header = json.loads(line)
    width = 2 + 5 * len(header["slots"])
    count = len(rest) // (8 * width)
    numbers = struct.unpack(f"<{count * width}Q", rest[: count * width * 8])
    records = [list(numbers[at : at + width]) for at in range(0, len(numbers), width)]
    return {"header": header, "records": records[-most:]}


def _counter(value: Any) -> int:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return int(value) % 2**64
