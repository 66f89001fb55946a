"""Broken input made from good input, the same for the same number: what disks, links and editors do to files.

Knows bytes and tokens, no format: numbers, strings and `"key": value` pairs are found by their looks, so that JSON,
TOML and a tool's plain words are broken by the same means.
"""

import random
import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(rb"-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b")
_STRING = re.compile(rb'"(?:[^"\\\n]|\\.)*"')
_VALUE = re.compile(rb'(?<=[:=] )(?:"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)')
_PAIR = re.compile(rb'(?m)^[ \t]*(?:"[^"\n]*"\s*:|[\w.-]+ *=|[ES]:)[^\n]*\n|"[^"\n{}\[\]]*":\s*(?:"[^"\n]*"|[\w.+-]+),')

NUMBERS = (
    *(b"0", b"-0", b"-1", b"-0.0001", b"1", b"7", b"0.5", b"1e308", b"1e400", b"-1e400", b"1E-400", b"4294967296"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"9" * 400, b"9" * 5000),
    *(b"NaN", b"Infinity", b"-Infinity", b"nan", b"-nan", b"inf", b"0x10", b"1_000", b"00012", b"+5", b"1.", b".5"),
)
WRONG = (
    *(
        b"null",
        b"true",
        b"false",
        b"[]",
        b"{}",
        b'""',
        b'"x"',
        b"[1, 2]",
        b'{"a": 1}',
        b'"12"',
        b'"NaN"',
        b"1979-05-27",
    ),
    *(b'"' + b"A" * 4096 + b'"', b'"\\u0000"', b'"\\ud800"', b'"\\u202e"', b'"[/] :cd:"', b'"\\u001b[2J"', b"'lone"),
)
RUBBISH = (
    *(b"\x00", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\x1b[31m", b"\x0c"),
    *(b"\r", b"\xef\xbb\xbf", b"\n", b"\n\n", b"{", b"}", b"]", b'"', b"\\", b",", b": ", b"#", b"[[", b"\x85"),
    b"\xf4\x90\x80\x80",
)
_DEPTHS = (50, 900, 3000, 100_000)


def mutated(name: str, seeds: Sequence[bytes], number: int) -> bytes:
    """The broken input of this number: one of `seeds`, changed once to four times."""
    chance = random.Random(f"{name}/{number}")
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_WAYS)(data, chance, seeds)
    return data


def _flip(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 8))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return data[: chance.randint(0, len(data))]


def _begin_late(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return data[chance.randint(0, len(data)) :]


def _slice(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((1, 3, 20, 300)))


def _drop(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    start, end = _slice(data, chance)
    return data[:start] + data[end:]


def _double(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    start, end = _slice(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 40)) + data[end:]


def _join(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return data + chance.choice((b"", b"\n", b",", b"\x00")) + chance.choice(seeds)


def _insert(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(RUBBISH) + data[at:]


def _in_a_string(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return _put(data, chance, _STRING, lambda found: found[:1] + chance.choice(RUBBISH) + found[1:])


def _number(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return _put(data, chance, _NUMBER, lambda _: chance.choice(NUMBERS))


def _wrong(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return _put(data, chance, _VALUE, lambda _: chance.choice(WRONG + NUMBERS))


def _rename(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One string gets the words of another: keys and values change places, keys become doubled."""
    others = _STRING.findall(data)
    return _put(data, chance, _STRING, lambda found: chance.choice(others))


def _double_key(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    return _put(
        data, chance, _PAIR, lambda found: found + _put(found, chance, _NUMBER, lambda _: chance.choice(NUMBERS))
    )


def _deep(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    depth = chance.choice(_DEPTHS)
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
    nest = opening * depth + b"1" + closing * chance.choice((depth, 0))
    return _put(data, chance, chance.choice((_VALUE, _NUMBER)), lambda _: nest)


def _put(data: bytes, chance: random.Random, what: re.Pattern[bytes], new: Callable[[bytes], bytes]) -> bytes:
    """One of the places where `what` is found, changed; `data` itself where there is none."""
    places = [match.span() for match in what.finditer(data)]
    if not places:
        return data
    start, end = chance.choice(places)
    return data[:start] + new(data[start:end]) + data[end:]


_WAYS = (
    *(_flip, _cut, _begin_late, _drop, _double, _join, _insert, _in_a_string),
    *(_number, _number, _number, _wrong, _wrong, _rename, _double_key, _deep),
)
