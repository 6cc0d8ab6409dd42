# `make chat` is all that is needed to try it; `make help` lists the rest. The work is done in scripts/.

PREFIX ?= /usr/local
DESTDIR ?=
PYTHON ?= python3
INSTALL := install -D
binary := .build/release/parley
playground := .build/release/playground
# Folders are listed too: their time changes when a file is removed.
sources := Package.swift $(wildcard Package.resolved) $(shell find Sources)

# `make ARCHIVES=` links all libraries as the system has them, as packages of a distribution do.
ARCHIVES ?= scripts/archives .build/archives
release = -c release --static-swift-stdlib --disable-local-rpath
archives := .build/archives.flags

.PHONY: FORCE build chat test test-long test-pages test-agents soak lint format docs pictures bench bench-start bench-kills bench-markdown bench-history bench-terminals install uninstall clean help
.SUFFIXES:

build: $(binary)

$(binary): $(sources) $(archives)
	@scripts/packages build
	swift build $(release) $$(cat $(archives)) --product parley
	@touch $@

$(playground): $(sources) $(archives)
	@scripts/packages build
	swift build $(release) $$(cat $(archives)) --product playground
	@touch $@

# Looked at each time, and newer only when it says something else: another ARCHIVES links anew.
$(archives): FORCE
	@scripts/packages build
	@mkdir -p .build
	@{ $(or $(ARCHIVES),:); } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

chat: $(binary) $(playground) ## open the shell with a local model and a server that it starts and stops
	@scripts/chat $(ARGS)

test: ## install what the tests need, and run them all
	@scripts/test

test-long: ## the loops that kill, stop and race, two hundred rounds each
	@PARLEY_ROUNDS=$${PARLEY_ROUNDS:-200} scripts/test-end-to-end -m long

test-pages: ## what /export html writes, in chromium
	@scripts/packages browser
	@scripts/test-end-to-end -m browser

test-agents: ## two agents that others made, with a real model behind them
	@scripts/real-agents run

soak: ## all tests ROUNDS times (5) on a machine kept busy, and a table of what failed
	@scripts/soak $(ROUNDS)

lint: ## formatting, the one door to the terminal, no test against the clock
	@scripts/lint

format: ## rewrite the Swift files as the linter wants them
	swift format --in-place --recursive --parallel Package.swift Sources Tests

docs: ## the man page and the completions, from the program's tables
	swift build --product generate-docs
	.build/debug/generate-docs

pictures: $(binary) ## docs/pictures, from what the program shows in a terminal emulator
	@scripts/python-packages end-to-end -r Tests/EndToEnd/requirements.txt
	@.venv/bin/python scripts/pictures.py $(binary)

bench: $(binary) ## all of the following, some twenty minutes, whether or not one misses a goal
	@status=0; for part in start markdown history terminals kills; do \
	  $(MAKE) --no-print-directory bench-$$part || status=1; \
	done; exit $$status

bench-start: $(binary) ## start-up, streaming and memory against curl
	@scripts/packages bench
	@$(PYTHON) bench/bench.py $(binary)

bench-markdown: $(binary) ## 1 MB of Markdown on a terminal, against cmark-gfm
	@scripts/packages bench
	@$(PYTHON) bench/markdown.py $(binary)

bench-history: $(binary) ## a million messages, against the sqlite3 shell
	@scripts/packages bench
	@$(PYTHON) bench/history.py $(binary)

bench-kills: ## a thousand kills while answers stream: nothing that was acknowledged is lost
	@PARLEY_ROUNDS=$${PARLEY_ROUNDS:-1000} scripts/test-end-to-end -m long -k history_kills -n 2

bench-terminals: $(binary) ## 100 MB through an attached terminal, against ssh
	@scripts/tool-peers install jupyter
	@$(PYTHON) bench/terminals.py $(binary)

install: $(binary) ## program, man page and completions below PREFIX (and DESTDIR)
	$(INSTALL) -m 755 $(binary) $(DESTDIR)$(PREFIX)/bin/parley
	$(INSTALL) -m 644 man/parley.1 $(DESTDIR)$(PREFIX)/share/man/man1/parley.1
	$(INSTALL) -m 644 completions/parley.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/parley
	$(INSTALL) -m 644 completions/_parley $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_parley
	$(INSTALL) -m 644 completions/parley.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/parley.fish

uninstall: ## what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/parley $(DESTDIR)$(PREFIX)/share/man/man1/parley.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/parley \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_parley \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/parley.fish

clean: ## what was built and installed inside this folder
	rm -rf .build .venv .venv-tools .run

help: ## this list
	@echo 'make build         the release program, $(binary)'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1 \2/p' $(MAKEFILE_LIST) | \
	  while read -r name text; do printf 'make %-13s %s\n' "$$name" "$$text"; done
