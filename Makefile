# The house's commands; `make help` lists them. CI runs `make test` and nothing else.

prefix = /usr/local
bindir = $(prefix)/bin
datadir = $(prefix)/share
man1dir = $(datadir)/man/man1
bashdir = $(datadir)/bash-completion/completions
zshdir = $(datadir)/zsh/site-functions
fishdir = $(datadir)/fish/vendor_completions.d
CARGO = cargo
INSTALL = install
# What `lint` reads, what `shared-check` runs on, for how many seconds `fuzz` runs.
ARCHIVE = testdata/sample.ctl-pgn
SHARED = ../shared
FUZZ_SECONDS = 60
# What `bench-peers` and `bench-counts` measure on: archives of MB million bytes, RUNS times; of twice RECORDS records.
PRESETS = plain commented
MB = 200
RUNS = 5
RECORDS = 1000
# Where `fuzz` keeps texts: what it found, and the examples of the pages, which it starts from.
CORPUS = testdata/fuzz/corpus

# Where cargo puts what it builds.
TARGET = $${CARGO_TARGET_DIR:-target}
BUILT = $(TARGET)/release

.PHONY: help build test lint bench with-generator bench-peers bench-counts fuzz deny shared-check install clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

build: ## build the programs
	$(CARGO) build --locked --release --bins

test: ## check format, clippy, documentation; run all tests
	$(CARGO) fmt --check
	$(CARGO) fmt --check --manifest-path testdata/fuzz/Cargo.toml
	$(CARGO) clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --no-deps
	CARGO=$(CARGO) .ci/cargo-test

lint: ## lint the sample archive, or ARCHIVE=…
	$(CARGO) run --locked --release --bin ctl-lint -- $(ARCHIVE)

bench: ## measure how fast archives are worked through
	$(CARGO) bench --locked --bench '*'

with-generator:
	$(CARGO) build --locked --release --bins --example generate

bench-peers: with-generator ## run whole programs beside wc, cat, sed, pgn-extract: MB=200, RUNS=5
	.ci/bench peers "$(BUILT)" $(MB) $(RUNS) $(PRESETS)

bench-counts: with-generator ## count instructions a ply and a byte (needs valgrind)
	.ci/bench counts "$(BUILT)" $(RECORDS) $(PRESETS)

fuzz: ## feed random bytes to the reader for FUZZ_SECONDS=60 (needs a nightly)
	command -v cargo-fuzz || $(CARGO) install --locked cargo-fuzz
	mkdir -p $(CORPUS)/reading $(CORPUS)/pages
	awk -v to=$(CORPUS)/pages/ '/^```/ { close(file); file = $$1 ~ /ctl-pgn$$/ ? to (++n) : ""; next } \
		file { print > file }' rules/*.md
	cargo +nightly fuzz run --fuzz-dir testdata/fuzz --sanitizer none reading \
		$(CORPUS)/reading $(CORPUS)/pages -- \
		-max_total_time=$(FUZZ_SECONDS) -dict=testdata/fuzz/words.dict -timeout=10

deny: ## check licences, sources and advisories of what we depend on
	command -v cargo-deny || $(CARGO) install --locked cargo-deny
	$(CARGO) deny --locked check

shared-check: build ## run all of SHARED=../shared: cases, oracle, archives
	.ci/shared-check $(SHARED) "$(BUILT)"

install: build ## install programs, man pages, completions below DESTDIR, prefix=/usr/local
	$(INSTALL) -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(man1dir)" "$(DESTDIR)$(bashdir)" "$(DESTDIR)$(zshdir)" \
		"$(DESTDIR)$(fishdir)"
	set -e; for program in ctl-lint ctl-filter; do \
		$(INSTALL) -m 755 "$(BUILT)/$$program" "$(DESTDIR)$(bindir)"; \
		install_text() { \
			"$(BUILT)/$$program" --generate $$1 > "$(DESTDIR)$$2"; \
			chmod 644 "$(DESTDIR)$$2"; \
		}; \
		install_text man "$(man1dir)/$$program.1"; \
		install_text bash "$(bashdir)/$$program"; \
		install_text zsh "$(zshdir)/_$$program"; \
		install_text fish "$(fishdir)/$$program.fish"; \
	done

clean: ## remove what was built
	$(CARGO) clean
