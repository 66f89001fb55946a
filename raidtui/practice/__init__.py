"""Practice disks: a throwaway kernel with real md, real udev and a rack of SCSI disks."""
