# Every command works on a bare machine with Python 3.11+ and pip: it creates .venv and installs from the hash-checked
# lock first. Python 3.12 reads small documents with a fifth less CPU time than 3.11 (docs/operating.md).
PYTHON ?= $(shell for name in python3.12 python3.13 python3.11; do $$name -c '' 2>/dev/null && command -v $$name && exit; done; command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# uv needs a fifth of pip's time. Where it is missing and cannot be installed, or finds no packages, pip does the same.
UV = $(or $(shell command -v uv),$(BIN)/uv) pip install --quiet --python $(BIN)/python
install = $(UV) $(1) 2>/dev/null || $(PIP) $(1)
WORKDIR_ARG := $(if $(SVC_WORKDIR),--workdir $(SVC_WORKDIR),)
WORKDIR_OF := import os; from quire.configs.settings import default_workdir; print(os.environ.get("SVC_WORKDIR") or default_workdir())
WORKERS ?= 4
LOCK := uv pip compile -q --python-version 3.11 --generate-hashes --no-header --no-annotate --override configs/locks/overrides.txt
NEEDS = $(if $(ROOM),,$(if $(filter frameworks chart,$(SUITE)),.venv-$(SUITE)/.done,chromium))
ALL_TESTS := tests --ignore tests/e2e/machines --ignore tests/lab -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder
CORE_TESTS := $(ALL_TESTS) --ignore tests/packages -m "not nightly"

.PHONY: up down guide status test test-packages nightly drill conformance chromium check format golden coverage mutants audit bench pictures release dist images train lock clean help

help: ## list the commands
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-22s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { $(PYTHON) -m pip install --quiet --user virtualenv && $(PYTHON) -m virtualenv --quiet $(VENV); }

$(VENV)/.run: configs/locks/run.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing (hash-checked) ..."
	@command -v uv >/dev/null || $(PIP) --require-hashes --no-deps -r configs/locks/uv.lock 2>/dev/null || true
	@$(call install,--require-hashes --no-deps -r configs/locks/run.lock)
	@$(call install,--no-deps --no-build-isolation -e .)
	@touch $@

$(VENV)/.dev: configs/locks/dev.lock $(VENV)/.run $(VENV)/.core
	@echo "installing what tests and checks need (hash-checked) ..."
	@$(call install,--require-hashes --no-deps -r configs/locks/dev.lock)
	@touch $@

$(VENV)/.guide: configs/locks/guide.lock mkdocs.yml cluster/dist/guide_hooks.py serve_apps/guide/operations.py serve_apps/clients/python/quire_client/types.py $(shell find docs -name '*.md' -o -name '*.css' -o -name '*.js' -o -name '*.png' -o -name '*.svg') | $(VENV)/.run
	@$(call install,--require-hashes --no-deps -r configs/locks/guide.lock)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@touch $@

##@ Run

# Without a compiler the same files run as they are, and a PDF page takes a third longer.
$(VENV)/.core: $(shell find models/extract -name '*.py') configs/locks/compile.lock $(VENV)/.run
	@$(call install,--require-hashes --no-deps -r configs/locks/compile.lock)
	@$(BIN)/python -m quire.cluster.dist.compile || true
	@touch $@

# Compiling takes a minute, so the first start does not wait for it. Readers use the compiled modules when all are there.
up: $(VENV)/.run $(VENV)/.guide ## install, start database, Ray and service in the background, read the sample, print the addresses
	@$(MAKE) --no-print-directory -q $(VENV)/.core || rm -f models/extract/native__mypyc*.so
	@SVC_RAG_DB="$${SVC_RAG_DB:-$$($(BIN)/python -c '$(WORKDIR_OF)')/index}" $(BIN)/quire up --detach $(WORKDIR_ARG)
	@$(BIN)/quire tour $(WORKDIR_ARG)
	@$(MAKE) --no-print-directory -q $(VENV)/.core || { echo "compiling the reader in the background (a minute): then a PDF page takes a third less time"; \
		nohup nice $(MAKE) --no-print-directory $(VENV)/.core >$(VENV)/core.log 2>&1 & }

down: $(VENV)/.run ## stop everything that `make up` started
	@$(BIN)/quire down $(WORKDIR_ARG)

guide: $(VENV)/.guide ## build the guide of /guide from docs/

status: $(VENV)/.run ## list what runs
	@$(BIN)/quire status $(WORKDIR_ARG)

##@ Test

test: $(VENV)/.dev $(NEEDS) ## run the tests; ROOM=models/pii: of one area; SUITE=chart|cluster|compiled|frameworks|fuzz|gpu|rules|sdk|ui
	$(if $(SUITE),$(or $(SUITE_$(SUITE)),$(error no suite $(SUITE))),PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(if $(ROOM),tests/$(ROOM) -q,$(CORE_TESTS)))

nightly: $(VENV)/.dev ## run the long sweeps that `make test` leaves out
	$(BIN)/python -m pytest $(ALL_TESTS) -m nightly

test-packages: $(VENV)/.dev chromium ## run the tests of the packages; PACKAGE=console: of one
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest tests/packages$(if $(PACKAGE),/$(PACKAGE)) -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder

drill: $(VENV)/.dev ## kill, fill, cut off and count: make drill NAME=kills ARGS="--documents 2000"; without NAME: list them
	@$(BIN)/python -m tests.lab drill $(NAME) $(ARGS)

cluster-demo: $(VENV)/.dev ## kill, cut and scale a cluster of four machines on this host while documents flow
	@$(BIN)/python -m tests.lab drill cluster $(ARGS)

gpu-proof: ## prove the GPU tier with tiny random models: make gpu-proof [DEVICE=cpu] [GPU=python with torch and transformers]
	@$(or $(GPU),$(BIN)/python) -m tests.packages.gpu.proof --device $(or $(DEVICE),cuda) $(ARGS)

conformance: $(VENV)/.dev ## check a service against the interface row by row: make conformance [BASE_URL=http://…]
	@$(BIN)/python -m tests.lab.conformance $(if $(BASE_URL),$(BASE_URL) $(or $(TOKEN_FILE),$$($(BIN)/python -c '$(WORKDIR_OF)')/token))

chromium: ## install the browser that the UI tests drive
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }

# The suites of `make test SUITE=…`.
define SUITE_cluster
$(BIN)/python -m pytest tests/cluster tests/configs tests/packages/bulk tests/packages/gpu tests/lab/sim -q
	$(BIN)/python -m pytest tests/e2e/machines -q
endef
define SUITE_sdk
$(BIN)/python -m pytest tests/packages/clients -q
	@command -v npm >/dev/null || { echo "Node 20 with npm is missing, so the TypeScript client was NOT tested" >&2; exit 2; }
	npm --prefix serve_apps/clients/typescript ci --no-audit --no-fund --silent
	$(BIN)/python -m tests.packages.clients.live_typescript
	$(BIN)/python -m tests.packages.clients.uploads.live
endef
SUITE_frameworks = $(BIN)/python -m tests.packages.clients.live_frameworks .venv-frameworks/bin/python
SUITE_chart = .venv-chart/bin/python tests/configs/render_chart.py $(ARGS)
define SUITE_ui
QUIRE_REVIEW_FLAGS=400 $(BIN)/python -m pytest tests/ui tests/packages/console -q
	@command -v npm >/dev/null || { echo "npm is missing, so accessibility was NOT checked" >&2; exit 2; }
	npm --prefix tests/ui/axe ci --no-audit --no-fund --silent
	@mkdir -p bench-results/ui
	$(BIN)/python -m tests.ui.accessibility bench-results/ui
	$(BIN)/python -m tests.packages.console.accessibility bench-results/console
endef
SUITE_gpu = $(or $(GPU),$(BIN)/python) -m pytest --noconftest tests/packages/gpu/test_vlm_transformers.py tests/packages/gpu/test_vlm_vllm.py tests/packages/gpu/test_proof.py tests/models/neural/embed/test_sentence_model.py -q
SUITE_compiled = @copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && python=$$PWD/$(BIN)/python && $$python -m quire.cluster.dist.compile "$$copy" && cd "$$copy" \
	&& QUIRE_COMPILED=1 $$python -m pytest --deselect tests/models/extract/formats/pdf/structure/test_undecoded.py --deselect tests/models/extract/test_passes.py --deselect tests/models/extract/formats/pdf/test_headings.py::test_heading_that_the_running_head_repeats_stays_a_heading tests/models/extract tests/models/test_table_in_parts.py tests/models/test_flowing.py tests/actors/sandbox -q -n $(WORKERS) --dist loadfile
SUITE_fuzz = QUIRE_FUZZ_EXAMPLES=$(or $(EXAMPLES),450) $(BIN)/python -m pytest tests/security/test_fuzz.py -q -p no:xdist --timeout 0
define SUITE_rules
@command -v promtool >/dev/null || { echo "promtool (Debian package prometheus) is missing, so the alert rules were NOT tested" >&2; exit 2; }
	promtool check rules configs/prometheus/quire.rules.yaml
	promtool test rules configs/prometheus/quire.rules.test.yaml
endef

.venv-frameworks/.done: tests/packages/clients/frameworks.in tests/packages/clients/open_webui.in
	$(PYTHON) -m venv .venv-frameworks && .venv-frameworks/bin/python -m pip install --quiet -r tests/packages/clients/frameworks.in -r tests/packages/clients/open_webui.in
	.venv-frameworks/bin/python -m pip install --quiet --no-deps "open-webui>=0.12,<0.13" && touch $@

.venv-chart/.done: tests/configs/chart.in
	$(PYTHON) -m venv .venv-chart && .venv-chart/bin/python -m pip install --quiet -r $< && touch $@

##@ Check

check: $(VENV)/.dev ## ruff, mypy --strict, layers, sizes, budget, names and language
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_architecture.py tests/test_rooms.py tests/budget tests/test_language.py tests/test_decisions.py tests/docs/test_style.py -q

format: $(VENV)/.dev ## format and sort imports with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/.dev ## compare trees of 300 real pages with the record: make golden [DATA=folder] [WRITE=1]
	$(BIN)/python -m tests.golden $(if $(DATA),--data $(DATA),) $(if $(WRITE),--write,)

coverage: $(VENV)/.dev chromium ## line and branch coverage of all tests: table here, HTML in bench-results/coverage
	$(BIN)/python -m pytest $(ALL_TESTS) --cov --cov-branch --cov-report=
	$(BIN)/python -m pytest tests/e2e/machines -q --cov --cov-branch --cov-append --cov-report=term:skip-covered --cov-report=html:bench-results/coverage

mutants: $(VENV)/.dev ## check that the own tests of ten modules notice sampled mutants: make mutants SAMPLE=20
	$(BIN)/python -m tests.lab.bench.mutation --sample $(or $(SAMPLE),20)

audit: $(VENV)/.dev ## compare the locked dependencies with public advisories: of osv.dev, or ADVISORIES=folder or zip of its files
	$(BIN)/python -m tests.security.audit $(ADVISORIES)

##@ Bench

bench: $(VENV)/.dev $(if $(filter speed,$(SUITE)),.venv-peers/.done) ## measure: make bench SUITE=small ARGS="--documents 500"; without SUITE: list them
	@$(or $(and $(filter gpu,$(SUITE)),$(GPU)),$(BIN)/python) -m tests.lab bench $(SUITE) $(ARGS)

.venv-peers/.done: tests/lab/bench/peers.in
	$(PYTHON) -m venv .venv-peers && .venv-peers/bin/python -m pip install --quiet -r tests/lab/bench/peers.in && touch $@

pictures: $(VENV)/.dev chromium ## pictures of the guide, in docs/pictures, and for a comparison, in bench-results/points
	$(BIN)/python -m tests.ui.browser.guide_pictures
	$(BIN)/python -m tests.ui.browser.pictures bench-results/points

##@ Release

release: $(VENV)/.dev ## make a release: make release VERSION=X.Y.Z; without VERSION: list what this checkout lacks of one
	$(BIN)/python -m quire.cluster.dist.release $(VERSION)

dist: $(VENV)/.dev ## build the wheels of server and clients and the npm package (needs npm) into dist/
	@$(BIN)/python -m quire.cluster.dist.build dist
	@$(BIN)/python -m quire.cluster.dist.statements dist

images: $(VENV)/.dev ## pin the base images by digest and build the images (needs docker)
	@$(BIN)/python -m quire.cluster.dist.images

train: $(VENV)/.dev ## train tables, headings, levels and confidence: make train SETS=folder [TRAIN_ARGS=--keep]
	@$(PIP) --require-hashes --no-deps -r configs/locks/train.lock
	$(BIN)/python -m tests.lab.training.tables --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.headings --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.levels --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.confidence --sets $(SETS) $(TRAIN_ARGS)

lock: ## compile dependencies and groups of pyproject.toml into hash-checked locks without addresses (needs uv)
	$(LOCK) --universal pyproject.toml --extra all -o configs/locks/run.lock
	$(LOCK) --universal -c configs/locks/run.lock pyproject.toml --extra all --extra sql --extra targets --group dev --group guide -o configs/locks/dev.lock
	for name in sql targets; do $(PYTHON) -c "import sys, tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$$name'], sep='\n')" \
	| $(LOCK) --universal -c configs/locks/run.lock - -o configs/locks/$$name.lock || exit 1; done
	$(LOCK) --universal -c configs/locks/dev.lock --group train -o configs/locks/train.lock
	$(LOCK) --universal -c configs/locks/run.lock --group guide -o configs/locks/guide.lock
	$(LOCK) --universal -c configs/locks/dev.lock --group compile -o configs/locks/compile.lock
	echo uv | $(LOCK) --universal - -o configs/locks/uv.lock
	$(LOCK) --python-platform x86_64-manylinux_2_28 pyproject.toml --extra all --group gpu -o configs/locks/gpu.lock

clean: ## remove environments and caches
	rm -rf $(VENV) .venv-peers .venv-frameworks dist .mypy_cache .ruff_cache .pytest_cache bench-results
