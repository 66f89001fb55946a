"""fio's output: JSON documents between other lines, sizes and times in fio's notation. Contents are in `result`.

What fio prints of data that are not as written (verify.c).
"""

import errno
import json
import os
import re
from typing import Any

import msgspec

# NaN and Infinity are no measurements; some texts of fio's hold a tab as it is
_DECODER = json.JSONDecoder(parse_constant=lambda _: None, strict=False)
# Of a result also in the middle of a line: fio's threads print what they found wrong at the same time.
_START = re.compile(r'^[ \t]*(?=\{\s*")|(?=\{\s*"fio version")', re.MULTILINE)
# fio prints what printf makes of a division by zero; no JSON decoder takes it.
_NOT_A_NUMBER = re.compile(r'("\s*:\s*)-?(?:nan|inf)(?=\s*[,}\]])', re.IGNORECASE)
# Half of a pair alone is no character: no report could be written with it.
_SURROGATES = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SIZE = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)(?:([kmgtp])(i?)b?|b)?", re.IGNORECASE)
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(us|usec|ms|msec|s|m|h|d)?", re.IGNORECASE)
_SECONDS = {"us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


# What fio gives back where a block is not as it was written (EILSEQ), in the C library's words.
_NOT_AS_WRITTEN = os.strerror(errno.EILSEQ)


def with_plain_errors(printed: str) -> str:
    """ "verification failed" in place of the C library's text for EILSEQ."""
    return printed.replace(_NOT_AS_WRITTEN, "verification failed")


class Output(msgspec.Struct, frozen=True):
    """Complete documents, other lines, whether the last is cut. `fault`: invalid JSON and its place, or ""."""

    documents: tuple[dict[str, Any], ...]
    words: tuple[str, ...]
    cut: bool
    fault: str = ""


def read(text: str) -> Output:
    """Never raises; unknown text is in the words, or dropped."""
    text = _NOT_A_NUMBER.sub(r"\1null", text.lstrip("\ufeff"))
    if "\\u" in text:
        text = _SURROGATES.sub(lambda escape: escape[1] or "\\ufffd", text)
    documents: list[dict[str, Any]] = []
    plain = []
    position = 0
    cut, fault = False, ""
    while start := _START.search(text, position):
        try:
            document_part, document_end = _DECODER.raw_decode(text, start.end())
        except (ValueError, RecursionError) as error:
            # The brace of a torn document, or no JSON at all: only the first kind swallows the words behind it.
            if '"fio version"' in text[start.end() : start.end() + 200]:
                cut, fault = True, _fault(text, error)
            document_end = start.end() + 1
            plain.append(text[position:document_end])
        else:
            plain.append(text[position : start.start()])
            if any(isinstance(document_part.get(key), list) for key in ("jobs", "client_stats")):
                documents.append(document_part)
                cut, fault = False, ""
        position = document_end
    plain.append(text[position:])
    lines = (_CONTROL.sub(" ", line).strip() for line in "\n".join(plain).splitlines())
    words = dict.fromkeys(line for line in lines if line[:1].isalpha() or line.startswith("<"))
    return Output(tuple(documents), tuple(words), cut, fault)


_DECIMAL_COMMA = re.compile(r":\s*-?[0-9]+(,)[0-9]+\s*[,}\]]?\s*$")


def _fault(text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return ""
    start = text.rfind("\n", 0, error.pos) + 1
    line, number = text[start:].partition("\n")[0], text.count("\n", 0, error.pos) + 1
    if comma := _DECIMAL_COMMA.search(line):
        return f"line {number}, column {comma.start(1) + 1}: a decimal comma; run fio with LC_ALL=C"
    if error.msg.startswith("Invalid \\"):
        return f"line {number}, column {error.pos - start + 1}: a backslash that is not escaped; write it twice"
    return ""


def parse_bytes(text: str, kb_base: str = "1024") -> int | None:
    """4k, 4kb: 4096, 4ki: 4000, unless `kb_base` is 1000 (manual, "Units": reversed); None for 50% etc."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, prefix, binary = match.groups()
    base = 1024 if bool(binary) == (kb_base == "1000") else 1000
    return int(float(number) * base ** (" kmgtp".index(prefix.lower()) if prefix else 0))


def parse_seconds(text: str) -> float | None:
    """Default unit seconds: "60", "10m", "500ms"; None if neither."""
    match = _TIME.fullmatch(text.strip())
    return float(match[1]) * _SECONDS[(match[2] or "").lower()] if match else None


def split_filenames(text: str) -> tuple[str, ...]:
    """Separated by colons; backslash escapes one."""
    parts = re.split(r"(?<!\\):", text)
    return tuple(part.replace("\\:", ":") for part in parts if part)


_WRONG = re.compile(r" at file (.+?) offset (\d+)")  # a bad checksum, magic, header or pattern
_PATTERN = re.compile(r"verify failed at file .+? offset (\d+)")
_WITHIN = re.compile(r"bad pattern block offset (\d+)")


class WrongBlock(msgspec.Struct, frozen=True):
    """A request with another pattern than written, from byte `within` of it on."""

    offset_bytes: int
    within_bytes: int


def first_by_path(printed: str) -> dict[str, int]:
    """Path -> first place, in the order of printing."""
    first: dict[str, int] = {}
    for path, offset in _WRONG.findall(printed):
        first.setdefault(path, int(offset))
    return first


def blocks(printed: str) -> list[WrongBlock]:
    """Each once."""
    offsets = dict.fromkeys(map(int, _PATTERN.findall(printed)))
    within = [*map(int, _WITHIN.findall(printed)), *([0] * len(offsets))]
    return [WrongBlock(*block) for block in zip(offsets, within, strict=False)]
