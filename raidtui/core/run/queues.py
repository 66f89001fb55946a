"""What the kernel does with a disk's requests: which settings are read before each test, and how the run found them."""

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import chosen, nvme_cache
from raidtui.core.run.state import RunState

CACHE = "write cache"
SETTINGS = {  # as they are told -> where they are, below /sys/block/NAME
    CACHE: "device/scsi_disk/*/cache_type",
    "caching": "queue/write_cache",
    "scheduler": "queue/scheduler",
    "read_ahead_kb": "queue/read_ahead_kb",
    "nr_requests": "queue/nr_requests",
    "wbt_lat_usec": "queue/wbt_lat_usec",
    "logical block, bytes": "queue/logical_block_size",
    "physical block, bytes": "queue/physical_block_size",
    "NUMA node": "device/numa_node",
}


def before_run(plan: Plan, state: RunState) -> dict[str, dict[str, str]]:
    """Member identity -> setting -> its value before the run: as the run found it, else as it was told first."""
    values = {disk: dict(settings) for disk, settings in (state.queues[0].disks if state.queues else {}).items()}
    for number, member in enumerate(plan.members):
        for name, path in SETTINGS.items():
            changed = f"/sys/block/{{member:{number}}}/{path}"
            if old := next(
                (setting_changed.old for setting_changed in state.changes if setting_changed.path == changed), ""
            ):
                values.setdefault(member.id, {})[name] = chosen(old)
                if name == CACHE:  # the kernel follows the disk
                    values[member.id]["caching"] = chosen(old)
        cache_path = nvme_cache(f"{{member:{number}}}")  # the kernel does not follow this one
        if old := next((change.old for change in state.changes if change.path == cache_path), ""):
            values.setdefault(member.id, {})[CACHE] = old
    return values
