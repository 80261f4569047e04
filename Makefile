# Heddle. `make` builds build/heddle; `make test` and `make demo` also install what they need on Debian 12.
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   := build$(if $(SANITIZE),-sanitize)$(if $(TSAN),-tsan)
CFLAGS  ?= -O2 -g
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
ALL_CFLAGS := -std=gnu11 -Isrc $(WARN) $(if $(CI),-Werror) $(if $(SANITIZE),$(SAN_FLAGS)) $(if $(TSAN),-fsanitize=thread) $(CFLAGS)
LIBS    := -ldw -lelf -ljansson -lxxhash -lbdd -ldl -lpthread -lm

# src/runtime is linked into checked programs, never into heddle itself.
SOURCES := $(filter-out src/runtime/%,$(wildcard src/*.c src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBRARY := $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
UNIT    := $(patsubst test/unit/%.c,$(BUILD)/unit/%,$(wildcard test/unit/*.c))

# What programs under test are linked with: one object whose own names are hidden from the program. It must not be
# instrumented itself, so it is built the same way whatever the rest is built with.
RUNTIME := $(BUILD)/heddle_rt.o
RUNTIME_CFLAGS := -std=gnu11 -Isrc $(WARN) $(if $(CI),-Werror) -O3 -g -fPIC -fvisibility=hidden -fno-stack-protector -fno-sanitize=all -fno-reorder-functions \
    -ffile-prefix-map=src/=/usr/lib/heddle/src/
# The program's calls of these are redirected when it is linked (src/runtime/strings.h); the runtime's must not be.
WRAPPED := $(shell awk '/^    X/ { for (i = 2; i <= NF; i++) if ($$i ~ /^[a-z]+,$$/) { sub(/,/, "", $$i); print $$i; next } }' src/runtime/strings.h)
RUNTIME_OBJECTS := $(patsubst src/%.c,$(BUILD)/rt/%.o,$(wildcard src/runtime/*.c src/schedule/*.c))

all: $(BUILD)/heddle $(RUNTIME)

$(BUILD)/rt/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) -MMD -MP -c -o $@ $<

$(RUNTIME): $(RUNTIME_OBJECTS)
	ld -r -o $@ $^
	objcopy --localize-hidden --rename-section .text=heddle_text,alloc,load,readonly,code,contents $(foreach f,$(WRAPPED),--redefine-sym $(f)=__real_$(f)) $@

# Debian's libtcc.a exports every function of the compiler; only its interface may be seen here.
TCC := $(BUILD)/libtcc.o
$(TCC):
	@mkdir -p $(@D)
	ld -r -o $@ --whole-archive $(shell $(CC) -print-file-name=libtcc.a)
	objcopy --wildcard --keep-global-symbol='tcc_*' $@

$(BUILD)/heddle: $(OBJECTS) $(TCC)
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/model/step_text.o: src/model/step.h

$(BUILD)/libheddle.a: $(LIBRARY) $(TCC)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/unit/%: test/unit/%.c $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libheddle.a $(LIBS) -lcmocka

$(BUILD)/parse-dump: test/parse/dump.c $(BUILD)/libheddle.a
	$(CC) $(ALL_CFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LIBS)

-include $(OBJECTS:.o=.d) $(UNIT:=.d) $(RUNTIME_OBJECTS:.o=.d)

setup:
	@sh test/setup.sh

test: setup
	@$(MAKE) --no-print-directory CI=1 -j2 $(BUILD)/heddle $(RUNTIME) $(UNIT) $(BUILD)/parse-dump
	@BUILD=$(BUILD) sh test/run.sh

unit: $(UNIT)

clean:
	rm -rf build build-sanitize build-tsan

.PHONY: all setup test unit clean

# The long run of the judge of src/schedule: over 100,000 random programs (a quarter is too large for the referee).
schedule-long:
	@SCHEDULE_PROGRAMS=140000 BUILD=$(BUILD) CC=$(CC) test/schedule/run

.PHONY: schedule-long
