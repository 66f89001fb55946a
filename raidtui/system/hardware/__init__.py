"""RAID controllers and drives of this machine, as programs tell them that are installed here."""
