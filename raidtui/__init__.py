"""raidtui: plan, build, measure and prove a server's disk array in one terminal."""

__version__ = "0.1.0"
