# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A thin front: every target first lets tools/bootstrap install what it lacks, then calls one command.
# PRESET=debug, asan, tsan or delays builds and tests in build/PRESET; aarch64 or ppc64le too, with cross compilers and qemu.

PRESET ?= release
SIZE   ?= default
JOBS   ?= $(shell nproc)
BUILD  := $(if $(filter release,$(PRESET)),build,build/$(PRESET))
BENCH  ?= all fib startup micro icount
EXPERIMENT ?= list
HOURS  ?= 1
PREFIX ?= /usr/local
CROSS  := $(filter aarch64 ppc64le,$(PRESET))

.DEFAULT_GOAL := build
.PHONY: build install uninstall packages docs demo test test-packages soak conformance check bench repro format clean distclean help

build: ## build build/lib/libxomp.so, and libgomp.so.1 beside it (the default)
	@tools/bootstrap $(or $(CROSS),build)
	@cmake --preset $(PRESET) --log-level=WARNING > /dev/null
	@cmake --build $(BUILD) --target xomp xomp_ompt_check --parallel $(JOBS)
	@$(if $(filter-out build,$(MAKECMDGOALS)),:,echo "$(BUILD)/lib/libxomp.so is built. Next: ./xomp run -- PROGRAM, make demo, make test, make help")

install: build ## install into PREFIX (/usr/local), with the command, manual pages and what links with it; DESTDIR is heeded
	@tools/bootstrap install
	@cmake --build $(BUILD) --target pages
	@tools/install $(BUILD) '$(PREFIX)'

uninstall: ## remove from PREFIX what `make install` put there
	@tools/install --remove '$(PREFIX)'

packages: build ## Debian packages, a wheel and a source distribution, in build/packages
	@tools/bootstrap packages
	@tools/package all

docs: build ## the documents as a site, in build/site/html
	@tools/bootstrap docs
	@build/venv/bin/python -B tools/site.py build/site/pages
	@NO_MKDOCS_2_WARNING=1 build/venv/bin/python -m mkdocs build --strict --quiet
	@echo "the site is in build/site/html; begin with index.html"

demo: build ## run programs with small tasks, and UTS, on the system's libgomp and on xomp; SIZE=paper for the paper's tree
	@tools/bootstrap demo
	@./xomp demo --size $(SIZE)

test: ## every test but those of packages: unit, programs, models, Python, a part of the conformance suite
	@tools/bootstrap $(or $(CROSS),--system test)
	@PRESET=$(PRESET) JOBS=$(JOBS) LACKS=$(if $(CROSS),,test) tools/run_tests $(patsubst %,'%',$(TESTS))

test-packages: ## the packages: what is in them, lintian, and each way of installing in an empty Debian
	@tools/bootstrap --system package_tests
	@PRESET=$(PRESET) JOBS=$(JOBS) LACKS=package_tests tools/run_tests python/packages install/

soak: ## the stress program for HOURS (or SECONDS): memory must stay flat, nothing may stand still
	@tools/bootstrap test
	@cmake --preset $(PRESET) -DXOMP_TESTS=ON --log-level=WARNING > /dev/null
	@cmake --build $(BUILD) --target xomp stress --parallel $(JOBS)
	@tests/stress/soak --build $(BUILD) $(if $(SECONDS),--seconds $(SECONDS),--hours $(HOURS)) $(ARGS)

conformance: build ## GCC's own libgomp test suite on libgomp and on xomp, and built by clang on libomp and on xomp
	@tools/bootstrap conformance
	@./xomp conformance --resume --json build/conformance/report.json $(ARGS)
	@./xomp conformance --compiler clang --resume --json build/conformance/report-clang.json $(ARGS)

check: ## format, lint, include direction
	@tools/bootstrap check
	@tools/check

bench: build ## the project's benchmarks, with the peers in the same run
	@tools/bootstrap bench
	@for part in $(BENCH); do ./xomp bench $$part $(ARGS) || exit; done

repro: build ## an experiment of the papers: EXPERIMENT=fig7 ARGS="--size small"; without EXPERIMENT the list of them
	@tools/bootstrap bench
	@./xomp repro $(EXPERIMENT) $(ARGS)

format: ## rewrite the sources in the project's format
	@tools/bootstrap check
	@tools/check --fix

clean: ## remove what was built; keeps what was fetched and the conformance suite's binaries
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name venv ! -name carried ! -name roots ! -name cross ! -name peers ! -name conformance -exec rm -rf {} +; fi

distclean: ## remove the whole build folder
	@rm -rf build

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22
