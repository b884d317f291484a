# Every command works on a bare machine with Python 3.11+ and pip: it creates .venv and installs from the hash-checked
# lock first. Python 3.12 reads small documents with a fifth less CPU time than 3.11 (docs/operating.md).
PYTHON ?= $(shell for name in python3.12 python3.13 python3.11; do $$name -c '' 2>/dev/null && command -v $$name && exit; done; command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKDIR_ARG := $(if $(SVC_WORKDIR),--workdir $(SVC_WORKDIR),)
WORKDIR_OF := import os; from quire.configs.settings import default_workdir; print(os.environ.get("SVC_WORKDIR") or default_workdir())
SEED ?= 1
DOCUMENTS ?= 200
WORKERS ?= 4
ALL_TESTS := tests --ignore tests/e2e/machines --ignore tests/lab -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder
EACH_CHANGE := -m "not nightly"

.PHONY: up down guide status test nightly test-cluster test-sdk test-frameworks test-chart test-ui test-gpu test-postgres test-compiled fuzz-api conformance chaos chaos-targets chaos-interrupts chaos-disk chaos-nodes chaos-head failover upgrade soak chromium check format golden check-rules coverage mutants bench bench-small bench-door bench-quality bench-order bench-schema bench-speed bench-peers bench-bulk bench-redaction bench-search bench-search-service bench-purge bench-claim bench-documents bench-metrics bench-gpu bench-bulk-vlm simulate pictures release-check dist train lock lock-gpu clean help

help: ## list the commands
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-22s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { $(PYTHON) -m pip install --quiet --user virtualenv && $(PYTHON) -m virtualenv --quiet $(VENV); }

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing (hash-checked) ..."
	@$(PIP) --require-hashes --no-deps -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q actors models storage serve_apps cluster configs
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "installing what tests and checks need (hash-checked) ..."
	@$(PIP) --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

$(VENV)/.guide: requirements-guide.lock mkdocs.yml cluster/dist/guide_hooks.py serve_apps/guide/operations.py serve_apps/clients/python/quire_client/types.py $(shell find docs -name '*.md' -o -name '*.css' -o -name '*.js' -o -name '*.png' -o -name '*.svg') | $(VENV)/.run
	@$(PIP) --require-hashes --no-deps -r requirements-guide.lock
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@touch $@

##@ Run

up: $(VENV)/.run $(VENV)/.guide ## install, start database, Ray and service in the background, read the sample, print the addresses
	@SVC_RAG_DB="$${SVC_RAG_DB:-$$($(BIN)/python -c '$(WORKDIR_OF)')/index}" $(BIN)/quire up --detach $(WORKDIR_ARG)
	@$(BIN)/quire tour $(WORKDIR_ARG)

down: $(VENV)/.run ## stop everything that `make up` started
	@$(BIN)/quire down $(WORKDIR_ARG)

guide: $(VENV)/.guide ## build the guide of /guide from docs/

status: $(VENV)/.run ## list what runs
	@$(BIN)/quire status $(WORKDIR_ARG)

##@ Test

test: $(VENV)/.dev $(if $(ROOM),,chromium) ## run the tests; ROOM=models/pii runs those of one area
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(if $(ROOM),tests/$(ROOM) -q,$(ALL_TESTS) $(EACH_CHANGE))

nightly: $(VENV)/.dev ## the long sweeps that `make test` leaves out
	$(BIN)/python -m pytest $(ALL_TESTS) -m nightly

test-cluster: $(VENV)/.dev ## placement, policies, the GPU tier and bulk jobs on several Ray nodes on this machine
	$(BIN)/python -m pytest tests/cluster tests/configs tests/models/neural/vlm tests/lab/sim -q
	$(BIN)/python -m pytest tests/e2e/machines -q

test-sdk: $(VENV)/.dev ## the Python and TypeScript clients, and uploads of six HTTP clients (needs Node 20, Java 17 and Go)
	$(BIN)/python -m pytest tests/clients -q
	@command -v npm >/dev/null || { echo "test-sdk: Node 20 with npm is missing, so the TypeScript client was NOT tested" >&2; exit 2; }
	npm --prefix serve_apps/clients/typescript ci --no-audit --no-fund --silent
	$(BIN)/python -m tests.clients.live_typescript
	$(BIN)/python -m tests.clients.uploads.live

test-frameworks: $(VENV)/.dev .venv-frameworks/.done ## the LangChain, LlamaIndex and Haystack loaders; clients of other services and Open WebUI
	$(BIN)/python -m tests.clients.live_frameworks .venv-frameworks/bin/python

.venv-frameworks/.done: tests/clients/frameworks.in tests/clients/open_webui.in
	$(PYTHON) -m venv .venv-frameworks && .venv-frameworks/bin/python -m pip install --quiet -r tests/clients/frameworks.in -r tests/clients/open_webui.in
	.venv-frameworks/bin/python -m pip install --quiet --no-deps "open-webui>=0.12,<0.13" && touch $@

test-chart: .venv-chart/.done ## lint and render the Helm chart with Helm's library: make test-chart [WRITE=--write]
	.venv-chart/bin/python tests/configs/render_chart.py $(WRITE)

.venv-chart/.done: tests/configs/chart.in
	$(PYTHON) -m venv .venv-chart && .venv-chart/bin/python -m pip install --quiet -r $< && touch $@

test-ui: $(VENV)/.dev chromium ## the dashboard: tests, axe-core on every page (needs npm), pictures in bench-results/ui
	QUIRE_REVIEW_FLAGS=400 $(BIN)/python -m pytest tests/ui tests/serve_apps/console -q
	@command -v npm >/dev/null || { echo "test-ui: npm is missing, so accessibility was NOT checked" >&2; exit 2; }
	npm --prefix tests/ui/axe ci --no-audit --no-fund --silent
	@mkdir -p bench-results/ui
	$(BIN)/python -m tests.ui.accessibility bench-results/ui
	$(BIN)/python -m tests.serve_apps.console.accessibility bench-results/console

test-gpu: ## vLLM, transformers and a model directory on tiny checkpoints: make test-gpu GPU=path/to/python
	$(GPU) -m pytest --noconftest tests/actors/vlm/test_vlm_transformers.py tests/actors/vlm/test_vlm_vllm.py tests/models/neural/embed/test_sentence_model.py -q

test-postgres: $(VENV)/.dev ## the storage tests on another PostgreSQL: make test-postgres PROGRAMS=/usr/lib/postgresql/15/bin
	$(BIN)/python -m tests.lab.chaos.database.version $(if $(PROGRAMS),--programs $(PROGRAMS),)

test-compiled: $(VENV)/.dev ## the tests of reading and of its sandbox with the layout compiled by mypyc, in a scratch copy (needs a C compiler)
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && python=$$PWD/$(BIN)/python && $$python -m quire.cluster.dist.compile "$$copy" && cd "$$copy" \
	&& $$python -m pytest tests/models/extract tests/models/test_table_in_parts.py tests/models/test_flowing.py tests/actors/sandbox -q -n $(WORKERS) --dist loadfile

fuzz-api: $(VENV)/.dev ## schemathesis with EXAMPLES requests for each operation; no request may cause a server error
	QUIRE_FUZZ_EXAMPLES=$(or $(EXAMPLES),450) $(BIN)/python -m pytest tests/security/test_fuzz.py -q -p no:xdist --timeout 0

conformance: $(VENV)/.dev ## check a service against the interface row by row: make conformance [BASE_URL=http://…]
	@$(BIN)/python -m tests.lab.conformance $(if $(BASE_URL),$(BASE_URL) $(or $(TOKEN_FILE),$$($(BIN)/python -c '$(WORKDIR_OF)')/token))

chaos: $(VENV)/.dev ## kill processes while documents flow: make chaos SEED=1 DOCUMENTS=2000 KILLS=500 STOPS=200 CRASHES=10 OVER=1500
	$(BIN)/python -m tests.lab.chaos.run --seed $(SEED) --documents $(DOCUMENTS) --kills $(or $(KILLS),50) --stops $(or $(STOPS),20) --crashes $(or $(CRASHES),2) --over $(or $(OVER),180)

chaos-targets: $(VENV)/.dev ## kill sender, target and database while documents go to a target: make chaos-targets SEED=1 DOCUMENTS=2000 KILLS=200
	$(BIN)/python -m tests.lab.chaos.targets --seed $(SEED) --documents $(DOCUMENTS) --kills $(or $(KILLS),40)

chaos-interrupts: $(VENV)/.dev ## press Ctrl-C at many moments of a command: make chaos-interrupts COMMAND=up MOMENTS=60 SPREAD=20
	$(BIN)/python -m tests.lab.chaos.commands.interrupts $(or $(COMMAND),extract) --moments $(or $(MOMENTS),100) --spread $(or $(SPREAD),2.4)

chaos-disk: $(VENV)/.dev ## fill the disk of the database, then free it (needs root: it mounts a small file system)
	$(BIN)/python -m tests.lab.chaos.database.full_disk

chaos-nodes: $(VENV)/.dev ## kill, remove and disconnect cluster nodes while documents flow: make chaos-nodes DOCUMENTS=2000
	$(BIN)/python -m tests.lab.chaos.nodes --seed $(SEED) --documents $(DOCUMENTS)

chaos-head: $(VENV)/.dev ## kill and restart the head of a cluster while documents flow: make chaos-head DOCUMENTS=600
	$(BIN)/python -m tests.lab.chaos.head --seed $(SEED) --documents $(DOCUMENTS)

failover: $(VENV)/.dev ## kill a primary database and promote its standby while documents flow: make failover [PROGRAMS=folder]
	$(BIN)/python -m tests.lab.chaos.database.failover $(if $(PROGRAMS),--programs $(PROGRAMS),)

upgrade: $(VENV)/.dev ## open a store of 0.9.20 in this version while its readers work, and go back by a dump
	$(BIN)/python -m tests.lab.chaos.database.upgrade

soak: $(VENV)/.dev ## ordinary work for hours, sampled; report what grows: make soak HOURS=2
	$(BIN)/python -m tests.lab.bench.soak --hours $(or $(HOURS),2)

chromium: ## install the browser that the UI tests drive
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }

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

check-rules: ## test the alert rules with promtool (Debian package prometheus)
	@command -v promtool >/dev/null || { echo "check-rules: promtool is missing, so the alert rules were NOT tested" >&2; exit 2; }
	promtool check rules configs/prometheus/quire.rules.yaml
	promtool test rules configs/prometheus/quire.rules.test.yaml

coverage: $(VENV)/.dev chromium ## line and branch coverage of all tests: table here, HTML in bench-results/coverage
	$(BIN)/python -m pytest $(ALL_TESTS) --cov --cov-branch --cov-report=
	$(BIN)/python -m pytest tests/e2e/machines -q --cov --cov-branch --cov-append --cov-report=term:skip-covered --cov-report=html:bench-results/coverage

mutants: $(VENV)/.dev ## check that the own tests of ten modules notice sampled mutants: make mutants SAMPLE=20
	$(BIN)/python -m tests.lab.bench.mutation --sample $(or $(SAMPLE),20)

##@ Bench

bench: $(VENV)/.dev ## run the short benchmarks: tables here, JSON in bench-results/
	@for bench in queue sandbox service derive; do $(BIN)/python -m tests.lab.bench.bench_$$bench || exit 1; done

bench-small: $(VENV)/.dev ## one-page documents: rate, database statements and CPU time of each part
	$(BIN)/python -m tests.lab.bench.bench_small --documents $(DOCUMENTS)

bench-quality: $(VENV)/.dev ## reading quality on documents with truth: make bench-quality DATA=folder
	$(BIN)/python -m tests.lab.bench.reading.bench_quality --data $(DATA)

bench-order: $(VENV)/.dev ## reading order of generated pages by kind: make bench-order PAGES=20
	$(BIN)/python -m tests.lab.bench.reading.bench_order --pages $(or $(PAGES),20)
	$(BIN)/python -m tests.lab.bench.reading.bench_order --pages $(or $(PAGES),20) --mirrored

bench-schema: $(VENV)/.dev ## extraction by schema, receipts, invoices and long lists: make bench-schema DATA=folder [ROWS=2000]
	$(BIN)/python -m tests.lab.bench.schema.bench_schema --data $(DATA) --rows $(or $(ROWS),2000)

bench-speed: $(VENV)/.dev .venv-peers/.done ## pages per CPU second next to other engines: make bench-speed DATA=folder
	$(BIN)/python -m tests.lab.bench.reading.bench_speed --data $(DATA)

bench-peers: .venv-peers/.done ## install other engines into an environment for comparisons
.venv-peers/.done: tests/lab/bench/peers.in
	$(PYTHON) -m venv .venv-peers && .venv-peers/bin/python -m pip install --quiet -r tests/lab/bench/peers.in && touch $@

bench-bulk: $(VENV)/.dev ## 10,000 pages by the bulk job and by quire extract: make bench-bulk DATA=folder
	$(BIN)/python -m tests.lab.bench.reading.bench_bulk --data $(DATA)

bench-redaction: $(VENV)/.dev ## search redacted files for generated values: make bench-redaction PDF=10000 DOCX=2000
	$(BIN)/python -m tests.lab.bench.redaction.bench_redaction --pdf $(or $(PDF),1000) --docx $(or $(DOCX),200) --first $(or $(FIRST),0) --seconds $(or $(SECONDS),100000)

bench-search: $(VENV)/.dev ## search quality, latency and indexing: make bench-search DATA=folder with docs, queries, qrels
	$(BIN)/python -m tests.lab.bench.search.bench_search $(if $(DATA),--data $(DATA),)

bench-search-service: $(VENV)/.dev ## search over HTTP at size: make bench-search-service CHUNKS=100000 TENANTS=1 [BESIDE=1000000 KEPT=folder DATA=folder]
	$(BIN)/python -m tests.lab.bench.search.bench_search_service --chunks $(or $(CHUNKS),100000) --tenants $(or $(TENANTS),1) --beside $(or $(BESIDE),0) $(if $(KEPT),--kept $(KEPT),) $(if $(DATA),--data $(DATA),)

bench-purge: $(VENV)/.dev ## erase from a large index: make bench-purge CHUNKS=1000000 TENANTS=10 [KEPT=folder for the next run]
	$(BIN)/python -m tests.lab.bench.search.bench_purge --chunks $(or $(CHUNKS),1000000) --tenants $(or $(TENANTS),10) $(if $(KEPT),--kept $(KEPT),)

bench-claim: $(VENV)/.dev ## claims of 64 pollers on a table with a million finished documents
	$(BIN)/python -m tests.lab.bench.queue.bench_claim

audit: $(VENV)/.dev ## compare the locked dependencies with public advisories; skipped without a network
	$(BIN)/python -m tests.security.audit

bench-fairness: $(VENV)/.dev ## health and another tenant while one sends bombs and 300 pages
	$(BIN)/python -m tests.lab.bench.queue.bench_fairness

bench-door: $(VENV)/.dev ## CPU time of API and proxy for small uploads, and of a node, in one run: make bench-door [BEFORE=checkout]
	$(BIN)/python -m tests.lab.bench.bench_small --documents $(DOCUMENTS)
	$(BIN)/python -m tests.lab.bench.door.bench_door ray haproxy $(if $(BEFORE),--before $(BEFORE),)
	$(BIN)/python -m tests.lab.bench.bench_small --documents $(DOCUMENTS)

bench-documents: $(VENV)/.dev ## one page of the document list with many rows: make bench-documents ROWS=10000
	$(BIN)/python -m tests.lab.bench.listing.bench_documents --rows $(or $(ROWS),10000)

bench-metrics: $(VENV)/.dev ## GET /metrics with a million finished documents
	$(BIN)/python -m tests.lab.bench.bench_metrics

bench-bulk-vlm: $(VENV)/.dev ## bulk extraction with stub GPU replicas against the rate of the stubs
	$(BIN)/python -m tests.lab.bench.reading.bench_bulk_vlm

bench-gpu: ## VLM pages per second against the rate of the engine alone: make bench-gpu GPU=path/to/python [MODEL=folder]
	$(GPU) -m tests.lab.bench.reading.bench_vlm $(if $(MODEL),--model $(MODEL),)

simulate: $(VENV)/.dev ## simulate pools and limits of 1 to 256 nodes: tables here, plots in docs/plots
	$(BIN)/python -m tests.lab.sim.report

pictures: $(VENV)/.dev chromium ## pictures of the dashboard for a comparison between versions, in bench-results/points
	$(BIN)/python -m tests.ui.browser.pictures bench-results/points

##@ Release

release-check: $(VENV)/.dev ## verify version, changelog, tag, wheels and image files of this checkout before a release
	$(BIN)/python -m quire.cluster.dist.release

dist: $(VENV)/.dev ## build the wheels of server and clients and the npm package (needs npm) into dist/
	@$(BIN)/python -m quire.cluster.dist.build dist

train: $(VENV)/.dev ## train tables, headings, levels and confidence: make train SETS=folder [TRAIN_ARGS=--keep]
	@$(PIP) --require-hashes --no-deps -r requirements-train.lock
	$(BIN)/python -m tests.lab.training.tables --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.headings --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.levels --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.lab.training.confidence --sets $(SETS) $(TRAIN_ARGS)

lock: ## compile requirements*.in into hash-checked locks without addresses (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate requirements.in -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock requirements-sql.in -o requirements-sql.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock requirements-targets.in -o requirements-targets.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock requirements-dev.in -o requirements-dev.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.lock requirements-train.in -o requirements-train.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock requirements-guide.in -o requirements-guide.lock

lock-gpu: ## the same for nodes of the GPU tier (Linux, amd64, CUDA)
	uv pip compile -q --python-version 3.11 --python-platform x86_64-manylinux_2_28 --generate-hashes --no-header --no-annotate requirements-gpu.in -o requirements-gpu.lock

clean: ## remove environments and caches
	rm -rf $(VENV) .venv-peers .venv-frameworks dist .mypy_cache .ruff_cache .pytest_cache bench-results
