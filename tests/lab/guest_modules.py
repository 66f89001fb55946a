"""What the host knows of the guest's test modules without importing them: their tests, and the RACK they declare.

At the top of a guest module: `RACK = dict(disks=6, size_mib=512, mbps=94)`, fields of `kernels.Rack`.
"""

import ast
from pathlib import Path

from tests.lab.kernels import Rack

GUEST = Path(__file__).parent / "guest"
# Those that want the same disks: a kernel's boot and its imports take 5 s of a processor.
_TOGETHER = (
    ("test_care.py", "test_status.py", "test_remedies.py"),
    ("test_rates.py", "test_proof.py", "test_refusals.py", "test_existing.py"),  # the last leaves its array standing
    ("test_extents.py", "test_reservations.py", "test_capacity.py", "test_whole_device.py"),
    ("test_failures.py", "test_explain.py"),
    ("test_run.py", "test_rewording.py", "test_whole_run.py", "test_ends.py"),
    ("test_spares.py", "test_write_journal.py", "test_write_mostly.py"),
    ("test_partitions.py", "test_partition_care.py", "test_containers.py", "test_volumes.py"),
    ("test_discovery.py", "test_builds.py"),
    ("test_permanence.py", "test_holders.py", "test_boot_rules.py"),  # the last stops udev
)
# In the installed kernel, where there is a newer one, too, which takes half the processor time: arrays of level linear,
# which Debian builds that one without. tests/torture runs in the installed one.
INSTALLED = {"test_linear.py"}


def guest_tests() -> list[tuple[str, str]]:
    """(module, test function) of all guest modules; cases of a parametrized function count as one."""
    return [
        (path.name, node.name)
        for path in sorted(GUEST.glob("test_*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]


def in_one_kernel(module: str) -> tuple[str, ...]:
    """The modules that are run in the same kernel as this one, itself among them."""
    return next((modules for modules in _TOGETHER if module in modules), (module,))


def rack_of(path: Path) -> Rack:
    """The module's RACK; the default one if it declares none."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["RACK"]:
            assert isinstance(node.value, ast.Call), f"{path}: RACK = dict(…)"
            return Rack(**{str(word.arg): ast.literal_eval(word.value) for word in node.value.keywords})
    return Rack()
