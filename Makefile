# Two commands matter: `make book` builds the book, `make test` builds it and checks everything.
# Works with GNU make 3.81 (macOS) and 4.x.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book page test lint serve bench gpu binder clean browser bubblewrap rocq proofs finish lowest wheel lighthouse upgrade pdf offline

# The first Python that is 3.11 or newer; choose another with `make PYTHON=... book`.
PYTHON ?= $(shell for p in python3.11 python3 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
BIN := $(VENV)/bin
LOG := $(VENV)/install.log
# matplotlib's list of fonts is kept with the fonts: a list in the home folder may be of another environment.
export MPLCONFIGDIR := $(CURDIR)/$(VENV)/matplotlib
PORT ?= 8000
# The reader's edition, or `make book EDITION=students` (without solutions) or `EDITION=instructors` (with an exam).
EDITION ?= readers
ifeq ($(EDITION),readers)
BUILD := $(BIN)/jupyter-book build . --quiet --warningiserror --nitpick --keep-going
BUILT := html
else
BUILD := $(BIN)/python -m _ext.course.editions $(EDITION)
BUILT := $(EDITION)
endif
ifdef CI
FRESH := echo "CI is set, so the book is built from nothing."; rm -rf _build
else
FRESH := :
endif

help:
	@echo "make book    build the book into _build/html (the first time this installs what it needs)"
	@echo "             EDITION=students leaves the solutions out, EDITION=instructors adds answers and an exam"
	@echo "make page    build one page alone into _build/page (the one before goes): PAGE=chapters/yun-softmax; links to other pages lead nowhere there"
	@echo "make pdf     print the book into one PDF, _build/uat-book.pdf; SOLUTIONS=no leaves the solutions out"
	@echo "make offline pack it into one zip, _build/uat-book.zip: unpack it, and open index.html"
	@echo "make test    build the book, check style and types, run all tests"
	@echo "             CI=true builds from nothing and visits all pages, CI=full also tries scripts on each of them, and what is marked full"
	@echo "make serve   build the book and show it on http://localhost:$(PORT)"
	@echo "make lint    check style and types only"
	@echo "make proofs  compile the machine-checked proofs, and say what each theorem leans on (needs Rocq)"
	@echo "             PROOF_CACHE=no takes nothing of what was compiled before, in this clone or another, and keeps nothing for others"
	@echo "make finish  write five proofs with a hole for you; FILE=proofs/exercises/NAME.v checks what you made of one (needs Rocq)"
	@echo "make bench   measure ours beside its peers, and write benchmarks/report.md; ONLY=Smoother prints its rows"
	@echo "make gpu     on a machine with a GPU: run its tests, measure there and on the CPU, and write uatbook/data/gpu.json"
	@echo "make binder  make the environment of Binder, launch every chapter in it, and note what that costs"
	@echo "make lowest  run the library's tests with the lowest versions that it allows"
	@echo "make lighthouse  measure four pages as on a phone with a slow line, and write down what they reach (needs npm)"
	@echo "make wheel   run the README's code from the wheel, with the lowest and the newest versions"
	@echo "make upgrade try the newest versions of all pins in a copy, and say what moves and what breaks; WRITE=yes keeps them,"
	@echo "             BLAME=yes finds what breaks it, ONLY=\"ruff mypy\" moves these, RUN=\"make book\" runs less, TORCH=yes takes PyTorch, too"
	@echo "make clean   remove everything built; $(VENV) stays"

# A stamp is newer than the files it was made from, so a second run installs nothing.
$(VENV)/book.stamp: requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; install one, or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV) >&2 || { \
		echo "make: $(PYTHON) cannot create $(VENV); on Debian or Ubuntu: apt-get install python3-venv" >&2; rm -rf $(VENV); exit 1; }
	@echo "Installing requirements.txt into $(VENV) (one to five minutes) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt >$(LOG) 2>&1 || { \
		echo "make: installation failed: $$(grep -m1 ERROR $(LOG) || tail -n1 $(LOG)) (all of it: $(LOG))" >&2; exit 1; }
	@rm -rf "$$MPLCONFIGDIR"
	@touch $@

$(VENV)/test.stamp: $(VENV)/book.stamp requirements-dev.txt
	@echo "Installing requirements-dev.txt into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt >$(LOG) 2>&1 || { \
		echo "make: installation failed: $$(grep -m1 ERROR $(LOG) || tail -n1 $(LOG)) (all of it: $(LOG))" >&2; exit 1; }
	@touch $@

# A failed build forgets what it read: Sphinx would not repeat the warnings of unchanged chapters, and pass the next time.
book: $(VENV)/book.stamp
	@$(FRESH)
	@# matplotlib lists the fonts once and says so: here, and not in the first figure of the book.
	@ls "$$MPLCONFIGDIR"/fontlist-*.json >/dev/null 2>&1 || $(BIN)/python -c 'import matplotlib.font_manager' >/dev/null 2>&1
	@echo "Building the book: some minutes from nothing, less than one after an edit of a page ..."
	@$(BUILD) >_build.log 2>&1 || { \
		cat _build.log; rm -rf _build.log _build/html/.doctrees _build/.doctrees _build/.doctrees-$(EDITION); exit 1; }
	@rm -f _build.log
	@cat _build/report.txt
	@echo "The book is built. Open $(CURDIR)/_build/$(BUILT)/index.html"

# What the page lacks where no other is beside it is no news.
page: $(VENV)/book.stamp
	@test -f "$(PAGE:.md=).md" || { echo "make: expected PAGE=chapters/... or PAGE=library/..., got PAGE=$(PAGE)" >&2; exit 1; }
	@mkdir -p _build/page
	@printf 'format: jb-book\nroot: %s\nchapters:\n  - file: references\n' "$(PAGE:.md=)" >_build/page/_toc.yml
	@$(BIN)/jupyter-book build . --quiet --toc _build/page/_toc.yml --path-output _build/page >_build/page/log.txt 2>&1 || { cat _build/page/log.txt; exit 1; }
	@grep -E "WARNING|ERROR" _build/page/log.txt | grep -vE "unknown document|not found|undefined label|a fault that is no more" || :
	@echo "The page is built. Open $(CURDIR)/_build/page/_build/html/$(PAGE:.md=).html"

lint: $(VENV)/test.stamp
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary

browser: $(VENV)/test.stamp
	@$(BIN)/python tests/pages/browser.py

# In which submissions of students run; without it the tests of that are named as skipped.
bubblewrap:
	@command -v bwrap >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ echo "Installing bubblewrap ..."; apt-get update && apt-get install -y --no-install-recommends bubblewrap; } >/dev/null 2>&1 || :

# Which proofs need; it takes 1.6 GB, so it is fetched where all is to be checked. Without it the tests of that are named.
rocq:
ifdef CI
	@command -v coqc >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ echo "Installing Rocq ..."; apt-get update && apt-get install -y --no-install-recommends coq libcoq-mathcomp-analysis \
			libcoq-mathcomp-zify libcoq-mathcomp-algebra-tactics; } >/dev/null 2>&1 || :
endif

proofs: $(VENV)/book.stamp rocq
	@$(BIN)/python proofs/check.py

finish: $(VENV)/book.stamp
	@$(BIN)/python proofs/finish.py $(FILE)

test: $(VENV)/test.stamp lint book browser bubblewrap rocq
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -p no:benchmark --numprocesses auto --maxprocesses 4 --dist worksteal

# The library without the book, with the lowest versions that pyproject.toml allows, in an environment of its own.
lowest:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; run: make PYTHON=/path/to/python3.11 lowest" >&2; exit 1; }
	@test -x .venv-lowest/bin/python || "$(PYTHON)" -m venv .venv-lowest
	@.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-lowest.txt
	@OMP_NUM_THREADS=1 PYTHONPATH=$(CURDIR)/explorables/src .venv-lowest/bin/python -m pytest tests/uatlib explorables/tests --ignore explorables/tests/sphinx --numprocesses auto --maxprocesses 4 \
		-W "default:Deprecated in traitlets:DeprecationWarning" \
		-W 'default:The `ipykernel.comm.Comm` class:DeprecationWarning'   # say what ipywidgets 7 uses, which Colab has

# The README's code from the built packages alone, as whoever installs it has it. PyTorch is the pinned one in the second
# environment, where a newer one would bring gigabytes.
wheel:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; run: make PYTHON=/path/to/python3.11 wheel" >&2; exit 1; }
	@rm -rf dist .venv-wheel && "$(PYTHON)" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./explorables
	@for versions in lowest newest; do \
		"$(PYTHON)" -m venv --clear .venv-wheel && echo "README, $$versions versions" && \
		case $$versions in lowest) only="-c requirements-lowest.txt";; *) only="$$(grep -o '^torch==[0-9.]*' requirements.txt)";; esac && \
		.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check --find-links dist $$only pytest "$$(ls dist/uatlib-*.whl)[book]" && \
		.venv-wheel/bin/pytest -p no:cacheprovider tests/extensions/test_readme.py || exit 1; \
	done

# The newest versions of what is pinned, in a copy of the last commit with an environment of its own.
upgrade:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; run: make PYTHON=/path/to/python3.11 upgrade" >&2; exit 1; }
	@"$(PYTHON)" benchmarks/upgrade.py $(if $(ONLY),--only $(ONLY)) $(if $(RUN),--run "$(RUN)") \
		$(if $(filter yes,$(TORCH)),--torch) $(if $(filter yes,$(BLAME)),--blame) $(if $(filter yes,$(WRITE)),--write)

serve: book
	@echo "Serving http://localhost:$(PORT) (stop with Ctrl-C)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/$(BUILT) $(PORT)

# The book to carry away; another edition has its name in that of the file.
CARRIED := _build/uat-book$(if $(filter readers,$(EDITION)),,-$(EDITION))
PRINTED := $(CARRIED)$(if $(filter no,$(SOLUTIONS)),-without-solutions).pdf
pdf: book browser
	@$(BIN)/python -m _ext.shapes.pdf _build/$(BUILT) $(PRINTED) $(if $(filter no,$(SOLUTIONS)),--without-solutions)
	@echo "The book is printed: $(CURDIR)/$(PRINTED)"

offline: book
	@$(BIN)/python -m _ext.shapes.offline _build/$(BUILT) $(CARRIED).zip
	@echo "The book is packed: $(CURDIR)/$(CARRIED).zip"

# Needs npm, which fetches Lighthouse into .lighthouse.
lighthouse: book browser
	@$(BIN)/python benchmarks/lighthouse.py

bench: $(VENV)/test.stamp book browser
	@$(BIN)/python benchmarks/report.py $(ONLY)

gpu: $(VENV)/test.stamp
	@$(BIN)/python benchmarks/gpu.py

binder: $(VENV)/test.stamp browser
	@rm -rf _build/binder
	@$(BIN)/python benchmarks/binder.py _build/binder

clean:
	rm -rf _build dist .lighthouse .venv-lowest .venv-wheel .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
