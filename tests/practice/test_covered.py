"""What the jail covers, and what it shows all the same."""

from pathlib import Path

import pytest

from raidtui.practice.warden import covered, folders_shown

PASSWD = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
postgres:x:112:118::/var/lib/postgresql:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
ann:x:1000:1000:Ann:/home/ann:/bin/bash
bob:x:1001:1001:Bob:/srv/people/bob:/bin/bash
lab:x:1002:1002::/:/bin/sh
web:x:1003:1003::/var:/bin/sh
odd:x:1004:1004::/usr/local/odd:/bin/sh
not a line
"""
USUAL = ["/home", "/root", "/run", "/tmp", "/var/tmp"]


@pytest.mark.parametrize(
    "passwd, own_home, places",
    [
        ("", "/root", USUAL),
        (PASSWD, "/root", ["/home", "/home/ann", "/root", "/run", "/srv/people/bob", "/tmp", "/var/tmp"]),
        ("", "/data/ann", ["/data/ann", *USUAL]),
        ("", "/", USUAL),
        ("", "/usr/share/empty", USUAL),
    ],
)
def test_homes_and_what_services_share_are_covered(passwd: str, own_home: str, places: list[str]) -> None:
    assert covered(passwd, Path(own_home)) == [Path(place) for place in places]


@pytest.mark.parametrize(
    "needed, seen",
    [
        (["/home/ann/raidtui", "/home/ann/raidtui/.venv", "/usr"], ["/home/ann/raidtui", "/usr"]),
        (["/home/ann", "/usr"], ["/usr"]),
        (["/home", "/tmp", "/", "/var", "/srv"], ["/srv"]),
    ],
)
def test_a_covered_place_is_never_laid_open_as_a_whole(needed: list[str], seen: list[str]) -> None:
    places = [Path(place) for place in (*USUAL, "/home/ann")]
    assert folders_shown([Path(folder) for folder in needed], places) == [Path(one) for one in seen]
