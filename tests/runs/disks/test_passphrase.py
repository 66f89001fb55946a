"""What a person does for a run: cryptsetup is started where the run waits for it, and the array is the run's own."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.core.plan import model
from raidtui.core.plan.answers import Setup
from raidtui.core.run import events, progress
from raidtui.runs import directory, locks
from raidtui.runs.directory import NotDone
from raidtui.runs.disks import passphrase
from raidtui.runs.host import Host
from raidtui.system import block
from tests.builders.every_plan import of
from tests.runs.disks.luks import WithLuks


class Person:
    """At a terminal: what is started there, and what comes of it. `moves`: what the worker does then, one a look."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.run = tmp_path / "run"
        self.run.mkdir()
        self.rig = WithLuks(self.run)
        self.rig.mapped, self.rig.headers = {}, ()
        (self.run / directory.PLAN).write_bytes(model.encode(self.rig.drawn))
        self.started: list[tuple[str, ...]] = []
        self.told: list[str] = []
        self.moves: list[Callable[[], None]] = []
        self.does: Callable[[], int] = lambda: 0
        self.locks = tmp_path / "locks"
        monkeypatch.setattr(locks, "PATIENCE_S", 0.0)
        self.person_at = partial(locks.person_at, folder=self.locks)
        monkeypatch.setattr(locks, "person_at", self.person_at)
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: self.moves.pop(0)())
        monkeypatch.setattr(passphrase, "time", clock)
        self.has_worker(block.start_ticks(os.getpid()) or 0)

    def has_worker(self, start_ticks: int) -> None:
        started = events.WorkerStarted(
            at_s=1.0,
            schema=events.SCHEMA,
            run="run",
            boot_id=block.boot_id(),
            pid=os.getpid(),
            start_ticks=start_ticks,
            tools={},
            resolved={},
        )
        self.rig.journal.add(started)

    def waits(self, role: str) -> None:
        step = events.StepStarted(at_s=2.0, stage=len(self.rig.plan.stages) - 1, what="", line="", role=role)
        self.rig.journal.add(step)

    def ends(self) -> None:
        self.rig.journal.add(events.StepEnded(at_s=3.0, what=""))

    def comes(self) -> None:
        def terminal(argv: Sequence[str], is_wanted: Callable[[], bool]) -> int:
            assert is_wanted() and locks.is_person_at(self.run, self.locks)
            self.started.append(tuple(argv))
            return self.does()

        passphrase.carry_out(self.run, self.rig, terminal, self.told.append)

    def is_refused(self) -> str:
        with pytest.raises(NotDone) as refused:
            self.comes()
        assert refused.value.refused and not self.started
        return str(refused.value)


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(tmp_path, monkeypatch)


def test_it_makes_and_opens_what_the_run_waits_for(person: Person) -> None:
    layer = person.rig.layer

    def done() -> int:
        person.rig.headers = (person.rig.header(),)
        person.rig.mapped = {layer.group: "dm-0"} if len(person.started) == 2 else {}
        return 0

    person.does = done
    person.moves = [
        person.ends,
        partial(person.waits, "unlock"),
        person.ends,
        partial(person.waits, "container-aligned"),
    ]
    person.waits("encrypt")
    person.comes()
    assert [argv[:2] for argv in person.started] == [("cryptsetup", "luksFormat"), ("cryptsetup", "open")]
    assert person.told == [progress.MANUAL_STEP_NOTES["encrypt"], progress.MANUAL_STEP_NOTES["unlock"]]
    assert person.started[0][-1] == "/dev/md127" and person.started[0][5] == layer.uuid
    assert person.started[1][-2:] == ("/dev/md127", layer.group) and not person.moves


def test_the_array_is_locked_while_the_person_types(person: Person) -> None:
    locked = list[str]()

    @contextmanager
    def lock_nodes(paths: Sequence[str]) -> Iterator[None]:
        locked.extend(paths)
        yield
        locked.clear()

    def done() -> int:
        assert locked == ["/dev/md127"]
        person.rig.headers = (person.rig.header(),)
        return 0

    person.rig.lock_nodes, person.does = lock_nodes, done  # type: ignore[method-assign]
    person.moves = [person.ends, partial(person.waits, "container-aligned")]
    person.waits("encrypt")
    person.comes()
    assert len(person.started) == 1 and not locked


@pytest.mark.parametrize("role", ["", "mkfs"])
def test_a_run_that_waits_for_nobody_is_not_touched(person: Person, role: str) -> None:
    if role:
        person.waits(role)
    with pytest.raises(ValueError, match="not waiting for a passphrase"):
        person.comes()
    person.waits("encrypt")
    person.ends()
    person.rig.journal.add(events.RunEnded(at_s=4.0, outcome="stopped"))
    with pytest.raises(ValueError, match="not waiting for a passphrase"):
        person.comes()
    assert not person.started


def test_a_plan_of_another_machine_is_refused(person: Person) -> None:
    person.waits("encrypt")
    person.rig.identity = "another"
    assert "on another machine" in person.is_refused()


def test_the_array_has_to_be_the_runs_and_nobodys_else(person: Person) -> None:
    person.waits("encrypt")
    person.rig.in_use = lambda: {"/dev/md127": "mounted at /srv"}
    assert "is in use: mounted at /srv" in person.is_refused()
    person.rig.in_use = dict
    person.rig.without(0)
    person.rig.stands_on = ("sda", "sdb", "sdc")
    person.rig.slaves = lambda array: ("sdb", "sdc", "sdx")  # type: ignore[method-assign]
    assert "is on sdx, which this run's plan does not name" in person.is_refused()
    person.rig.array = None
    assert "not there any more" in person.is_refused()


@pytest.mark.parametrize(
    "holds, says",
    [
        (None, "cannot be read"),
        ((Signature(kind="ext4", uuid="theirs"),), "holds ext4 theirs, which this run did not make"),
        ((Signature(kind="crypto_LUKS", uuid="theirs"),), "holds crypto_LUKS theirs"),
    ],
)
def test_only_a_blank_array_is_formatted(person: Person, holds: tuple[Signature, ...] | None, says: str) -> None:
    person.waits("encrypt")
    person.rig.headers = holds
    assert says in person.is_refused()


@pytest.mark.parametrize("role", ["encrypt", "unlock"])
def test_what_lies_on_the_array_already_is_left_alone(person: Person, role: str) -> None:
    person.waits(role)
    person.rig.headers = (person.rig.header(),) if role == "unlock" else ()
    person.rig.mapped = {"theirs": "dm-1"}
    assert "is under theirs, which this run did not make" in person.is_refused()


def test_a_header_with_a_passphrase_is_never_made_a_second_time(person: Person) -> None:
    person.waits("encrypt")
    person.rig.headers, person.rig.keys = (person.rig.header(),), 1  # it was made while nobody looked
    person.moves = [person.ends, partial(person.waits, "mkfs")]
    person.comes()
    assert not person.started


def test_a_header_that_was_cut_off_before_it_had_one_is_made_again(person: Person) -> None:
    person.waits("encrypt")
    person.rig.headers, person.rig.keys = (person.rig.header(),), 0
    person.rig.mapped = {"theirs": "dm-9"}
    assert "is under theirs, which this run did not make" in person.is_refused()
    person.rig.mapped = {}
    person.rig.headers = (person.rig.header(), Signature(kind="ext4", uuid="theirs"))
    assert "holds ext4 theirs, which this run did not make" in person.is_refused()
    person.rig.headers = (person.rig.header(),)
    person.moves = [person.ends, partial(person.waits, "mkfs")]
    person.comes()
    assert len(person.started) == 1


def test_only_the_runs_own_container_is_opened_and_once(person: Person) -> None:
    person.waits("unlock")
    assert "has no LUKS header of this run" in person.is_refused()
    person.rig.headers, person.rig.mapped = (person.rig.header(),), {person.rig.layer.group: "dm-0"}
    person.moves = [person.ends, partial(person.waits, "mkfs")]
    person.comes()
    assert not person.started


def test_what_cryptsetup_did_not_do_can_be_asked_for_again(person: Person) -> None:
    person.waits("unlock")
    person.rig.headers = (person.rig.header(),)
    person.does = lambda: 2
    for _ in range(2):
        with pytest.raises(NotDone, match="ended with 2; `raidtui passphrase run` asks again") as failed:
            person.comes()
        assert not failed.value.refused
    assert len(person.started) == 2 and not locks.is_person_at(person.run, person.locks)


def test_that_the_worker_died_meanwhile_is_no_going_on(person: Person) -> None:
    person.waits("encrypt")
    person.moves = [partial(person.has_worker, 1)]  # whose process is another one's by now
    with pytest.raises(NotDone, match="the worker of run died meanwhile: `raidtui resume run`"):
        person.comes()
    assert len(person.started) == 1


def test_once_the_run_is_stopped_it_is_not_wanted_any_more(person: Person) -> None:
    person.waits("encrypt")

    def stopped() -> int:
        person.rig.journal.add(events.StopAsked(at_s=4.0))
        return 0

    person.does = stopped
    with pytest.raises(NotDone, match="does not wait for it any more"):
        person.comes()


def test_two_do_not_type_at_the_same_time(person: Person) -> None:
    person.waits("encrypt")
    with person.person_at(person.run), pytest.raises(locks.DiskLocked, match="in another terminal"):
        person.comes()
    assert not person.started


@pytest.mark.parametrize(
    "beneath, said",
    [
        ({"md3": ("md1", "md2"), "md1": ("sda",), "md2": ("sdb",)}, ""),
        ({"md3": ("md1", "md2"), "md1": ("sda",), "md2": ("sdz",)}, "is on sdz, which"),
        ({"md3": ("md1", "md9"), "md1": ("sda",), "md2": ("sdb",)}, "is on md9, which"),
    ],
)
def test_an_array_of_groups_is_the_runs_if_each_of_them_is(beneath: dict[str, tuple[str, ...]], said: str) -> None:
    array = of(Setup(level="5", groups=2)).stages[-1].array
    assert array
    named = dict(zip(array.uuids, ("md3", "md1", "md2"), strict=True))
    host = SimpleNamespace(find_array=named.get, slaves=beneath.get, mapped_on=lambda _: (), not_free=lambda _: {})
    members: Any = SimpleNamespace(strangers=lambda names: sorted({*names} - {"sda", "sdb"}))
    if not said:
        assert passphrase._own_array(cast(Host, host), members, array) == "md3"
        return
    with pytest.raises(NotDone, match=said):
        passphrase._own_array(cast(Host, host), members, array)
