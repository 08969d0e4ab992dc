/* option_rows.c - the options; see option_rows.h. What they are given is read in values.c. */
#include "cli/option_rows.h"

#include <stddef.h>

/* Sets of actions. */
enum {
    SHOW = 1 << ACTION_SHOW,
    ASK = 1 << ACTION_ASK,
    LIST = 1 << ACTION_LIST,
    DIFF = 1 << ACTION_DIFF,
    CHECK = 1 << ACTION_CHECK | 1 << ACTION_CONFIRM,
    VERIFY = 1 << ACTION_VERIFY,
    MAP = 1 << ACTION_MAP,
    CONVERT = 1 << ACTION_CONVERT,
    LOAD = 1 << ACTION_LOAD,
    SUGGEST = 1 << ACTION_SUGGEST,
    ACCESS = 1 << ACTION_ACCESS,
    TILES = SHOW | ASK | VERIFY | LOAD | SUGGEST,
    SUBJECTS = TILES | CONVERT,         /* fragments by name */
    OBSERVED = SUBJECTS | DIFF | CHECK, /* out of sources */
    ANY = (1 << ACTIONS) - 1
};

/* Where an option is noted in a request. */
#define FIELD(member) offsetof(struct request, member)

/* ---- Topics ---- */

static const struct topic_row topics[] = {
    [TOPIC_FRAGMENTS] = {"fragments", "names, types and operands; grids; questions; tiles"},
    [TOPIC_MEMORY] = {"memory", "matrices in shared memory; loads, stores, bank conflicts"},
    [TOPIC_TENSOR_MEMORY] = {"tensor-memory",
                             "operands in Tensor Memory; tcgen05.ld and tcgen05.st"},
    [TOPIC_COMPARE] = {"compare", "check formulae; derive them from tables; convert"},
    [TOPIC_CODE] = {"code", "output formats: CUDA code, CuTe and Triton notation"},
    [TOPIC_PICTURES] = {"pictures", "colors and cells of grids and pictures"},
    [TOPIC_SOURCES] = {"sources", "where layouts come from; check the recorded results"},
    [TOPIC_ARCHITECTURES] = {"architectures",
                             "architecture numbers (sm_XX); GPU families and products"},
};

const struct topic_row *topic_at(size_t index) {
    return index < sizeof topics / sizeof *topics ? &topics[index] : NULL;
}

/* ---- Options ---- */

static const struct option_row rows[] = {
    {
        .argument = "FRAGMENT",
        .help = "one of these forms:\n"
                "- a name from --list: mma.m16n8k16.a.bf16\n"
                "- an instruction or pattern: mma.m16n8k16, 'mma.*.d.f32'\n"
                "- a PTX opcode:\n"
                "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
                "- a CuTe atom: SM80_16x8x16_F32F16F16F32_TN\n"
                "- a PTX or SASS instruction; --at and --thread print its\n"
                "  registers: 'HMMA.16816.F32 R4, R8, R16, R4'\n"
                "- a C++ type:\n"
                "  'fragment<matrix_a,16,16,16,half,row_major>'\n"
                "- an operand in Tensor Memory:\n"
                "  tcgen05.mma.m128n128k16.d.f32",
    },
    {
        .letter = 't',
        .name = "type",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS | LIST | DIFF,
        .argument = "TYPE",
        .help = "show only fragments of this type. Without FRAGMENT, show D of wmma in this type. "
                "Types: f64 (double), f32 (float), tf32, bf16, f16 (half), s32 (int), s8, u8, s4, "
                "u4, b1, e4m3, ...; groups: fp8, fp6, fp4, int8, int4; or a list: f16,bf16",
        .take = take_type,
    },
    {
        .letter = 'o',
        .name = "operand",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS | LIST | DIFF,
        .argument = "NAME",
        .help = "show only this operand: a, b, c, d, e (sparsity metadata), sfa and sfb (scale "
                "factors), r (registers) or p (row addresses) of ldmatrix and stmatrix",
        .choices = operand_name_at,
        .take = take_operand,
    },
    {
        .letter = 'A',
        .name = "all",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | LIST | VERIFY,
        .flag = FIELD(all),
        .help = "show all fragments of the architecture",
    },
    {
        .letter = 'l',
        .name = "list",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_LIST,
        .help = "list the fragments and the sources of their layouts. 'emulated' marks "
                "fragments whose opcodes ptxas replaces by other instructions, and where",
    },
    {
        .name = "detail",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | MAP,
        .flag = FIELD(style.detail),
        .needs = NEEDS_DETAIL,
        .help =
            "also print all evidence, types, registers, bytes, the number of threads that share a "
            "row or column, the conversion to an operand of a following MMA, and the SASS of "
            "opcodes "
            "on each architecture",
    },
    {
        .name = "brief",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | MAP | CONVERT,
        .flag = FIELD(style.brief),
        .needs = NEEDS_BRIEF,
        .help = "print only formulae, without grids; with --at, --thread, --lane or --convert, "
                "only the answer, without the lines above it",
    },
    {
        .name = "at",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "ROW,COL",
        .group = "Questions; each number may also be a range, 3-5, or * for all:",
        .help = "print the thread, i and register that hold this element. If there are several "
                "matrices, use BLOCK,ROW,COL. If FRAGMENT is an opcode, the output omits operands "
                "that do not have this element",
        .take = take_at,
    },
    {
        .name = "thread",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "TID[,I]",
        .help =
            "print the elements that this thread holds, and their registers. --tid and --lane mean "
            "the same; but for an operand in Tensor Memory, --lane selects a lane of Tensor Memory",
        .take = take_thread,
    },
    {
        .name = "register",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "REG",
        .help = "print only the elements in this register of the thread: a number from 0, or a "
                "register of the SASS or PTX instruction, such as R9. Without --thread, of all "
                "threads",
        .take = take_register,
    },
    {
        .name = "tid",
        .topic = TOPIC_FRAGMENTS,
        .actions = ASK,
        .action = ACTION_ASK,
        .argument = "TID[,I]",
        .take = take_thread,
        .is_alias = true,
    },
    {
        .name = "atom-layout",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS,
        .text = FIELD(atom_layout),
        .argument = "L",
        .group = "A tile of several mma or wgmma, as CuTe's make_tiled_mma builds it:",
        .help = "the layout of atoms in M, N and K: '(2,2,1):(2,1,0)'. Each atom uses different "
                "threads. Default: one atom",
    },
    {
        .name = "permutation",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS,
        .text = FIELD(permutation),
        .argument = "P",
        .help = "the size of the tile in M, N and K: 64,32,16, or _ for the size of the atoms. "
                "Atoms are repeated to fill the tile. A layout in place of a size also orders "
                "rows, columns or K: '((16,2,4):(1,64,16)),128,_'. The cookbook has an example",
    },
    {
        .topic = TOPIC_MEMORY,
        .argument = "LAYOUT",
        .help = "a matrix in memory: '(64,64):(64,1)',\n'Sw<3,3,3> o 0 o (64,64):(64,1)', "
                "Layout_K_SW128_Atom,\n'TensorOpMultiplicand<16,64>', RowMajor, ...; --type\nsets "
                "the type of its elements",
    },
    {
        .name = "extent",
        .topic = TOPIC_MEMORY,
        .actions = SHOW | ASK | VERIFY | LOAD | SUGGEST,
        .argument = "N,N",
        .help = "the size of LAYOUT, if its name does not give it: ROWS,COLUMNS. For a CUTLASS 2 "
                "layout whose name contains neither Row nor Column, it is COLUMNS,ROWS, which "
                "CUTLASS calls contiguous and strided",
        .take = take_extent,
    },
    {
        .name = "offset",
        .topic = TOPIC_MEMORY,
        .action = ACTION_ASK,
        .argument = "N",
        .help = "print the element at this offset (in elements) of a matrix in memory. "
                "--at=ROW,COL prints the offset of an element",
        .take = take_offset,
    },
    {
        .name = "load",
        .topic = TOPIC_MEMORY,
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .times = MANY,
        .argument = "FRAGMENT",
        .help =
            "print the accesses that load the fragment from LAYOUT, the address of each thread, "
            "and the wavefronts; with --format=cuda, print a function that loads it. The fragment"
            " can be a tile (--atom-layout, --permutation). The option may be repeated",
        .take = take_load,
    },
    {
        .name = "store",
        .topic = TOPIC_MEMORY,
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .times = MANY,
        .argument = "FRAGMENT",
        .help = "the same for stores of the fragment from registers. --store=cp.async copies the "
                "whole matrix, 16 bytes per lane; --store=tma copies it with TMA",
        .take = take_store,
    },
    {
        .name = "origin",
        .topic = TOPIC_MEMORY,
        .actions = LOAD,
        .times = MANY,
        .argument = "ROW,COL",
        .help = "the row and column of the matrix where the fragment begins (default: 0,0)",
        .take = take_origin,
    },
    {
        .name = "axes",
        .topic = TOPIC_MEMORY,
        .actions = LOAD | SUGGEST,
        .argument = "ROWS,COLS",
        .help = "the axes (M, N or K) of the rows and columns of LAYOUT: n,k for a B that is "
                "stored N x K. Default: m,k for A; k,n for B; m,n for C and D. For B in a CuTe "
                "layout atom such as Layout_K_SW128_Atom, the default is n,k",
        .take = take_axes,
    },
    {
        .name = "with",
        .topic = TOPIC_MEMORY,
        .actions = SHOW | ASK | VERIFY | LOAD | SUGGEST,
        .times = MANY,
        .argument = "OP",
        .help = "use only this operation: ld.b128, ldmatrix.x4.trans, ... --with and --origin "
                "apply to the --load or --store before them. If they come before the first --load "
                "or --store, they apply to all. --help=tensor-memory describes --with=tcgen05.ld",
        .take = take_with,
    },
    {
        .name = "suggest",
        .topic = TOPIC_MEMORY,
        .action = ACTION_SUGGEST,
        .help =
            "list the swizzles and paddings of LAYOUT with the fewest wavefronts for all --load "
            "and --store options, best first",
    },
    {
        .name = "access",
        .topic = TOPIC_MEMORY,
        .action = ACTION_ACCESS,
        .argument = "OP",
        .help = "count the wavefronts of a warp's access, and show the lanes that conflict in each "
                "bank. OP is ld or st with .u8, .u16, .b32, .b64 or .b128; ldmatrix or stmatrix "
                "with .x1, .x2 or .x4, with or without .trans; or a PTX or SASS instruction: "
                "ld.shared.v4.f32, LDS.64",
        .take = take_access,
    },
    {
        .name = "address",
        .topic = TOPIC_MEMORY,
        .actions = ACCESS,
        .text = FIELD(address),
        .argument = "LIST|CODE",
        .help = "the byte address of each lane: a C expression,\n'tid * 16', or 32 numbers, with - "
                "for an inactive lane:\n0,4,-,12,...",
    },
    {
        .name = "lane",
        .topic = TOPIC_TENSOR_MEMORY,
        .action = ACTION_ASK,
        .argument = "LANE[,COLUMN]",
        .help = "print the elements in this lane of Tensor Memory, or at this lane and column; "
                "FRAGMENT is an operand such as tcgen05.mma.m128n128k16.d.f32",
        .take = take_lane,
    },
    {
        .topic = TOPIC_TENSOR_MEMORY,
        .argument = "    --with=tcgen05.ld.OP",
        .help =
            "show the elements of D or A that each thread loads with a tcgen05.ld, such as "
            "tcgen05.ld.32x32b.x32, or stores with a tcgen05.st. There is one grid for each load "
            "or store. If you omit .x32, the program uses the largest load that fits the matrix",
    },
    {
        .name = "verify",
        .topic = TOPIC_COMPARE,
        .action = ACTION_VERIFY,
        .times = MANY,
        .take = take_formula,
        .argument = "CODE",
        .help =
            "check C formulae for row and col, or for tid and i (the inverse): 'row = lane / 4 + i "
            "/ 2 * 8; col = ...'; or a TV layout of CuTe, '((4,8),(2,2)):((32,1),(16,8))'. "
            "You can define variables and use them in later statements. If a "
            "formula is wrong, the program lists the layouts for which it is right. With --load or "
            "--store, check the byte address of each thread (address = ...) or its offset in "
            "elements (offset = ...); step is the number of the instruction",
    },
    {
        .name = "diff",
        .topic = TOPIC_COMPARE,
        .action = ACTION_DIFF,
        .argument = "ARCH,ARCH",
        .help = "list the fragments whose layouts differ between two architectures",
        .take = take_diff,
    },
    {
        .name = "map",
        .topic = TOPIC_COMPARE,
        .action = ACTION_MAP,
        .is_subject = true,
        .argument = "FILE",
        .help = "read a table in CSV, derive formulae for its columns row, col, block and offset "
                "from the other columns, and list the layouts with the same table. If there are no "
                "other columns, offset is derived from row and col. --map=- reads standard input",
    },
    {
        .name = "outputs",
        .topic = TOPIC_COMPARE,
        .actions = MAP,
        .text = FIELD(outputs),
        .argument = "NAME,...",
        .help = "with --map, derive formulae for these columns instead",
    },
    {
        .name = "convert",
        .topic = TOPIC_COMPARE,
        .action = ACTION_CONVERT,
        .text = FIELD(convert),
        .argument = "FRAGMENT",
        .help = "show how to convert the registers of each FRAGMENT on the command line to this "
                "fragment: by renaming registers, with shuffles, or through shared memory; with "
                "--format=cuda, print a function that converts them. FRAGMENT can be a tile "
                "(--atom-layout, --permutation)",
    },
    {
        .name = "verbose",
        .topic = TOPIC_COMPARE,
        .actions = DIFF | VERIFY | MAP | SUGGEST,
        .flag = FIELD(style.verbose),
        .help = "print more: with --diff, also the fragments that only one architecture has; with "
                "--verify and --map, all layouts that match; with --suggest, all swizzles and "
                "paddings that were tried",
    },
    {
        .letter = 'f',
        .name = "format",
        .topic = TOPIC_CODE,
        .actions = ANY,
        .times = LAST,
        .argument = "FORMAT",
        .help = "output format (default: text; --json is short for --format=json): ",
        .choices = format_name_at,
        .take = take_format,
    },
    {
        .name = "style",
        .topic = TOPIC_CODE,
        .actions = SHOW | ASK | MAP | LOAD,
        .times = LAST,
        .needs = NEEDS_FORMULAE,
        .argument = "STYLE",
        .help = "the operators of formulae: bits (masks and shifts), short (the fewest operators "
                "that the program finds) or divide (the operators /, % and *). Default: bits; for "
                "--format=cuda, divide",
        .choices = style_name_at,
        .take = take_style,
    },
    {
        .name = "order",
        .topic = TOPIC_CODE,
        .actions = SHOW,
        .flag = FIELD(style.order),
        .needs = NEEDS_ORDER,
        .help = "with --format=cuda, add functions that reorder a row-major matrix so that the "
                "elements of each thread are contiguous, and functions that restore the row-major "
                "order",
    },
    {
        .name = "cells",
        .topic = TOPIC_PICTURES,
        .actions = SHOW,
        .flag = FIELD(style.cells),
        .needs = NEEDS_CELLS,
        .help = "print one grid with tid:i in each cell instead of two grids; for a matrix in "
                "memory, each cell has offset and bank",
    },
    {
        .name = "color",
        .topic = TOPIC_PICTURES,
        .actions = ANY,
        .times = LAST,
        .argument = "WHEN",
        .help = "color the grids of text output: auto (default), always or never. With auto, only "
                "a terminal gets colors, unless $NO_COLOR is set or $TERM is dumb; with always, "
                "files too. Other formats ignore this option",
        .take = take_color,
    },
    {
        .name = "color-by",
        .topic = TOPIC_PICTURES,
        .actions = SHOW | ASK | MAP | LOAD | ACCESS,
        .times = LAST,
        .needs = NEEDS_COLORS,
        .argument = "WHAT",
        .help = "color grids and pictures by thread, element, bank, lane or column. Default: "
                "thread; for a matrix in memory, bank; for Tensor Memory, lane",
        .choices = color_by_name_at,
        .take = take_color_by,
    },
    {
        .name = "whole",
        .topic = TOPIC_PICTURES,
        .actions = SHOW | MAP,
        .flag = FIELD(style.whole),
        .needs = NEEDS_CUT,
        .help = "draw all columns. By default, if a matrix has more than 32 columns and their "
                "pattern repeats, a picture shows the first period, and a caption describes the "
                "others; with --at or --thread, it has all columns",
    },
    {
        .letter = 's',
        .name = "source",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "SOURCE",
        .take = take_sources, /* its help is the table of sources */
    },
    {
        .letter = 'd',
        .name = "device",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "N",
        .help = "the CUDA device to use (default: 0)",
        .take = take_device,
    },
    {
        .name = "cuda",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = MANY,
        .argument = "DIR",
        .help = "use ptxas and nvdisasm of this CUDA Toolkit only; may be repeated. Default: "
                "search $CUDA_HOME, $CUDA_PATH, $PATH and the usual folders",
        .take = take_cuda,
    },
    {
        .name = "timeout",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "SECS",
        .help = "time limit in seconds for each run of ptxas or nvdisasm, and for parsing its "
                "output (default: 60)",
        .take = take_timeout,
    },
    {
        .letter = 'c',
        .name = "check",
        .topic = TOPIC_SOURCES,
        .action = ACTION_CHECK,
        .times = MANY,
        .is_subject = true,
        .argument = "FILE",
        .is_optional = true,
        .help =
            "check the records in FILE, a file under results/: derive each layout again from all "
            "sources except recorded, with each toolkit of --cuda, and compare it with the record. "
            "Without FILE, check all records of the program. --arch and --source restrict the "
            "check",
    },
    {
        .name = "confirm",
        .topic = TOPIC_SOURCES,
        .action = ACTION_CONFIRM,
        .times = MANY,
        .is_subject = true,
        .argument = "FILE",
        .help =
            "check FILE as --check does. Then print its records with the new evidence added, and "
            "a new record for each FRAGMENT on the command line. FILE is not changed. To print "
            "new records only, use --confirm=/dev/null",
    },
    {
        .name = "strict",
        .topic = TOPIC_SOURCES,
        .actions = CHECK,
        .flag = FIELD(is_strict),
        .help = "with --check and --confirm, fail if a record could not be checked",
    },
    {
        .letter = 'a',
        .name = "arch",
        .topic = TOPIC_ARCHITECTURES,
        .actions = SUBJECTS | LIST | CHECK,
        .times = LAST,
        .argument = "ARCH",
        .help = "the architecture: sm_75, 75, 7.5, or a name below. To show fragments, you can "
                "also give a list (sm_70,sm_80) or the word all. Default: the architecture of the "
                "GPU. Without a GPU, it is sm_80; if sm_80 does not have the fragment, it is the "
                "next newer architecture that has it",
        .take = take_archs,
    },
    {
        .letter = 'h',
        .name = "help",
        .topic = TOPIC_FURTHER,
        .actions = ANY,
        .argument = "TOPIC",
        .is_optional = true,
        .choices = topic_name_at,
        .help = "print examples and topics, or the options of one topic: ",
        .take = take_topic,
        .wish = WISH_HELP,
    },
    {
        .letter = 'V',
        .name = "version",
        .topic = TOPIC_FURTHER,
        .actions = ANY,
        .wish = WISH_VERSION,
        .help = "print the version",
    },
};

_Static_assert(sizeof rows / sizeof *rows <= OPTIONS_MAX, "more than option_rows.h says");

const struct option_row *option_at(size_t index) {
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}
