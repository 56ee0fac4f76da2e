# toktrace: one non-recursive Makefile. `make help` lists the targets.
BUILD ?= build
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
FUZZ_SECONDS ?= 60

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
BASHDIR ?= $(PREFIX)/share/bash-completion/completions

# Debian packages: what the programs need to be built, and what `make check` needs besides.
BUILD_PACKAGES := gcc libc6-dev pkg-config libcurl4-openssl-dev libzstd-dev zlib1g-dev \
	libjansson-dev libpcap-dev libgsl-dev libsqlite3-dev
CHECK_PACKAGES := libcmocka-dev python3 python3-aiohttp curl zstd iproute2

STANDARD := -std=c11 -D_GNU_SOURCE -pthread -I.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wundef -Wformat=2
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wformat -Werror=format-security -fPIE
LINK_HARDENING := -pie -Wl,-z,relro,-z,now
# Where the tree and its build lie is not to be seen in what was built.
NO_PATHS := -ffile-prefix-map=$(abspath $(BUILD))=build -ffile-prefix-map=$(BUILD)=build \
	-ffile-prefix-map=$(CURDIR)=.
CHECKED_CFLAGS = $(STANDARD) $(WARNINGS) $(HARDENING) $(NO_PATHS) $(CFLAGS)

BASE_SOURCES := $(sort $(wildcard formats/base/*.c))
FORMATS_SOURCES := $(sort $(wildcard formats/*.c))
REPLAY_SOURCES := $(sort $(wildcard replay/*.c))
RECORD_SOURCES := $(sort $(wildcard record/*.c))
ANALYZE_SOURCES := $(sort $(wildcard analyze/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c tests/model/test_*.c))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SOURCES := $(sort $(wildcard tests/bench/bench_*.c))
MANUALS := $(sort $(wildcard replay/*.1 record/*.1 analyze/*.1))
FORMAT_MANUALS := $(sort $(wildcard formats/*.5))

FORMATS_PACKAGES := libzstd zlib jansson
REPLAY_PACKAGES := libcurl
RECORD_PACKAGES := libpcap
ANALYZE_PACKAGES := gsl sqlite3
ALL_PACKAGES := $(FORMATS_PACKAGES) $(REPLAY_PACKAGES) $(RECORD_PACKAGES) $(ANALYZE_PACKAGES)

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
programs_of = $(patsubst %.c,$(BUILD)/%,$(1))
libs = $(shell $(PKG_CONFIG) --libs $(1))

NAMES := tokreplay tokrecord tokanalyze
PROGRAMS := $(addprefix $(BUILD)/,$(NAMES))
UNIT_PROGRAMS := $(call programs_of,$(UNIT_SOURCES))
FUZZ_PROGRAMS := $(call programs_of,$(FUZZ_SOURCES))
BENCH_PROGRAMS := $(call programs_of,$(BENCH_SOURCES))
LIBRARY := $(BUILD)/libformats.a
# Everything of a program but its main(), so that unit tests can link it.
REPLAY_LIBRARY := $(BUILD)/libreplay.a
RECORD_LIBRARY := $(BUILD)/librecord.a
ANALYZE_LIBRARY := $(BUILD)/libanalyze.a
ALL_LIBRARIES := $(REPLAY_LIBRARY) $(RECORD_LIBRARY) $(ANALYZE_LIBRARY) $(LIBRARY)
# Runs a fuzz target over its corpus; `make fuzz` puts libFuzzer in its place.
FUZZ_MAIN := $(BUILD)/tests/fuzz/replay_corpus.o

ifeq ($(V),1)
quiet =
else
quiet = @printf '  %-4s %s\n' '$(1)' '$(2)';
endif

all: $(PROGRAMS) ## build the three programs into build/

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC,$@)$(CC) $(CHECKED_CFLAGS) -MMD -MP -c -o $@ $<

# The commit for --version, and its time: git knows them, or the file that `git archive` filled in.
REVISION := $(shell if test -e .git; then git describe --always --dirty --exclude '*' 2>/dev/null; \
	else sed '/Format/d; q' .revision; fi)
COMMIT_TIME = $(shell if test -e .git; then git log -1 --format=%ct 2>/dev/null; \
	else sed -n '/Format/d; 2p' .revision; fi)
$(BUILD)/revision.c: FORCE
	@mkdir -p $(@D)
	@echo 'const char toktrace_revision[] = "$(REVISION)";' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/revision.o: $(BUILD)/revision.c
	$(call quiet,CC,$@)$(CC) $(STANDARD) $(NO_PATHS) $(CFLAGS) -fPIE -include formats/base/version.h -c -o $@ $<

define archive
	@mkdir -p $(@D)
	$(call quiet,AR,$@)rm -f $@ && $(AR) rcD $@ $(filter %.o,$^)
endef

$(LIBRARY): $(call objects,$(BASE_SOURCES) $(FORMATS_SOURCES)) $(BUILD)/revision.o
	$(archive)
$(REPLAY_LIBRARY): $(call objects,$(filter-out replay/main.c,$(REPLAY_SOURCES)))
	$(archive)
$(RECORD_LIBRARY): $(call objects,$(filter-out record/main.c,$(RECORD_SOURCES)))
	$(archive)
$(ANALYZE_LIBRARY): $(call objects,$(filter-out analyze/main.c,$(ANALYZE_SOURCES)))
	$(archive)

define link
	$(call quiet,LINK,$@)$(CC) $(CFLAGS) -pthread $(LINK_HARDENING) $(LDFLAGS) -o $@ \
		$(filter %.o,$^) $(filter %.a,$^) $(1) -lm
endef

$(BUILD)/tokreplay: $(BUILD)/replay/main.o $(REPLAY_LIBRARY) $(LIBRARY)
	$(call link,$(call libs,$(FORMATS_PACKAGES) $(REPLAY_PACKAGES)))
$(BUILD)/tokrecord: $(BUILD)/record/main.o $(RECORD_LIBRARY) $(LIBRARY)
	$(call link,$(call libs,$(FORMATS_PACKAGES) $(RECORD_PACKAGES)))
$(BUILD)/tokanalyze: $(BUILD)/analyze/main.o $(ANALYZE_LIBRARY) $(LIBRARY)
	$(call link,$(call libs,$(FORMATS_PACKAGES) $(ANALYZE_PACKAGES)))
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(ALL_LIBRARIES)
	$(call link,$(call libs,cmocka $(ALL_PACKAGES)))
$(BUILD)/tests/model/%: $(BUILD)/tests/model/%.o $(ALL_LIBRARIES)
	$(call link,$(call libs,cmocka $(ALL_PACKAGES)))
$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(ALL_LIBRARIES)
	$(call link,$(call libs,$(ALL_PACKAGES)))
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_MAIN) $(ALL_LIBRARIES)
	$(call link,$(call libs,$(ALL_PACKAGES)))

# Builds on all processors unless make was told how many to use.
jobs = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

demo: ## install what is missing, build, replay a sample against a simulated server
	@tests/install-packages $(BUILD_PACKAGES)
	@$(MAKE) --no-print-directory $(jobs) all
	@samples/demo $(BUILD)

# Tests besides the unit tests: executables of e2e/ and model/, .test files of the other directories.
executables = $(shell find $(addprefix tests/,$(1)) -type f -perm -u+x 2>/dev/null | sort)
GOLDENS := $(shell find tests/cli tests/broken tests/golden -name '*.test' 2>/dev/null | sort)
CORPORA := $(foreach program,$(FUZZ_PROGRAMS),$(program)=tests/fuzz/corpus/$(program:$(BUILD)/tests/fuzz/fuzz_%=%))
RUN := tests/run --bin $(BUILD)

check: ## install what is missing, build, run the tests (minutes)
	@tests/install-packages $(BUILD_PACKAGES) $(CHECK_PACKAGES)
	@$(MAKE) --no-print-directory $(jobs) check-run

check-run: $(PROGRAMS) $(UNIT_PROGRAMS) $(FUZZ_PROGRAMS) # as check, nothing installed
	@$(RUN) $(UNIT_PROGRAMS) $(CORPORA) $(GOLDENS) --alone $(call executables,e2e model)

check-unit: $(UNIT_PROGRAMS) ## unit tests only
	@$(RUN) $(UNIT_PROGRAMS)

check-long: $(PROGRAMS) $(UNIT_PROGRAMS) $(BUILD)/tests/bench/bench_report ## long tests
	@$(RUN) --timeout 1800 --alone $(call executables,long)

ASAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
check-asan: ## every test with the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan CFLAGS="-O1 -g $(ASAN_FLAGS)" \
		LDFLAGS="$(ASAN_FLAGS)" check-run

# Minutes of arithmetic would be hours here; and valgrind's long double has 64 bits.
NOT_FOR_VALGRIND := $(addprefix $(BUILD)/tests/,unit/test_interval_coverage unit/test_knee_coverage \
	unit/test_plan model/test_queue_model)
check-valgrind: $(UNIT_PROGRAMS) ## unit tests under valgrind
	@$(RUN) --timeout 600 --valgrind $(filter-out $(NOT_FOR_VALGRIND),$(UNIT_PROGRAMS))

bless: $(PROGRAMS) ## accept what the golden command tests print now
	@$(RUN) --bless $(GOLDENS)

FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
fuzz: ## each fuzz target for FUZZ_SECONDS (60) with clang's libFuzzer
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang FUZZ_MAIN= \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link $(FUZZ_FLAGS)" \
		LDFLAGS="-fsanitize=fuzzer $(FUZZ_FLAGS)" fuzz-run

fuzz-run: $(FUZZ_PROGRAMS)
	@for program in $(FUZZ_PROGRAMS); do \
		name=$${program##*/fuzz_}; mkdir -p $(BUILD)/found/$$name; \
		echo "fuzzing $$name for $(FUZZ_SECONDS) s"; \
		$$program -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/found/ $(BUILD)/found/$$name tests/fuzz/corpus/$$name \
			>$(BUILD)/found/$$name.log 2>&1 || { tail -40 $(BUILD)/found/$$name.log; exit 1; }; \
		grep -h 'number_of_executed_units\|average_exec' $(BUILD)/found/$$name.log; \
	done

# A client for comparison: the scripts of tests/bench run it.
BENCH_CLIENT := $(BUILD)/tests/bench/epoll_client
bench: $(PROGRAMS) $(BENCH_PROGRAMS) $(BENCH_CLIENT) ## measure the hot paths, into build/bench.md too (minutes)
	@rm -f $(BUILD)/bench.done; ( for program in $(BENCH_PROGRAMS) $(call executables,bench); do \
		printf '\n## %s\n\n' $${program##*/}; \
		PATH=$(abspath $(BUILD)):$$PATH BUILD=$(abspath $(BUILD)) $$program || exit 1; \
	done; touch $(BUILD)/bench.done ) | tee $(BUILD)/bench.md; [ -e $(BUILD)/bench.done ]

PAPER ?= $(BUILD)/paper
paper: $(PROGRAMS) ## a slow client against its packets and models: tables and figures in PAPER (build/paper)
	@samples/paper $(BUILD) $(PAPER)

lint: ## -Werror build, sizes, widths, names, layers
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/lint CFLAGS="-O2 -g -Werror" all \
		$(if $(shell $(PKG_CONFIG) --exists cmocka && echo yes),lint-tests)
	@tests/lint

lint-tests: $(UNIT_PROGRAMS) $(FUZZ_PROGRAMS) $(BENCH_PROGRAMS) $(BENCH_CLIENT)

layers: ## formats/base <- formats <- record, replay, analyze: includes go one way
	@tests/lint layers

static: ## cppcheck, clang-tidy and gcc -fanalyzer over the programs (minutes)
	@tests/static

coverage: ## lines reached by `make check-run`, per file
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage CFLAGS="-O0 -g --coverage" \
		HARDENING=-fPIE LDFLAGS=--coverage RUN='tests/run --timeout 900 --bin $(BUILD)/coverage' \
		check-run
	@tests/coverage $(BUILD)/coverage

install: all ## programs, manuals, completions under PREFIX (/usr/local) and DESTDIR
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5 $(BASHDIR) $(ZSHDIR))
	install -m 755 $(PROGRAMS) $(DESTDIR)$(BINDIR)
	install -m 644 $(MANUALS) $(DESTDIR)$(MANDIR)/man1
	install -m 644 $(FORMAT_MANUALS) $(DESTDIR)$(MANDIR)/man5
	umask 022; for name in $(NAMES); do \
		$(BUILD)/$$name --completion bash >$(DESTDIR)$(BASHDIR)/$$name && \
		$(BUILD)/$$name --completion zsh >$(DESTDIR)$(ZSHDIR)/_$$name || exit 1; \
	done

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(NAMES)) $(addprefix $(DESTDIR)$(BASHDIR)/,$(NAMES)) \
		$(addprefix $(DESTDIR)$(ZSHDIR)/_,$(NAMES)) \
		$(addprefix $(DESTDIR)$(MANDIR)/man1/,$(notdir $(MANUALS))) \
		$(addprefix $(DESTDIR)$(MANDIR)/man5/,$(notdir $(FORMAT_MANUALS)))

TOOLKIT_VERSION = $(shell sed -n 's/.*TOKTRACE_VERSION "\(.*\)"/\1/p' formats/base/version.h)
COMMIT_DATE = $(shell date -u -d @$(COMMIT_TIME) +%Y%m%d)
DEB_VERSION ?= $(TOOLKIT_VERSION)$(if $(REVISION),+git$(COMMIT_DATE).$(subst -dirty,.dirty,$(REVISION)))
deb: export SOURCE_DATE_EPOCH ?= $(COMMIT_TIME)
deb: ## Debian packages toktrace-record, -replay and -analyze in build/deb
	@rm -rf $(BUILD)/deb
	@$(MAKE) --no-print-directory DESTDIR=$(BUILD)/deb/stage PREFIX=/usr \
		ZSHDIR=/usr/share/zsh/vendor-completions install >/dev/null
	@.deb/make-packages $(BUILD)/deb/stage $(BUILD)/deb $(DEB_VERSION)

clean: ## remove build/
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

-include $(patsubst %.o,%.d,$(call objects,$(BASE_SOURCES) $(FORMATS_SOURCES) $(REPLAY_SOURCES) \
	$(RECORD_SOURCES) $(ANALYZE_SOURCES) $(UNIT_SOURCES) $(FUZZ_SOURCES) $(BENCH_SOURCES) \
	tests/fuzz/replay_corpus.c))

FORCE:
.PHONY: all demo check check-run check-unit check-long check-asan check-valgrind bless fuzz \
	fuzz-run bench paper lint lint-tests layers static coverage install uninstall deb clean help \
	FORCE
.SECONDARY:
