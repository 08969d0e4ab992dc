/* option_rows.c - the table of options; see options.h.
 *
 * To add an option, add
 * - here, a row: its topic, the actions that it applies to, the property that a format must have
 *   (.needs), and the member that it sets: of struct style if it changes printing, else of struct
 *   request;
 * - options that it conflicts with, in check_together of options.c;
 * - for a value of a new kind, a function in arguments.c that reads it, and in tools/describe.c the
 *   values that shells complete;
 * - a sample value in tests/cli/every_option_test.py; if the option only changes what formats
 *   print, add it to OF_FORMATS there. This test does not combine two options, so test combinations
 *   elsewhere. */
#include "cli/arguments.h"

#include <stddef.h>
#include <string.h>

/* ---- Help ---- */

/* The topics of --help, and "all". */
static const char *topic_name_at(size_t n) {
    const struct option_row *row;
    for (size_t r = 0; (row = option_at(r)); r++)
        if (row->about && n-- == 0)
            return row->topic;
    return n == 0 ? "all" : NULL;
}

/* A topic, or an option, which selects its topic: --help=verify is the same as --help=compare. */
static enum mapping_status read_topic(const struct argument *given, struct request *request) {
    const char *text = given->text;
    const struct option_row *row;
    request->help_topic = text && strcmp(text, "all") == 0 ? text : NULL;
    for (size_t r = 0; text && !request->help_topic && (row = option_at(r)); r++) {
        const char *name = row->topic ? row->topic : row->name;
        if (name && strcmp(name, text) == 0)
            request->help_topic = topic_of(row);
    }
    return !text || request->help_topic ? MAPPING_OK : MAPPING_INVALID;
}

/* The alignment of a causal mask; the first is the default of --causal without a value. */
static const char *causal_name_at(size_t n) {
    static const char *const names[] = {"bottom-right", "top-left"};
    return n < sizeof names / sizeof *names ? names[n] : NULL;
}

static enum mapping_status read_causal(const struct argument *given, struct request *request) {
    size_t n = 0;
    while (given->text && causal_name_at(n) && strcmp(given->text, causal_name_at(n)) != 0)
        n++;
    request->causal = causal_name_at(n);
    return request->causal ? MAPPING_OK : MAPPING_INVALID;
}

/* ---- The table ---- */

/* Sets of actions: SHOW contains only ACTION_SHOW, and so on. */
#define SET(name, function, can_print) name = 1 << ACTION_##name,
enum {
    REQUEST_ACTIONS(SET) CHECKS = CHECK | CONFIRM,
    TILES = SHOW | ASK | VERIFY | LOAD | SUGGEST,
    SUBJECTS = TILES | CONVERT | EQUALS, /* output that sources observe */
    OBSERVED = SUBJECTS | DIFF | CHECKS, /* out of sources */
    ANY = (1 << ACTIONS) - 1,
    VERIFY_LOAD = 1 << ACTIONS /* --verify with --load or --store */
};

/* The member of a request that an option sets. */
#define FIELD(member) offsetof(struct request, member)

static const struct option_row rows[] = {
    {.topic = "fragments", .about = "names and operands; elements and threads; tiles"},
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
        .is_main = true,
        .actions = SUBJECTS | LIST | DIFF | PROBE,
        .argument = "TYPE",
        .help =
            "show only fragments of this type: f64 (double), f32 (float), tf32, bf16, f16 (half), "
            "s32 (int), s8, u8, s4, u4, b1, e4m3, ...; or of a group: fp8, fp6, fp4, int8, "
            "int4; or of a list: f16,bf16. Without FRAGMENT, show D of wmma; TYPE must then be "
            "f64, f32, f16 or s32",
        .choices = type_name_at,
        .read = argument_type,
        .value = "type",
    },
    {
        .letter = 'o',
        .name = "operand",
        .is_main = true,
        .actions = SUBJECTS | LIST | DIFF,
        .argument = "NAME",
        .help = "show only this operand: a, b, c, d, e (sparsity metadata), sfa and sfb (scale "
                "factors), r (registers) or p (row addresses) of ldmatrix and stmatrix",
        .choices = operand_name_at,
        .read = argument_operand,
        .flag = FIELD(has_operand),
        .value = "operand",
    },
    {
        .letter = 'A',
        .name = "all",
        .actions = SHOW | ASK | LIST | VERIFY,
        .flag = FIELD(all),
        .help = "show all fragments of the architecture",
    },
    {
        .letter = 'l',
        .name = "list",
        .action = ACTION_LIST,
        .help = "list the fragments: name, size, first architecture, and the sources of the "
                "layout. sm_80+ means sm_80 and later; sm_100a|f+ means: compile for sm_100a or "
                "sm_100f, or for sm_XXa or sm_XXf of a later architecture that has the fragment. "
                "'emulated on sm_90' means that sm_90 has no such tensor-core instruction, so "
                "ptxas generates others; with --arch, the note is just 'emulated'. 'not known if "
                "emulated' means that no ptxas was tested with the instruction",
    },
    {
        .name = "detail",
        .is_main = true,
        .actions = SHOW | ASK | MAP | ANNOTATE,
        .flag = FIELD(style.detail),
        .needs = NEEDS_DETAIL,
        .help = "also print, for each fragment, its type, registers and bytes, the GPUs and tools "
                "that confirmed the layout, the number of threads that share a row or column, a "
                "permutation of K for wide loads, the conversion to an operand of a following "
                "MMA, and, if FRAGMENT is an opcode, its SASS on each architecture. With "
                "--at=ROW,COL, also print the row of A and the column of B whose product is this "
                "element of D, and the threads and registers that hold them. "
                "For a layout of scale factors, print all sources and notes",
    },
    {
        .name = "brief",
        .actions = SHOW | ASK | MAP | CONVERT | LOAD | VERIFY | ANNOTATE | DESCRIBE,
        .flag = FIELD(style.brief),
        .needs = NEEDS_BRIEF,
        .help = "omit the grids. With --at, --thread, --lane or --convert, omit the name and the "
                "source, too: print only the answer. With --load or --store, print only the best "
                "plan; with --verify, only the verdicts",
    },
    {
        .name = "at",
        .is_main = true,
        .action = ACTION_ASK,
        .actions = ANNOTATE,
        .argument = "ROW,COL",
        .group = "Look up elements and registers; a number can be a range (3-5) or * (all):",
        .help = "print where this element is: its thread, its index i in the thread, and its "
                "register. If the operand has several matrices, as in ldmatrix.x4, use "
                "BLOCK,ROW,COL; BLOCK is the number of the matrix, from 0. If FRAGMENT is an "
                "opcode, the output omits operands that do not have this element",
        .read = argument_question,
        .question = {ASK_TARGET, 2, 3},
        .flag = FIELD(style.question.is_of_last),
        .value = "element; --at takes ROW,COL (such as 3,5 or '0-7,*') or BLOCK,ROW,COL",
    },
    {
        .name = "thread",
        .is_main = true,
        .action = ACTION_ASK,
        .actions = ANNOTATE,
        .argument = "TID[,I]",
        .help =
            "print the elements that this thread holds, and their registers. TID is 0 to 31, in a "
            "warpgroup 0 to 127. --tid and --lane are other names of --thread, but for an operand "
            "in Tensor Memory, --lane is a lane of Tensor Memory",
        .read = argument_thread,
        .question = {ASK_SOURCE, 1, 2},
        .value = "thread; --thread takes TID or TID,I (such as 5 or '0-3,*')",
    },
    {
        .name = "register",
        .action = ACTION_ASK,
        .actions = ANNOTATE,
        .argument = "REG",
        .help =
            "print only the elements in this register of the thread. REG is the index of the "
            "register, counted from 0, or a register of the SASS or PTX instruction, such as R9. "
            "Without --thread, print the elements in this register of every thread",
        .read = argument_register,
        .value = "register; --register takes a number (2), a range (0-1), or a register of the "
                 "given SASS or PTX instruction (R9)",
    },
    {
        .name = "tid",
        .actions = ASK | ANNOTATE,
        .action = ACTION_ASK,
        .argument = "TID[,I]",
        .read = argument_thread,
        .question = {ASK_SOURCE, 1, 2},
        .value = "thread; --thread takes TID or TID,I (such as 5 or '0-3,*')",
        .is_alias = true,
    },
    {
        .name = "atom-layout",
        .actions = SUBJECTS,
        .text = FIELD(atom_layout),
        .argument = "L",
        .group = "A tile of several mma or wgmma, as CuTe's make_tiled_mma builds it:",
        .help = "how many atoms (copies of the instruction) to place along M, N and K, as a CuTe "
                "layout: '(2,2,1):(2,1,0)'. Each atom uses different threads. Default: one atom",
    },
    {
        .name = "permutation",
        .actions = SUBJECTS,
        .text = FIELD(permutation),
        .argument = "P",
        .help = "the size of the tile in M, N and K, such as 64,32,16; write _ in place of a "
                "number to keep the size that --atom-layout gives. Atoms are repeated to fill the "
                "tile. A size can also be a CuTe layout, which permutes the tile along its axis: "
                "'((16,2,4):(1,64,16)),128,_'. See tests/examples/README.md",
    },
    {.topic = "memory", .about = "matrices in shared memory; loads, stores, bank conflicts"},
    {
        .argument = "LAYOUT",
        .help = "a matrix in memory: '(64,64):(64,1)',\n'Sw<3,3,3> o 0 o (64,64):(64,1)', "
                "Layout_K_SW128_Atom,\n'TensorOpMultiplicand<16,64>', RowMajor, ...; --type\nsets "
                "the type of its elements. Block scale factors:\n128x4, 8x4, SWIZZLE_32_4_4, "
                "F8_128x4, to_blocked,\n'Sm1xxBlockScaledConfig<16>', BLACKWELL_SCALE, ...",
    },
    {
        .name = "extent",
        .actions = TILES | EQUALS | CONVERT,
        .argument = "N,N",
        .help = "the size, ROWS,COLUMNS, of a LAYOUT (or a layout of Triton) that does not give "
                "its size. For a CUTLASS 2 layout without Row or Column in its name, the order is "
                "COLUMNS,ROWS (in CUTLASS: contiguous, strided)",
        .read = argument_extent,
        .value = "extent; --extent takes two sizes of at least 1, such as 64,16",
    },
    {
        .name = "shape",
        .actions = SUBJECTS | MAP,
        .text = FIELD(shape),
        .argument = "N,...",
        .help = "the shape of the tensor, such as 128,64, for each layout of Triton that does not "
                "give it, also for those of --convert, --load, --store and --equals; a batch has "
                "three sizes",
    },
    {
        .name = "block",
        .actions = TILES | EQUALS | PROBE,
        .argument = "SIZE",
        .help = "for scale factors (if LAYOUT is 128x4, for example): this many elements along K "
                "share a factor, and --extent is the size of the matrix in elements. Without "
                "--block, --extent is the size of the matrix of factors. With --sfa or --sfb of "
                "--probe, the same. Sizes: ",
        .choices = block_size_at,
        .read = argument_choice,
        .choice = FIELD(block),
        .is_number = true,
        .value = "block size",
    },
    {
        .name = "offset",
        .action = ACTION_ASK,
        .argument = "N",
        .help = "print the element at this offset (in elements) of a matrix in memory. "
                "--at=ROW,COL prints the offset of an element",
        .read = argument_question,
        .question = {ASK_TARGET, 1, 1},
        .flag = FIELD(style.question.is_of_offset),
        .value = "offset; --offset takes an offset in elements or a range, such as 72 or 64-127",
    },
    {
        .name = "load",
        .is_main = true,
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .may_repeat = true,
        .argument = "FRAGMENT",
        .help = "print the instructions that can load the fragment from LAYOUT, and their "
                "wavefronts. The best one is shown with the address of each thread; --whole shows "
                "all with addresses. With --format=cuda, print a function that loads the "
                "fragment. It can be a tile (--atom-layout, --permutation). The option may be "
                "repeated. For scale factors in Tensor Memory (tcgen05.mma.m128k64.sfa.4x.ue4m3), "
                "print the copies with tcgen05.cp",
        .read = argument_use,
    },
    {
        .name = "store",
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .may_repeat = true,
        .argument = "FRAGMENT",
        .help = "the same for stores of the fragment from registers. --store=cp.async copies the "
                "whole matrix, 16 bytes per lane; --store=tma copies it with TMA",
        .read = argument_use,
    },
    {
        .name = "origin",
        .actions = LOAD | VERIFY_LOAD,
        .may_repeat = true,
        .argument = "ROW,COL",
        .help = "the row and column of the matrix where the fragment begins (default: 0,0). With "
                "--format=cuda, --origin=row,col prints a function that takes the row and column, "
                "and the stage if the matrix has several, as arguments",
        .read = argument_origin,
        .value = "origin; --origin takes ROW,COL, such as 16,32",
    },
    {
        .name = "axes",
        .actions = SHOW | ASK | EQUALS | LOAD | SUGGEST | VERIFY | VERIFY_LOAD,
        .needs = NEEDS_DESCRIPTORS,
        .argument = "ROWS,COLS",
        .help = "the axes (M, N or K) of the rows and columns of LAYOUT: n,k for a B that is "
                "stored N x K. Default: m,k for A; k,n for B; m,n for C and D. For B in a CuTe "
                "layout atom such as Layout_K_SW128_Atom, and for descriptors, the default is n,k. "
                "Scale factors are n,k or m,k; with k,n or k,m, LAYOUT is the transpose",
        .read = argument_axes,
        .value = "pair of axes; --axes takes the axis of the rows, then the axis of the columns: "
                 "m,k or k,m for A, k,n or n,k for B, m,n or n,m for C and D",
    },
    {
        .name = "with",
        .actions = TILES,
        .may_repeat = true,
        .argument = "OP",
        .help = "use only this operation: ld.b128, ldmatrix.x4.trans, ... --with and --origin "
                "apply to the --load or --store before them. If they come before the first --load "
                "or --store, they apply to all. --help=tensor-memory describes --with=tcgen05.ld",
        .choices = access_name_at,
        .read = argument_with,
        .value = "operation",
    },
    {
        .name = "suggest",
        .action = ACTION_SUGGEST,
        .help = "try swizzles and paddings of LAYOUT, and list them; those with the fewest "
                "wavefronts, summed over all --load and --store options, come first",
    },
    {
        .name = "access",
        .action = ACTION_ACCESS,
        .argument = "OP",
        .help = "count the wavefronts of a warp's access. Wide accesses have phases, such as 8 "
                "lanes each for .b128; for each phase, show the bank with the most conflicts (in "
                "a tie, the lowest bank), and the lanes that conflict there. OP is ld or st with "
                ".u8, .u16, .b32, .b64 or .b128; ldmatrix or stmatrix with .x1, .x2 or .x4, with "
                "or without .trans, or with a shape: ldmatrix.m16n16.x2.trans.b8; or a PTX or SASS "
                "instruction: ld.shared.v4.f32, cp.async, LDS.64, LDGSTS.E.128",
        .choices = access_name_at,
        .read = argument_access,
        .value = "operation",
    },
    {
        .name = "address",
        .actions = ACCESS | SHOW | VERIFY,
        .needs = NEEDS_DESCRIPTORS,
        .text = FIELD(address),
        .argument = "LIST|CODE",
        .help = "the byte address of each lane: a C expression\nsuch as 'tid * 16', or 32 numbers "
                "such as\n0,4,-,12,... (- means an inactive lane). With\nLAYOUT, the address of "
                "its first byte, for its\ndescriptor: 0x400",
    },
    {
        .argument = "DESCRIPTOR",
        .group = "Descriptors of wgmma and tcgen05.mma:",
        .help =
            "a number, such as 0x4000004000010000 or 136380432: print its fields. With 64 bits, "
            "it is the descriptor of a matrix in shared memory; --arch selects wgmma (sm_90) "
            "or tcgen05.mma (sm_100). With 32 bits, it is an instruction descriptor of "
            "tcgen05.mma; kind::f16 after it selects a kind. LAYOUT --verify=DESCRIPTOR "
            "compares a descriptor with the one that a matrix needs; see --axes and --address",
    },
    {.topic = "tensor-memory", .about = "operands in Tensor Memory; tcgen05.ld and tcgen05.st"},
    {
        .name = "lane",
        .action = ACTION_ASK,
        .argument = "LANE[,COLUMN]",
        .help = "print the elements in this lane of Tensor Memory, or at this lane and column; "
                "FRAGMENT is an operand such as tcgen05.mma.m128n128k16.d.f32",
        .read = argument_question,
        .question = {ASK_SOURCE, 1, 3},
        .flag = FIELD(style.question.is_of_lane),
        .value = "lane; in Tensor Memory, --lane takes LANE[,COLUMN[,BIT]], such as 5 or '0-3,*'; "
                 "for registers, it takes TID[,I]",
    },
    {
        .argument = "    --with=tcgen05.ld.OP",
        .help = "show the elements of D or A that each thread loads with tcgen05.ld.OP, such as "
                "tcgen05.ld.32x32b.x32. tcgen05.st.OP shows what each thread stores. There is one "
                "grid for each load or store. If you omit .x32, the program uses the largest load "
                "that fits the matrix",
    },
    {.topic = "compare", .about = "check and derive formulae; convert fragments"},
    {
        .name = "verify",
        .is_main = true,
        .action = ACTION_VERIFY,
        .actions = EQUALS, /* for a layout of Triton */
        .may_repeat = true,
        .read = argument_formula,
        .argument = "CODE",
        .help =
            "check formulae in C or Python that compute row and col from tid (or lane = tid % 32) "
            "and i: 'row = lane / 4 + i / 2 * 8; col = ...'. You can also give formulae for tid "
            "and i (the inverse), or a CuTe layout from (thread, value) to element (a TV layout), "
            "such as '((4,8),(2,2)):((32,1),(16,8))'. You can define variables and use them in "
            "later statements, or give a function whose values are the row and col. @FILE reads a "
            "file. If a formula is wrong, the program lists the layouts for which it is right. "
            "With --load or --store, check the byte address of each thread (address = ...) or its "
            "offset in elements (offset = ...). The variable 'step' is the index of the load or "
            "store, from 0",
    },
    {
        .name = "diff",
        .action = ACTION_DIFF,
        .argument = "ARCH,ARCH",
        .help = "list the fragments whose layouts differ between two architectures, and count "
                "the fragments that only one of them has. The exit status is 1 if a layout differs "
                "or exists on only one architecture",
        .read = argument_diff,
    },
    {
        .name = "map",
        .action = ACTION_MAP,
        .actions = SUBJECTS | DEFINED,
        .is_subject = true,
        .text = FIELD(table),
        .argument = "FILE",
        .help = "read a table in CSV. Derive formulae for its columns row, col, block and offset. "
                "Their inputs are the other columns, such as tid and i; arch, fragment, source "
                "and copy are ignored. If there are no other columns, derive offset from row and "
                "col. Also list the layouts that have the same table. --map=- reads standard "
                "input. A .npy file of integers is a table, too: array[row, col] has the number of "
                "the source, array[tid, i, 2] has the row and col. So is an array of C or Python. "
                "With --at, --thread, --verify, "
                "--convert or --equals, use the table as the FRAGMENT; with --load or --store, use "
                "a table of offsets as the LAYOUT. A "
                "file of Triton (.ttgir) defines the names of layouts: '#mma' --map=kernel.ttgir",
    },
    {
        .name = "outputs",
        .actions = MAP | ASK | VERIFY | EQUALS,
        .text = FIELD(outputs),
        .argument = "NAME,...",
        .help = "with --map, derive formulae for these columns instead",
    },
    {
        .name = "warp",
        .actions = MAP,
        .argument = "THREADS",
        .needs = NEEDS_WARPS,
        .help = "with --map and --format=triton, divide the threads into warps of 64, as the "
                "wavefronts of AMD GPUs, instead of 32. Sizes: ",
        .choices = warp_size_at,
        .read = argument_choice,
        .choice = FIELD(style.warp),
        .is_number = true,
        .value = "warp size",
    },
    {
        .name = "convert",
        .is_main = true,
        .action = ACTION_CONVERT,
        .text = FIELD(convert),
        .argument = "FRAGMENT",
        .help = "show how to convert the registers of each FRAGMENT (the source) to this fragment "
                "(the target): by renaming registers, with shuffles, or through shared memory; "
                "with --format=cuda, print a function that converts them. The source can be a "
                "tile (--atom-layout, --permutation). If its tile has four warps, the target is "
                "tiled in the same way; otherwise the target is repeated until both have the same "
                "size. From D to sfa or sfb, or back, convert the scale factors that each "
                "thread needs for its elements of D",
    },
    {
        .name = "equals",
        .action = ACTION_EQUALS,
        .text = FIELD(equals),
        .argument = "LAYOUT",
        .help = "compare the layout with LAYOUT, which has the same size. LAYOUT is a matrix in "
                "memory, scale factors, a fragment, CuTe's notation (for a fragment, a TV layout), "
                "Triton's notation, or a table in CSV (a FILE, as for --map). Print how many "
                "elements have different places, the first three of them, the sizes of the "
                "buffers, and the formula that turns one layout into the other if there is a "
                "simple one. If both layouts take any --extent, also print for which sizes they "
                "are the same. The exit status is 1 if an element differs. Example: 8x4 "
                "--extent=64,8 --equals=128x4",
    },
    {
        .name = "annotate",
        .action = ACTION_ANNOTATE,
        .is_subject = true,
        .argument = "FILE",
        .group = "Read whole listings of SASS and PTX:",
        .help =
            "print a listing, and after each tensor-core instruction and matrix move a "
            "comment: what it computes, and the registers of each operand. At the end, print "
            "how many of these instructions each function has. --annotate=- reads standard "
            "input; more files can follow. The program reads what cuobjdump, nvdisasm, nvcc "
            "--ptx, Triton, Nsight Compute (CSV) and cuda-gdb print; it runs cuobjdump or "
            "nvdisasm on a binary (cubin, fatbin, .o, .so). The listing names the "
            "architecture, unless --arch does. With --at, --thread or --register, also print "
            "the answer for each instruction; with --detail, the formulae of its operands; "
            "with --brief, only how many instructions there are; with --format=html, a page that "
            "shows the fragments of the instruction under the mouse pointer",
    },
    {
        .name = "function",
        .actions = ANNOTATE,
        .text = FIELD(function),
        .argument = "NAME",
        .help = "with --annotate, print only the functions with this name; it can be a pattern, "
                "such as '*gemm*'",
    },
    {
        .name = "lines",
        .actions = ANNOTATE,
        .argument = "A-B",
        .help = "with --annotate, print only these lines of the listing",
        .read = argument_lines,
        .value = "range; --lines takes two numbers of lines, such as 100-250",
    },
    {
        .name = "verbose",
        .actions = DIFF | VERIFY | MAP | SUGGEST,
        .flag = FIELD(style.verbose),
        .help = "print more: with --diff, also the fragments that only one architecture has; with "
                "--verify and --map, all layouts that match; with --suggest, all swizzles and "
                "paddings that were tried",
    },
    {.topic = "probe", .about = "find out what a kernel that runs elsewhere does"},
    {
        .name = "probe",
        .action = ACTION_PROBE,
        .text = FIELD(probe),
        .argument = "KERNEL",
        .help = "write input matrices for a kernel to DIR: A0.npy and B0.npy for the first run, "
                "A1.npy, ... for further runs, and D0.npy, ..., filled with poison values. Then "
                "run your kernel once for each pair: it reads A and B, and overwrites the "
                "elements of D, which follow a header of 128 bytes. --decode then says what the "
                "kernel did. KERNEL is gemm:M,N,K (D = A B; all sums are exact), copy:N or "
                "copy:M,N (D = A), or attention:B,H,LQ,LK,D (batches, heads, queries, keys, head "
                "dimension; O = softmax(scale Q K^T) V, in Q0.npy, K0.npy, V0.npy, O0.npy, ...). "
                "--type is the type of A and B, or one type for each: e4m3,e5m2; or that of Q, K "
                "and V. For attention, elements of V are compared bit for bit, and means over keys "
                "with a tolerance of 2^-9 (bf16: 2^-7; 8 bits: 2^-4). This cannot show dropout, a "
                "bias of scores, how exact exp() is, or a single wrong element of Q or K, or, with "
                "many more keys than queries, of V",
    },
    {
        .name = "into",
        .actions = PROBE,
        .text = FIELD(folder),
        .argument = "DIR",
        .help = "with --probe, write the files to this folder; it is created if it does not exist",
    },
    {
        .name = "decode",
        .action = ACTION_DECODE,
        .text = FIELD(folder),
        .argument = "DIR",
        .help = "read what a kernel has written to the files of --probe, and print that it is "
                "right, or what is wrong: which elements are at wrong places, with a formula, "
                "which are never written, ... If a product is wrong, also write the inputs of "
                "more runs; run the kernel on them, and use --decode again to see the cause. The "
                "exit status is 1 if something is wrong",
    },
    {
        .name = "layout",
        .actions = PROBE,
        .text = FIELD(layout),
        .argument = "LETTERS",
        .help = "with --probe, the layouts of A, B and D: t is row-major, n is column-major. "
                "Default: tnt, which is tn in BLAS; B is then stored N x K. For a copy, give two "
                "letters, for A and D: tt. For attention: bhsd (batch, head, query or key, "
                "column; default) or bshd, as in flash-attn",
    },
    {
        .name = "ld",
        .actions = PROBE,
        .text = FIELD(ld),
        .argument = "N,N,N",
        .help = "with --probe, the leading dimensions of A, B and D (for a copy, of A and D; for "
                "attention, of Q, K, V and O) in elements. 72,_,_ pads only A. Default: no padding",
    },
    {
        .name = "batch",
        .actions = PROBE,
        .text = FIELD(batch),
        .argument = "N",
        .help = "with --probe=gemm, a batch of N products; the arrays have one matrix for each: "
                "N x rows x leading dimension. Default: 1, without this axis",
    },
    {
        .name = "batch-stride",
        .actions = PROBE,
        .text = FIELD(batch_stride),
        .argument = "N,N,N",
        .help = "with --batch, how many elements of A, B and D are from one matrix to the next, a "
                "multiple of the leading dimension; 0 if all products share A or B. _,0,_ shares "
                "B. Default: no elements between matrices",
    },
    {
        .name = "guard",
        .actions = PROBE,
        .text = FIELD(guard),
        .argument = "N",
        .help = "with --probe, N rows in the arrays behind those of each matrix (columns if it is "
                "column-major): a kernel that reads or writes them is wrong. Default: none",
    },
    {
        .name = "d-type",
        .actions = PROBE,
        .text = FIELD(d_type),
        .argument = "TYPE",
        .help = "with --probe=gemm, the type of D. Default: that of the accumulator; f32 if that "
                "is f16. With --probe=attention, the type of O. Default: --type; bf16 if that has "
                "8 bits",
    },
    {
        .name = "accumulator",
        .actions = PROBE,
        .text = FIELD(accumulator),
        .argument = "TYPE",
        .help = "with --probe=gemm, the type of the accumulator. Default: f32 for floats, f64 for "
                "f64, s32 for integers",
    },
    {
        .name = "alpha",
        .actions = PROBE,
        .text = FIELD(alpha),
        .argument = "N",
        .help = "with --probe=gemm, D is alpha A B + beta C + bias: 1, -1, 0.5, 2, ... Default: 1",
    },
    {
        .name = "beta",
        .actions = PROBE,
        .text = FIELD(beta),
        .argument = "N",
        .help =
            "with --probe=gemm, the factor of C, in C0.npy, ..., which has the type and layout of "
            "D. Default: no C",
    },
    {
        .name = "bias",
        .actions = PROBE,
        .text = FIELD(bias),
        .argument = "AXIS",
        .help = "with --probe=gemm, a bias in bias0.npy, ..., with an element for each "
                "row or col of D",
    },
    {
        .name = "kv-heads",
        .actions = PROBE,
        .text = FIELD(kv_heads),
        .argument = "N",
        .help = "with --probe=attention, the heads of K and V, which divide those of Q (GQA): "
                "query head h uses kv head h / (H / N). Default: as many as Q has",
    },
    {
        .name = "causal",
        .actions = PROBE,
        .argument = "CORNER",
        .is_optional = true,
        .help = "with --probe=attention, a causal mask. bottom-right (default): the last query "
                "sees all keys, as in flash-attn; top-left: the first query sees only the first "
                "key, as is_causal of PyTorch",
        .choices = causal_name_at,
        .read = read_causal,
        .value = "corner",
    },
    {
        .name = "scale",
        .actions = PROBE,
        .text = FIELD(scale),
        .argument = "N",
        .help = "with --probe=attention, the factor of Q K^T. Default: 1/sqrt(D)",
    },
    {
        .name = "sfa",
        .actions = PROBE,
        .text = FIELD(sfa),
        .argument = "LAYOUT",
        .help = "with --probe=gemm, scale factors of blocks of A along K, in SFA0.npy, ..., in one "
                "of the layouts of scale factors: 128x4, linear, VEC16_UE4M3, ... --block is the "
                "size of the blocks",
    },
    {
        .name = "sfb",
        .actions = PROBE,
        .text = FIELD(sfb),
        .argument = "LAYOUT",
        .help = "the same for B, in SFB0.npy, ...; a row of factors belongs to a column of B",
    },
    {
        .name = "scale-type",
        .actions = PROBE,
        .text = FIELD(scale_type),
        .argument = "TYPE",
        .help = "with --sfa or --sfb, the type of factors: ue8m0, ue4m3 or f32. Default: ue4m3 for "
                "blocks of 16, ue8m0 for 32, and f32 for 128 if the layout may have it",
    },
    {
        .name = "instruction",
        .actions = PROBE,
        .text = FIELD(instruction),
        .argument = "NAME",
        .help = "with --probe=gemm, the instruction of the kernel, such as mma.m16n8k16, "
                "wmma.m16n16k16 or HMMA.16816.F32: --decode then names mistakes by its registers "
                "and lanes. Default: all instructions mma and wgmma that fit",
    },
    {.topic = "code", .about = "output formats: CUDA code, CuTe and Triton notation"},
    {
        .letter = 'f',
        .name = "format",
        .is_main = true,
        .actions = ANY,
        .may_repeat = true,
        .argument = "FORMAT",
        .help =
            "output format (default: text; --json is short for --format=json). With json, one "
            "fragment or layout is an object, several are an array; map[tid][i] is element i of "
            "thread tid. With csv, the columns of a fragment are arch, "
            "fragment, tid, i, row, col, copy and source. The formats are ",
        .choices = format_name_at,
        .read = argument_format,
        .value = "format",
    },
    {
        .name = "style",
        .actions = SHOW | ASK | MAP | LOAD | ANNOTATE,
        .may_repeat = true,
        .needs = NEEDS_FORMULAE,
        .argument = "STYLE",
        .help =
            "the operators of formulae: bits (masks and shifts), short (the fewest operators "
            "that the program finds) or divide (the operators /, % and *). Default: bits; for "
            "--format=cuda, for the addresses of --load and --store, and with --annotate --detail, "
            "divide",
        .choices = style_name_at,
        .read = argument_choice,
        .flag = FIELD(has_style),
        .choice = FIELD(style.formula),
        .value = "style",
    },
    {
        .name = "order",
        .actions = SHOW,
        .argument = "TYPE",
        .is_optional = true,
        .flag = FIELD(style.order),
        .needs = NEEDS_ORDER,
        .help = "with --format=cuda, add functions that reorder a row-major matrix so that the "
                "elements of each thread are contiguous, and functions that restore the row-major "
                "order. With TYPE, the matrix has elements of 4 bits, such as quantized weights, "
                "and the fragment has f16 or bf16: add a function that packs 8 elements of a "
                "thread per word, in the order 0, 2, 4, 6, 1, 3, 5, 7 from the lowest bits on, and "
                "a device function that converts them to the registers of the fragment with lop3 "
                "and fma. Types: ",
        .choices = packed_name_at,
        .read = argument_order,
        .choice = FIELD(style.packed),
        .first = PACKED_U4,
        .value = "type",
    },
    {.topic = "pictures", .about = "grids and pictures: which cells they show; colors"},
    {
        .name = "whole",
        .actions = SHOW | ASK | MAP | LOAD | LIST,
        .flag = FIELD(style.excerpt.is_whole),
        .needs = NEEDS_FOLD,
        .help =
            "print everything. By default, a grid or a picture with more than 32 rows or columns "
            "that repeat shows only the first period, and a line describes how the others follow: "
            "'rows 16 to 63: T + 32 for each 16 rows'. Fragments of a subject with the same layout "
            "are shown once, under all their names. A picture is at most 1200 pixels wide, and "
            "draws copies, blocks and a C with the layout of D once; with --at or --thread, it "
            "shows every cell. --load and --store print the addresses of the best instruction "
            "only. In a terminal, an answer also has to fit 50 lines: small grids are folded; only "
            "the first of several layouts has its grids; --at and --thread print the first of many "
            "answers, and how the others follow; --list groups names",
    },
    {
        .name = "rows",
        .actions = SHOW,
        .argument = "A-B",
        .read = argument_excerpt,
        .first = VIEW_ROWS,
        .flag = FIELD(style.excerpt.has[VIEW_ROWS]),
        .needs = NEEDS_FOLD,
        .help = "show only these rows of grids: --rows=8-15 or --rows=8",
        .value = "range of rows; --rows takes A-B, such as 8-15",
    },
    {
        .name = "cols",
        .actions = SHOW,
        .argument = "A-B",
        .read = argument_excerpt,
        .first = VIEW_COLS,
        .flag = FIELD(style.excerpt.has[VIEW_COLS]),
        .needs = NEEDS_FOLD,
        .help = "show only these columns of grids",
        .value = "range of columns; --cols takes A-B, such as 8-15",
    },
    {
        .name = "cells",
        .actions = SHOW,
        .flag = FIELD(style.grid.cells),
        .needs = NEEDS_CELLS,
        .help = "print one grid with tid:i in each cell instead of two grids; for a matrix in "
                "memory, each cell is offset:bank",
    },
    {
        .name = "color",
        .actions = ANY,
        .may_repeat = true,
        .argument = "WHEN",
        .help = "color the grids of text output: auto (default), always or never. With auto, only "
                "a terminal gets colors, unless $NO_COLOR is set or $TERM is dumb. With always, "
                "files and pipes get them, too. Other formats ignore this option",
        .choices = color_name_at,
        .read = argument_choice,
        .choice = FIELD(color),
    },
    {
        .name = "color-by",
        .actions = SHOW | ASK | MAP | LOAD | ACCESS,
        .may_repeat = true,
        .needs = NEEDS_COLORS,
        .argument = "WHAT",
        .help = "color grids and pictures by thread, element, bank, lane or column. Default: "
                "thread; for a matrix in memory, bank; for Tensor Memory, lane",
        .choices = color_by_name_at,
        .read = argument_choice,
        .choice = FIELD(style.grid.color_by),
        .first = COLOR_BY_THREAD,
    },
    {.topic = "sources", .about = "where layouts come from; check the recorded results"},
    {
        .letter = 's',
        .name = "source",
        .actions = OBSERVED,
        .may_repeat = true,
        .argument = "SOURCE",
        .choices = source_name_at,
        .choice_help = source_help_at,
        .help = "You can give several, for example sass,gpu. If their layouts differ, the program "
                "prints the first difference and exits with status 1.",
        .read = argument_sources,
        .value = "source",
    },
    {
        .letter = 'd',
        .name = "device",
        .actions = OBSERVED,
        .may_repeat = true,
        .argument = "N",
        .help = "the CUDA device to use (default: 0)",
        .read = argument_device,
        .flag = FIELD(has_device),
        .value = "device; --device takes a number, 0 or more",
    },
    {
        .name = "cuda",
        .actions = OBSERVED | ANNOTATE,
        .may_repeat = true,
        .argument = "DIR",
        .help = "use ptxas and nvdisasm of this CUDA Toolkit only; may be repeated. Default: "
                "search $CUDA_HOME, $CUDA_PATH, $PATH, the packages nvidia-cuda-nvcc and "
                "nvidia-cuda-nvdisasm of Python, and the usual folders",
        .read = argument_cuda,
    },
    {
        .name = "timeout",
        .actions = OBSERVED | ANNOTATE,
        .may_repeat = true,
        .argument = "SECS",
        .help = "time limit in seconds for each run of ptxas or nvdisasm, and for parsing its "
                "output (default: 60)",
        .read = argument_timeout,
        .value = "time limit; --timeout takes a number of seconds, at most 1000000",
    },
    {
        .letter = 'c',
        .name = "check",
        .action = ACTION_CHECK,
        .may_repeat = true,
        .is_subject = true,
        .argument = "FILE",
        .is_optional = true,
        .help = "check the records in FILE, a file under results/: derive each layout again from "
                "all sources except recorded, with each toolkit of --cuda, and compare it with the "
                "record. Without FILE, check all records of the program. --arch and --source "
                "restrict the check",
    },
    {
        .name = "confirm",
        .action = ACTION_CONFIRM,
        .may_repeat = true,
        .is_subject = true,
        .argument = "FILE",
        .help =
            "check FILE as --check does. Then print its records, each with the GPU or ptxas "
            "version that has just confirmed it. Also print a new record for each FRAGMENT on the "
            "command line. FILE is not changed. To print new records only, use --confirm=/dev/null",
    },
    {
        .name = "strict",
        .actions = CHECKS,
        .flag = FIELD(is_strict),
        .help = "with --check and --confirm, fail if a record could not be checked",
    },
    {.topic = "architectures", .about = "architecture numbers (sm_XX); GPU families and products"},
    {
        .letter = 'a',
        .name = "arch",
        .is_main = true,
        .actions = SUBJECTS | LIST | CHECKS | ACCESS | ANNOTATE | DESCRIBE,
        .may_repeat = true,
        .argument = "ARCH",
        .help = "the architecture: sm_75, 75, 7.5, or a name below. To show fragments, you can "
                "also give a list (sm_70,sm_80) or the word all. Default: the architecture of the "
                "GPU. Without a GPU, it is sm_80; if sm_80 does not have the fragment, it is the "
                "next newer architecture that has it",
        .read = argument_archs,
    },
    {.topic = "further"},
    {
        .letter = 'h',
        .name = "help",
        .actions = ANY,
        .argument = "TOPIC",
        .is_optional = true,
        .choices = topic_name_at,
        .help = "print examples and topics, or the options of one topic: ",
        .read = read_topic,
        .value = "topic",
        .mode = MODE_HELP,
    },
    {
        .letter = 'V',
        .name = "version",
        .actions = ANY,
        .mode = MODE_VERSION,
        .help = "print the version",
    },
};

_Static_assert(sizeof rows / sizeof *rows <= OPTIONS_MAX, "OPTIONS_MAX is too small");

const struct option_row *option_at(size_t index) {
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

const char *topic_of(const struct option_row *row) {
    /* The first row of the table is a topic. */
    while (row && !row->topic)
        row--;
    return row && row->about ? row->topic : NULL;
}

enum mapping_status read_value(const struct option_row *row, char *text, struct request *request,
                               struct mapping_error *error) {
    const struct argument given = {row, text, error};
    if (!row->read)
        return MAPPING_OK;
    *error->message = '\0';
    const enum mapping_status status = row->read(&given, request);
    if (status != MAPPING_INVALID || *error->message)
        return status;
    return row->choices ? unknown_choice(&given, text, " and ")
                        : mapping_fail(error, MAPPING_INVALID, "'%.40s' is not a valid %s", text,
                                       row->value);
}
