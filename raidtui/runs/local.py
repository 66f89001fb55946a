"""This machine as a `Host`: each method's function."""

import platform
import time

from raidtui.runs import child, locks
from raidtui.system import (
    block,
    claims,
    discovery,
    doctor,
    existing,
    health,
    kmsg,
    leftovers,
    md,
    process,
    processors,
    settings,
    signatures,
    versions,
)
from raidtui.system.arrays import boot_file, boot_files, contents, monitors, mount_root, pool_units, watching
from raidtui.system.files import extents
from raidtui.system.hardware import smartctl


class LocalHost:
    clock = time

    read_machine = staticmethod(discovery.read_machine)
    look_at = staticmethod(existing.look)
    machine_id = staticmethod(discovery.machine_id)
    host_name = staticmethod(platform.node)
    boot_id = staticmethod(block.boot_id)
    tools = staticmethod(versions.tools)
    missing_for_run = staticmethod(doctor.missing_for_run)
    ask = staticmethod(process.run)
    processors_worked_s = staticmethod(processors.worked_s)
    process_started = staticmethod(child.started)
    process_lives = staticmethod(child.lives)
    is_person_at = staticmethod(locks.is_person_at)
    lock_run = staticmethod(locks.held)

    counters = staticmethod(block.DiskCounters)
    kernel_log = staticmethod(kmsg.KernelLog)
    text = staticmethod(block.text)
    matching = staticmethod(block.matching)
    settings_at = staticmethod(settings.settings_at)
    size_bytes = staticmethod(block.size_bytes)
    devnum_of = staticmethod(block.devnum_of)
    extents = staticmethod(extents.extents)
    read_bytes = staticmethod(block.read_bytes)
    partition = staticmethod(block.partition)
    stable_link = staticmethod(block.stable_link)
    partitions_of = staticmethod(block.partitions)
    mapped_on = staticmethod(block.mapped_on)
    is_mounted = staticmethod(block.is_mounted)
    signatures_on = staticmethod(signatures.read)
    not_free = staticmethod(claims.not_free)
    is_gone = staticmethod(claims.is_gone)
    claimed = staticmethod(claims.claimed)
    lock_nodes = staticmethod(claims.lock_nodes)
    remember = staticmethod(leftovers.remember)
    temperatures = staticmethod(health.temperatures)
    temperatures_by_kernel = staticmethod(health.temperatures_by_kernel)
    health_counts = staticmethod(health.counts)
    why_no_health = staticmethod(health.why_nothing)
    begin_self_test = staticmethod(smartctl.begin_self_test)
    end_self_test = staticmethod(smartctl.end_self_test)
    self_tests = staticmethod(smartctl.self_test_statuses)

    read_boot_file = staticmethod(boot_file.read)
    replace_boot_file = staticmethod(boot_file.replace)
    why_not_mountable = staticmethod(boot_files.why_not_mountable)
    why_not_in_initramfs = staticmethod(boot_files.why_not_in_initramfs)
    folder_inode = staticmethod(boot_file.folder_inode)
    is_empty = staticmethod(boot_file.is_empty)
    pool_units_off = staticmethod(pool_units.units_off)
    why_pools_by_scan = staticmethod(pool_units.why_by_scan)
    owned = staticmethod(mount_root.owned)
    owned_as = staticmethod(mount_root.owned_as)
    own = staticmethod(mount_root.own)
    monitor = staticmethod(monitors.here)
    watch = staticmethod(watching.look)

    find_array = staticmethod(md.find)
    named = staticmethod(md.named)
    slaves = staticmethod(md.slaves)
    superblock = staticmethod(md.superblock)
    superblock_record = staticmethod(md.superblock_record)
    forget_contents = staticmethod(contents.forget)
    contents = staticmethod(contents.read)
    is_dead = staticmethod(md.is_dead)
    lacking = staticmethod(md.lacking)
    rebuilt_bytes = staticmethod(md.rebuilt_bytes)
    checked_bytes = staticmethod(md.checked_bytes)
    sync = staticmethod(md.sync)
    building = staticmethod(md.building)
    working = staticmethod(md.working)
    write_mostly = staticmethod(md.write_mostly)
    read_errors = staticmethod(md.read_errors)
    threads_s = staticmethod(md.threads)
    array_settings = staticmethod(md.settings)
    data_offset_bytes = staticmethod(md.data_offset_bytes)
