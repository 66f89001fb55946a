"""What every command says and how it ends: lines, JSON, one sentence for an error, and the exit codes."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from io import StringIO, TextIOWrapper
from typing import Any, NoReturn

FAILED, BAD_INPUT, REFUSED, STOPPED = 1, 2, 3, 130
PROGRAM, COMPLETES = "raidtui", "_RAIDTUI_COMPLETE"  # the variable in which a shell asks what fits


def end(sentence: str, code: int) -> NoReturn:
    from raidtui.core.text import clean

    print(f"raidtui: {clean(' '.join(sentence.split()))}", file=sys.stderr)  # it may quote anything
    sys.exit(code)


def print_json(document: str, value: Any) -> None:
    """Print a `document` of `core/documents/schema.py: DOCUMENTS`."""
    import msgspec

    lines = msgspec.json.format(encoded(document, value)).decode().split("\n")
    print("\n".join(line if _is_plain(line) else _escaped(line) for line in lines))


def only_json(json: bool) -> AbstractContextManager[object]:
    """With `json` everything printed meanwhile, a prompt too, goes to stderr: stdout is left to the document."""
    return redirect_stdout(sys.stderr) if json else nullcontext()


def encoded(document: str, value: Any) -> bytes:
    """The JSON of a document, which is named here for those who hold it against its schema (tests/cli/conftest.py)."""
    import msgspec

    return msgspec.json.encode(value)


def _escaped(line: str) -> str:
    """A line of JSON in ASCII: what a terminal obeys, and signs that its encoding may lack, as JSON's escapes."""
    import json

    return "".join(char if _is_plain(char) else json.dumps(char)[1:-1] for char in line)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def replace_signs() -> None:
    """Signs that an output's encoding lacks get their stand-ins (`core/text.py: in_ascii`)."""
    import codecs

    def stand_in(error: UnicodeError) -> tuple[str, int]:
        from raidtui.core.text import in_ascii

        if not isinstance(error, UnicodeEncodeError):
            raise error
        end = error.end + error.object.startswith(" ", error.end)  # which ≥ takes
        return in_ascii(error.object[error.start : end]), end

    codecs.register_error("raidtui", stand_in)
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, TextIOWrapper):  # None where it was closed before
            output.reconfigure(errors="raidtui")


def print_notice(line: str) -> None:
    from raidtui.core.text import visible

    print(visible(line), file=sys.stderr, flush=True)


@contextmanager
def paged() -> Iterator[None]:
    """On a terminal text of more lines than that is shown by $PAGER (default: less, if it is here; "": none)."""
    if no_full_screen():
        yield
        return
    text = StringIO()
    try:
        with redirect_stdout(text):
            yield
    finally:
        _show(text.getvalue())


def _show(text: str) -> None:
    pager = shlex.split(os.environ.get("PAGER", "less"))
    if pager and text.count("\n") >= os.get_terminal_size(sys.stdout.fileno()).lines:
        # stays on the screen; as root no shell can be opened from it
        settings = {"LESS": "-FRX", "LESSCHARSET": "utf-8"} | os.environ
        settings |= {"LESSSECURE": "1"} if os.geteuid() == 0 else {}
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
        try:
            subprocess.run(pager, input=text.encode(sys.stdout.encoding, errors="raidtui"), env=settings, check=False)
            return
        except OSError:  # it is not here
            pass
        finally:
            signal.signal(signal.SIGINT, before)
    print(text, end="")


def coloured() -> bool:
    """On stdout: not with NO_COLOR; with FORCE_COLOR or CLICOLOR_FORCE; else on a terminal that shows colours. Empty
    ones count as unset. Sources: no-color.org, force-color.org, bixense.com/clicolors.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def no_full_screen() -> str | None:
    """Why no full screen can be opened here; None where it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "no terminal here"
    if os.environ.get("TERM", "dumb") == "dumb":
        return "this terminal (TERM=dumb) cannot show a full screen"
    return None


def need_full_screen(instead: str) -> None:
    if reason := no_full_screen():
        end(f"{reason}; {instead}", BAD_INPUT)


def open_wizard() -> NoReturn:
    """Without typer, whose import takes a twentieth of the time to the first picture."""
    need_full_screen("use `raidtui demo`, `raidtui practice`, `raidtui advise`, or `raidtui plan ANSWERS.toml`")
    from raidtui.ui import launch, paths

    code = launch.wizard()
    if other := {paths.PRACTICE: "practice", paths.DEMO: "demo"}.get(code):
        # in an interpreter that has imported nothing that starts runs
        os.execv(sys.executable, (sys.executable, "-P", "-m", "raidtui", other))
    sys.exit(code)
