"""The digest is SHA-256, wherever this Python has it from."""

import hashlib

from raidtui.core.digest import sha256


def test_it_is_the_digest_that_codes_and_locks_were_made_with() -> None:
    text = b"\0" * 200
    assert sha256(text).hexdigest() == hashlib.sha256(text).hexdigest()
    assert sha256(b"abc").hexdigest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
