# Every command works on a bare machine with Python 3.11+ and pip: each makes .venv and installs from the hash-checked lock first.
# The first that starts here; from 3.12 on small documents take a fifth less CPU time (docs/operating.md).
PYTHON ?= $(shell for one in python3.12 python3.13 python3.11; do $$one -c '' 2>/dev/null && command -v $$one && exit; done; command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKDIR_ARG := $(if $(SVC_WORKDIR),--workdir $(SVC_WORKDIR),)
WORKDIR_OF := import os; from configs.settings import default_workdir; print(os.environ.get("SVC_WORKDIR") or default_workdir())
SEED ?= 1
DOCUMENTS ?= 200
WORKERS ?= 4

.PHONY: help up down status test compiled interpreted test-compiled dist conformance coverage mutants test-e2e test-sdk test-frameworks test-ui pictures chromium check format bench train bench-quality bench-order bench-speed bench-peers bench-bulk bench-search bench-search-service bench-redaction chaos chaos-head hostile lock clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

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

up: $(VENV)/.run ## install, start database, Ray and service detached, read a sample, say how to go on
	@SVC_RAG_DB="$${SVC_RAG_DB:-$$($(BIN)/python -c '$(WORKDIR_OF)')/index}" $(BIN)/quire up --detach $(WORKDIR_ARG)
	@$(BIN)/quire tour $(WORKDIR_ARG)

down: $(VENV)/.run ## stop all of it
	@$(BIN)/quire down $(WORKDIR_ARG)

status: $(VENV)/.run ## what runs
	@$(BIN)/quire status $(WORKDIR_ARG)

test: $(VENV)/.dev chromium ## the tests (pure, storage, API, one running service; `make test-cluster` has several machines)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest tests --ignore tests/e2e/machines --ignore tests/chaos -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder

fuzz-api: $(VENV)/.dev ## schemathesis: EXAMPLES requests, right and wrong ones, for each operation; none may end in a fault of ours
	QUIRE_FUZZ_EXAMPLES=$(or $(EXAMPLES),450) $(BIN)/python -m pytest tests/security/test_fuzz.py -q -p no:xdist --timeout 0

coverage: $(VENV)/.dev chromium ## line and branch coverage of the whole suite: a table here, HTML in bench-results/coverage
	QUIRE_COMPILED=never $(BIN)/python -m pytest tests --ignore tests/e2e/machines --ignore tests/chaos -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cov --cov-branch --cov-report=
	$(BIN)/python -m pytest tests/e2e/machines -q --cov --cov-branch --cov-append --cov-report=term:skip-covered --cov-report=html:bench-results/coverage

mutants: $(VENV)/.dev ## do the tests notice? sampled mutants of queue, jobs, PII and access: make mutants SAMPLE=20
	$(BIN)/python -m tests.bench.mutation --sample $(or $(SAMPLE),20)

conformance: $(VENV)/.dev ## the interface row by row: a table, exit 1 when a row fails; against a service of its own, or make conformance BASE_URL=http://…
	@$(BIN)/python -m tests.conformance $(if $(BASE_URL),$(BASE_URL) $(or $(TOKEN_FILE),$$($(BIN)/python -c '$(WORKDIR_OF)')/token))

test-sdk: $(VENV)/.dev ## both clients: every operation has a method, their tests, the documented examples (needs Node 20)
	$(BIN)/python -m pytest tests/clients -q
	@command -v npm >/dev/null || { echo "test-sdk: Node 20 with npm is missing, so the TypeScript client was NOT tested" >&2; exit 2; }
	npm --prefix serve_apps/clients/typescript ci --no-audit --no-fund --silent
	$(BIN)/python -m tests.clients.live_typescript

compiled: $(VENV)/.dev ## the layout as machine code, into compiled/ (needs a C compiler; some minutes): PDF pages take a fifth to a quarter less CPU time
	@$(BIN)/python -m cluster.dist.compile

interpreted: ## back to the sources alone
	rm -rf compiled

test-compiled: compiled ## the tests of reading and of its sandbox against the compiled layout
	QUIRE_COMPILED=always $(BIN)/python -m pytest tests/models/extract tests/models/test_table_in_parts.py tests/models/test_flowing.py tests/actors/sandbox -q -n $(WORKERS) --dist loadfile

dist: $(VENV)/.dev ## wheels of the server and of the Python clients, and the npm package (needs npm), into dist/
	@$(BIN)/python -m cluster.dist.compile || test $$? -eq 2
	@$(BIN)/python -m cluster.dist.build dist

test-frameworks: $(VENV)/.dev .venv-frameworks/.done ## the loaders against LangChain, LlamaIndex and Haystack; other services' clients and Open WebUI against the doors
	$(BIN)/python -m tests.clients.live_frameworks .venv-frameworks/bin/python

.venv-frameworks/.done: tests/clients/frameworks.in tests/clients/open_webui.in
	$(PYTHON) -m venv .venv-frameworks && .venv-frameworks/bin/python -m pip install --quiet -r tests/clients/frameworks.in -r tests/clients/open_webui.in
	.venv-frameworks/bin/python -m pip install --quiet --no-deps "open-webui>=0.12,<0.13" && touch $@

test-ui: $(VENV)/.dev chromium ## the dashboard: tests, then axe-core on every page (needs npm), pictures in bench-results/ui
	QUIRE_REVIEW_FLAGS=400 $(BIN)/python -m pytest tests/ui tests/serve_apps/console -q
	@command -v npm >/dev/null || { echo "test-ui: npm is missing, so accessibility was NOT checked" >&2; exit 2; }
	npm --prefix tests/ui/axe ci --no-audit --no-fund --silent
	@mkdir -p bench-results/ui
	$(BIN)/python -m tests.ui.accessibility bench-results/ui
	$(BIN)/python -m tests.serve_apps.console.accessibility bench-results/console

pictures: $(VENV)/.dev chromium ## pages by the points of the review of 0.9.20, into bench-results/points (run it in a checkout of each version to compare)
	$(BIN)/python -m tests.ui.browser.pictures bench-results/points

chromium: ## the browser that tests/ui drives
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }

test-cluster: $(VENV)/.dev ## placement, policies, GPU tier and bulk jobs: several raylets and fakes on this machine
	$(BIN)/python -m pytest tests/cluster tests/configs tests/models/neural/vlm tests/sim -q
	$(BIN)/python -m pytest tests/e2e/machines -q

test-gpu: ## vLLM, transformers and a model directory on tiny checkpoints, on a GPU or a CPU: make test-gpu GPU=path/to/python
	$(GPU) -m pytest --noconftest tests/actors/vlm/test_vlm_transformers.py tests/actors/vlm/test_vlm_vllm.py tests/models/neural/embed/test_sentence_model.py -q

bench-gpu: ## pages a second beside the engine's own rate, time to the first page: make bench-gpu GPU=path/to/python [MODEL=folder]
	$(GPU) -m tests.bench.reading.bench_vlm $(if $(MODEL),--model $(MODEL),)

train: $(VENV)/.dev ## learn tables, headings, their levels and confidence anew from documents with truth: make train SETS=folder [TRAIN_ARGS=--keep]
	@$(PIP) --require-hashes --no-deps -r requirements-train.lock
	$(BIN)/python -m tests.bench.training.tables --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.bench.training.headings --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.bench.training.levels --sets $(SETS) $(TRAIN_ARGS)
	$(BIN)/python -m tests.bench.training.confidence --sets $(SETS) $(TRAIN_ARGS)

failover: $(VENV)/.dev ## a primary is killed and its standby promoted while documents flow: make failover [PROGRAMS=folder of PostgreSQL's programs]
	$(BIN)/python -m tests.chaos.database.failover $(if $(PROGRAMS),--programs $(PROGRAMS),)

upgrade: $(VENV)/.dev ## a store of 0.9.20, made by its code from the history, opens in this version while its readers work; and back by a dump
	$(BIN)/python -m tests.chaos.database.upgrade

test-postgres: $(VENV)/.dev ## the tests of storage on another PostgreSQL: make test-postgres PROGRAMS=/usr/lib/postgresql/15/bin
	$(BIN)/python -m tests.chaos.database.version $(if $(PROGRAMS),--programs $(PROGRAMS),)

bench-claim: $(VENV)/.dev ## claims of 64 pollers beside a million finished documents
	$(BIN)/python -m tests.bench.bench_claim

soak: $(VENV)/.dev ## hours of ordinary work, sampled; what grows by how much an hour: make soak HOURS=2
	$(BIN)/python -m tests.bench.soak --hours $(or $(HOURS),2)

bench-documents: $(VENV)/.dev ## a page of the list of documents beside ten thousand: make bench-documents ROWS=10000
	$(BIN)/python -m tests.bench.listing.bench_documents --rows $(or $(ROWS),10000)

bench-small: $(VENV)/.dev ## one-page documents: rate, database statements and CPU of each part
	$(BIN)/python -m tests.bench.bench_small --documents $(DOCUMENTS)

bench-metrics: $(VENV)/.dev ## GET /metrics beside a million finished documents
	$(BIN)/python -m tests.bench.bench_metrics

check-rules: ## the alert rules by promtool (of the package prometheus)
	@command -v promtool >/dev/null || { echo "check-rules: promtool is missing, so the alert rules were NOT tested" >&2; exit 2; }
	promtool check rules configs/prometheus/quire.rules.yaml
	promtool test rules configs/prometheus/quire.rules.test.yaml

simulate: $(VENV)/.dev ## pools and limits of 1 to 256 nodes: tables here, plots in docs/plots
	$(BIN)/python -m tests.sim.report

chaos-disk: $(VENV)/.dev ## the disk of the database is full, then has room again (as root: it mounts a small file system)
	$(BIN)/python -m tests.chaos.database.full_disk

chaos-nodes: $(VENV)/.dev ## machines of a cluster die, leave and are cut off while documents flow: make chaos-nodes DOCUMENTS=2000
	$(BIN)/python -m tests.chaos.nodes --seed $(SEED) --documents $(DOCUMENTS)

chaos-head: $(VENV)/.dev ## the head of a cluster that keeps its state dies while documents flow, and comes back: make chaos-head DOCUMENTS=600
	$(BIN)/python -m tests.chaos.head --seed $(SEED) --documents $(DOCUMENTS)

check: $(VENV)/.dev ## ruff, mypy --strict, the layers, the sizes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_architecture.py tests/test_rooms.py -q

format: $(VENV)/.dev ## let ruff format and sort
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## every benchmark: tables here, JSON in bench-results/
	@for bench in queue sandbox service derive; do $(BIN)/python -m tests.bench.bench_$$bench || exit 1; done

bench-quality: $(VENV)/.dev ## reading quality: make bench-quality DATA=folder with documents and truth
	$(BIN)/python -m tests.bench.reading.bench_quality --data $(DATA)

bench-order: $(VENV)/.dev ## reading order of pages whose order is known, by kind of page: make bench-order PAGES=20
	$(BIN)/python -m tests.bench.reading.bench_order --pages $(or $(PAGES),20)
	$(BIN)/python -m tests.bench.reading.bench_order --pages $(or $(PAGES),20) --mirrored

bench-peers: .venv-peers/.done ## other engines, in an environment of their own
.venv-peers/.done: tests/bench/peers.in
	$(PYTHON) -m venv .venv-peers && .venv-peers/bin/python -m pip install --quiet -r tests/bench/peers.in && touch $@

bench-speed: $(VENV)/.dev .venv-peers/.done ## pages per CPU second beside peers: make bench-speed DATA=folder
	$(BIN)/python -m tests.bench.reading.bench_speed --data $(DATA)

bench-bulk: $(VENV)/.dev ## 10,000 pages by the bulk job beside quire extract: make bench-bulk DATA=folder
	$(BIN)/python -m tests.bench.reading.bench_bulk --data $(DATA)

bench-redaction: $(VENV)/.dev ## values in every place of generated PDF and Word files, looked for in the redacted ones: make bench-redaction PDF=10000 DOCX=2000
	$(BIN)/python -m tests.bench.redaction.bench_redaction --pdf $(or $(PDF),1000) --docx $(or $(DOCX),200) --first $(or $(FIRST),0) --seconds $(or $(SECONDS),100000)

bench-search-service: $(VENV)/.dev ## search through HTTP at size: make bench-search-service CHUNKS=100000 TENANTS=1 [BESIDE=1000000 KEPT=folder DATA=folder]
	$(BIN)/python -m tests.bench.search.bench_search_service --chunks $(or $(CHUNKS),100000) --tenants $(or $(TENANTS),1) --beside $(or $(BESIDE),0) $(if $(KEPT),--kept $(KEPT),) $(if $(DATA),--data $(DATA),)

bench-purge: $(VENV)/.dev ## erasing in a large index: make bench-purge CHUNKS=1000000 TENANTS=10 [KEPT=folder that keeps it for the next run]
	$(BIN)/python -m tests.bench.search.bench_purge --chunks $(or $(CHUNKS),1000000) --tenants $(or $(TENANTS),10) $(if $(KEPT),--kept $(KEPT),)

bench-search: $(VENV)/.dev ## search quality, latency, indexing: make bench-search DATA=folder with docs, queries, qrels
	$(BIN)/python -m tests.bench.search.bench_search $(if $(DATA),--data $(DATA),)

chaos: $(VENV)/.dev ## kill things while documents flow: make chaos SEED=1 DOCUMENTS=2000 KILLS=500 STOPS=200 CRASHES=10 OVER=1500
	$(BIN)/python -m tests.chaos.run --seed $(SEED) --documents $(DOCUMENTS) --kills $(or $(KILLS),50) --stops $(or $(STOPS),20) --crashes $(or $(CRASHES),2) --over $(or $(OVER),180)

lock: ## requirements*.in -> hash-checked locks without addresses (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate requirements.in -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock requirements-dev.in -o requirements-dev.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.lock requirements-train.in -o requirements-train.lock

lock-gpu: ## the same for nodes of the GPU tier (Linux, amd64, CUDA)
	uv pip compile -q --python-version 3.11 --python-platform x86_64-manylinux_2_28 --generate-hashes --no-header --no-annotate requirements-gpu.in -o requirements-gpu.lock

clean: ## remove the environments and caches
	rm -rf $(VENV) .venv-peers .venv-frameworks dist .mypy_cache .ruff_cache .pytest_cache bench-results
