# make            build ./mapping; with the gpu source if nvcc is found
# make test       unit and command-line tests          SANITIZE=1  under ASan and UBSan
#                                                      VALGRIND=1  C tests under valgrind
# make check      derive results/ again from every source that is there, and compare
# make bench      the numbers to hold, with their bounds
# make test-gpu   what needs a device
# make lint       cppcheck, clang-tidy, clang-format, and which room includes which
# make results    derive results/ again, and write down who confirmed them; FILES="results/sm_90.txt" some of them
# make prove      find the shortest expressions of all formulae again; make sass what all opcodes become
# make page       build/page.html: all fragments of all architectures, to be explored in a browser
# make install    PREFIX=/usr/local DESTDIR=
#
# CC=cc|gcc|clang   NVCC=path, or empty for none   CUDA_ARCH="75 90" instead of all that nvcc knows
# WERROR=1          warnings are errors
# TOOLKITS="DIR DIR"   folders with a ptxas and its nvdisasm, of several generations, for check, results and sass

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
PREFIX ?= /usr/local
CUDA_ARCH ?=
TOOLKITS ?=

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
RUN = $(if $(filter /%,$(BINARY)),,./)$(BINARY)

# ---- What there is ----

ARCHS := 70 72 75 80 86 87 88 89 90 100 103 110 120 121
RESULTS := $(wildcard $(ARCHS:%=results/sm_%.txt) $(patsubst %,results/%.txt,mma mma.sp ldmatrix wgmma))
# The shortest expressions, which `make prove` finds.
PROOFS := results/short.txt
# What opcodes become when ptxas assembles them, which `make sass` finds.
ASSEMBLED := results/sass.txt
# Where TMA writes and wgmma reads, which `make shared` observes.
SHARED := results/shared.txt

objects = $(patsubst src/%.c,$(BUILD)/%.o,$(1))

# libmapping.a: pure.
LIBRARY := $(BUILD)/libmapping.a
LIBRARY_OBJECTS := $(call objects,$(wildcard src/layout/*.c src/catalogue/*.c))

# Of the gpu source, what needs no CUDA; what needs its headers; the kernels, which nvcc compiles; what stands in for
# these two without nvcc.
GPU := $(BUILD)/source/gpu
GPU_HOST := $(patsubst %,$(GPU)/%.o,contents coverage environment experiment numbers operands reading)
GPU_CUDA := $(patsubst %,$(GPU)/%.o,batch descriptor device gpu shared tma)
WGMMA := wgmma_0 wgmma_1 wgmma_2 wgmma_3
GPU_KERNELS := $(patsubst %,$(GPU)/%.o,wmma mma tiles $(WGMMA))
GPU_ABSENT := $(GPU)/absent.o

PROGRAM := $(foreach room,system report source source/sass output output/picture output/page command cli,$(wildcard src/$(room)/*.c))
OBJECTS := $(call objects,$(filter-out src/source/embed.c,$(PROGRAM))) $(BUILD)/recorded_files.o \
  $(BUILD)/page_files.o $(GPU_HOST) $(if $(NVCC),$(GPU_CUDA) $(GPU_KERNELS),$(GPU_ABSENT))

.PHONY: all test check bench test-gpu lint results prove sass shared page install clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(BINARY)

# ---- C ----

# What everything is compiled with, and what is linked: when that changes, it is done again. Both are put together
# here, once, so that no rule's own variables get into them.
FLAGS_TEXT := $(CC) $(CFLAGS) $(FLAGS) $(SANITIZER) $(NVCC) $(CUDA_ARCH)
PARTS_TEXT := $(OBJECTS) $(LIBRARY_OBJECTS) $(RESULTS) $(LDFLAGS)

$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' > $@

$(BUILD)/parts: FORCE
	@mkdir -p $(@D); echo '$(PARTS_TEXT)' | cmp -s - $@ || echo '$(PARTS_TEXT)' > $@

COMPILE = $(CC) $(CFLAGS) $(OPTIMIZE) $(FLAGS) $(SANITIZER)

$(BUILD)/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# The library's loops are what deduction waits for, those of the gpu source what observing everything does.
$(LIBRARY_OBJECTS) $(GPU_HOST): private OPTIMIZE := -O3 -funroll-loops

$(LIBRARY): $(LIBRARY_OBJECTS) $(BUILD)/parts
	rm -f $@ && $(AR) rcs $@ $(LIBRARY_OBJECTS)

# The results, embedded with an index of their sections: see src/source/recorded.h.
$(BUILD)/embed: src/source/embed.c $(BUILD)/report/assembled.o $(LIBRARY) $(BUILD)/flags
	$(COMPILE) -o $@ $< $(BUILD)/report/assembled.o $(LIBRARY)

$(BUILD)/recorded_files.s: $(BUILD)/embed $(PROOFS) $(ASSEMBLED) $(SHARED) $(RESULTS) $(BUILD)/parts
	$(BUILD)/embed $(PROOFS) $(ASSEMBLED) $(SHARED) $(RESULTS) > $@

$(BUILD)/recorded_files.o: $(BUILD)/recorded_files.s
	$(CC) -c -o $@ $<

# The page of --format=html.
$(BUILD)/page_files.o: src/output/page/files.s $(wildcard src/output/page/*) $(BUILD)/flags
	$(CC) -c -o $@ $<

# ---- CUDA ----

, := ,

# Where nvcc keeps its INCLUDES and LIBRARIES, as it says itself.
cuda = $(shell $(NVCC) --dryrun src/source/gpu/mma.cu 2>&1 | sed -n 's/^\#\$$ $(1)= *//p' | tr -d '"')
CUDA_INCLUDES = $(patsubst -I%,-isystem %,$(call cuda,INCLUDES))
CUDA_LIBRARIES = $(call cuda,LIBRARIES) -lcudart_static -lrt -ldl
$(GPU_CUDA): private OPTIMIZE = $(CUDA_INCLUDES)

$(GPU_ABSENT): src/source/gpu/absent.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(if $(NVCC),,echo 'nvcc was not found: building without the gpu source')
	$(COMPILE) -c -o $@ $<

# The rows that the kernels include, and the table of what there are kernels for, out of the catalogue. A file that
# comes out as it was is left alone, so that nothing is compiled again for it.
FORMS := wmma mma mma_sp matrix_moves $(WGMMA)
ROWS := $(FORMS:%=$(GPU)/rows/%_rows.inc) $(GPU)/rows/fragments.inc

$(GPU)/generate: $(GPU)/generate.o $(GPU)/operands.o $(LIBRARY)
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $^

$(GPU)/rows/made: $(GPU)/generate
	@mkdir -p $(@D)
	for form in $(FORMS); do $< $$form > $(@D)/$${form}_rows.inc.new || exit 1; done
	$< fragments > $(@D)/fragments.inc.new
	for file in $(ROWS); do cmp -s $$file.new $$file && rm $$file.new || mv $$file.new $$file; done
	touch $@

$(ROWS): $(GPU)/rows/made ;@:
$(GPU)/coverage.o: $(GPU)/rows/fragments.inc
$(GPU)/coverage.o: private OPTIMIZE := -I$(GPU)/rows

# Machine code for each architecture that nvcc knows, and PTX for those that are yet to come. wgmma is of sm_90a alone;
# without it, what there is of it is empty.
CUDA_ARCHS := $(if $(NVCC),$(or $(CUDA_ARCH),$(shell $(NVCC) --help | grep -oE '\bsm_[0-9]+' | tr -d sm_ | sort -nu | awk '$$1 >= 70')))
GENCODE := $(foreach arch,$(CUDA_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
HAS_WGMMA := $(and $(NVCC),$(filter 90,$(CUDA_ARCHS)),$(shell $(NVCC) --help | grep -o sm_90a))
WGMMA_GENCODE := $(if $(HAS_WGMMA),-gencode arch=compute_90a$(,)code=sm_90a,$(GENCODE))
COMPILE_CUDA = $(NVCC) -O2 -std=c++17 --threads 0 $(if $(WERROR),-Werror all-warnings) -Xptxas -O1 -Iinclude -Isrc \
  -Xcompiler -fno-exceptions,-fno-threadsafe-statics -MMD -MP

$(GPU)/wmma.o $(GPU)/mma.o: $(GPU)/%.o: src/source/gpu/%.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CUDA) $(GENCODE) -I$(GPU)/rows -MF $(@:.o=.d) -c -o $@ $<

$(WGMMA:%=$(GPU)/%.o): $(GPU)/wgmma_%.o: src/source/gpu/wgmma.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CUDA) $(WGMMA_GENCODE) -I$(GPU)/rows -DPART=$* -DWGMMA_ROWS_FILE='"wgmma_$*_rows.inc"' \
	  -MF $(@:.o=.d) -c -o $@ $<

$(GPU)/tiles.o: src/source/gpu/tiles.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CUDA) $(WGMMA_GENCODE) $(if $(HAS_WGMMA),-DHAS_SM_90A) -MF $(@:.o=.d) -c -o $@ $<

$(GPU_KERNELS): | $(ROWS)

# ---- The program ----

LIBRARIES = -lm -lpthread $(if $(NVCC),$(CUDA_LIBRARIES))

$(BINARY): $(BUILD)/main.o $(OBJECTS) $(LIBRARY) $(BUILD)/parts
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- Testing ----

TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(shell find tests -name '*_test.c' | sort))
TEST_SCRIPTS := $(filter-out %/device.t,$(shell find tests -name '*.t' | sort))

$(BUILD)/tests/%: tests/%.c $(OBJECTS) $(LIBRARY) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Itests -MF $@.d -o $@ $< $(OBJECTS) $(LIBRARY) $(LDFLAGS) $(LIBRARIES) -lcmocka

# A helper of a test script, with the library alone.
$(BUILD)/tests/catalogue/opcodes: tests/catalogue/opcodes.c $(LIBRARY) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(LIBRARY) $(LDFLAGS)

$(BUILD)/tests/layout/memory_offsets: tests/layout/memory_offsets.c $(LIBRARY) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d -o $@ $< $(LIBRARY) $(LDFLAGS)

HAS_CMOCKA = $(shell $(CC) -fsyntax-only $(patsubst %,-include %.h,stdarg stddef setjmp stdint cmocka) -x c /dev/null \
  2> /dev/null && echo yes)

# Without cmocka the C tests are left out, and that is said.
TEST_HELPERS := $(BUILD)/tests/catalogue/opcodes $(BUILD)/tests/layout/memory_offsets

test: $(BINARY) $(TEST_HELPERS)
	@command -v prove > /dev/null || { echo 'make test needs prove: apt-get install perl'; exit 1; }
	@$(if $(HAS_CMOCKA),$(MAKE) --no-print-directory $(TEST_PROGRAMS),echo 'cmocka is missing, so the C tests are left out: apt-get install libcmocka-dev')
	CC='$(CC)' NVCC='$(NVCC)' MAPPING='$(abspath $(BINARY))' OPCODES='$(abspath $(BUILD)/tests/catalogue/opcodes)' \
	  MEMORY_OFFSETS='$(abspath $(BUILD)/tests/layout/memory_offsets)' \
	  prove --jobs 2 --exec tests/run $(if $(HAS_CMOCKA),$(TEST_PROGRAMS)) $(TEST_SCRIPTS)

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

$(BUILD)/products: tests/source/gpu/products.c $(ALL_KERNELS) $(OTHER_OBJECTS) $(LIBRARY)
	$(COMPILE) -Itests $(CUDA_INCLUDES) -MF $@.d -o $@ $< $(ALL_KERNELS) $(OTHER_OBJECTS) $(LIBRARY) $(LDFLAGS) \
	  -lm -lpthread $(CUDA_LIBRARIES)

# Where TMA writes and wgmma reads in shared memory. The maps go to the folder that it is given.
$(BUILD)/shared: tests/source/gpu/shared.c $(OBJECTS) $(LIBRARY) $(BUILD)/flags
	$(COMPILE) -MF $@.d -o $@ $< $(OBJECTS) $(LIBRARY) $(LDFLAGS) $(LIBRARIES)

# What --format=cuda prints is compiled and called on sm_90 alone, of which the examples are.
test-gpu: $(BINARY) $(BUILD)/shared
	MAPPING='$(abspath $(BINARY))' sh tests/source/gpu/device.t
	mkdir -p $(BUILD)/maps && $(BUILD)/shared $(BUILD)/maps
	python3 tests/examples/header_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/header)'
	python3 tests/examples/convert_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/convert)'
	python3 tests/examples/staging_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/staging)'
	python3 tests/source/gpu/banks_test.py '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/banks)'
	sh tests/examples/run.sh '$(abspath $(BINARY))' '$(NVCC)' '$(abspath $(BUILD)/examples)' check

check: $(BINARY)
	$(RUN) --check $(TOOLKITS:%=--cuda=%) $(RESULTS) $(ASSEMBLED) $(SHARED)

$(BUILD)/bench: tests/bench.c $(LIBRARY) $(BUILD)/flags
	$(COMPILE) -MF $@.d -o $@ $< $(LIBRARY)

bench: $(BINARY) $(BUILD)/bench
	@MAPPING='$(abspath $(BINARY))' BENCH='$(abspath $(BUILD)/bench)' NVCC='$(NVCC)' CC='$(CC)' sh tests/bench.sh

# ---- Linting ----

SOURCES := $(shell find src -name '*.c' | sort)
TEST_SOURCES := $(shell find tests -name '*.c' | sort)
FORMATTED := $(SOURCES) $(TEST_SOURCES) $(shell find include src tests -name '*.h' -o -name '*.cu' -o -name '*.cuh' | sort)
NEED_CUDA := $(GPU_CUDA:$(BUILD)/%.o=src/%.c) tests/source/gpu/products.c
LINTED := $(if $(NVCC),$(SOURCES) $(TEST_SOURCES),$(filter-out $(NEED_CUDA),$(SOURCES) $(TEST_SOURCES)))
LINT_FLAGS = -std=c17 -D_GNU_SOURCE -Iinclude -Isrc -Itests -I$(GPU)/rows $(if $(NVCC),$(CUDA_INCLUDES))

lint: $(ROWS)
	sh tests/rooms.sh
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr --suppress=ctuuninitvar --std=c11 \
	  -D_GNU_SOURCE -Iinclude -Isrc -Itests -I$(GPU)/rows $(SOURCES) $(TEST_SOURCES)
	printf '%s\n' $(LINTED) | \
	  xargs -P 4 -n 4 sh -c 'clang-tidy --quiet --warnings-as-errors="*" "$$@" -- $(LINT_FLAGS)' tidy
	clang-format --dry-run --Werror $(FORMATTED)

# ---- Results ----

# Each file is derived again from every source that is here, with every toolkit in TOOLKITS, and printed again with who
# confirmed it. Where nothing here can confirm it, and evidence that cannot be had here, stays. How a file is made
# from nothing says src/README.md.
FILES ?= $(RESULTS)
results: $(BINARY)
	@for file in $(FILES); do \
	  echo "$(RUN) --confirm=$$file $(TOOLKITS:%=--cuda=%)"; \
	  $(RUN) --confirm=$$file $(TOOLKITS:%=--cuda=%) > $(BUILD)/confirmed; \
	  case $$? in \
	  0) cmp -s $(BUILD)/confirmed $$file || cp $(BUILD)/confirmed $$file ;; \
	  3) echo "$$file stays as it is" ;; \
	  *) exit 1 ;; \
	  esac; \
	done

# The shortest expressions of all formulae, proved as far as 4 operators. It takes about 5 minutes.
$(BUILD)/prove: $(BUILD)/prove.o $(OBJECTS) $(LIBRARY) $(BUILD)/parts
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

prove: $(BUILD)/prove
	$(BUILD)/prove > $(BUILD)/short.txt
	cp $(BUILD)/short.txt $(PROOFS)

# What all opcodes become, each architecture with the newest of the TOOLKITS that knows it. It takes half a minute.
$(BUILD)/sass: $(BUILD)/sass.o $(OBJECTS) $(LIBRARY) $(BUILD)/parts
	$(CC) $(SANITIZER) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)

sass: $(BUILD)/sass
	$(BUILD)/sass $(TOOLKITS) > $(BUILD)/sass.txt
	cp $(BUILD)/sass.txt $(ASSEMBLED)

# All atoms of the layouts that TMA writes and wgmma reads, seen on the device: sm_90.
ATOMS := $(foreach major,K MN,$(foreach width,INTER SW32 SW64 SW128,$(foreach type,uint8_t half_t float,\
  'Layout_$(major)_$(width)_Atom<$(type)>')))
shared: $(BINARY)
	$(RUN) --source=isa,gpu --brief $(ATOMS) > $(BUILD)/shared.txt
	cp $(BUILD)/shared.txt $(SHARED)

# ---- Pictures ----

# Without a device and the compiler's tools, so that the page is at once there, and the same wherever it is made.
page: $(BINARY)
	@mkdir -p $(BUILD)/none
	CUDA_VISIBLE_DEVICES= $(RUN) --cuda=$(BUILD)/none --arch=all --all --format=html > $(BUILD)/page.html
	@echo 'open $(abspath $(BUILD)/page.html)'

# ---- Installing ----

install: $(BINARY) $(LIBRARY)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/mapping
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/libmapping.a
	install -m 644 include/mapping.h $(DESTDIR)$(PREFIX)/include/mapping.h

clean:
	rm -rf build mapping
