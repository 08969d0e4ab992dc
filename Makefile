# make            build ./mapping; with the gpu source if nvcc is found
# make test       all tests that need no GPU; T=tests/command/diff.t one of them, T=tests/smem/matrix_test.c a C program
#                   SANITIZE=1 with ASan and UBSan, MSAN=1 CC=clang with MemorySanitizer, VALGRIND=1 C programs under valgrind
#                   THOROUGH=1 every case instead of a sample
#                   WITHOUT="nvcc ptxas"  with CI=true a skipped test is a failure, unless it lacks one of these
# make cases      the command lines of tests/cases/ alone; FILES="tests/cases/options.cases" some of them
# make times      processor time of each test, the longest last
# make check      derive results/ again from every available source, and compare; SAMPLE=3 one in 3 modules of opcodes
# make fuzz       fuzz every parser, SECONDS=60 for each; TARGETS="name map" only these; CHECKS= at full speed;
#                 RUNS=0 reads the seeds and stops
# make faults     inject faults into system calls, close streams, send signals; FAULTS=all makes every call fail once
# make delta BASE=COMMIT   compare the answers to 10,000 command lines with those of another commit
# make msan       C tests and command lines of tests/lib/command_lines.py under MemorySanitizer (clang); make asan under ASan and UBSan (gcc);
#                 SAMPLE=1 all command lines instead of one in 9, and in C tests the samples of make test
# make tsan       one in 9 command lines of tests/lib/command_lines.py in eight threads at once, under ThreadSanitizer
# make bare       the README's commands with a PATH of only a compiler, make and POSIX's utilities
# make package    build, install, use and uninstall the tarball of make dist
# make coverage   count the lines and branches that tests reach, and list the others
# make bench      measure the numbers that have bounds
# make test-gpu   tests that need a GPU
# make musl       compile src/system and src/source with musl instead of glibc
# make style      clang-format, the order of modules, circles of files
# make lint       make style, cppcheck, clang-tidy, gcc -fanalyzer; LINT=src src alone; with nvcc CUDA, too
# make results    derive results/ again, and add the evidence; FILES="results/mma.txt" only this file
# make prove      find the shortest expressions of all formulae again; make sass assembles all opcodes again
# make evidence   print results/README.md: the evidence for each layout
# make page       build/page.html: all fragments of all architectures, to explore in a browser
# make wheel      the Python package cuda-mapping in build/wheel; make python its parts, in build/python
# make site       build/site: the reference of the Python module
# make install    the program, its manual and completions, the library: PREFIX=/usr/local LIBDIR= MANDIR= ... DESTDIR=
# make uninstall  with the same variables removes it;   make dist   build/mapping-VERSION.tar.gz;   make deb   Debian packages of it
#
# V=1 prints whole commands
# CC=cc|gcc|clang   NVCC=path, or empty for none   CUDA_ARCH="75 90" instead of all architectures of nvcc
# WERROR=1          warnings are errors     EMULATE="qemu-aarch64 -L DIR"   runs the programs that the build runs
# TOOLKITS="DIR DIR"   folders with ptxas and nvdisasm of several CUDA versions, for check, results and sass

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
CUDA_ARCH ?=
TOOLKITS ?=

# -g1 gives addresses their lines. -g also describes variables, and makes the build a quarter slower.
CFLAGS ?= -O2 -g1
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(if $(WERROR),-Werror)
FLAGS := $(CPPFLAGS) -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -MMD -MP $(WARNINGS)

# The program and the library are linked from the same objects.
SHOWN_BY_HEADER := -fPIC -fvisibility=hidden

ifdef SANITIZE
BUILD := build/sanitize
BINARY := $(BUILD)/mapping
SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS := -O1 -g1
else ifdef MSAN
BUILD := build/msan
BINARY := $(BUILD)/mapping
SANITIZER := -fsanitize=memory -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS := -O1 -g1
else ifdef TSAN
BUILD := build/tsan
BINARY := $(BUILD)/mapping
SANITIZER := -fsanitize=thread
CFLAGS := -O1 -g1
else ifdef COVERAGE
BUILD := build/coverage
BINARY := $(BUILD)/mapping
SANITIZER := --coverage -O0 -fprofile-abs-path -Wl,--wrap=raise,--wrap=pthread_create
else
BUILD := build
BINARY := mapping
endif
RUN = $(if $(filter /%,$(BINARY)),,./)$(BINARY)

# make splits names at blanks, so the path must not contain any.
ifneq ($(words $(CURDIR)) $(words $(BUILD)) $(words $(BINARY)),1 1 1)
$(error The path of the sources, BUILD and BINARY must have no blanks: '$(CURDIR)', '$(BUILD)', '$(BINARY)')
endif

# Keep paths of this machine out of the objects, so that builds are reproducible. This is not part of FLAGS: moving the
# tree must not compile everything again.
PREFIX_MAP = -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))=./build

# ---- Lists of files ----

# The records of layouts; the SASS of opcodes (`make sass`); the shortest expressions (`make prove`); and the page of
# evidence (`make evidence`).
RECORDS := $(patsubst %,results/%.txt,wmma mma mma.sp ldmatrix wgmma shared published)
ASSEMBLED := results/sass.txt
PROOFS := results/short.txt
EVIDENCE := results/README.md

objects = $(patsubst src/%.c,$(BUILD)/%.o,$(1))

# The program that prints the manual and the completions, and their files.
DESCRIBE := $(BUILD)/describe/describe
DESCRIBED := $(BUILD)/described

# libmapping: everything but main.c, the terminal and the gpu source. SOVERSION increases when programs must be compiled again.
VERSION := $(shell sed -n 's/^\#define MAPPING_VERSION "\(.*\)"/\1/p' include/mapping.h)
SOVERSION := 1
LIBRARY := $(BUILD)/libmapping.a
LIBRARY_SO := $(BUILD)/libmapping.so.$(VERSION)
# The layouts and the catalogue, which the programs that the build runs also need.
CORE := $(BUILD)/core.a
CORE_OBJECTS := $(call objects,src/system/arena.c $(wildcard src/layout/*.c src/smem/*.c src/convert/*.c src/catalogue/*.c))

# The gpu source: objects that need no CUDA; objects that need its headers; the kernels, which nvcc compiles; and the
# object that replaces the last two without nvcc.
GPU := $(BUILD)/source/gpu
GPU_HOST := $(patsubst %,$(GPU)/%.o,experiment operands)
GPU_CUDA := $(GPU)/gpu.o
WGMMA := wgmma_0 wgmma_1 wgmma_2 wgmma_3
GPU_KERNELS := $(patsubst %,$(GPU)/%.o,wmma mma $(WGMMA))
GPU_ABSENT := $(GPU)/absent.o

PROGRAM := $(foreach module,system listing probe report source source/sass output output/picture output/page command cli,$(wildcard src/$(module)/*.c))
COMMON := $(CORE_OBJECTS) $(filter-out $(CORE_OBJECTS),$(call objects,$(PROGRAM))) $(BUILD)/recorded.o $(BUILD)/source/texts.o \
  $(BUILD)/output/embedded.o $(GPU_HOST)
OBJECTS := $(COMMON) $(if $(NVCC),$(GPU_CUDA) $(GPU_KERNELS),$(GPU_ABSENT)) $(if $(COVERAGE),$(BUILD)/tests/lib/coverage.o)
LIBRARY_OBJECTS := $(filter-out $(call objects,src/system/terminal.c),$(COMMON)) $(GPU_ABSENT)

.PHONY: all test cases times check fuzz faults delta msan asan tsan musl bare package coverage bench test-gpu style lint results prove sass evidence page install uninstall dist deb clean \
  FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(BINARY)

# A recipe prints a word and a file, such as "CC src/main.c"; with V=1, its commands.
Q := $(if $(filter-out 0,$(V)),,@)
say = $(if $(filter-out 0,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '%-6s %s\n' $(1) $(2))

# ---- C ----

# The flags of the compiler and of the linker: if they change, everything is built again. Both are written here, once, so
# that no rule's own variables get into them.
FLAGS_TEXT := $(CC) $(CFLAGS) $(FLAGS) $(SHOWN_BY_HEADER) $(SANITIZER) $(NVCC) $(CUDA_ARCH)
PARTS_TEXT := $(OBJECTS) $(LDFLAGS)

$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' > $@

$(BUILD)/parts: FORCE
	@mkdir -p $(@D); echo '$(PARTS_TEXT)' | cmp -s - $@ || echo '$(PARTS_TEXT)' > $@

COMPILE = $(CC) $(CFLAGS) $(OPTIMIZE) $(FLAGS) $(PREFIX_MAP) $(SANITIZER)

$(BUILD)/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) $(SHOWN_BY_HEADER) -c -o $@ $<

# Optimize the loops that dominate the run time: those of deduction, of observing everything with the gpu source, and of the
# search for short formulae. With sanitizers, this would double the time of the build.
OPTIMIZED ?= $(if $(SANITIZER),,-O3 -funroll-loops)
$(GPU_HOST) $(CORE_OBJECTS): private OPTIMIZE := $(OPTIMIZED)

$(CORE): $(CORE_OBJECTS) $(BUILD)/parts
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE_OBJECTS)

# One object, in which only the functions of mapping.h are global.
OBJCOPY ?= objcopy
$(LIBRARY): $(LIBRARY_OBJECTS) $(BUILD)/parts
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib -o $(BUILD)/libmapping.o $(LIBRARY_OBJECTS)
	$(Q)$(OBJCOPY) --localize-hidden --wildcard --keep-global-symbol='mapping_*' $(BUILD)/libmapping.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/libmapping.o

# It exports the functions of mapping.h, and nothing else.
$(LIBRARY_SO): $(LIBRARY_OBJECTS) src/libmapping.map $(BUILD)/parts
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZER) -shared -Wl,-soname,libmapping.so.$(SOVERSION) -Wl,--version-script=src/libmapping.map $(LDFLAGS) \
	  -o $@ $(LIBRARY_OBJECTS) -lm -lpthread

# The program, its tests and its helpers link the parts of this archive that they need.
PARTS := $(BUILD)/parts.a

$(PARTS): $(OBJECTS) $(BUILD)/parts
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsT $@ $(OBJECTS)

# The records, in the compact form of src/source/recorded.h, and the results that are embedded as they are.
EMBEDDING := $(filter-out $(CORE_OBJECTS),$(call objects,$(wildcard src/report/*.c src/system/*.c) $(patsubst %,src/output/%.c,colors formulae grid results))) \
  $(CORE)

$(BUILD)/embed: $(BUILD)/tools/embed.o $(EMBEDDING)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^ -lm -lpthread

$(BUILD)/recorded.s: $(BUILD)/embed $(ASSEMBLED) $(RECORDS)
	$(call say,GEN,$@)
	$(Q)$(EMULATE) $< $(MAY_LACK_RECORDS) $(ASSEMBLED) $(RECORDS) > $@

$(BUILD)/recorded.o: $(BUILD)/recorded.s
	$(call say,AS,$<)
	$(Q)$(CC) -c -o $@ $<

$(BUILD)/source/texts.o: src/source/texts.s $(PROOFS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -c -o $@ $<

# The page of --format=html, and the CSS and TeX files of pictures.
$(BUILD)/output/embedded.o: src/output/embedded.s $(wildcard src/output/page/* src/output/picture/*.css src/output/picture/*.tex) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -c -o $@ $<

# ---- CUDA ----

, := ,

# nvcc prints where its INCLUDES and LIBRARIES are.
cuda = $(shell $(NVCC) --dryrun src/source/gpu/mma.cu 2>&1 | sed -n 's/^\#\$$ $(1)= *//p' | tr -d '"')
CUDA_INCLUDES = $(patsubst -I%,-isystem %,$(call cuda,INCLUDES))
CUDA_LIBRARIES = $(call cuda,LIBRARIES) -lcudart_static -lrt -ldl
$(GPU_CUDA): private OPTIMIZE = $(CUDA_INCLUDES)

$(GPU_ABSENT): src/source/gpu/absent.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(if $(NVCC),,echo 'nvcc was not found: building without the gpu source')
	$(call say,CC,$<)
	$(Q)$(COMPILE) $(SHOWN_BY_HEADER) -c -o $@ $<

# The rows that the kernels include, and the table of fragments that have kernels, printed from the catalogue. A file
# that did not change keeps its time, so that nothing is compiled again for it.
FORMS := wmma mma mma_sp matrix_moves $(WGMMA)
ROWS := $(FORMS:%=$(GPU)/rows/%_rows.inc) $(GPU)/rows/fragments.inc

$(GPU)/generate: $(GPU)/generate.o $(GPU)/operands.o $(CORE)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^

$(GPU)/rows/made: $(GPU)/generate | $(BUILD)/recorded.s # which checks the families
	@mkdir -p $(@D)
	$(call say,GEN,$(@D))
	$(Q)for form in $(FORMS); do $(EMULATE) $< $$form > $(@D)/$${form}_rows.inc.new || exit 1; done
	$(Q)$(EMULATE) $< fragments > $(@D)/fragments.inc.new
	$(Q)for file in $(ROWS); do cmp -s $$file.new $$file && rm $$file.new || mv $$file.new $$file; done
	$(Q)touch $@

$(ROWS): $(GPU)/rows/made ;@:
$(GPU)/experiment.o: $(GPU)/rows/fragments.inc
$(GPU)/experiment.o: private OPTIMIZE += -I$(GPU)/rows

# Machine code for each architecture that nvcc knows, and PTX for future ones. Only sm_90a has wgmma; without it, its
# kernels are empty.
CUDA_ARCHS := $(if $(NVCC),$(or $(CUDA_ARCH),$(shell $(NVCC) --help | grep -oE '\bsm_[0-9]+' | tr -d sm_ | sort -nu | awk '$$1 >= 70')))
GENCODE := $(foreach arch,$(CUDA_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
HAS_WGMMA := $(and $(NVCC),$(filter 90,$(CUDA_ARCHS)),$(shell $(NVCC) --help | grep -o sm_90a))
WGMMA_GENCODE := $(if $(HAS_WGMMA),-gencode arch=compute_90a$(,)code=sm_90a,$(GENCODE))
COMPILE_CUDA = $(NVCC) -O2 -std=c++17 --threads 0 $(if $(WERROR),-Werror all-warnings) -Xptxas -O1 -Iinclude -Isrc \
  -Xcompiler -fno-exceptions,-fno-threadsafe-statics -MMD -MP

$(GPU)/wmma.o $(GPU)/mma.o: $(GPU)/%.o: src/source/gpu/%.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(COMPILE_CUDA) $(GENCODE) -I$(GPU)/rows -MF $(@:.o=.d) -c -o $@ $<

$(WGMMA:%=$(GPU)/%.o): $(GPU)/wgmma_%.o: src/source/gpu/wgmma.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NVCC,'$< part $*')
	$(Q)$(COMPILE_CUDA) $(WGMMA_GENCODE) -I$(GPU)/rows -DPART=$* -DWGMMA_ROWS_FILE='"wgmma_$*_rows.inc"' \
	  -MF $(@:.o=.d) -c -o $@ $<

$(GPU_KERNELS): | $(ROWS)

# CI compiles these with other toolkits: with their nvcc, or, without nvcc, only the files that need the headers in
# CUDA_INCLUDES.
SHARED_OBJECTS := $(BUILD)/shared_experiments.o $(BUILD)/shared_kernels.o
.PHONY: cuda-objects
cuda-objects: $(GPU_CUDA) $(if $(NVCC),$(GPU_KERNELS) $(if $(HAS_WGMMA),$(SHARED_OBJECTS)),$(BUILD)/shared_experiments.o)

# ---- The program ----

LIBRARIES = -lm -lpthread $(if $(NVCC),$(CUDA_LIBRARIES))

$(BINARY): $(BUILD)/main.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

# Other builds have folders below this one.
OTHER_BUILDS := sanitize msan tsan coverage fuzz fuzz-fast cuda delta bare package deb dist ci
-include $(shell find $(BUILD) $(OTHER_BUILDS:%=-path $(BUILD)/% -prune -o) -type f -name '*.d' -print 2> /dev/null)

# ---- Testing ----

TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(shell find tests -name '*_test.c' | sort))
TEST_SCRIPTS := $(filter-out %/device.t $(if $(COVERAGE),tests/install.t),$(shell find tests -name '*.t' | sort))

# Tests take longer to compile than to run, except for one that includes the search of src/.
$(BUILD)/tests/%.o: private OPTIMIZE := -O1
$(BUILD)/tests/layout/search_test.o: private OPTIMIZE :=

# Coverage is not counted for test code, except for tests that include files of src/.
ifdef COVERAGE
$(BUILD)/tests/%.o: private SANITIZER :=
$(patsubst %,$(BUILD)/tests/%_test.o,layout/search layout/shorten convert/shuffles output/cuda_convert $(addprefix source/sass/,value listing ptx toolkit)): private SANITIZER := $(SANITIZER)
endif

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -Itests -Itests/lib -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^ $(LIBRARIES) -lcmocka

# All fuzzing targets in one program, each under its own name.
FUZZ_TARGETS := $(patsubst tests/robust/fuzz/%.c,%,$(filter-out %_test.c,$(wildcard tests/robust/fuzz/*.c)))
$(FUZZ_TARGETS:%=$(BUILD)/tests/robust/fuzz/%.o): private FLAGS += -DLLVMFuzzerTestOneInput=fuzz_$(*F)
$(BUILD)/tests/robust/fuzz/replay_test: $(patsubst %,$(BUILD)/tests/robust/fuzz/%.o,replay_test $(FUZZ_TARGETS)) $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^ $(LIBRARIES)

# A helper of a test script, linked only with the library.
$(BUILD)/tests/catalogue/opcodes: tests/catalogue/opcodes.c $(CORE) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -Itests -Itests/lib -MF $@.d -o $@ $< $(CORE) $(LDFLAGS)

$(BUILD)/tests/smem/matrix_offsets: tests/smem/matrix_offsets.c $(CORE) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -MF $@.d -o $@ $< $(CORE) $(LDFLAGS)

HAS_CMOCKA = $(shell $(CC) -fsyntax-only $(patsubst %,-include %.h,stdarg stddef setjmp stdint cmocka) -x c /dev/null \
  2> /dev/null && echo yes)

# Fault injection: a library for LD_PRELOAD that makes calls fail, and a program that runs mapping with it repeatedly.
FAULT_TOOLS := $(BUILD)/tests/robust/faults/fault.so $(BUILD)/tests/robust/faults/sweep

$(BUILD)/tests/robust/faults/fault.so: tests/robust/faults/fault.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) $(FLAGS) -Itests -Itests/lib -fPIC -shared -MF $@.d -o $@ $< -ldl -lpthread

$(BUILD)/tests/robust/faults/sweep: tests/robust/faults/sweep.c tests/robust/faults/lines.c tests/robust/faults/attempt.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) $(filter-out -M%,$(FLAGS)) -Itests -Itests/lib -o $@ $(filter %.c,$^)

# Runs command lines in several threads.
THREADS := $(BUILD)/tests/robust/threads/threads
$(THREADS): $(THREADS).o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^ $(LIBRARIES)

TEST_HELPERS := $(BUILD)/tests/catalogue/opcodes $(BUILD)/tests/smem/matrix_offsets $(BUILD)/list_opcodes \
  $(BUILD)/prove $(FAULT_TOOLS)

# Programs that the test scripts run, the names of all tests, and the variables that tests read.
.PHONY: test-needs test-programs test-names test-environment
test-needs: $(BINARY) $(TEST_HELPERS) $(DESCRIBE) $(LIBRARY_SO) python
test-programs: $(TEST_PROGRAMS)
test-names:
	@printf '%s\n' $(TEST_PROGRAMS) $(TEST_SCRIPTS)

# Two at a time, unless make has -j.
AT_ONCE = $(if $(filter -j%,$(MAKEFLAGS)),,-j2)

# Scripts come first, since the longest tests are among them. T names single tests.
TESTS = $(if $(T),$(patsubst tests/%_test.c,$(BUILD)/tests/%_test,$(T)),$(TEST_SCRIPTS) $(if $(HAS_CMOCKA),$(TEST_PROGRAMS)))
TEST_ENVIRONMENT = PYTHON3="$$(python3 -c 'import sys; print(sys.executable)' 2> /dev/null)" \
  CC='$(CC)' NVCC='$(NVCC)' MAPPING='$(abspath $(BINARY))' OPCODES='$(abspath $(BUILD)/tests/catalogue/opcodes)' \
  MEMORY_OFFSETS='$(abspath $(BUILD)/tests/smem/matrix_offsets)' LIST_OPCODES='$(abspath $(BUILD)/list_opcodes)' \
  SHORTEST='$(abspath $(BUILD)/prove)' DESCRIBE='$(abspath $(DESCRIBE))' FAULT_TOOLS='$(abspath $(BUILD)/tests/robust/faults)' \
  LIBRARY='$(abspath $(LIBRARY_SO))' PYTHON_PARTS='$(abspath $(BUILD)/python)' LOGS='$(BUILD)/tests/logs$(if $(T),-of-one)'

test:
	@$(MAKE) --no-print-directory $(AT_ONCE) test-needs $(filter $(TEST_PROGRAMS),$(TESTS))
	@$(TEST_ENVIRONMENT) LEFT_OUT='$(if $(T)$(HAS_CMOCKA),,$(words $(TEST_PROGRAMS)) cmocka)' sh tests/runner.sh $(TESTS)

# Only the command lines of tests/cases/, or of FILES="tests/cases/options.cases": a line for each file; with V=1 for each command.
cases: $(BINARY)
	@BRIEF='$(if $(filter-out 0,$(V)),,1)' MAPPING='$(abspath $(BINARY))' python3 tests/lib/cases.py $(if $(filter-out file,$(origin FILES)),$(FILES))

test-environment:
	@printf '%s\n' $(TEST_ENVIRONMENT)

# One test at a time, so that they do not slow each other down.
times:
	@JOBS=1 $(MAKE) --no-print-directory test | sort -n -k 2

# FAULTS=stacks: one failing call for each call stack. FAULTS=30: 30 calls of each command line. FAULTS=all: every call.
FAULTS ?= stacks
faults: $(BINARY) $(FAULT_TOOLS)
	MAPPING='$(abspath $(BINARY))' FAULT_TOOLS='$(abspath $(BUILD)/tests/robust/faults)' sh tests/robust/faults/faults.sh $(FAULTS)

# Compares answers with those of another commit, which is built in build/delta without the gpu source; see tests/lib/delta.py.
BASE ?= HEAD
delta: $(BINARY)
	@commit=$$(git rev-parse --verify --quiet '$(BASE)^{commit}') || { echo 'make delta: $(BASE) is not a commit' >&2; exit 2; }; \
	old=build/delta/$$commit; \
	if [ ! -x $$old/mapping ]; then \
	  rm -rf $$old && mkdir -p $$old && git archive $$commit | tar -x -C $$old && \
	  $(MAKE) --no-print-directory -s $(AT_ONCE) -C $$old NVCC= CC='$(CC)' mapping || exit 2; \
	fi; \
	python3 tests/lib/delta.py $$old/mapping $(RUN)

# Sanitizers: all C tests, two scripts with hostile input and signals, and the answers to one in SAMPLE command lines. Unless SAMPLE
# is 1, the samples of the C tests are small, too.
SANITIZED_SCRIPTS := tests/cli/hostile.t tests/system/pager.t
SAMPLE ?= 9
FEW_CASES = $(if $(filter 1,$(SAMPLE)),,FEW=1)
msan: $(BINARY)
	$(FEW_CASES) $(MAKE) --no-print-directory CC=clang MSAN=1 NVCC= TEST_SCRIPTS= test
	SAMPLE=$(SAMPLE) python3 tests/lib/delta.py $(RUN) build/msan/mapping

asan: $(BINARY)
	$(FEW_CASES) $(MAKE) --no-print-directory SANITIZE=1 NVCC= TEST_SCRIPTS='$(SANITIZED_SCRIPTS)' test
	SAMPLE=$(SAMPLE) python3 tests/lib/delta.py $(RUN) build/sanitize/mapping

tsan: $(BINARY)
	$(MAKE) --no-print-directory TSAN=1 NVCC= build/tsan/tests/robust/threads/threads
	python3 tests/robust/threads/threads_test.py build/tsan/tests/robust/threads/threads $(SAMPLE) $(RUN)

# Finds declarations that only glibc has, or that its headers include implicitly.
MUSL_CC ?= musl-gcc
musl:
	$(call say,CC,'src/system and src/source against musl')
	$(Q)for file in $(wildcard src/system/*.c src/source/*.c src/source/sass/*.c); do \
	  $(MUSL_CC) $(filter-out -M%,$(FLAGS)) -Werror -fsyntax-only $$file || exit 1; \
	done

bare:
	@sh tests/bare.sh $(BUILD)/bare

package: dist
	@sh tests/package.sh $(DIST) $(BUILD)/package

# Coverage: everything is built again with gcc's counters, without optimization, because that would reorder lines.
# GPU_CUDA and GPU_KERNELS are not built. build/coverage/missing.txt lists the lines and branches that tests do not reach.
GCOVR ?= gcovr
COVERED ?= 95
COUNTED := --root . --add-tracefile build/coverage/counted.json
coverage:
	@$(GCOVR) --help 2> /dev/null | grep -q txt-metric || { echo 'make coverage needs gcovr: python3 -m pip install gcovr==8.8'; exit 1; }
	rm -rf build/coverage
	$(MAKE) --no-print-directory COVERAGE=1 NVCC= WERROR= test
	$(MAKE) --no-print-directory COVERAGE=1 NVCC= WERROR= faults
	$(GCOVR) --root . --filter src/ --gcov-suspicious-hits-threshold 0 --json build/coverage/counted.json build/coverage
	for metric in line branch; do $(GCOVR) $(COUNTED) --txt-metric $$metric --txt; done > build/coverage/missing.txt
	$(GCOVR) $(COUNTED) --print-summary --txt build/coverage/all.txt --fail-under-line $(COVERED) --fail-under-branch $(COVERED)

# The test of all products: the same kernels with rows for every opcode, compiled for the architecture that DEVICE_ARCH names: make
# build/products DEVICE_ARCH=90a
ALL := $(BUILD)/all
ALL_KERNELS := $(patsubst %,$(ALL)/%.o,mma $(WGMMA))
OTHER_OBJECTS := $(filter-out $(GPU_CUDA) $(GPU_KERNELS) $(GPU_ABSENT),$(OBJECTS)) $(GPU_ABSENT)

$(ALL)/rows/printed: $(GPU)/generate
	@mkdir -p $(@D)
	for form in $(FORMS); do $< $$form all > $(@D)/$${form}_rows.inc || exit 1; done
	touch $@

$(WGMMA:%=$(ALL)/%.o): $(ALL)/wgmma_%.o: src/source/gpu/wgmma.cu $(ALL)/rows/printed
	$(COMPILE_CUDA) -arch=sm_$(DEVICE_ARCH) -I$(ALL)/rows -DPART=$* -DWGMMA_ROWS_FILE='"wgmma_$*_rows.inc"' \
	  -MF $(@:.o=.d) -c -o $@ $<

$(ALL)/mma.o: src/source/gpu/mma.cu $(ALL)/rows/printed
	$(COMPILE_CUDA) -arch=sm_$(DEVICE_ARCH) -I$(ALL)/rows -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/products: tests/source/gpu/products.c $(ALL_KERNELS) $(OTHER_OBJECTS) $(CORE)
	$(COMPILE) -Itests -Itests/lib $(CUDA_INCLUDES) -MF $@.d -o $@ $< $(ALL_KERNELS) $(OTHER_OBJECTS) $(CORE) $(LDFLAGS) \
	  -lm -lpthread $(CUDA_LIBRARIES)

# The test of the addresses that TMA writes and wgmma reads in shared memory; only for sm_90.
$(BUILD)/shared_kernels.o: tests/source/gpu/shared_kernels.cu $(BUILD)/flags
	$(COMPILE_CUDA) $(WGMMA_GENCODE) -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/shared_experiments.o: private OPTIMIZE = $(CUDA_INCLUDES)
$(BUILD)/shared.o $(BUILD)/shared_experiments.o: $(BUILD)/%.o: tests/source/gpu/%.c $(BUILD)/flags
	$(COMPILE) -Itests -Itests/lib -c -o $@ $<

$(BUILD)/shared: $(BUILD)/shared.o $(SHARED_OBJECTS) $(PARTS)
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^ $(LIBRARIES)

# The output of --format=cuda is compiled and called only on sm_90, the architecture of the examples.
# build/shared.txt gets the text of results/shared.txt, and the evidence of this device.
test-gpu: $(BINARY) $(if $(HAS_WGMMA),$(BUILD)/shared) python
	MAPPING='$(abspath $(BINARY))' sh tests/source/gpu/device.t
	$(if $(HAS_WGMMA),$(BUILD)/shared results/shared.txt $(BUILD)/shared.txt,@echo 'shared memory is left out: nvcc does not compile for sm_90a')
	python3 tests/examples/header_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/header)'
	python3 tests/examples/convert_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/convert)'
	python3 tests/examples/staging_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/staging)'
	$(if $(HAS_WGMMA),python3 tests/examples/tma_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/tma)')
	python3 tests/probe/device_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/probe)'
	PYTHONPATH='$(abspath $(PYTHON_PARTS))' python3 tests/probe/torch_test.py
	PYTHONPATH='$(abspath $(PYTHON_PARTS))' python3 tests/python/arrays_test.py
	python3 tests/source/gpu/banks_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/banks)'
	sh tests/examples/run.sh '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/examples)' check

check: $(BINARY) $(BUILD)/list_opcodes
	$(RUN) --check $(TOOLKITS:%=--cuda=%) $(RECORDS)
	@$(BUILD)/list_opcodes | python3 src/tools/sass.py --check $(SAMPLE:%=--one-in=%) $(TOOLKITS) || [ $$? = 3 ]

# ---- Fuzzing ----

# Each target is one file of tests/robust/fuzz. clang builds it and the sources once more, with libFuzzer, ASan and UBSan. With
# CHECKS=, the sanitizers and the tracing of comparisons are left out, which is many times faster.
TARGETS ?= $(FUZZ_TARGETS)
SECONDS ?= 60
CHECKS ?= address,undefined
FUZZ_CLANG ?= clang
FUZZ_BUILD = build/fuzz$(if $(CHECKS),,-fast)
FUZZ_SANITIZER = -fsanitize=fuzzer-no-link$(CHECKS:%=$(,)%) -fno-sanitize-recover=all -fno-omit-frame-pointer \
  $(if $(CHECKS),,-fno-sanitize-coverage=trace-cmp)

$(BUILD)/tests/robust/fuzz/%: tests/robust/fuzz/%.c $(PARTS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -fsanitize=fuzzer -Itests -Itests/lib -MF $@.d -o $@ $< $(PARTS) $(LDFLAGS) $(LIBRARIES)

fuzz:
	$(MAKE) --no-print-directory CC='$(FUZZ_CLANG)' NVCC= BUILD='$(FUZZ_BUILD)' BINARY='$(FUZZ_BUILD)/mapping' \
	  SANITIZER='$(FUZZ_SANITIZER)' $(TARGETS:%=$(FUZZ_BUILD)/tests/robust/fuzz/%)
	@printf '%s\n' $(TARGETS) | xargs -P 2 -n 1 env RUNS='$(RUNS)' sh tests/robust/fuzz/run.sh '$(FUZZ_BUILD)/tests/robust/fuzz' '$(SECONDS)'

$(BUILD)/bench: tests/robust/bench/bench.c $(CORE) $(BUILD)/flags
	$(COMPILE) -MF $@.d -o $@ $< $(CORE)

bench: $(BINARY) $(BUILD)/bench
	@MAPPING='$(abspath $(BINARY))' BENCH='$(abspath $(BUILD)/bench)' NVCC='$(NVCC)' CC='$(CC)' sh tests/robust/bench/bench.sh

# ---- Linting ----

SOURCES := $(shell find src -name '*.c' | sort)
TEST_SOURCES := $(if $(filter src,$(LINT)),,$(shell find tests -name '*.c' | sort))
FORMATTED := $(shell find src tests -name '*.c') $(shell find include src tests -name '*.h' -o -name '*.cu' -o -name '*.cuh' | sort)
NEED_CUDA := $(GPU_CUDA:$(BUILD)/%.o=src/%.c) tests/source/gpu/products.c tests/source/gpu/shared_experiments.c
LINTED := $(if $(NVCC),$(SOURCES) $(TEST_SOURCES),$(filter-out $(NEED_CUDA),$(SOURCES) $(TEST_SOURCES)))
LINT_FLAGS = -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -Itests -Itests/lib -I$(GPU)/rows $(if $(NVCC),$(CUDA_INCLUDES)) -include tests/lib/model.h $(ANALYZED)

# The number of states that clang's analyzer follows in a function. The default, 225000, takes three times as long and finds
# nothing more.
LINT_NODES ?= 60000
ANALYZED := -Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES)

# gcc's analyzer; GCC= turns it off. The other analyzer, ASan and `make faults` look for leaks: gcc 12 reports pointers in array
# elements as leaked.
GCC ?= gcc
ANALYZE = $(GCC) -O1 -fanalyzer -Wno-analyzer-malloc-leak -Werror -S -o /dev/null

# clang-tidy of CUDA files, with nvcc's headers. clang 19 also includes two headers that are not used here: textures, which CUDA 13
# removed, and curand. Kernels are checked as device code for sm_90a, tests and examples as host code; of the printed cases, only
# a few are checked. The disabled checks of misc are about the style of C++: namespaces, includes, const. Examples count in 32
# bits, which is faster on devices, and need the same random numbers each time.
CUDA_TIDY ?= clang-tidy-19
CUDA_TIDY_FOUND = $(shell command -v $(CUDA_TIDY))
CUDA_LINT := $(BUILD)/lint
LINTED_KERNELS := $(wildcard src/source/gpu/*.cu) tests/source/gpu/shared_kernels.cu
LINTED_CASES := $(wildcard tests/examples/*_test.cu) tests/examples/sass.cu tests/examples/staging.cu tests/source/gpu/mma_sync_test.cu
LINTED_EXAMPLES := $(filter-out $(LINTED_CASES) tests/examples/tma.cu,$(wildcard tests/examples/*.cu)) # tma.cu needs printed code
# Not CUDA_VERSION: NVIDIA's containers export that, and make would evaluate it for every recipe.
NVCC_RELEASE = $(subst ., ,$(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'))
CUDA_LINT_FLAGS = -x cuda --cuda-path=$(abspath $(dir $(realpath $(NVCC)))..) -nocudalib -std=c++17 -Wall -Wextra \
  -Wno-unknown-cuda-version -Wno-unknown-attributes -Iinclude -Isrc -I$(GPU)/rows -I$(CUDA_LINT) $(CUDA_INCLUDES) \
  -D__CUDACC_VER_MAJOR__=$(word 1,$(NVCC_RELEASE)) -D__CUDACC_VER_MINOR__=$(word 2,$(NVCC_RELEASE)) \
  -DHAS_SM_90A -DPART=0 -DWGMMA_ROWS_FILE="<wgmma_0_rows.inc>" $(ANALYZED)
TIDY_CUDA = $(CUDA_TIDY) --quiet --warnings-as-errors="*" --checks=-misc-*,-cert-err58-cpp,-readability-uppercase-literal-suffix

TIDY_EXAMPLE = $(TIDY_CUDA),-bugprone-implicit-widening-of-multiplication-result,-cert-msc32-c,-cert-msc51-cpp

.PHONY: lint-cuda
lint-cuda: $(ROWS) $(BINARY)
	@mkdir -p $(CUDA_LINT)
	touch $(CUDA_LINT)/texture_fetch_functions.h $(CUDA_LINT)/curand_mtgp32_kernel.h
	printf '%s\n' $(LINTED_KERNELS) | xargs -P 4 -n 1 sh -c \
	  '$(TIDY_CUDA) "$$@" -- $(CUDA_LINT_FLAGS) --cuda-device-only --cuda-gpu-arch=sm_90a' tidy
	$(TIDY_CUDA) tests/source/gpu/banks.cu -- $(CUDA_LINT_FLAGS) --cuda-host-only
	sh tests/examples/run.sh '$(abspath $(BINARY))' '$(NVCC)' $(CUDA_LINT) headers
	sh tests/examples/cases.sh '$(abspath $(BINARY))' $(CUDA_LINT)/cases
	printf '%s\n' $(LINTED_CASES) | xargs -P 4 -n 1 sh -c \
	  '$(TIDY_EXAMPLE) "$$@" -- -I$(CUDA_LINT)/cases -DFORMULAE="<formulae.h>" $(CUDA_LINT_FLAGS) --cuda-host-only' tidy
	printf '%s\n' $(LINTED_EXAMPLES) | xargs -P 4 -n 1 sh -c \
	  '$(TIDY_EXAMPLE) "$$@" -- $(CUDA_LINT_FLAGS) -DTYPE=f16 --cuda-host-only' tidy

style:
	$(call say,STYLE,'includes point down; no circles; clang-format')
	$(Q)sh tests/modules.sh
	$(Q)clang-format --dry-run --Werror $(FORMATTED)

# With LINT=src, cppcheck takes one file at a time, which needs a third of the time but finds nothing that spans files.
CPPCHECK = cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
  --suppress=ctuuninitvar --std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Itests -Itests/lib -I$(GPU)/rows
# clang-tidy takes one file at a time: with several, its va_list checker sometimes takes a function of one file for va_start
# of another.
lint: style $(ROWS) $(if $(NVCC),$(if $(CUDA_TIDY_FOUND),lint-cuda))
	@$(if $(NVCC),$(if $(CUDA_TIDY_FOUND),,echo '$(CUDA_TIDY) is missing, so CUDA is left out'))
	$(call say,LINT,cppcheck)
	$(Q)$(if $(filter src,$(LINT)),printf '%s\n' $(LINTED) | xargs -P 4 -n 1 $(CPPCHECK),mkdir -p $(BUILD)/cppcheck && \
	  $(CPPCHECK) -j 4 --cppcheck-build-dir=$(BUILD)/cppcheck $(SOURCES) $(TEST_SOURCES))
	$(call say,LINT,'clang-tidy: $(words $(LINTED)) files')
	$(Q)printf '%s\n' $(LINTED) | xargs -P 4 -n 1 sh -c \
	  'said=$$(clang-tidy --quiet --warnings-as-errors="*" "$$@" -- $(LINT_FLAGS) 2>&1) || { echo "$$said"; exit 255; }' tidy
ifneq ($(GCC),)
	$(call say,LINT,'$(GCC) -fanalyzer: $(words $(LINTED)) files')
	$(Q)printf '%s\n' $(LINTED) | xargs -P 4 -n 1 $(ANALYZE) $(filter-out $(ANALYZED),$(LINT_FLAGS))
endif

# ---- Results ----

# Each file is derived again from every available source, with every toolkit in TOOLKITS, and printed again with the new
# evidence. Evidence that this machine cannot produce stays, and so do files that it cannot confirm. NEW names fragments to
# add, and their architecture. The program is built even if that architecture has no records yet. published.txt gets no
# evidence of other sources; only its list of architectures changes.
# results/README.md describes how a file is made from nothing.
FILES ?= $(RECORDS)
results: MAY_LACK_RECORDS := --new
results: $(BINARY)
	@rm -f $(BUILD)/recorded.s # so that the next make refuses an architecture that still lacks records
	@for file in $(FILES); do \
	  case $$file in */published.txt) from='--source=published' ;; *) from='$(TOOLKITS:%=--cuda=%)' ;; esac; \
	  echo "$(RUN) --confirm=$$file $$from" $(NEW); \
	  $(RUN) --confirm=$$file $$from $(NEW) > $(BUILD)/confirmed; \
	  case $$? in \
	  0) cmp -s $(BUILD)/confirmed $$file || cp $(BUILD)/confirmed $$file ;; \
	  3) echo "$$file stays as it is" ;; \
	  *) exit 1 ;; \
	  esac; \
	done

# Programs that only make runs: src/tools/.
$(BUILD)/prove $(BUILD)/list_opcodes: $(BUILD)/%: $(BUILD)/tools/%.o $(PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

# Searches the shortest expression of every formula, up to 3 operators. Takes about an hour on 2 cores.
prove: $(BUILD)/prove
	$(BUILD)/prove > $(BUILD)/short.txt
	cp $(BUILD)/short.txt $(PROOFS)

# The SASS of all opcodes, for each architecture by the newest of the TOOLKITS that knows it; if none does, its lines stay. It
# takes half a minute.
sass: $(BUILD)/list_opcodes
	$(BUILD)/list_opcodes | python3 src/tools/sass.py $(TOOLKITS) > $(BUILD)/sass.txt
	cp $(BUILD)/sass.txt $(ASSEMBLED)

# The page of evidence for all fragments, from the records and from the program.
evidence: $(BINARY)
	python3 src/tools/evidence.py $(RUN) results > $(BUILD)/evidence.md
	cp $(BUILD)/evidence.md $(EVIDENCE)

# ---- Pictures ----

# Made without a device and compiler tools, so that it is fast and the same on every machine. Status 4 means that some
# layouts have no formula.
page: $(BINARY)
	@mkdir -p $(BUILD)/none
	CUDA_VISIBLE_DEVICES= $(RUN) --cuda=$(BUILD)/none --arch=all --all --format=html > $(BUILD)/page.html || [ $$? = 4 ]
	@echo 'open $(abspath $(BUILD)/page.html)'

# ---- Python ----

# The parts of the wheel, in build/python: the module with the library and the version, and the program. STRIP=cp keeps symbols.
MODULE ?= .packaging/python/cuda_mapping
PYTHON_PARTS := $(BUILD)/python
STRIP ?= $(OBJCOPY) -S

.PHONY: python wheel
python: $(BINARY) $(LIBRARY_SO)
	$(call say,GEN,$(PYTHON_PARTS))
	$(Q)rm -rf $(PYTHON_PARTS) && mkdir -p $(PYTHON_PARTS)/cuda_mapping
	$(Q)cp $(filter-out %/_version.py,$(wildcard $(MODULE)/*.py)) $(MODULE)/py.typed $(PYTHON_PARTS)/cuda_mapping
	$(Q)$(STRIP) $(BINARY) $(PYTHON_PARTS)/mapping
	$(Q)$(STRIP) $(LIBRARY_SO) $(PYTHON_PARTS)/cuda_mapping/libmapping.so
	$(Q)printf '"""The version of include/mapping.h."""\n\n__version__ = "%s"\nVERSION_NUMBER = %s\n' '$(VERSION)' \
	  $$(sed -n 's/^#define MAPPING_VERSION_NUMBER \(0x[0-9a-f]*\).*/\1/p' include/mapping.h) > $(PYTHON_PARTS)/cuda_mapping/_version.py

# The wheel, by pip, which fetches hatchling unless PIP_NO_INDEX and PIP_FIND_LINKS say otherwise. Its name states the glibc that it needs.
WHEELS := $(BUILD)/wheel
wheel: python
	$(call say,GEN,$(WHEELS))
	$(Q)rm -rf $(WHEELS)
	$(Q)python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEELS) .packaging/python
	@ls $(WHEELS)/*.whl

# The reference of the module, by pdoc (python3 -m pip install pdoc), and a check for broken links in it.
.PHONY: site
site: python
	$(call say,GEN,$(BUILD)/site)
	$(Q)PYTHONPATH=$(abspath $(PYTHON_PARTS)) python3 -m pdoc --no-show-source --output-directory $(BUILD)/site cuda_mapping
	$(Q)python3 tests/python/links.py $(BUILD)/site

# ---- Installing ----

# The usual GNU folders, and the files to install: MODE:FILE:PLACE:NAME. DESTDIR is put before every place. Places may
# contain blanks.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
ZSHDIR ?= $(DATADIR)/zsh/site-functions
SO := libmapping.so
INSTALLED = 755:$(BINARY):BINDIR:mapping 644:include/mapping.h:INCLUDEDIR:mapping.h \
  644:$(LIBRARY):LIBDIR:libmapping.a 644:$(LIBRARY_SO):LIBDIR:$(SO).$(VERSION) \
  644:$(DESCRIBED)/mapping.1:MANDIR:man1/mapping.1 \
  644:$(DESCRIBED)/mapping.bash:DATADIR:bash-completion/completions/mapping \
  644:$(DESCRIBED)/mapping.zsh:ZSHDIR:_mapping \
  644:$(DESCRIBED)/mapping.fish:DATADIR:fish/vendor_completions.d/mapping.fish \
  644:src/output/mapping.schema.json:DATADIR:mapping/mapping.schema.json

# A text quoted for the shell; the places as shell variables; a place with $${prefix} if it starts with the prefix.
quoted = '$(subst ','\'',$(1))'
PLACES = $(foreach place,DESTDIR BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR ZSHDIR,$(place)=$(call quoted,$($(place))))
below_prefix = $(subst ^,,$(subst ^$(PREFIX)/,$${prefix}/,^$(1)))
# Sets $$mode, $$from and $$to for each installed file.
EACH_INSTALLED = $(PLACES); for each in $(INSTALLED); do IFS=:; set -- $$each; unset IFS; \
  mode=$$1 from=$$2; eval "to=\$$DESTDIR\$$$$3/\$$4"

DESCRIPTIONS := $(patsubst %,$(DESCRIBED)/mapping.%,1 bash zsh fish)
$(DESCRIBE): $(BUILD)/tools/describe.o $(PARTS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

$(DESCRIPTIONS): $(DESCRIBED)/mapping.%: $(DESCRIBE)
	@mkdir -p $(@D)
	$< $* > $@

install: $(BINARY) $(LIBRARY) $(LIBRARY_SO) $(DESCRIPTIONS)
	$(EACH_INSTALLED); echo "$$to"; install -D -m "$$mode" "$$from" "$$to" || exit 1; done; \
	ln -sf $(SO).$(VERSION) "$$DESTDIR$$LIBDIR/$(SO).$(SOVERSION)" && \
	ln -sf $(SO).$(SOVERSION) "$$DESTDIR$$LIBDIR/$(SO)"
	printf '%s\n' prefix=$(call quoted,$(PREFIX)) libdir=$(call quoted,$(call below_prefix,$(LIBDIR))) \
	  includedir=$(call quoted,$(call below_prefix,$(INCLUDEDIR))) 'Name: mapping' \
	  'Description: Layouts of tensor-core fragments, and their formulae' 'Version: $(VERSION)' \
	  'Libs: -L"$${libdir}" -lmapping' 'Libs.private: -lm -lpthread' 'Cflags: -I"$${includedir}"' > $(BUILD)/mapping.pc
	$(PLACES); install -D -m 644 $(BUILD)/mapping.pc "$$DESTDIR$$LIBDIR/pkgconfig/mapping.pc"

uninstall:
	$(EACH_INSTALLED); rm -f "$$to" || exit 1; done; \
	rm -f "$$DESTDIR$$LIBDIR/$(SO).$(SOVERSION)" "$$DESTDIR$$LIBDIR/$(SO)" "$$DESTDIR$$LIBDIR/pkgconfig/mapping.pc" && \
	{ rmdir "$$DESTDIR$$DATADIR/mapping" 2> /dev/null || true; } # unless somebody else has put something there

# The sources of the last commit. The same commit gives the same bytes.
DIST := $(BUILD)/mapping-$(VERSION).tar.gz
dist:
	@[ "$$(git rev-parse --show-cdup 2> /dev/null || echo none)" = '' ] || \
	  { echo 'make dist packs the last commit, and this is not the top of a git repository' >&2; exit 1; }
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=mapping-$(VERSION)/ -o $(DIST:.gz=) HEAD
	gzip -9nf $(DIST:.gz=)

deb: dist
	.packaging/build $(DIST) $(BUILD)/deb

clean:
	rm -rf build mapping
