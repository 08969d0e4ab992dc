# make            build ./mapping; with the gpu source if nvcc is found
# make test       unit and command-line tests          SANITIZE=1  under ASan and UBSan
#                                                      VALGRIND=1  C tests under valgrind
# make check      derive results/ again from every source that is there, and compare
# make bench      the numbers to hold, with their bounds
# make test-gpu   what needs a device
# make lint       cppcheck, clang-tidy, clang-format
# make results    make results/ anew with the sass source
# make install    PREFIX=/usr/local DESTDIR=
#
# CC=cc|gcc|clang   NVCC=path, or empty for none   CUDA_ARCH="75 90" instead of all that nvcc knows
# WERROR=1       warnings are errors

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
PREFIX ?= /usr/local
CUDA_ARCH ?=

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(if $(WERROR),-Werror)
FLAGS := -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -MMD -MP $(WARNINGS)

ifdef SANITIZE
BUILD := build/sanitize
BINARY := $(BUILD)/mapping
SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
BUILD := build
BINARY := mapping
endif

ARCHS := 70 72 75 80 86 87 88 89 90 100 103 110 120 121
RESULTS := $(wildcard $(ARCHS:%=results/sm_%.txt) $(patsubst %,results/%.txt,mma mma.sp ldmatrix wgmma))

CORE := $(patsubst src/%.c,$(BUILD)/%.o,$(wildcard src/core/*.c))
PARTS := 0 1 2 3 4
HOST := $(patsubst %,$(BUILD)/gpu/%.o,scene images observe)
GPU := $(HOST) $(if $(NVCC),$(patsubst %,$(BUILD)/gpu/%.o,gpu wmma execute probe narrow $(PARTS:%=executors_%)),$(BUILD)/gpu/absent.o)
REST := $(patsubst src/%.c,$(BUILD)/%.o,$(filter-out src/main.c,$(wildcard src/*.c src/sass/*.c src/output/*.c)))
OBJECTS := $(REST) $(GPU) $(BUILD)/recorded_files.o
LIBRARY := $(BUILD)/libmapping.a

.PHONY: all test check bench test-gpu lint results install clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(BINARY)

# ---- Building ----

$(BINARY): $(BUILD)/main.o $(OBJECTS) $(LIBRARY) $(BUILD)/parts
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) -lm -lpthread $(if $(NVCC),$(call cuda,LIBRARIES) -lcudart_static -lrt -lpthread -ldl)

$(LIBRARY): $(CORE) $(BUILD)/parts
	rm -f $@ && $(AR) rcs $@ $(CORE)

# Where nvcc keeps its INCLUDES and LIBRARIES, as it says itself.
cuda = $(shell $(NVCC) --dryrun src/gpu/probe.cu 2>&1 | sed -n 's/^\#\$$ $(1)= *//p' | tr -d '"')

# What everything was compiled with, and what is linked: when that changes, it is done again.
$(BUILD)/flags: TEXT = $(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) $(NVCC) $(CUDA_ARCH)
$(BUILD)/parts: TEXT = $(OBJECTS) $(CORE) $(RESULTS) $(LDFLAGS)
$(BUILD)/flags $(BUILD)/parts: FORCE
	@mkdir -p $(@D); echo '$(TEXT)' | cmp -s - $@ || echo '$(TEXT)' > $@

$(BUILD)/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) -c -o $@ $<

# The core's loops are what deduction waits for, those of the others what observing everything does.
$(CORE) $(HOST): CFLAGS += -O3 -funroll-loops

$(patsubst %,$(BUILD)/gpu/%.o,gpu wmma execute): $(BUILD)/gpu/%.o: src/gpu/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) $(patsubst -I%,-isystem %,$(call cuda,INCLUDES)) -c -o $@ $<

$(BUILD)/gpu/absent.o: src/gpu/absent.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(if $(NVCC),,echo 'nvcc was not found: building without the gpu source')
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) -c -o $@ $<

# Machine code for each architecture that nvcc knows, and PTX for those that are yet to come. wgmma is of sm_90a alone;
# without it, what there is of it is empty.
CUDA_ARCHS = $(or $(CUDA_ARCH),$(shell $(NVCC) --help | grep -oE '\bsm_[0-9]+' | tr -d sm_ | sort -nu | awk '$$1 >= 70'))
GENCODE = $(foreach arch,$(CUDA_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
HAS_WGMMA = $(and $(filter 90,$(CUDA_ARCHS)),$(shell $(NVCC) --help | grep -o sm_90a))
WGMMA_GENCODE = $(if $(HAS_WGMMA),-gencode arch=compute_90a$(,)code=sm_90a,$(GENCODE))
, := ,
COMPILE_CUDA = $(NVCC) -O2 -std=c++17 --threads 0 -Iinclude -Isrc -Xcompiler -fno-exceptions,-fno-threadsafe-statics

$(BUILD)/gpu/probe.o: src/gpu/probe.h src/gpu/element.cuh
$(BUILD)/gpu/narrow.o: src/gpu/narrow.h
$(BUILD)/gpu/probe.o $(BUILD)/gpu/narrow.o: $(BUILD)/gpu/%.o: src/gpu/%.cu include/mapping.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CUDA) $(GENCODE) -c -o $@ $<

$(BUILD)/generate: src/gpu/generate.c src/gpu/executor.h $(LIBRARY) $(BUILD)/flags
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) -o $@ $< $(LIBRARY) $(LDFLAGS)

$(BUILD)/gpu/executors_%.cu: $(BUILD)/generate
	@mkdir -p $(@D)
	$(BUILD)/generate $* $(words $(PARTS)) > $@

# What these kernels do takes little optimizing, which takes long. That wgmma is executed one by one there (C7511) is
# as it should be.
$(BUILD)/gpu/executors_%.o: $(BUILD)/gpu/executors_%.cu src/gpu/executor.h
	$(COMPILE_CUDA) -Xcicc -O1 $(if $(filter 0,$*),$(GENCODE),$(WGMMA_GENCODE)) -c -o $@ $< 2> $@.log || { cat $@.log; exit 1; }
	@grep -v C7511 $@.log || true

# The results, each as its name, its text and its architectures, and a list of them: see src/recorded.h.
$(BUILD)/recorded_files.s: $(RESULTS) Makefile $(BUILD)/parts
	{ echo '.section .rodata'; \
	  for file in $(RESULTS); do name=$$(basename $$file .txt); \
	    echo "name_$$name: .asciz \"$$name\""; echo "text_$$name: .incbin \"$$file\"; .byte 0"; \
	    echo "archs_$$name: .asciz \" $$(sed -n 's/^# [a-z].* on sm_\([0-9]*\)$$/\1/p' $$file | sort -nu | tr '\n' ' ')\""; done; \
	  echo '.section .data.rel.ro,"aw"; .balign 8; .global recorded_files; recorded_files:'; \
	  for file in $(RESULTS); do name=$$(basename $$file .txt); echo ".quad name_$$name, text_$$name, archs_$$name"; done; \
	  echo '.quad 0, 0, 0; .section .note.GNU-stack,"",%progbits'; } > $@

$(BUILD)/recorded_files.o: $(BUILD)/recorded_files.s $(BUILD)/flags
	$(CC) -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- Testing ----

TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*_test.c))
TEST_SCRIPTS := $(filter-out tests/gpu.t,$(wildcard tests/*.t))

$(BUILD)/tests/%: tests/%.c $(OBJECTS) $(LIBRARY) $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) -MF $@.d -o $@ $< $(OBJECTS) $(LIBRARY) $(LDFLAGS) -lcmocka -lm -lpthread \
	  $(if $(NVCC),$(call cuda,LIBRARIES) -lcudart_static -lrt -lpthread -ldl)

HAS_CMOCKA = $(shell $(CC) -fsyntax-only $(patsubst %,-include %.h,stdarg stddef setjmp stdint cmocka) -x c /dev/null \
  2> /dev/null && echo yes)

$(BUILD)/opcodes: tests/opcodes.c $(LIBRARY) $(BUILD)/flags
	$(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) -o $@ $< $(LIBRARY) $(LDFLAGS)

# Without cmocka the C tests are left out, and that is said.
test: $(BINARY) $(BUILD)/opcodes
	@command -v prove > /dev/null || { echo 'make test needs prove: apt-get install perl'; exit 1; }
	@$(if $(HAS_CMOCKA),$(MAKE) --no-print-directory $(TEST_PROGRAMS),echo 'cmocka is missing, so the C tests are left out: apt-get install libcmocka-dev')
	CC='$(CC)' MAPPING='$(abspath $(BINARY))' OPCODES='$(abspath $(BUILD)/opcodes)' prove --exec tests/run $(if $(HAS_CMOCKA),$(TEST_PROGRAMS)) $(TEST_SCRIPTS)

# Every opcode, for the architecture that DEVICE_ARCH names.
$(BUILD)/all/executors_%.o: $(BUILD)/generate src/gpu/executor.h
	@mkdir -p $(@D)
	$(BUILD)/generate $* $(words $(PARTS)) all > $(@:.o=.cu)
	$(COMPILE_CUDA) -Xcicc -O1 -gencode arch=compute_$(DEVICE_ARCH),code=sm_$(DEVICE_ARCH) -c -o $@ $(@:.o=.cu) 2> $@.log || { cat $@.log; exit 1; }

$(BUILD)/products: tests/products.c $(PARTS:%=$(BUILD)/all/executors_%.o) $(OBJECTS) $(BUILD)/gpu/absent.o $(LIBRARY)
	$(CC) $(CFLAGS) $(FLAGS) $(patsubst -I%,-isystem %,$(call cuda,INCLUDES)) -o $@ $< $(PARTS:%=$(BUILD)/all/executors_%.o) \
	  $(HOST) $(REST) $(BUILD)/recorded_files.o $(BUILD)/gpu/absent.o $(LIBRARY) $(LDFLAGS) -lm $(call cuda,LIBRARIES) -lcudart_static -lrt -lpthread -ldl

test-gpu: $(BINARY)
	MAPPING='$(abspath $(BINARY))' sh tests/gpu.t

check: $(BINARY)
	./$(BINARY) --check $(RESULTS)

$(BUILD)/bench: tests/bench.c $(LIBRARY) $(BUILD)/flags
	$(CC) $(CFLAGS) $(FLAGS) -o $@ $< $(LIBRARY)

bench: $(BINARY) $(BUILD)/bench
	@MAPPING='$(abspath $(BINARY))' BENCH='$(abspath $(BUILD)/bench)' NVCC='$(NVCC)' sh tests/bench.sh

SOURCES := $(wildcard src/*.c src/*/*.c)
HEADERS := $(wildcard include/*.h src/*.h src/*/*.h)
PLAIN := $(filter-out $(patsubst %,src/gpu/%.c,gpu wmma execute),$(SOURCES)) # what needs no CUDA

lint:
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --suppress=ctuuninitvar --std=c11 \
	  -D_GNU_SOURCE -Iinclude -Isrc $(PLAIN)
	printf '%s\n' $(PLAIN) | \
	  xargs -P 4 -n 4 sh -c 'clang-tidy --quiet --warnings-as-errors="*" "$$@" -- -std=c17 -D_GNU_SOURCE -Iinclude -Isrc' tidy
	clang-format --dry-run --Werror $(SOURCES) $(HEADERS) $(wildcard src/gpu/*.cu* tests/*.c tests/*.h tests/*.cu)

# ---- Results ----

results: $(ARCHS:%=results/sm_%.txt.new)

results/sm_%.txt.new: $(BINARY) FORCE
	./$(BINARY) --arch=$* --all --source=sass > $@ && mv $@ results/sm_$*.txt

# ---- Installing ----

install: $(BINARY) $(LIBRARY)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/mapping
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/libmapping.a
	install -m 644 include/mapping.h $(DESTDIR)$(PREFIX)/include/mapping.h

clean:
	rm -rf build mapping
