/* option_rows.c - the options; see option_rows.h. What they are given is read in values.c. */
#include "cli/option_rows.h"

#include <string.h>

/* ---- Options without a value of their own ---- */

/* Notes what is to be done; two things at once are too many. */
static enum mapping_status set_action(struct request *request, enum action action,
                                      struct mapping_error *error) {
    if (request->action != ACTION_SHOW && request->action != action)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--list, --diff, --check, --confirm, --verify, --map, --convert, --access, and --load "
            "and --store are one at a time");
    request->action = action;
    return MAPPING_OK;
}

static enum mapping_status set_all(char *text, struct request *request,
                                   struct mapping_error *error) {
    (void)text, (void)error;
    request->all = true;
    return MAPPING_OK;
}

static enum mapping_status set_list(char *text, struct request *request,
                                    struct mapping_error *error) {
    (void)text;
    return set_action(request, ACTION_LIST, error);
}

static enum mapping_status set_diff(char *text, struct request *request,
                                    struct mapping_error *error) {
    bool is_pair = strchr(text, ',') != NULL; /* what is none is said first */
    enum mapping_status status = is_pair ? set_action(request, ACTION_DIFF, error) : MAPPING_OK;
    return status == MAPPING_OK ? take_diff(text, request, error) : status;
}

static enum mapping_status set_check(char *text, struct request *request,
                                     struct mapping_error *error) {
    if (text)
        request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_CHECK, error);
}

static enum mapping_status set_confirm(char *text, struct request *request,
                                       struct mapping_error *error) {
    request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_CONFIRM, error);
}

static enum mapping_status set_verify(char *text, struct request *request,
                                      struct mapping_error *error) {
    request->claims[request->claim_count++] = text;
    return set_action(request, ACTION_VERIFY, error);
}

static enum mapping_status set_map(char *text, struct request *request,
                                   struct mapping_error *error) {
    request->subjects[request->subject_count++] = text;
    return set_action(request, ACTION_MAP, error);
}

static enum mapping_status set_outputs(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)error;
    request->outputs = text;
    return MAPPING_OK;
}

static enum mapping_status set_convert(char *text, struct request *request,
                                       struct mapping_error *error) {
    request->convert = text;
    return set_action(request, ACTION_CONVERT, error);
}

/* Notes a load or store; with --suggest it is what that is for. */
static enum mapping_status add_use(char *text, bool is_store, struct request *request,
                                   struct mapping_error *error) {
    struct asked_use *use = &request->uses[request->use_count++];
    *use = request->use_default;
    use->name = text;
    use->is_store = is_store;
    return request->action == ACTION_SUGGEST ? MAPPING_OK : set_action(request, ACTION_LOAD, error);
}

static enum mapping_status set_load(char *text, struct request *request,
                                    struct mapping_error *error) {
    return add_use(text, false, request, error);
}

static enum mapping_status set_store(char *text, struct request *request,
                                     struct mapping_error *error) {
    return add_use(text, true, request, error);
}

static enum mapping_status set_suggest(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)text;
    if (request->action == ACTION_LOAD)
        request->action = ACTION_SHOW;
    return set_action(request, ACTION_SUGGEST, error);
}

static enum mapping_status set_access(char *text, struct request *request,
                                      struct mapping_error *error) {
    enum mapping_status status = take_access(text, request, error);
    return status == MAPPING_OK ? set_action(request, ACTION_ACCESS, error) : status;
}

static enum mapping_status set_address(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)error;
    request->address = text;
    return MAPPING_OK;
}

static enum mapping_status set_order(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)text, (void)error;
    request->style.order = true;
    return MAPPING_OK;
}

static enum mapping_status set_detail(char *text, struct request *request,
                                      struct mapping_error *error) {
    (void)text, (void)error;
    request->style.detail = true;
    return MAPPING_OK;
}

static enum mapping_status set_brief(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)text, (void)error;
    request->style.brief = true;
    return MAPPING_OK;
}

static enum mapping_status set_cells(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)text, (void)error;
    request->style.cells = true;
    return MAPPING_OK;
}

static enum mapping_status set_verbose(char *text, struct request *request,
                                       struct mapping_error *error) {
    (void)text, (void)error;
    request->style.verbose = true;
    return MAPPING_OK;
}

/* ---- The table ---- */

const struct option_row option_rows[] = {
    {
        .argument = "FRAGMENT",
        .group = "What to show (default: wmma.m16n16k16.d.f32 of the GPU that is there):",
        .help = "a fragment by name, see --list: mma.m16n8k16.a.bf16; or several: "
                "mma.m16n8k16, 'mma.*.d.f32'; or all operands of an opcode: "
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32, of an atom of CuTe, or of a "
                "line of SASS: 'HMMA.16816.F32 R4, R8, R16, R4'; or a C++ type: "
                "'fragment<matrix_a,16,16,16,half,row_major>'; or what lies in Tensor Memory: "
                "tcgen05.mma.m128n128k16.d.f32",
    },
    {
        .argument = "LAYOUT",
        .help = "or a matrix in memory: '(64,64):(64,1)', 'Sw<3,3,3> o 0 o (64,64):(64,1)', "
                "Layout_K_SW128_Atom, 'TensorOpMultiplicand<16,64>', RowMajor, ...; --type gives "
                "its element",
    },
    {
        .name = "extent",
        .argument = "N,N",
        .help = "how large it is, where its name does not say: ROWS,COLUMNS; of the layouts of "
                "CUTLASS 2 that are called after neither, CONTIGUOUS,STRIDED, which are columns "
                "and rows",
        .take = take_extent,
    },
    {
        .letter = 't',
        .name = "type",
        .argument = "TYPE",
        .help = "the accumulator of this type; with --all, --list, --diff and several fragments "
                "only those of this type: f64 (double), f32 (float), tf32, bf16, f16 (half), s32 "
                "(int), s8, u8, s4, u4, b1, e4m3, ..., or fp8, fp6, fp4, int8, int4",
        .take = take_type,
    },
    {
        .letter = 'o',
        .name = "operand",
        .argument = "NAME",
        .help = "only this operand; e is sparsity metadata, sfa and sfb are scale factors, r and p "
                "the registers and addresses of ldmatrix and stmatrix: ",
        .choices = operand_name_at,
        .take = take_operand,
    },
    {.letter = 'A',
     .name = "all",
     .help = "every fragment that the architecture has",
     .take = set_all},
    {
        .letter = 'a',
        .name = "arch",
        .argument = "ARCH",
        .help = "the architecture: sm_75, 75, 7.5, or a name below; where several make sense, "
                "sm_70,sm_80 or all",
        .take = take_archs,
        .special = ARCH,
    },
    {
        .letter = 'l',
        .name = "list",
        .help = "list fragments, on which architectures opcodes with them are emulated, and what "
                "their layouts rest on",
        .take = set_list,
    },
    {
        .name = "diff",
        .argument = "ARCH,ARCH",
        .help = "list fragments that differ between two architectures",
        .take = set_diff,
    },
    {
        .name = "verbose",
        .help = "with --diff, list also what only one of them has; with --verify and --map, all "
                "fragments that fit",
        .take = set_verbose,
    },
    {
        .name = "detail",
        .help = "add types, registers, bytes, who shares rows and columns, what it is for the next "
                "product, and what opcodes become on each architecture",
        .take = set_detail,
    },
    {.name = "brief", .help = "formulae alone, without the grids", .take = set_brief},
    {
        .letter = 'f',
        .name = "format",
        .argument = "FORMAT",
        .help = "how to print it (default: text): ",
        .choices = format_name_at,
        .take = take_format,
    },
    {
        .name = "style",
        .argument = "STYLE",
        .help = "how formulae are written: with masks and shifts (default), with the fewest "
                "operators, or with / % and *, as code is: ",
        .choices = style_name_at,
        .take = take_style,
    },
    {
        .name = "cells",
        .help = "one grid, whose cells say thread and element, tid:i, instead of two; of a matrix "
                "in memory offset and bank",
        .take = set_cells,
    },
    {
        .name = "color",
        .argument = "WHEN",
        .help = "tint the grids of text: on a terminal (auto, the default), unless $NO_COLOR is "
                "set or $TERM is dumb; always, also into a file, as a terminal gets them; or "
                "never. Other formats take no notice",
        .take = take_color,
    },
    {
        .name = "color-by",
        .argument = "WHAT",
        .help = "what colors in grids and pictures stand for (default: thread; of matrices in "
                "memory, bank; in Tensor Memory, lane): ",
        .choices = color_by_name_at,
        .take = take_color_by,
    },
    {
        .name = "order",
        .help = "with --format=cuda, add the permutation that puts a row-major matrix into the "
                "order of the fragment, and back",
        .take = set_order,
    },
    {
        .name = "atom-layout",
        .argument = "L",
        .group = "A tile of several mma or wgmma, as make_tiled_mma of CuTe makes it:",
        .help = "how atoms lie side by side over threads, in M, N and K: '(2,2,1):(2,1,0)'; by "
                "default there is one",
        .special = ATOM_LAYOUT,
    },
    {
        .name = "permutation",
        .argument = "P",
        .help = "the size of the tile and the order in it, of M, N and K: "
                "'((4,4,2):(1,8,4)),32,4', or 32,32,_",
        .special = PERMUTATION,
    },
    {
        .name = "at",
        .argument = "ROW,COL",
        .group = "Questions about a fragment; each number may be a range 3-5, or * for all:",
        .help = "which threads hold this element, and as which i; BLOCK,ROW,COL where there are "
                "several matrices",
        .take = take_at,
    },
    {
        .name = "thread",
        .argument = "TID[,I]",
        .help = "which elements this thread holds; --tid is the same, and --lane where no Tensor "
                "Memory is shown",
        .take = take_thread,
    },
    {
        .name = "offset",
        .argument = "N",
        .help = "which element lies at this offset of a matrix in memory; of such --at gives the "
                "offset",
        .take = take_offset,
    },
    {.name = "tid", .argument = "TID[,I]", .take = take_thread, .is_alias = true},
    {
        .name = "lane",
        .argument = "LANE[,COLUMN]",
        .group = "Tensor Memory, where tcgen05.mma of Blackwell has D, A and scale factors:",
        .help = "what lies in this lane, and column; tcgen05.mma.m128n128k16.d.f32 is such an "
                "accumulator",
        .take = take_lane,
    },
    {
        .argument = "    --with=tcgen05.ld.OP",
        .help = "what threads hold of D or A that read it with tcgen05.ld.32x32b.x32, ..., or "
                "write it with tcgen05.st: one matrix for each load; .x32 may be left out",
    },
    {
        .name = "convert",
        .argument = "FRAGMENT",
        .group = "From one fragment to another:",
        .help = "what it takes to turn the registers of FRAGMENT... into this one: other "
                "registers, shuffles, or a trip through memory; with --format=cuda the function "
                "that does it",
        .take = set_convert,
    },
    {
        .name = "load",
        .argument = "FRAGMENT",
        .group = "Between a matrix in memory and the registers of a fragment:",
        .help = "which accesses load the fragment from LAYOUT, the address of each thread, and how "
                "often shared memory is passed for it; with --format=cuda the function that does "
                "it. Fragments may be tiled, see above; may be repeated",
        .take = set_load,
    },
    {
        .name = "store",
        .argument = "FRAGMENT",
        .help = "the same from registers to memory; cp.async and tma stand for a copy of the whole "
                "matrix, 16 bytes a lane",
        .take = set_store,
    },
    {
        .name = "origin",
        .argument = "ROW,COL",
        .help = "where in the matrix the fragment begins (default: 0,0)",
        .take = take_origin,
    },
    {
        .name = "with",
        .argument = "OP",
        .help = "with this operation alone: ld.b128, ldmatrix.x4.trans, ...; --with and --origin "
                "are about the --load or --store before them, or about all behind them; for "
                "tcgen05.ld see above",
        .take = take_with,
    },
    {
        .name = "suggest",
        .help = "the swizzles and paddings of LAYOUT for which all that is loaded and stored takes "
                "the fewest wavefronts, best first",
        .take = set_suggest,
    },
    {
        .name = "access",
        .argument = "OP",
        .help = "how many wavefronts a warp's access takes, and which lanes meet in which bank: "
                "ld or st with .u8, .u16, .b32, .b64 or .b128, ldmatrix or stmatrix with .x1, "
                ".x2 or .x4, also .trans; or as PTX and SASS spell them: ld.shared.v4.f32, LDS.64",
        .take = set_access,
    },
    {
        .name = "address",
        .argument = "LIST|CODE",
        .help = "the address of each lane, in bytes: a C expression, 'tid * 16', or 32 numbers, "
                "- for a lane that is inactive: 0,4,-,12,...",
        .take = set_address,
    },
    {
        .letter = 's',
        .name = "source",
        .argument = "SOURCE",
        .group = "Where it comes from:",
        .take = take_sources, /* its help is the table of sources */
    },
    {
        .letter = 'd',
        .name = "device",
        .argument = "N",
        .help = "the CUDA device to use (default: 0)",
        .take = take_device,
    },
    {
        .name = "cuda",
        .argument = "DIR",
        .help = "use ptxas and nvdisasm of this CUDA Toolkit and search no further; may be "
                "repeated. By default those of $CUDA_HOME, $CUDA_PATH, $PATH, the usual folders",
        .take = take_cuda,
    },
    {
        .name = "timeout",
        .argument = "SECS",
        .help = "time limit for each run of a tool, and for reading what it printed (default: 60)",
        .take = take_timeout,
    },
    {
        .letter = 'c',
        .name = "check",
        .argument = "FILE",
        .is_optional = true,
        .group = "Checking:",
        .help = "derive every section of results files again, from every source that is there but "
                "recorded, and with every toolkit of --cuda, and compare; without FILE, the "
                "recorded results. --arch and --source narrow it",
        .take = set_check,
    },
    {
        .name = "confirm",
        .argument = "FILE",
        .help = "the same, and print the file again, with who confirmed it added on top of each "
                "section",
        .take = set_confirm,
    },
    {
        .name = "verify",
        .argument = "CODE",
        .help = "check formulae in C: 'row = lane / 4 + i / 2 * 8; col = ...', or of the inverse "
                "'tid = ...'; names defined before may be used. Where they are wrong, what they "
                "would be right for",
        .take = set_verify,
    },
    {
        .name = "map",
        .argument = "FILE",
        .group = "A map of your own:",
        .help = "deduce formulae for the columns row, col, block and offset of a CSV file from all "
                "its others, and find which fragments have the same map; - for standard input",
        .take = set_map,
    },
    {
        .name = "outputs",
        .argument = "NAME,...",
        .help = "deduce these columns instead",
        .take = set_outputs,
    },
    {.letter = 'h', .name = "help", .group = "", .help = "show this", .special = HELP},
    {.letter = 'V', .name = "version", .help = "show the version", .special = VERSION},
};
_Static_assert(sizeof option_rows / sizeof *option_rows == OPTION_ROWS, "as option_rows.h says");
