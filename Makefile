# toktrace: one non-recursive Makefile. `make help` lists the targets.
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man

STANDARD := -std=c11 -D_GNU_SOURCE -pthread -I.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wundef -Wformat=2
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wformat -Werror=format-security -fPIE
LINK_HARDENING := -pie -Wl,-z,relro,-z,now

CHECKED_CFLAGS = $(STANDARD) $(WARNINGS) $(HARDENING) $(CFLAGS)

BASE_SOURCES := $(sort $(wildcard formats/base/*.c))
FORMATS_SOURCES := $(sort $(wildcard formats/*.c))
REPLAY_SOURCES := $(sort $(wildcard replay/*.c))
RECORD_SOURCES := $(sort $(wildcard record/*.c))
ANALYZE_SOURCES := $(sort $(wildcard analyze/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))

FORMATS_PACKAGES := libzstd zlib jansson
REPLAY_PACKAGES := libcurl
RECORD_PACKAGES := libpcap
ANALYZE_PACKAGES := gsl

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
libs = $(shell $(PKG_CONFIG) --libs $(1))

PROGRAMS := $(BUILD)/tokreplay $(BUILD)/tokrecord $(BUILD)/tokanalyze
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SOURCES))
LIBRARY := $(BUILD)/libformats.a
# Everything of a program but its main(), so that unit tests can link it.
REPLAY_LIBRARY := $(BUILD)/libreplay.a
RECORD_LIBRARY := $(BUILD)/librecord.a
ANALYZE_LIBRARY := $(BUILD)/libanalyze.a

ifeq ($(V),1)
quiet =
else
quiet = @printf '  %-4s %s\n' '$(1)' '$(2)';
endif

all: $(PROGRAMS) ## build the three programs into build/

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC,$@)$(CC) $(CHECKED_CFLAGS) -MMD -MP -c -o $@ $<

define archive
	@mkdir -p $(@D)
	$(call quiet,AR,$@)rm -f $@ && $(AR) rcD $@ $(filter %.o,$^)
endef

$(LIBRARY): $(call objects,$(BASE_SOURCES) $(FORMATS_SOURCES))
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

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(REPLAY_LIBRARY) $(RECORD_LIBRARY) \
		$(ANALYZE_LIBRARY) $(LIBRARY)
	$(call link,$(call libs,cmocka $(FORMATS_PACKAGES) $(REPLAY_PACKAGES) $(RECORD_PACKAGES) \
		$(ANALYZE_PACKAGES)))

check-unit: $(UNIT_PROGRAMS) ## unit tests only
	@for test in $(UNIT_PROGRAMS); do $$test || exit 1; done

clean: ## remove build/
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

-include $(patsubst %.o,%.d,$(call objects,$(BASE_SOURCES) $(FORMATS_SOURCES) $(REPLAY_SOURCES) \
	$(RECORD_SOURCES) $(ANALYZE_SOURCES) $(UNIT_SOURCES)))

.PHONY: all check-unit clean help
.SECONDARY:
