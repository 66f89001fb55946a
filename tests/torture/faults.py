"""All rows of the matrix, in the order of the table."""

import msgspec

from tests.torture import (
    faults_boots,
    faults_continued,
    faults_copies,
    faults_cuts,
    faults_disks,
    faults_earlier,
    faults_edits,
    faults_folders,
    faults_found,
    faults_groups,
    faults_holders,
    faults_kept,
    faults_maps,
    faults_meanwhile,
    faults_neighbours,
    faults_older,
    faults_passes,
    faults_paths,
    faults_programs,
    faults_proof,
    faults_scripts,
    faults_signals,
    faults_sweeps,
    faults_terminals,
    faults_unheld,
)

_STRUCK = (
    *faults_signals.ROWS,
    *faults_terminals.ROWS,
    *faults_programs.ROWS,
    *faults_folders.ROWS,
    *faults_disks.ROWS,
    *faults_groups.ROWS,
    *faults_passes.ROWS,
    *faults_proof.ROWS,
    *faults_found.ROWS,
    *faults_cuts.ROWS,
    *faults_copies.ROWS,
    *faults_neighbours.ROWS,
    *faults_paths.ROWS,
    *faults_maps.ROWS,
    *faults_holders.ROWS,
    *faults_unheld.ROWS,
    *faults_meanwhile.ROWS,
    *faults_kept.ROWS,
    *faults_older.ROWS,
    *faults_continued.ROWS,
    *faults_scripts.ROWS,
    *faults_earlier.ROWS,
    *faults_edits.ROWS,
    *faults_boots.ROWS,
    *faults_sweeps.ROWS,
)
# Of these the run goes on afterwards, too.
_RESUMED = (
    *("sigterm-measuring", "sigkill-baseline", "sigkill-create", "sigkill-initial-resync", "sigkill-mkfs"),
    *("sigkill-measuring", "sigkill-teardown", "full-measuring", "pulled-5-measuring", "another-node"),
    *("clean-killed", "killed-while-stopping", "reboot-measuring", "systemd-sigkill-measuring"),
)

ROWS = (
    *_STRUCK,
    *(
        msgspec.structs.replace(row, name=f"{row.name}-resume", then="resume")
        for row in _STRUCK
        if row.name in _RESUMED
    ),
)
