"""Why practice disks are impossible: the kernel's own reason, and what remains."""

import importlib
import subprocess
import sys

import pytest

from raidtui.practice import warden

refusal = importlib.import_module("raidtui.practice.refusal")  # the package has a function of this name


def test_the_kernels_reason_is_passed_on_and_the_demo_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(sentence: warden.Sentence, log: int) -> subprocess.Popen[bytes]:
        script = "import sys; sys.exit('jail: new user namespace: Operation not permitted')"
        return subprocess.Popen([sys.executable, "-c", script], stdout=log, stderr=log)

    for check in ("_machine", "_packages"):
        monkeypatch.setattr(refusal, check, lambda: None)
    monkeypatch.setattr(warden, "start", start)
    reason = refusal.reason()
    assert reason is not None and "forbids (new user namespace: Operation not permitted)" in reason
    assert refusal.refusal() == f"{reason} `raidtui demo` replays a recorded run here."


def test_where_nothing_is_in_the_way_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for check in ("_machine", "_packages", "_namespaces"):
        monkeypatch.setattr(refusal, check, lambda: None)
    assert refusal.reason() is None and refusal.refusal() is None
