"""Whether anybody is told when a disk fails, in a sentence, and what to do about it."""

import pytest

from raidtui.core.arrays.monitor import Monitor, remedy, sentence, words

NAMED = "add the line `MAILADDR you@example.org`, with your address, to mdadm.conf (in /etc/mdadm or /etc)"


@pytest.mark.parametrize(
    ("monitor", "said", "todo"),
    [
        (Monitor(), "", ""),
        (Monitor(running=False, mailaddr="root"), "nobody is told when a disk fails", "start it: "),
        (Monitor(running=False), "nobody is told", f"{NAMED}, then start it: "),
        (Monitor(running=True, mailaddr="root"), "runs; writes to root", ""),
        (Monitor(running=True), "names nobody", f"{NAMED}, then restart it: "),
        (
            Monitor(running=True, mailaddr="root", no_sendmail=True),
            "no mail program is there",
            "install a mail program",
        ),
        (Monitor(running=True, mailaddr="root", older=True), "before mdadm.conf was changed", "restart it: "),
    ],
)
def test_how_it_is_and_what_to_do(monitor: Monitor, said: str, todo: str) -> None:
    assert said in words(monitor) and bool(words(monitor)) == bool(said)
    assert remedy(monitor).startswith(todo) and bool(remedy(monitor)) == bool(todo)
    assert ("--oneshot --test` mails a test" in sentence(monitor)) == bool(said)
