"""All rows of the matrix, in the order of the table."""

from tests.torture import (
    faults_boots,
    faults_disks,
    faults_folders,
    faults_neighbours,
    faults_programs,
    faults_signals,
    faults_terminals,
)

ROWS = (
    *faults_signals.ROWS,
    *faults_terminals.ROWS,
    *faults_programs.ROWS,
    *faults_folders.ROWS,
    *faults_disks.ROWS,
    *faults_neighbours.ROWS,
    *faults_boots.ROWS,
)
