# Heddle. `make` builds build/heddle; `make test` and `make demo` also install what they need on Debian 12.
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   := build$(if $(SANITIZE),-sanitize)$(if $(TSAN),-tsan)$(if $(findstring clang,$(CC)),-clang)
CFLAGS  ?= -O2 -g
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
# Hidden: a function of ours that has the name of one of libc's (accept) must not be called by libraries that are loaded later.
ALL_CFLAGS := -std=gnu11 -Isrc -fvisibility=hidden $(WARN) $(if $(CI),-Werror) $(if $(SANITIZE),$(SAN_FLAGS)) $(if $(TSAN),-fsanitize=thread) $(CFLAGS)
BDD     := $(BUILD)/libbdd.a
LIBS    := $(BDD) -ldw -lelf -ljansson -lxxhash -ldl -lpthread -lm

# src/runtime is linked into checked programs, never into heddle itself.
SOURCES := $(filter-out src/runtime/% src/cluster/mpi.c,$(wildcard src/*.c src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
# Where the time of a check goes.
HOT     := $(wildcard src/search/*.c) $(patsubst %,src/model/%.c,stepper promela_model claims independence footprint sticky)
$(HOT:%.c=$(BUILD)/%.o): ALL_CFLAGS := $(subst -O2,-O3,$(ALL_CFLAGS))
LIBRARY := $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
UNIT    := $(patsubst test/unit/%.c,$(BUILD)/unit/%,$(wildcard test/unit/*.c))

# What programs under test are linked with: one object whose own names are hidden from the program. It must not be
# instrumented itself, so it is built the same way whatever the rest is built with.
RUNTIME := $(BUILD)/heddle_rt.o
# The runtime knows its own code by its section; gcc, unlike clang, would spread functions over several.
ONE_SECTION := $(if $(findstring clang,$(shell $(CC) --version)),,-fno-reorder-functions)
# Every program is linked with it, which took twice as long with debug information. Only start.c and libc_state.c have it: `heddle
# replay --gdb` needs the types of the first, and messages the names of variables in the second. To debug the runtime itself:
# make clean, make RUNTIME_DEBUG=-g.
RUNTIME_DEBUG :=
RUNTIME_CFLAGS = -std=gnu11 -Isrc $(WARN) $(if $(CI),-Werror) -O3 $(RUNTIME_DEBUG) -fPIC -fvisibility=hidden -fno-stack-protector -fno-sanitize=all $(ONE_SECTION) \
    -D__assert_fail=rt_assertion_failed $(if $(SANITIZE)$(TSAN),-DCHECK_EVERYTHING) \
    -ffile-prefix-map=src/=/usr/lib/heddle/src/
# The program's calls of these are redirected when it is linked (src/runtime/strings.h); the runtime's must not be.
WRAPPED := $(shell awk '/^    X/ { for (i = 2; i <= NF; i++) if ($$i ~ /^[a-z]+,$$/) { sub(/,/, "", $$i); print $$i; next } }' src/runtime/strings.h)
RUNTIME_SOURCES := $(wildcard src/runtime/*.c src/schedule/*.c)
# It is in there twice: for up to 64 threads, and for up to 1,024 with names of its own (src/runtime/alone.c goes over to it).
WIDE_CFLAGS := -DSCHED_WIDE -Drt=rt_wide $(foreach f,heddle_step heddle_step_number heddle_step_thread,-D$(f)=$(f)_wide) -Wno-psabi
HIDE := objcopy --localize-hidden --rename-section .text=heddle_text,alloc,load,readonly,code,contents

# One shared object for each MPI library that is here, loaded only by processes of a job that this library started.
MPI_LIBRARIES := $(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m)),$(m)))
TRANSPORTS := $(MPI_LIBRARIES:%=$(BUILD)/heddle_%.so)

all: $(BUILD)/heddle $(RUNTIME) $(TRANSPORTS)

$(BUILD)/heddle_%.so: src/cluster/mpi.c src/cluster/transport_int.h
	@mkdir -p $(@D)
	mpicc.$* -std=gnu11 -Isrc $(WARN) -Wno-cast-function-type $(if $(CI),-Werror) -O2 -g -fPIC -shared -o $@ $<

$(foreach d,rt rt-wide,$(foreach f,start libc_state,$(BUILD)/$(d)/runtime/$(f).o)): RUNTIME_DEBUG := -g

$(BUILD)/rt/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/rt-wide/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) $(WIDE_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/rt-wide.o: $(RUNTIME_SOURCES:src/%.c=$(BUILD)/rt-wide/%.o)
	ld -r -o $@.new $^
	$(HIDE) $@.new
	nm --defined-only --extern-only $@.new | awk '{ print $$NF, "heddle_wide_" $$NF }' >$@.names
	objcopy --redefine-syms=$@.names $@.new && mv $@.new $@

$(RUNTIME): $(RUNTIME_SOURCES:src/%.c=$(BUILD)/rt/%.o) $(BUILD)/rt-wide.o
	ld -r -o $@ $(filter-out $(BUILD)/rt-wide.o,$^)
	$(HIDE) $@
	nm --defined-only --extern-only $@ | awk '$$2 == "W" { print "--add-symbol heddle_few_" $$3 "=heddle_text:0x" $$1 ",function,global" }' >$@.names
	objcopy @$@.names $@
	ld -r -o $@.new $@ $(BUILD)/rt-wide.o && mv $@.new $@
	objcopy $(foreach f,$(WRAPPED) dlsym,--redefine-sym $(f)=__real_$(f)) $@

# Debian's libtcc.a exports every function of the compiler; only its interface may be seen here. Without memory it exits with
# status 1, which means something else to us: it allocates and exits by our functions.
TCC := $(BUILD)/libtcc.o
$(TCC): Makefile
	@mkdir -p $(@D)
	ld -r -o $@ --whole-archive $(shell $(CC) -print-file-name=libtcc.a)
	objcopy --wildcard --keep-global-symbol='tcc_*' $(foreach f,malloc calloc realloc,--redefine-sym $(f)=x$(f)) \
	    --redefine-sym exit=libtcc_exits $@

# BuDDy does not check each of its allocations; they are made by src/symbolic/bdds.c.
$(BDD): Makefile
	@mkdir -p $(@D)
	objcopy $(foreach f,malloc calloc realloc,--redefine-sym $(f)=bdds_$(f)) $(shell $(CC) -print-file-name=libbdd.a) $@

$(BUILD)/heddle: $(OBJECTS) $(TCC) $(BDD)
	$(CC) $(ALL_CFLAGS) -o $@ $(OBJECTS) $(TCC) $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/model/step_text.o: src/model/step_int.h

$(BUILD)/src/cli/topics.o: doc/concepts.md

# The page of a counterexample, one file of several.
PAGE    := $(BUILD)/page.html
$(PAGE): $(wildcard src/show/page/*)
	@mkdir -p $(@D)
	awk -f src/show/page/assemble.awk src/show/page/page.html >$@.new && mv $@.new $@

$(BUILD)/src/show/page_text.o: $(PAGE)
$(BUILD)/src/show/page_text.o: ALL_CFLAGS += -DPAGE_FILE='"$(PAGE)"'

$(BUILD)/libheddle.a: $(LIBRARY) $(TCC) | $(BDD)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/unit/%: test/unit/%.c $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libheddle.a $(LIBS) -lcmocka

$(BUILD)/parse-dump: test/parse/dump.c $(BUILD)/libheddle.a
	$(CC) $(ALL_CFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LIBS)

$(BUILD)/bench/ablation: bench/ablation.c $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LIBS)

-include $(OBJECTS:.o=.d) $(UNIT:=.d) $(foreach d,rt rt-wide,$(RUNTIME_SOURCES:src/%.c=$(BUILD)/$(d)/%.d))

# What RC11 allows, for test/weak and for whoever wants to ask: build/weak/referee (test/weak/referee.c says how).
WEAK_REFEREE := $(BUILD)/weak/referee
$(WEAK_REFEREE): $(wildcard test/weak/*.c) test/weak/litmus.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^)

# The engine's order of seq_cst operations beside that of the axioms.
WEAK_PSC := $(BUILD)/weak/psc
$(WEAK_PSC): test/weak/engine/psc.c $(addprefix test/weak/,rc11.c graphs.c parse.c litmus.h) src/schedule/rc11.c src/schedule/schedule.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^)

weak-referee: $(WEAK_REFEREE) $(WEAK_PSC)

# The script of doc/cluster.md, by a Slurm that the test starts.
test-slurm: $(BUILD)/heddle $(TRANSPORTS)
	@sh test/setup.sh slurm-wlm munge
	HEDDLE=$(CURDIR)/$(BUILD)/heddle test/slurm/check

setup:
	@sh test/setup.sh

# A browser and test frameworks are fetched while the compiler works.
test: setup
	@mkdir -p $(BUILD)
	@sh test/optional.sh >$(BUILD)/optional.log 2>&1 & \
		$(MAKE) --no-print-directory CI=1 -j2 all $(UNIT) $(BUILD)/parse-dump $(WEAK_REFEREE) corpus && wait
	@BUILD=$(BUILD) sh test/run.sh

# What finds most in a minute or two, for builds other than the usual one: make quick SANITIZE=1, make quick CC=clang.
QUICK_UNIT := base boolprog_parse coverage native schedule symbolic_pushdown test_counterexample test_ltl test_process test_promela \
    test_promela_mutations test_search test_trace
QUICK := test/cli/run test/bp/run test/fuzz/run $(QUICK_UNIT:%=$(BUILD)/unit/%)
quick: setup
	@$(MAKE) --no-print-directory CI=1 -j2 $(BUILD)/heddle $(RUNTIME) $(QUICK_UNIT:%=$(BUILD)/unit/%) corpus
	@SUITES="$(QUICK)" BUILD=$(BUILD) sh test/run.sh

# The same with more of everything that is random, and Spin's models with more time.
test-long: setup
	@$(MAKE) --no-print-directory CI=1 -j2 all $(UNIT) $(BUILD)/parse-dump $(WEAK_REFEREE) corpus
	@LARGEST=1000000000 SPIN_SECONDS=100 WHOLE=1 HEDDLE_LTL_SPIN=1 HEDDLE_LTL_MODELS=400 RANDOM_MODELS=3000 AGREE_PROGRAMS=3000 BUILD=$(BUILD) sh test/run.sh

# The independence relation, on N made-up programs from SEED on and on all programs of the tests.
N := 20000
SEED := 1
swap: setup
	@$(MAKE) --no-print-directory CI=1 $(JOBS:%=-j%) $(BUILD)/heddle $(RUNTIME)
	@N=$(N) SEED=$(SEED) JOBS=$(or $(JOBS),2) BUILD=$(BUILD) HEDDLE=$(CURDIR)/$(BUILD)/heddle sh test/swap/long.sh

# Writes down what Spin says of each model of test/promela that is not in the list yet.
counts: setup
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle test/promela/run --count

# Programs as people have them: libraries and sources of Debian with a small harness each, right and with a seeded bug.
test-real: setup
	@$(MAKE) --no-print-directory CI=1 -j2 $(BUILD)/heddle $(RUNTIME)
	@sh test/setup.sh pkg-config dpkg-dev libuv1-dev libglib2.0-dev libtbb-dev libboost-dev libconcurrentqueue-dev libreaderwriterqueue-dev libevent-dev libbz2-dev libjemalloc-dev libmimalloc-dev
	@test/real/fetch.sh $(CURDIR)/$(BUILD)/heddle $(BUILD)/real
	@REAL=$(CURDIR)/$(BUILD)/real HEDDLE=$(CURDIR)/$(BUILD)/heddle PROGRAMS=$(CURDIR)/test/real test/programs/run

# From the README to the end of the tutorial in a new Debian root: needs root, debootstrap and a network.
test-fresh:
	@sh test/setup.sh debootstrap
	@BUILD=$(BUILD) sh test/fresh/debootstrap.sh

# The runtime for arm64, cross-compiled, under qemu-user.
test-arm64: $(BUILD)/heddle $(RUNTIME) $(BUILD)/libheddle.a
	@sh test/setup.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	@WRAPPED="$(WRAPPED)" BUILD="$(BUILD)" LIBS="$(LIBS)" sh test/arm64/cross.sh

# Speed and memory, as ratios against a peer in the same run.
bench: setup
	@$(MAKE) --no-print-directory -s -j2 all
	@for b in $(filter-out bench/bugs.sh,$(wildcard bench/*.sh)); do echo "== $$b"; HEDDLE=$(CURDIR)/$(BUILD)/heddle BUILD=$(BUILD) sh $$b || exit 1; done

# Writes bench/explicit/RESULTS.md and its picture; takes a quarter of an hour on a quiet machine.
bench-explicit: setup
	@$(MAKE) --no-print-directory -s -j2 all
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle bench/explicit/run.py

# Known bugs: found in how many of 20 runs, and after how many schedules and seconds, for every strategy. Writes bench/bugs/RESULTS.md and
# its picture. The whole run takes hours; make bench-bugs ROWS="reorder twostage" STRATEGIES="default pos" SEEDS=3 LIMIT=10 is a part.
bench-bugs: setup
	@$(MAKE) --no-print-directory -s -j2 all
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle BUILD=$(BUILD) ROWS="$(ROWS)" STRATEGIES="$(STRATEGIES)" SEEDS="$(SEEDS)" LIMIT="$(LIMIT)" \
	    OPTIONS="$(OPTIONS)" sh bench/bugs.sh

# Every table and figure of the papers, beside the printed numbers: writes doc/papers.md and the figures in bench/papers. A quarter of an
# hour on two cores with smaller sizes; FULL=1 takes the papers' where they can be had, and hours. SECTIONS="bcs cba" for some of them, to the terminal.
papers: setup
	@$(MAKE) --no-print-directory -s -j2 all $(BUILD)/unit/por_selectors
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle BUILD=$(CURDIR)/$(BUILD) FULL=$(FULL) sh bench/papers/papers.sh $(SECTIONS)

# One model that fails, one that passes, and the same for a C program.
demo: setup
	@$(MAKE) --no-print-directory -s -j2 all
	@sh examples/demo.sh $(BUILD)/heddle

# ---- installing and packages ----

VERSION := $(shell sed -n 's/^.define HEDDLE_VERSION "\(.*\)"/\1/p' src/base/version.h)
MANUAL  := $(BUILD)/man/heddle.1
SHELLS  := bash zsh fish
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DOCDIR  ?= $(PREFIX)/share/doc/heddle

$(MANUAL): man/make.sh $(BUILD)/heddle
	sh $< $(BUILD)/heddle $(@D)

$(SHELLS:%=$(BUILD)/completion.%): $(BUILD)/completion.%: packaging/completion.sh $(BUILD)/heddle
	sh $< $(BUILD)/heddle $* >$@

$(BUILD)/heddle.pc $(BUILD)/heddle-config.cmake $(BUILD)/heddle-config-version.cmake: $(BUILD)/%: packaging/%.in src/base/version.h
	sed 's|@VERSION@|$(VERSION)|' $< >$@

INSTALLED_DOCS := README.md CHANGELOG.md LICENSE
install: all $(MANUAL) $(SHELLS:%=$(BUILD)/completion.%) $(BUILD)/heddle.pc $(BUILD)/heddle-config.cmake $(BUILD)/heddle-config-version.cmake
	install -D -m 755 $(BUILD)/heddle $(DESTDIR)$(PREFIX)/bin/heddle
	install -m 755 examples/build/heddle-cc $(DESTDIR)$(PREFIX)/bin/heddle-cc
	install -m 755 examples/build/heddle-cc $(DESTDIR)$(PREFIX)/bin/heddle-c++
	install -D -m 644 $(RUNTIME) $(DESTDIR)$(PREFIX)/lib/heddle/heddle_rt.o
	install -m 644 examples/build/heddle.cmake examples/build/heddle.ini $(TRANSPORTS) $(DESTDIR)$(PREFIX)/lib/heddle
	install -D -m 644 include/heddle.h $(DESTDIR)$(PREFIX)/include/heddle.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/heddle/bits include/heddle/bits/*.h
	install -m 644 include/heddle/mutex $(DESTDIR)$(PREFIX)/include/heddle/mutex
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -D -m 644 $(BUILD)/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/heddle
	install -D -m 644 $(BUILD)/completion.zsh $(DESTDIR)$(ZSHDIR)/_heddle
	install -D -m 644 $(BUILD)/completion.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/heddle.fish
	install -D -m 644 $(BUILD)/heddle.pc $(DESTDIR)$(PREFIX)/share/pkgconfig/heddle.pc
	install -D -m 644 $(BUILD)/heddle-config.cmake $(DESTDIR)$(PREFIX)/share/cmake/heddle/heddle-config.cmake
	install -D -m 644 $(BUILD)/heddle-config-version.cmake $(DESTDIR)$(PREFIX)/share/cmake/heddle/heddle-config-version.cmake
	install -d $(DESTDIR)$(DOCDIR)/doc $(addprefix $(DESTDIR)$(DOCDIR)/examples/,c/weak bp server)
	install -m 644 $(INSTALLED_DOCS) $(DESTDIR)$(DOCDIR)
	install -m 644 doc/* $(DESTDIR)$(DOCDIR)/doc
	install -m 644 examples/README.md examples/*.pml $(DESTDIR)$(DOCDIR)/examples
	install -m 644 examples/c/*.* $(DESTDIR)$(DOCDIR)/examples/c
	install -m 644 examples/c/weak/* $(DESTDIR)$(DOCDIR)/examples/c/weak
	install -m 644 examples/server/* $(DESTDIR)$(DOCDIR)/examples/server
	install -m 644 examples/bp/*.bp examples/bp/*.pds $(DESTDIR)$(DOCDIR)/examples/bp

# A Debian package of what `make install` installs, as build/heddle_VERSION_ARCHITECTURE.deb.
deb: all
	sh packaging/deb.sh $(BUILD) $(VERSION)

# The sources of the last commit, the same bytes whoever makes it.
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=heddle-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/heddle-$(VERSION).tar.gz

unit: $(UNIT)

# The targets of `make fuzz` for plain files: `make test` runs the corpus through them.
FUZZ_TARGETS := $(basename $(notdir $(wildcard test/fuzz/*.c)))
CORPUS  := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
$(BUILD)/fuzz/%: test/fuzz/%.c $(wildcard test/fuzz/*.h) $(BUILD)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(BUILD)/libheddle.a $(LIBS)

corpus: $(CORPUS)

# Feeds the readers with mutations of test/fuzz/corpus under the sanitizers, one target after the other: `make fuzz TARGET=ltl
# FUZZ_SECONDS=600` for one of them and longer. What is found lies in build-fuzz/TARGET-*; `make fuzz-corpus` runs the corpus only.
FUZZ_SECONDS ?= 60
TARGET  ?= $(FUZZ_TARGETS)
FUZZ_BUILD := BUILD=build-fuzz CC=clang CFLAGS="-g -O1 $(SAN_FLAGS) -fsanitize=fuzzer-no-link"
FUZZ_FLAGS := -timeout=20 -rss_limit_mb=3000 -verbosity=0
FUZZ_SEEDS_promela := test/parse/good test/parse/bad test/promela/models
FUZZ_SEEDS_run := test/promela/models test/parse/good

build-fuzz/target-%: test/fuzz/%.c $(wildcard test/fuzz/*.h) build-fuzz/libheddle.a
	clang $(ALL_CFLAGS) -DLIBFUZZER -fsanitize=fuzzer -o $@ $< build-fuzz/libheddle.a $(LIBS)

fuzz-build: setup
	@$(MAKE) --no-print-directory -s -j2 $(FUZZ_BUILD) $(TARGET:%=build-fuzz/target-%)

fuzz: fuzz-build $(TARGET:%=fuzz-%)

$(FUZZ_TARGETS:%=fuzz-%): fuzz-%:
	@echo "== $*" && mkdir -p build-fuzz/found/$*
	build-fuzz/target-$* -max_total_time=$(FUZZ_SECONDS) $(FUZZ_FLAGS) -print_final_stats=1 $(addprefix -dict=,$(wildcard test/fuzz/$*.dict)) \
		-artifact_prefix=build-fuzz/$*- build-fuzz/found/$* test/fuzz/corpus/$* $(FUZZ_SEEDS_$*)

fuzz-corpus: fuzz-build
	@for t in $(TARGET); do build-fuzz/target-$$t $(FUZZ_FLAGS) -runs=0 test/fuzz/corpus/$$t || exit 1; done

clean:
	rm -rf build build-*


# The long run of the judge of src/schedule: over 100,000 random programs (a quarter is too large for the referee).
schedule-long:
	@SCHEDULE_PROGRAMS=140000 BUILD=$(BUILD) CC=$(CC) test/schedule/run

# Random programs through every mode of every engine, judged by brute force: N of them from SEED, JOBS at a time. A run that is
# stopped goes on where it was (build/agree/SEED.json); what failed is kept beside it.
N ?= 20000
SEED ?= 1
JOBS ?= 2
agree: all
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle AGREE_STATE=$(BUILD)/agree AGREE_JOBS=$(JOBS) test/agree/run $(N) $(SEED)

# Every call of test/programs and the examples into libraries, audited: none may access memory of several threads unannounced.
audit: all
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle test/audit/all.py

# Random litmus programs through every strategy, judged by the axioms of RC11, in the same way: build/weak/SEED.json.
weak: all weak-referee
	@HEDDLE=$(CURDIR)/$(BUILD)/heddle BUILD=$(BUILD) WEAK_STATE=$(BUILD)/weak WEAK_JOBS=$(JOBS) test/weak/run $(N) $(SEED)

# All small programs and automata, reduced against full, in parts of half a minute: PART=3 for one of them. What a part printed is kept in
# build/por-long, and a part that is there is not run again unless the test has changed; `make -j2 por-long` runs two at a time.
POR_PARTS ?= 61
POR_LONG := $(patsubst %,$(BUILD)/por-long/%,$(or $(PART),$(shell seq 0 $$(($(POR_PARTS) - 1)))))
por-long: $(POR_LONG) $(BUILD)/por-long-five
	@sh test/unit/por_long_sum.sh $(POR_LONG)
	@grep ' V' $(BUILD)/por-long-five
$(POR_LONG): $(BUILD)/por-long/%: $(BUILD)/unit/test_por_all
	@mkdir -p $(@D)
	@HEDDLE_POR_PART=$*/$(POR_PARTS) $< >$@.part && mv $@.part $@ && echo "part $*"
# Fig. 5 of the paper with programs of five states: twenty minutes.
$(BUILD)/por-long-five: $(BUILD)/unit/por_selectors
	@$< five >$@.part && mv $@.part $@

.PHONY: audit swap papers weak weak-referee bench-explicit bench-bugs $(FUZZ_TARGETS:%=fuzz-%) corpus agree por-long all setup test test-slurm test-real test-fresh test-arm64 quick counts test-long bench demo install deb dist unit fuzz fuzz-build fuzz-corpus clean schedule-long
