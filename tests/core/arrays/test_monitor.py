"""Whether anybody is told when a disk fails, in a sentence, and what to do about it."""

import pytest

from raidtui.core.arrays.monitor import Monitor, moves_spares, next_check, remedy, sentence, words

NAMED = "add the line `MAILADDR you@example.org`, with your address, to mdadm.conf (in /etc/mdadm or /etc)"


@pytest.mark.parametrize(
    "monitor, said, todo",
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


@pytest.mark.parametrize(
    "checks, day",
    [
        ((), ""),
        (("/etc/cron.d/mdadm",), "2026-12-06"),  # the first Sunday of December
        (("/etc/systemd/system/timers.target.wants/mdcheck_start.timer",), "2026-12-06"),
        (("/etc/cron.d/raid-check",), "2026-11-15"),
        (("/etc/cron.d/mdadm", "/etc/systemd/system/timers.target.wants/raid-check.timer"), "2026-11-15"),
        (("/etc/cron.d/other",), ""),
    ],
)
def test_the_next_check_is_the_earliest_of_all_schedules(checks: tuple[str, ...], day: str) -> None:
    """On Sunday, 8 November 2026."""
    told = next_check(Monitor(running=True, checks=checks), 1794135600.0)
    assert (day in told) if day else told == ""


@pytest.mark.parametrize(
    "monitor, moves",
    [
        (Monitor(), True),
        (Monitor(running=True), True),
        (Monitor(running=True, older=True), False),
        (Monitor(running=False), False),
    ],
)
def test_spares_move_while_a_monitor_runs_that_knows_of_them(monitor: Monitor, moves: bool) -> None:
    assert moves_spares(monitor) is moves
