"""raidtui installed as people do, each time from nothing: `make packages-test`, not part of `make test`."""
