"""Broken input, ten thousand times: every parser answers, or refuses in one sentence of its own class.

`RAIDTUI_MUTATIONS=10000` says how many for each parser. What once failed stands in KNOWN.
"""

import os
from collections.abc import Iterator

import pytest

from tests.broken.mutate import mutated
from tests.broken.outcomes import outcome, patient
from tests.broken.parsers import BY_NAME, PARSERS, Parser, seed_answers, seed_plan, seed_sas, seed_trial_ended
from tests.seeds import cases

COUNT = int(os.environ.get("RAIDTUI_MUTATIONS", cases(50, few=10, many=1000)))
DEEP = b"[" * 100_000
RECIPE = b"""\
title = "x"
[[job]]
name = "a"
[job.fio]
rw = "read"
"""
# What once ended in a traceback, a wrong figure or an endless wait, cut to what did it.
KNOWN = (
    ("plan", b"\xff\xfe", "refused"),
    ("plan", b'{"schema": ' + DEEP, "refused"),
    ("plan", b'{"schema": "' + b"A" * 4096 + b'"}', "refused"),
    *(
        ("plan", seed_plan().replace(*change), "refused")
        for change in (
            (b'"member": 0', b'"member": 18446744073709551615'),
            (b'"level": "5",\n        "layout"', b'"level": "55",\n        "layout"'),
            (b'"estimate_s": ', b'"estimate_s": -'),
            (b'"size_bytes": ', b'"size_bytes": ' + b"9" * 400),
            (b"{member:0}", b"{member:3}"),
            (b'"trial": "member0', b'"trial": "none'),
        )
    ),
    *(
        ("journal", seed_trial_ended().replace(b'"bytes_per_s":', b'"bytes_per_s":' + figure), "read")
        for figure in (b'1e308,"x":', b'-1e300,"x":', b"9" * 400 + b',"x":')
    ),
    ("journal", b'{"event": ' + DEEP + b"\n", "read"),
    ("samples", b'{"slots": ' + DEEP + b"\n", "read"),
    ("answers", b"disks = " + DEEP, "refused"),
    ("answers", b"repeat = " + b"9" * 5000, "refused"),
    *(
        ("answers", seed_answers().replace(*change), outcome_)
        for change, outcome_ in (
            ((b"repeat = 2", b"repeat = 9223372036854775807"), "refused"),
            ((b'["wwn-', '["\u202ewwn-'.encode()), "refused"),
            ((b"ramp_time = 1.5", b"ramp_time = 1979-05-27"), "refused"),
            ((b"ramp_time = 1.5", b"ramp_time = nan"), "read"),  # and refused by the plan
            ((b'size = "50%"', b'size = "' + b"9" * 400 + b'%"'), "read"),
            ((b'bs = "1m"', b'bs = "' + b"9" * 400 + b'm"'), "read"),
            ((b'after  = "teardown"', b'after = "' + b"A" * 4096 + b'"'), "refused"),
        )
    ),
    ("recipes", RECIPE + b"size = inf\n", "refused"),
    ("recipes", RECIPE + b'[published]\n"single.a.iops" = nan\n', "refused"),
    ("machine in-use.json", b'{"devices": [{"name": "sda", "read": true, "signatures": []}]}', "read"),
    ("machine in-use.json", b'{"devices": [{"name": "sda' + b"9" * 5000 + b'"}]}', "read"),
    ("geometry of ext4", b"Block size: 0\n", "refused"),
    ("geometry of ext4", b"Block size: " + b"9" * 5000 + b"\n", "refused"),
    (
        "smartctl",
        seed_sas().replace(b'"invalid_dword_count": 3', b'"invalid_dword_count": ' + b"%d" % (2**63 - 1)),
        "read",
    ),
    ("sizes", b"A" * 4096, "refused"),
    ("fio's sizes", b"9" * 400, "read"),
    ("fio's times", b"9" * 400 + b"d", "read"),
)


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    with patient():
        yield


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_what_is_whole_is_read(parser: Parser) -> None:
    assert {outcome(parser, seed) for seed in parser.seeds} == {"read"}


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_what_is_broken_is_read_or_refused(parser: Parser) -> None:
    failed: dict[int, str] = {}
    for number in range(COUNT):
        try:
            outcome(parser, mutated(parser.name, parser.seeds, number))
        except Exception as error:
            failed[number] = f"{type(error).__name__}: {str(error)[:160]}"
    assert not failed, f"{len(failed)} of {COUNT}: {dict(list(failed.items())[:12])}"


@pytest.mark.parametrize("name, data, expected", KNOWN, ids=lambda value: str(value)[:30])
def test_what_once_failed(name: str, data: bytes, expected: str) -> None:
    assert outcome(BY_NAME[name], data) == expected


def test_the_same_number_is_the_same_input() -> None:
    assert mutated("x", (b"a = 1\n",), 7) == mutated("x", (b"a = 1\n",), 7)
    assert len({mutated("x", (b"a = 1\n" * 9,), number) for number in range(50)}) > 40
