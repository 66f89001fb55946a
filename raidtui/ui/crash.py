"""What is left of a fault of the program itself: a sentence for the person, the details in a file."""

import traceback

from raidtui.owner import addresses
from raidtui.runs.directory import runs_root
from raidtui.ui.paths import in_practice, path_text


def record(error: Exception) -> str:
    """Append the traceback to crash.log beside the runs; the sentence that tells so."""
    path = runs_root().parent / "crash.log"
    fault_words = f"raidtui: internal error: {type(error).__name__}: {error}."
    going_on = "" if in_practice() else " A run continues without this screen: `raidtui attach` shows it."
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("a") as log:
            traceback.print_exception(error, file=log)
    except OSError as unwritten:
        return f"{fault_words}{going_on} Its details could not be written to {path_text(path)}: {unwritten.strerror}."
    reports = addresses().get("reports", "")
    return f"{fault_words}{going_on} Please report {path_text(path)}{f' to {reports}' if reports else ''}."
