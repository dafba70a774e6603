# What one can do here. `make help` prints the lines marked with two hashes.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export OMP_NUM_THREADS ?= 1
# Compiled modules are kept, whatever the machine says: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

# More workers than cores, as tests wait for processes; of browsers one a core.
SHARED := -n 3 --dist worksteal

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHESS := .venv-chess
HOUSE := .venv-house
BILLS := .venv-bills
HOUSE_PYTHON ?= python3.13
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := $(shell find webui -type d \( -name node_modules -o -path webui/dist -o -path webui/locales -o -path webui/tests \) -prune -o -type f -print 2>/dev/null)
INPUTS := pyproject.toml hatch_build.py requirements.lock $(SOURCES)

# Everything comes as a ready-made wheel on 64-bit x86 and ARM; elsewhere pip may have to compile.
define NO_INSTALL
{ grep -qE 'Failed building wheel|Preparing metadata .* did not run' $(VENV)/pip.log && ! command -v cc >/dev/null && \
    echo 'A package had to be compiled and there is no compiler. Debian, Ubuntu, Raspberry Pi OS: sudo apt install build-essential python3-dev' >&2; \
  echo 'The installation failed: pip says why above this line.' >&2; exit 2; }
endef

.PHONY: help install run demo check gate test format lint types layers unit browser chromium broker house mosquitto nginx mmdebstrap engines bench smoke \
        clauses breaks pairs positions fuzz stress everyone playthroughs golden simulate model \
        wheel sbom licences deb locks roots box docs picture clean

help: ## prints this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo 'Python is missing. Debian, Ubuntu, Raspberry Pi OS: sudo apt install python3 python3-venv' >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Python 3.11 or newer is needed.' >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo 'Python lacks venv. Debian, Ubuntu, Raspberry Pi OS: sudo apt install python3-venv' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

# The stamp of each group of pyproject.toml; `run` is what everybody gets. Debian 12's pip knows no --group.
$(VENV)/.%: $(INPUTS) | $(BIN)/python
	@echo 'Installing what is needed ($*) and building the phone app; a minute or two the first time.' >&2
	@{ $(PIP) install -q 'pip>=25.1' && \
	   $(PIP) install -q --prefer-binary -c requirements.lock -e . $(addprefix --group ,$(filter-out run,$*)); } 2>&1 | \
	  tee $(VENV)/pip.log >&2 || $(NO_INSTALL)
	@touch $@ $(VENV)/.run

install: $(VENV)/.run ## environment and phone app, ready to serve

run: $(VENV)/.run ## installs, serves, prints the address and its QR code; ARGS="--camera 0" for a camera
	@$(BIN)/companion serve $(ARGS)

demo: $(VENV)/.run ## installs, serves a table with demo dice: no camera, no dice; ARGS="--game tokyo" for the other box
	@$(BIN)/companion demo $(ARGS)

test: $(VENV)/.test ## installs, then all tests but those of `browser` and `broker`; ARGS="-k dice" for some, ARGS=--durations=20 for the slowest
	$(BIN)/python -m pytest $(SHARED) $(ARGS)

check: test gate ## tests, then everything of `gate`

# Side by side what has one process each, and installs nothing that another uses meanwhile.
gate: $(VENV)/.dev ## everything else that must hold: lint, licences, types, layers, phone app, broker, drawn requests, wheel, docs
	@$(MAKE) --jobs 2 --output-sync=target types lint layers
	@$(MAKE) unit licences sbom browser broker
	$(BIN)/python -m pytest $(SHARED) tests/test_docs.py tests/test_dead_code.py
	@$(MAKE) --jobs 2 --output-sync=target smoke docs
	@$(MAKE) fuzz

format: $(VENV)/.dev ## rewrites the sources of Python and of the phone app in one style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m tools.web format

lint: $(VENV)/.dev ## format and lint of Python and of the phone app; dead code; no download address in a lock file
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/vulture
	$(BIN)/python -m tools.web check
	@test -f webui/package-lock.json && ! grep -l '"resolved"' webui/package-lock.json

unit: $(VENV)/.dev ## the unit tests of the phone app
	$(BIN)/python -m tools.web test

types: $(VENV)/.dev ## mypy --strict
	$(BIN)/mypy

layers: $(VENV)/.dev ## who may import whom
	$(BIN)/lint-imports

# Debian's programs that tests use: installed if they are missing and one is root; none is started.
chromium mosquitto nginx mmdebstrap:
	@PATH=$$PATH:/usr/sbin; command -v $@ >/dev/null || { \
	  [ "$$(id -u)" = 0 ] || { echo 'These tests need $@: sudo apt install $@' >&2; exit 2; }; \
	  export DEBIAN_FRONTEND=noninteractive policy=/usr/sbin/policy-rc.d; \
	  [ -e $$policy ] || { trap 'rm $$policy' EXIT; printf '#!/bin/sh\nexit 101\n' > $$policy; chmod +x $$policy; }; \
	  timeout 600 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends $@ $(if $(filter chromium,$@),fonts-dejavu-core)' >/dev/null; }

# Home Assistant needs a Python of its own; any since 2024.11 discovers devices.
$(HOUSE)/.ready: Makefile
	@$(HOUSE_PYTHON) -m venv $(HOUSE)
	@$(HOUSE)/bin/python -m pip --disable-pip-version-check install -q homeassistant==2025.4.4 paho-mqtt==2.2.0
	@touch $@

house: $(VENV)/.dev mosquitto $(HOUSE)/.ready ## a table beside Home Assistant itself: discovery, lost broker, will (long)
	$(BIN)/python -m tests.mqtt.house $(HOUSE)/bin/python

broker: $(VENV)/.dev mosquitto nginx ## the tests that need an MQTT broker or nginx
	$(BIN)/python -m pytest -m broker $(SHARED) $(ARGS)

browser: $(VENV)/.dev chromium ## the tests that need a real browser
	$(BIN)/python -m pytest -m browser -n auto --maxprocesses 4 --dist worksteal $(ARGS)

# The names of a namespace of its own: the table's is one of this machine there, and no secure context.
engines: $(VENV)/.dev $(VENV)/.engines ## whole games in WebKit and Firefox (needs root; apt: webkit2gtk-driver xvfb firefox-esr)
	@hosts=$$(mktemp) && { cat /etc/hosts; echo '127.0.0.1 table.test'; } > $$hosts && \
	  for engine in webkit firefox; do for game in 'tokyo 2' 'new-york 1'; do \
	    unshare --mount sh -c "mount --bind $$hosts /etc/hosts && \
	      exec xvfb-run -a env PYTHONPATH=tests/third_game $(BIN)/python -m tests.browser.engines $$engine $$game" || exit; \
	  done; done; rm -f $$hosts

# python-chess is under the GPL: it stays in an environment and a process of its own.
$(CHESS)/.ready: Makefile
	@$(PYTHON) -m venv $(CHESS)
	@$(CHESS)/bin/python -m pip --disable-pip-version-check install -q chess==1.11.2
	@touch $@

bench: $(VENV)/.dev $(CHESS)/.ready ## the benchmarks, one JSON object a line; ARGS="compare COMMIT reader" for a figure beside another commit's
	@CHESS_PYTHON=$(CHESS)/bin/python $(BIN)/python -m tests.bench $(ARGS)

stress: $(VENV)/.dev ## kills, torn journals, damaged files, bad disks (needs root), a hostile guest: a line each; ARGS="--kills 20" for some
	@$(BIN)/python -m tests.stress $(ARGS)

everyone: $(VENV)/.dev chromium ## every screen in every theme and language for axe-core, and at every size (long); ARGS="--languages en"
	$(BIN)/python -m tests.browser.everyone $(ARGS)

smoke: $(VENV)/.dev ## builds the wheel, and tests it in an environment of its own outside the checkout
	@folder=$$(mktemp -d) && trap 'rm -rf $$folder' EXIT && \
	  $(PIP) wheel -q --no-deps --wheel-dir $$folder . && $(PYTHON) -m venv $$folder/env && \
	  $$folder/env/bin/python -m pip --disable-pip-version-check install -q -c requirements.lock $$folder/*.whl && \
	  cd $$folder && env -i PATH=/usr/bin:/bin HOME=$$folder env/bin/companion doctor --self-test

wheel: $(VENV)/.dev ## dist/*.whl, with the phone app and the networks inside
	$(PIP) wheel -q --no-deps --wheel-dir dist .

# They look at the environment of the project from one of their own.
$(BILLS)/.ready: Makefile
	@$(PYTHON) -m venv $(BILLS)
	@$(BILLS)/bin/python -m pip --disable-pip-version-check install -q cyclonedx-bom==7.5.0 pip-licenses==5.5.5
	@touch $@

sbom: $(VENV)/.dev $(BILLS)/.ready ## dist/sbom-*.json: all that the package and the phone app hold (CycloneDX)
	@mkdir -p dist
	@$(BILLS)/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible -o dist/sbom-python.json packaging/wheels.lock
	@$(BIN)/python -m tools.web sbom > dist/sbom-phone.json

licences: $(VENV)/.dev $(BILLS)/.ready ## the licence of every package of Python; fails if one is not allowed (pyproject.toml says which are)
	@$(BILLS)/bin/pip-licenses --python $(BIN)/python

deb: $(VENV)/.dev ## dist/*.deb for amd64 and arm64 (needs dpkg-deb)
	@for architecture in amd64 arm64; do $(BIN)/python -m tools.deb --architecture $$architecture; done

# Versions for every Python from Debian 12's on, without an address; for the package with the hashes of
# all wheels, of which tools.deb takes what it needs.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11.2 --no-emit-index-url --no-annotate \
  --custom-compile-command 'make locks' $(ARGS)
locks: $(VENV)/.dev ## rewrites requirements.lock and packaging/wheels.lock from pyproject.toml; ARGS=--upgrade for the newest versions
	@$(PIP) install -q 'uv>=0.9,<1'
	@$(COMPILE) --group dev --all-extras pyproject.toml -o requirements.lock
	@$(COMPILE) --no-header --generate-hashes --only-binary :all: --extra mqtt -c requirements.lock pyproject.toml -o packaging/wheels.lock

roots: mmdebstrap ## `make run` and `make test` of a clone on a clean Debian 12 and 13, as an ordinary user (long; needs root); ARGS=forky for another
	@$(PYTHON) -m tests.box.roots $(ARGS)

box: $(VENV)/.dev mmdebstrap ## the package on a clean Debian 12 and 13, from installation to purge (long; needs root; apt: lintian)
	$(BIN)/python -m tests.box $(ARGS)

docs: $(VENV)/.dev ## builds the documentation into dist/site; a warning, a dead link or a part from another host fails
	@$(BIN)/sphinx-build -q -E -a -W --keep-going -n -c docs -d dist/doctrees . dist/site
	@! grep -rEn --include='*.html' --include='*.css' '(src="|<link [^>]*href="|@import .|url\(["'\'']?)(https?:)?//' dist/site

picture: $(VENV)/.dev chromium ## plays a demo turn on two phones and makes the README's moving picture of it
	@$(BIN)/python -m tests.browser.picture

clauses: $(VENV)/.dev ## the rulebook clauses that no test names
	@$(BIN)/python -m tools.clauses

breaks: $(VENV)/.dev ## breaks thirty rules on purpose: their tests must turn red; ARGS="--seed 7"
	@$(BIN)/python -m tests.break_clauses $(ARGS)

pairs: $(VENV)/.dev ## pairs of cards that can meet and have a test; the others at random, rotated, exchanged
	@$(BIN)/python -m tests.pairs $(ARGS)

positions: $(VENV)/.dev ## reads 20,000 positions of random play, and refuses 200 with one field broken
	@$(BIN)/python -m tests.properties.reading $(ARGS)

playthroughs: $(VENV)/.dev ## rewrites the positions in tests/playthroughs from their events
	@$(BIN)/python -m tests.playthroughs

fuzz: $(VENV)/.dev $(VENV)/.fuzz ## drawn and broken requests by the OpenAPI document: no 5xx; ARGS="--cases 10000" for many (long)
	@$(BIN)/python -m tests.fuzz $(ARGS)

golden: $(VENV)/.dev ## plays the golden logs again and writes those that are missing; never rewrites one
	@$(BIN)/python -m tests.golden_logs

simulate: $(VENV)/.dev ## 2,000 random games of each game for each number of players
	@for game in new-york tokyo; do for players in 2 3 4 5 6; do \
	  $(BIN)/companion simulate --game $$game --players $$players --games 2000 --seed 1 $(ARGS); done; done

model: $(VENV)/.dev $(VENV)/.train ## trains the networks of models/ again (hours on a CPU; brings torch)
	$(BIN)/python -m models.train $(ARGS)
	$(BIN)/python -m models.dataset rolls val 8000
	$(BIN)/python -m models.dataset scenes val 300
	$(BIN)/python -m models.dataset evenings val 3000
	$(BIN)/python -m models.dataset boxes val 1440
	$(BIN)/python -m models.dataset strangers val 600
	$(BIN)/python -m models.calibrate

clean: ## removes what the build made; keeps the environment
	rm -f $(addprefix $(VENV)/.,run test dev engines fuzz train)
	rm -rf dist webui/dist webui/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
