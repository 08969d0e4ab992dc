/* writes.c - the registers that an instruction of a listing reads and writes; see writes.h. If the
 * effect of an instruction is not known, its registers become unknown, so that the program states
 * nothing wrong about them. */
#include "command/writes.h"

#include "command/name.h"
#include "layout/ascii.h"
#include "layout/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 3, SASS_REGISTERS = 255, SPILLED = SASS_REGISTERS + 1, STACK_POINTER = 1 };

static const struct moved_byte unknown = {FLOW_UNSURE, 0, 0, 0};

/* True if the name contains a word such as ".64", followed by a dot or the end. */
static bool has_word(const char *name, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = name; (at = strstr(at, word)); at++)
        if (!at[length] || at[length] == '.')
            return true;
    return false;
}

/* ---- Opcodes ---- */

enum rule_kind {
    RULE_WRITES, /* writes its first operand */
    RULE_READS,  /* writes no register */
    RULE_BRANCH,
    RULE_CALL,
    RULE_LOST, /* branches to an unknown target */
    RULE_STOP,
    RULE_MEET,    /* BSSY, which names the point where threads meet */
    RULE_JOIN,    /* BSYNC, which jumps to this point */
    RULE_SPILL,   /* STL, stores registers in local memory */
    RULE_REFILL,  /* LDL, loads them again */
    RULE_PAIR,    /* computes two f32 from pairs of f32 */
    RULE_COMPUTE, /* computes f32 from f32 */
    RULE_MOVE,    /* copies operand 1 */
    RULE_MOVE3,   /* copies operand 3, if 1 and 2 are zero */
    RULE_PERMUTE,
    RULE_PACK,
    RULE_NARROW, /* converts f32 to 16 bits */
    RULE_WIDEN   /* converts f16 to f32 */
};

/* The effect of all instructions with one name. */
struct opcode_rule {
    uint64_t hash;
    enum rule_kind kind;
    unsigned written, maybe; /* number of registers that are written, and that may also be
                                written */
    char *name;
};

/* The registers that instructions write, by the start of their names. The first matching row
 * applies. */
static const struct {
    const char *start;
    enum rule_kind kind;
    unsigned written, maybe;
} sass_rules[] = {
    {"BRA", RULE_BRANCH, 0, 0},
    {"JMP", RULE_BRANCH, 0, 0},
    {"BRX", RULE_LOST, 0, 0},
    {"JMX", RULE_LOST, 0, 0},
    {"CALL", RULE_CALL, 0, 0},
    {"RET", RULE_STOP, 0, 0},
    {"EXIT", RULE_STOP, 0, 0},
    {"BSSY", RULE_MEET, 0, 0},
    {"BSYNC", RULE_JOIN, 0, 0},
    {"R2P", RULE_READS, 0, 0},
    {"FCHK", RULE_READS, 0, 0},
    {"WARPSYNC", RULE_READS, 0, 0},
    {"NANOSLEEP", RULE_READS, 0, 0},
    {"BAR", RULE_READS, 0, 0},
    {"BPT", RULE_READS, 0, 0},
    {"R2B", RULE_READS, 0, 0},
    {"SETLMEMBASE", RULE_READS, 0, 0},
    {"STL", RULE_SPILL, 0, 0},
    {"LDL", RULE_REFILL, 1, 0},
    {"MOV", RULE_MOVE, 1, 0},
    {"IMAD.MOV.U32", RULE_MOVE3, 1, 0},
    {"PRMT", RULE_PERMUTE, 1, 0},
    {"HADD2.F32", RULE_WIDEN, 1, 0},
    {"F2F.F16.F32", RULE_NARROW, 1, 0},
    {"F2F.BF16.F32", RULE_NARROW, 1, 0},
    {"DADD", RULE_WRITES, 2, 0},
    {"DMUL", RULE_WRITES, 2, 0},
    {"DFMA", RULE_WRITES, 2, 0},
    {"DMNMX", RULE_WRITES, 2, 0},
    {"FADD2", RULE_PAIR, 2, 0},
    {"FMUL2", RULE_PAIR, 2, 0},
    {"FFMA2", RULE_PAIR, 2, 0},
    {"FADD", RULE_COMPUTE, 1, 0},
    {"FMUL", RULE_COMPUTE, 1, 0},
    {"FFMA", RULE_COMPUTE, 1, 0},
    {"FSEL", RULE_COMPUTE, 1, 0},
    {"MUFU.EX2", RULE_COMPUTE, 1, 0},
    {"MUFU.TANH", RULE_COMPUTE, 1, 0},
    {"MUFU.RCP", RULE_COMPUTE, 1, 0},
    {"CS2R.32", RULE_WRITES, 1, 0},
    {"CS2R", RULE_WRITES, 2, 0},
    {"LEPC", RULE_WRITES, 1, 1},
    {"GETLMEMBASE", RULE_WRITES, 1, 1},
    {"F2", RULE_WRITES, 1, 1},
    {"I2", RULE_WRITES, 1, 1},
    {"FRND", RULE_WRITES, 1, 1},
    {"T", RULE_WRITES, 1, 7},
    {"SU", RULE_WRITES, 1, 7},
    {"SYNCS", RULE_WRITES, 1, 1},
    {"FMNMX", RULE_WRITES, 1, 0},
};

/* Finds the effect of SASS instructions with a name. */
static void read_rule(struct opcode_rule *rule) {
    const char *name = rule->name;
    rule->kind = RULE_WRITES;
    rule->written = has_word(name, ".256")                             ? 8
                    : has_word(name, ".128")                           ? 4
                    : has_word(name, ".64") || has_word(name, ".WIDE") ? 2
                                                                       : 1;
    const char *dot = strchr(name, '.');
    const char *setp = strstr(name, "SETP");
    if (setp && (!dot || setp < dot))
        rule->kind = RULE_READS;
    else if (strncmp(name, "F2FP", 4) == 0)
        rule->kind = strstr(name, ".PACK_AB") && !strstr(name, "UNPACK") ? RULE_PACK : RULE_WRITES;
    else
        for (size_t r = 0; r < sizeof sass_rules / sizeof *sass_rules; r++)
            if (strncmp(name, sass_rules[r].start, strlen(sass_rules[r].start)) == 0) {
                rule->kind = sass_rules[r].kind;
                if (sass_rules[r].written > rule->written)
                    rule->written = sass_rules[r].written;
                rule->maybe = sass_rules[r].maybe;
                break;
            }
    if (has_word(name, ".WIDE") || rule->written > 1 || /* it moves more than one register */
        (rule->kind == RULE_COMPUTE && (strstr(name, "16") || strstr(name, "64"))))
        rule->kind = rule->kind >= RULE_COMPUTE ? RULE_WRITES : rule->kind;
}

/* The rule for a name of SASS. For PTX, only its `name` is used. */
static struct opcode_rule *find_rule(struct writes *writes, const char *opcode, size_t length) {
    const uint64_t hash = hash_of(opcode, length);
    if (2 * writes->rule_count >= writes->rule_room) {
        const size_t capacity = writes->rule_room ? 2 * writes->rule_room : 256;
        struct opcode_rule **larger = memory_get(capacity, sizeof *larger);
        for (size_t r = 0; r < writes->rule_room; r++) {
            size_t place = writes->rules[r] ? (size_t)writes->rules[r]->hash & (capacity - 1) : 0;
            while (larger[place])
                place = (place + 1) & (capacity - 1);
            if (writes->rules[r])
                larger[place] = writes->rules[r];
        }
        writes->rules = larger;
        writes->rule_room = capacity;
    }
    size_t place = (size_t)hash & (writes->rule_room - 1);
    while (writes->rules[place] && writes->rules[place]->hash != hash)
        place = (place + 1) & (writes->rule_room - 1);
    if (!writes->rules[place]) {
        struct opcode_rule *rule = writes->rules[place] = memory_get(1, sizeof *rule);
        writes->rule_count++;
        rule->hash = hash;
        rule->name = memory_text_room(length + 1);
        memcpy(rule->name, opcode, length);
        rule->name[length] = '\0';
        read_rule(rule);
    }
    return writes->rules[place];
}

/* ---- Moves ---- */

/* Adds a move whose bytes come from one or two uses. */
static struct move *add_move(struct writes *writes, uint32_t write, uint32_t first,
                             uint32_t second) {
    writes->moves =
        array_grow(writes->moves, writes->move_count, 1, &writes->move_room, sizeof *writes->moves);
    struct move *move = &writes->moves[writes->move_count];
    *move = (struct move){.uses = {first, second, FLOW_UNSURE}};
    for (size_t b = 0; b < 4; b++)
        move->bytes[b] = unknown;
    writes->flow.events[write].found = (uint32_t)writes->move_count++;
    return move;
}

/* Sets `count` bytes from `first` on to the bytes of a source from `start` on. */
static void copy_bytes(struct move *move, size_t first, size_t count, uint32_t source,
                       unsigned start) {
    for (size_t b = 0; b < count; b++)
        move->bytes[first + b] = (struct moved_byte){source, (uint8_t)(start + b), 0, 0};
}

/* Sets bytes to a converted element of a source. */
static void convert_bytes(struct move *move, size_t first, size_t count, uint32_t source,
                          unsigned start, unsigned width) {
    for (size_t b = 0; b < count; b++)
        move->bytes[first + b] =
            (struct moved_byte){source, (uint8_t)start, (uint8_t)width, (uint8_t)b};
}

/* Sets all bytes to those that the selector of PRMT or prmt.b32 chooses. A selector of 8 to 15
 * repeats a sign bit, so the byte stays unknown. */
static void permute_bytes(struct move *move, unsigned long selector) {
    for (size_t b = 0; b < 4; b++) {
        const unsigned nibble = selector >> (4 * b) & 15;
        if (nibble < 8)
            copy_bytes(move, b, 1, nibble / 4, nibble % 4);
    }
}

/* Sets the low bytes to the second f32 and the next ones to the first, each in `width` bytes. */
static void pack_bytes(struct move *move, unsigned width) {
    convert_bytes(move, 0, width, 1, 0, 4);
    convert_bytes(move, width, width, 0, 0, 4);
}

/* Records a computation of f32 from the values of some uses; writes_reach() finds its bytes. */
static void add_computed(struct writes *writes, uint32_t write, const uint32_t uses[SOURCES]) {
    struct move *move = add_move(writes, write, uses[0], uses[1]);
    move->uses[2] = uses[2];
    move->is_computed = true;
}

/* The name of an instruction that packs: "F2FP", "cvt". */
static const char *base_of(struct writes *writes, const char *name) {
    return find_rule(writes, name, strcspn(name, "."))->name;
}

void writes_resolve(const struct writes *writes, uint32_t use, struct moved_byte bytes[4],
                    const char **packs, bool *is_computed) {
    enum { DEPTH_MAX = 24 };
    /* Follow one path for each byte: each has at most one source. */
    for (uint8_t b = 0; b < 4; b++) {
        struct moved_byte at = {use, b, 0, 0}; /* one byte of the value that the use sees */
        bytes[b] = unknown;
        for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
            const uint32_t write =
                at.source == FLOW_UNSURE ? FLOW_UNSURE : writes->flow.events[at.source].found;
            if (write == FLOW_UNSURE)
                break;
            const uint32_t of = writes->flow.events[write].found;
            const bool computes = of != FLOW_UNSURE && writes->moves[of].is_computed;
            if (computes && of >= writes->solved)
                break;
            if (of == FLOW_UNSURE || (computes && writes->moves[of].bytes->source == FLOW_UNSURE)) {
                at.source = write;
                bytes[b] = at;
                break;
            }
            const struct move *move = &writes->moves[of];
            const struct moved_byte *from = &move->bytes[at.start];
            *packs = *packs ? *packs : move->packs;
            *is_computed |= move->is_computed;
            if (from->source == FLOW_UNSURE)
                break;
            if (at.width > 0) { /* true if an element of several bytes comes as a whole */
                bool is_whole = true;
                for (uint8_t n = 0; n < at.width && is_whole; n++) {
                    const struct moved_byte *next = from + n;
                    is_whole = at.start + n < 4 && next->source == from->source &&
                               next->width == from->width &&
                               (from->width == 0 ? next->start == from->start + n
                                                 : next->part == n && next->start == from->start);
                }
                if (!is_whole)
                    break;
                at.start = from->start;
                at.width = from->width ? from->width : at.width;
            } else {
                at.start = from->start;
                at.width = from->width;
                at.part = from->part;
            }
            at.source = move->uses[from->source];
        }
    }
}

/* True for D of a product, and for what tcgen05.ld loads from it: computations are traced back to
 * these. */
static bool has_elements(const struct form_operand *of) {
    return of->fragment.operand == MAPPING_D ||
           (of->fragment.operand == MAPPING_R && of->fragment.instruction == MAPPING_TCGEN05_LD);
}

/* True if a write is D of a product, or a load from Tensor Memory, with elements of 32 bits. */
static bool is_element(const struct writes *writes, uint32_t write) {
    const struct form_operand *result =
        form_result(writes->told[flow_place(&writes->flow, write)].form);
    return result && has_elements(result) && result->fragment.bits == 32;
}

/* Finds the only source of a computation that is an element of a product: S in P = exp2(S * scale -
 * max). If several sources are such elements, or a source is unknown, the result is unknown. */
static void solve_computed(struct writes *writes, struct move *move) {
    uint32_t element = FLOW_UNSURE, source = 0;
    for (uint32_t u = 0; u < SOURCES; u++) {
        struct moved_byte bytes[4];
        const char *packs = NULL;
        bool is_computed = false, is_whole = true, is_found = false;
        if (move->uses[u] == FLOW_UNSURE)
            continue;
        writes_resolve(writes, move->uses[u], bytes, &packs, &is_computed);
        for (uint8_t b = 0; b < 4; b++) {
            if (bytes[b].source == FLOW_UNSURE)
                return;
            is_found |= is_element(writes, bytes[b].source);
            is_whole &= bytes[b].source == bytes->source &&
                        (bytes->width == 4 ? bytes[b].part == b : bytes[b].start == b);
        }
        if (!is_found)
            continue;
        if (!is_whole || (element != FLOW_UNSURE && element != bytes->source))
            return;
        element = bytes->source;
        source = u;
    }
    if (element != FLOW_UNSURE)
        convert_bytes(move, 0, 4, source, 0, 4);
}

/* Forgets the values of spilled registers. */
static void lose_spills(struct writes *writes) {
    for (size_t e = 0; e < writes->flow.count; e++) {
        struct flow_event *event = &writes->flow.events[e];
        if (event->kind != FLOW_COPY || !writes->moves[event->found].is_refill)
            continue;
        event->kind = FLOW_WRITE;
        for (size_t b = 0; b < 4; b++)
            writes->moves[event->found].bytes[b] = unknown;
    }
}

void writes_reach(struct writes *writes) {
    if (writes->is_spill_lost)
        lose_spills(writes);
    flow_solve(&writes->flow);
    for (size_t m = 0; m < writes->move_count; m++) {
        if (writes->moves[m].is_computed)
            solve_computed(writes, &writes->moves[m]);
        writes->solved = m + 1;
    }
}

/* ---- SASS ---- */

/* Reads the number of a register such as R4 or "R4.reuse"; false for any other operand, also RZ. */
static bool read_register(const char *text, uint32_t *number) {
    if (text[0] != 'R' || !ascii_is_digit(text[1]))
        return false;
    *number = (uint32_t)strtoul(text + 1, NULL, 10);
    return *number < SASS_REGISTERS;
}

static bool is_zero(const struct operand *operand) {
    return operand->length >= 2 && memcmp(operand->start, "RZ", 2) == 0;
}

/* Records the registers that a move reads, and the bytes that it moves. */
static void note_move(struct writes *writes, const struct opcode_rule *rule, const char *text,
                      bool is_guarded) {
    struct operand operands[OPERANDS_MAX];
    const size_t count = name_split(text, operands);
    uint32_t uses[OPERANDS_MAX], number;
    for (size_t o = 0; o < OPERANDS_MAX; o++) {
        const char *source = o > 0 && o < count ? operands[o].start : "";
        source += rule->kind == RULE_COMPUTE ? strspn(source, "-|") : 0;
        uses[o] = read_register(source, &number) ? flow_add(&writes->flow, FLOW_USE, number)
                                                 : FLOW_UNSURE;
    }
    if (count == 0 || !read_register(operands[0].start, &number))
        return;
    /* Where the predicate is false, "@P0 FMUL R4, R4, 0.5" keeps R4, which it reads. */
    bool is_kept = false;
    for (size_t o = 1; o < OPERANDS_MAX && rule->kind == RULE_COMPUTE; o++)
        is_kept |= uses[o] != FLOW_UNSURE && writes->flow.events[uses[o]].reg == number;
    const uint32_t write =
        flow_add(&writes->flow, is_guarded && !is_kept ? FLOW_MAYBE : FLOW_WRITE, number);
    if (rule->kind == RULE_COMPUTE) {
        if (!is_guarded || is_kept)
            add_computed(writes, write, uses + 1);
        return;
    }
    const bool is_moved3 =
        rule->kind == RULE_MOVE3 && count == 4 && is_zero(&operands[1]) && is_zero(&operands[2]);
    const uint32_t moved = rule->kind == RULE_MOVE && count >= 2 ? uses[1]
                           : is_moved3                           ? uses[3]
                                                                 : FLOW_UNSURE;
    struct move *move = NULL;
    if (moved != FLOW_UNSURE) {
        move = add_move(writes, write, moved, FLOW_UNSURE);
        copy_bytes(move, 0, 4, 0, 0);
    } else if (rule->kind == RULE_PERMUTE && count == 4 && strcmp(rule->name, "PRMT") == 0 &&
               ascii_is_digit(*operands[2].start)) {
        move = add_move(writes, write, uses[1], uses[3]);
        permute_bytes(move, strtoul(operands[2].start, NULL, 0));
    } else if (rule->kind == RULE_PACK && count >= 3) {
        const bool is_byte = strstr(rule->name, "E4M3") || strstr(rule->name, "E5M2");
        const bool is_merge = strstr(rule->name, "MERGE_C");
        if (is_byte != is_merge || (is_merge && (count != 4 || !is_zero(&operands[3]))))
            return; /* the format of a pack is different */
        move = add_move(writes, write, uses[1], uses[2]);
        pack_bytes(move, is_byte ? 1 : 2);
    } else if (rule->kind == RULE_NARROW && count == 2 && uses[1] != FLOW_UNSURE) {
        move = add_move(writes, write, uses[1], FLOW_UNSURE);
        convert_bytes(move, 0, 2, 0, 0, 4);
    } else if (rule->kind == RULE_WIDEN && count == 3 && uses[2] != FLOW_UNSURE &&
               strncmp(operands[1].start, "-RZ", 3) == 0) {
        const bool is_high = operands[2].length > 3 &&
                             memchr(operands[2].start, 'H', operands[2].length) &&
                             strncmp(operands[2].start + operands[2].length - 2, "H1", 2) == 0;
        move = add_move(writes, write, uses[2], FLOW_UNSURE);
        convert_bytes(move, 0, 4, 0, is_high ? 2 : 0, 2);
    }
    if (move &&
        (rule->kind == RULE_PERMUTE || rule->kind == RULE_PACK || rule->kind == RULE_NARROW))
        move->packs = base_of(writes, rule->name);
}

/* Records "FFMA2 R4, R4.F32x2.HI_LO, UR6.F32x2.HI_LO, R2.F32x2.HI_LO", which computes R4 and R5.
 * False for operands in another order. */
static bool note_pair(struct writes *writes, const char *text) {
    static const char order[] = ".F32x2.HI_LO";
    struct operand operands[OPERANDS_MAX];
    const size_t count = name_split(text, operands);
    uint32_t uses[2][SOURCES] = {{FLOW_UNSURE, FLOW_UNSURE, FLOW_UNSURE},
                                 {FLOW_UNSURE, FLOW_UNSURE, FLOW_UNSURE}};
    uint32_t result, number;
    if (count < 2 || count > 1 + SOURCES || !read_register(operands[0].start, &result))
        return false;
    for (size_t o = 1; o < count; o++)
        if (operands[o].length < strlen(order) ||
            memcmp(operands[o].start + operands[o].length - strlen(order), order, strlen(order)) !=
                0)
            return false;
    for (size_t o = 1; o < count; o++)
        for (uint32_t r = 0; r < 2; r++)
            if (read_register(operands[o].start + strspn(operands[o].start, "-|"), &number))
                uses[r][o - 1] = flow_add(&writes->flow, FLOW_USE, number + r);
    for (uint32_t r = 0; r < 2; r++)
        add_computed(writes, flow_add(&writes->flow, FLOW_WRITE, result + r), uses[r]);
    return true;
}

/* Reads the address of a spilled register, "[R1+0x60]". False for any other address. */
static bool read_spill(const struct operand *operand, int64_t *offset) {
    const char *text = operand->start;
    char *end;
    if (strncmp(text, "[R1", 3) != 0 || !strchr("]+-", text[3]))
        return false;
    *offset = strtoll(text + (text[3] == '+' ? 4 : 3), &end, 0); /* 0 for "[R1]" */
    return *end == ']' || text[3] == ']';
}

static uint32_t number_of(struct writes *writes, const char *name, size_t length);

/* The number of bytes that STL.U8, LDL.S16 and similar move; 0 for whole words. */
static uint32_t size_of_part(const char *name) {
    return strstr(name, "U8") || strstr(name, "S8")     ? 1
           : strstr(name, "U16") || strstr(name, "S16") ? 2
                                                        : 0;
}

/* The register that stands for the word of local memory at [R1+offset]. */
static uint32_t slot_of(struct writes *writes, int64_t offset) {
    char name[24];
    const size_t length = (size_t)snprintf(name, sizeof name, "%" PRId64, offset);
    return SPILLED + number_of(writes, name, length);
}

/* Records STL and LDL. Each word of local memory at [R1+N] is a register from SPILLED on.
 * A word of which a store writes only a part becomes unknown. */
static void note_spill(struct writes *writes, const struct opcode_rule *rule, const char *text,
                       bool is_guarded) {
    struct operand operands[OPERANDS_MAX];
    const size_t count = name_split(text, operands);
    const bool is_store = rule->kind == RULE_SPILL;
    const uint32_t size = size_of_part(rule->name);
    int64_t offset = 0;
    uint32_t number = 0;
    if (count < 2)
        return;
    const bool has_register = read_register(operands[is_store].start, &number);
    const bool is_known = read_spill(&operands[!is_store], &offset);
    const unsigned shift = (unsigned)offset & 3; /* R1 is a multiple of 4 */
    const bool is_part = size > 0 || shift > 0;
    const enum flow_kind kind = is_guarded || (is_store && is_part) ? FLOW_MAYBE : FLOW_WRITE;
    const unsigned words =
        is_store ? (shift + (size > 0 ? size : 4 * rule->written) + 3) / 4 : rule->written;
    writes->has_spills = true;
    writes->is_spill_lost |= is_store && !is_known;
    for (unsigned r = 0; r < words; r++) {
        uint32_t use = FLOW_UNSURE, write = FLOW_UNSURE;
        const uint32_t slot = is_known ? slot_of(writes, offset - shift + (int64_t)4 * r) : 0;
        if (is_store) {
            use = has_register && r < rule->written ? flow_add(&writes->flow, FLOW_USE, number + r)
                                                    : FLOW_UNSURE;
            write = is_known ? flow_add(&writes->flow, kind, slot) : FLOW_UNSURE;
        } else {
            use = is_known ? flow_add(&writes->flow, FLOW_USE, slot) : FLOW_UNSURE;
            write = has_register ? flow_add(&writes->flow, kind, number + r) : FLOW_UNSURE;
        }
        if (kind == FLOW_MAYBE || is_part || use == FLOW_UNSURE || write == FLOW_UNSURE)
            continue;
        writes->flow.events[write].kind = FLOW_COPY;
        struct move *move = add_move(writes, write, use, FLOW_UNSURE);
        move->is_refill = !is_store;
        copy_bytes(move, 0, 4, 0, 0);
    }
}

/* The length of a label, such as Triton's "LBB2"; 0 for a register or a number. */
static size_t label_length(const char *text) {
    size_t length = 0;
    uint32_t number;
    if (read_register(text, &number) || !(ascii_is_letter(*text) || *text == '.'))
        return 0;
    while (ascii_is_letter(text[length]) || ascii_is_digit(text[length]) ||
           (text[length] && strchr("_.$", text[length])))
        length++;
    return length;
}

/* Records the target of a branch: "`(.L_x_2)", "P1, 0x4c0", "LBB2". */
static void note_branch(struct writes *writes, enum rule_kind kind, const char *text,
                        bool is_guarded) {
    struct operand operands[OPERANDS_MAX];
    const size_t count = name_split(text, operands);
    const char *target = count > 0 ? operands[count - 1].start : "", *quoted = strstr(target, "`(");
    const char *name = quoted ? quoted + 2 : target;
    const size_t length = quoted ? strcspn(name, ")") : label_length(name);
    uint64_t key = hash_of(name, length);
    char *end = NULL;
    if (length == 0) {
        key = strtoull(target, &end, 16);
        if (end == target || !ascii_is_digit(*target)) {
            writes->flow.is_lost |= kind != RULE_CALL;
            return;
        }
    }
    if (kind == RULE_MEET || kind == RULE_JOIN) {
        const unsigned long barrier =
            *operands[0].start == 'B' ? strtoul(operands[0].start + 1, NULL, 10) : 0;
        writes->joins[barrier % 16] = key;
        writes->join_is_label[barrier % 16] = length > 0;
        return;
    }
    flow_branch(&writes->flow,
                kind == RULE_CALL          ? FLOW_CALL
                : is_guarded || count != 1 ? FLOW_SOMETIMES
                                           : FLOW_ALWAYS,
                length > 0, key);
}

/* Records an instruction of SASS that is not a tensor-core instruction. */
static void note_sass(struct writes *writes, const struct opcode_rule *rule,
                      const struct listing_instruction *instruction) {
    struct flow *flow = &writes->flow;
    const char *text = ascii_skip_blanks(instruction->operands);
    const bool is_guarded = instruction->is_guarded;
    unsigned long barrier;
    uint32_t number;
    switch (rule->kind) {
    case RULE_READS:
        return;
    case RULE_BRANCH:
    case RULE_MEET:
        note_branch(writes, rule->kind, text, is_guarded);
        return;
    case RULE_CALL:
        note_branch(writes, rule->kind, text, is_guarded);
        flow_add(flow, FLOW_KILL, 0);
        return;
    case RULE_LOST:
        flow->is_lost = true;
        return;
    case RULE_STOP:
        if (!is_guarded)
            flow_stop(flow);
        return;
    case RULE_JOIN:
        barrier = *text == 'B' ? strtoul(text + 1, NULL, 10) % 16 : 0;
        if (writes->joins[barrier])
            flow_branch(flow, FLOW_SOMETIMES, writes->join_is_label[barrier],
                        writes->joins[barrier]);
        return;
    case RULE_SPILL:
    case RULE_REFILL:
        note_spill(writes, rule, text, is_guarded);
        return;
    case RULE_WRITES:
        break;
    case RULE_PAIR:
        if (writes->has_product && !is_guarded && note_pair(writes, text))
            return;
        break;
    case RULE_COMPUTE:
        if (!writes->has_product)
            break;
        note_move(writes, rule, text, is_guarded);
        return;
    default:
        note_move(writes, rule, text, is_guarded);
        return;
    }
    while (*text == 'P' || *text == '!' || (*text == 'U' && text[1] == 'P')) {
        const size_t length = strcspn(text, ",");
        text = ascii_skip_blanks(text + length + (text[length] == ','));
    }
    const bool is_split = strstr(rule->name, "ENL2"); /* the result is split into two registers */
    for (unsigned part = 0; part < (is_split ? 2 : 1); part++) {
        const unsigned written = is_split ? rule->written / 2 : rule->written;
        if (read_register(text, &number)) {
            for (unsigned r = 0; r < written; r++)
                flow_add(flow, is_guarded ? FLOW_MAYBE : FLOW_WRITE, number + r);
            for (unsigned r = 0; r < rule->maybe; r++)
                flow_add(flow, FLOW_MAYBE, number + written + r);
        }
        const size_t length = strcspn(text, ",");
        text = ascii_skip_blanks(text + length + (text[length] == ','));
    }
}

/* ---- PTX ---- */

struct virtual_register {
    uint64_t hash;
    uint32_t function; /* an entry of an earlier function is free */
    uint32_t number;
};

/* Gives the name of a register a number. */
static uint32_t number_of(struct writes *writes, const char *name, size_t length) {
    const uint64_t hash = hash_of(name, length);
    if (2 * writes->name_count >= writes->name_capacity) {
        const size_t capacity = writes->name_capacity ? 2 * writes->name_capacity : 1024;
        struct virtual_register *larger = memory_get(capacity, sizeof *larger);
        for (size_t n = 0; n < writes->name_capacity; n++) {
            size_t place = (size_t)writes->names[n].hash & (capacity - 1);
            if (writes->names[n].function != writes->function)
                continue;
            while (larger[place].function)
                place = (place + 1) & (capacity - 1);
            larger[place] = writes->names[n];
        }
        mapping_free(writes->names);
        writes->names = larger;
        writes->name_capacity = capacity;
    }
    size_t place = (size_t)hash & (writes->name_capacity - 1);
    while (writes->names[place].function == writes->function && writes->names[place].hash != hash)
        place = (place + 1) & (writes->name_capacity - 1);
    if (writes->names[place].function != writes->function)
        writes->names[place] =
            (struct virtual_register){hash, writes->function, (uint32_t)writes->name_count++};
    return writes->names[place].number;
}

/* Reads the next name of an operand, "%r1" of "{%r1, %r2}"; false at the end. */
static bool next_name(const char **text, const char *end, const char **name, size_t *length) {
    const char *at = *text;
    while (at < end && !ascii_is_letter(*at) && !strchr("%_$", *at))
        at++;
    *name = at;
    while (at < end && (ascii_is_letter(*at) || ascii_is_digit(*at) || strchr("%_$.", *at)))
        at++;
    *length = (size_t)(at - *name);
    *text = at;
    return *length > 0;
}

/* Adds an event for each name of an operand; returns how many there are. */
static uint32_t add_names(struct writes *writes, enum flow_kind kind,
                          const struct operand *operand) {
    const char *text = operand->start, *const end = text + operand->length, *name;
    uint32_t count = 0;
    for (size_t length; next_name(&text, end, &name, &length); count++)
        flow_add(&writes->flow, kind, number_of(writes, name, length));
    return count;
}

/* Records the use of an operand with one register, and returns it; FLOW_UNSURE for any other
 * operand. */
static uint32_t use_of(struct writes *writes, const struct operand *operand) {
    const uint32_t first = (uint32_t)writes->flow.count;
    if (*operand->start != '%')
        return FLOW_UNSURE;
    return add_names(writes, FLOW_USE, operand) == 1 ? first : FLOW_UNSURE;
}

/* Records a computation of f32 from f32. False for other instructions. */
static bool note_ptx_computed(struct writes *writes, const char *name, enum flow_kind kind,
                              const struct operand *operands, size_t count) {
    static const char names[] = "add sub mul fma ex2 tanh rcp div neg abs selp";
    uint32_t uses[SOURCES] = {FLOW_UNSURE, FLOW_UNSURE, FLOW_UNSURE};
    const bool is_f32 =
                   mapping_word_is_in(names, name, strcspn(name, ".")) && has_word(name, ".f32"),
               is_cut = strncmp(name, "cvt", 3) == 0 && strstr(name, ".f32.f32");
    if ((!is_f32 && !is_cut) || kind != FLOW_WRITE || count < 2 || count > 1 + SOURCES ||
        *operands[0].start != '%')
        return false;
    for (size_t o = 1; o < count; o++)
        uses[o - 1] = use_of(writes, &operands[o]);
    const uint32_t write = (uint32_t)writes->flow.count;
    if (add_names(writes, kind, &operands[0]) == 1)
        add_computed(writes, write, uses);
    return true;
}

/* Records a move, conversion, permutation or computation of PTX. False for other instructions. */
static bool note_ptx_move(struct writes *writes, const char *name, enum flow_kind kind,
                          const struct operand *operands, size_t count) {
    const bool is_mov = strncmp(name, "mov.", 4) == 0, is_cvt = strncmp(name, "cvt.", 4) == 0;
    const bool is_word = is_mov && (has_word(name, ".b32") || has_word(name, ".u32") ||
                                    has_word(name, ".s32") || has_word(name, ".f32"));
    const bool is_half = is_mov && (has_word(name, ".b16") || has_word(name, ".u16"));
    const bool is_pair = has_word(name, ".f16x2") || has_word(name, ".bf16x2");
    const bool is_bytes = has_word(name, ".e4m3x2") || has_word(name, ".e5m2x2");
    const bool from_f32 = is_cvt && has_word(name, ".f32") && !strstr(name, ".f32.f32"),
               is_permute = strcmp(name, "prmt.b32") == 0;
    uint32_t uses[2] = {FLOW_UNSURE, FLOW_UNSURE};
    if (count < 2 || (!is_word && !is_half && !from_f32 && !is_permute))
        return writes->has_product && note_ptx_computed(writes, name, kind, operands, count);
    const bool packs = is_word && *operands[1].start == '{', splits = *operands[0].start == '{';
    const uint32_t first_use = (uint32_t)writes->flow.count;
    if (packs) {
        if (add_names(writes, FLOW_USE, &operands[1]) != 2)
            return false;
        uses[0] = first_use;
        uses[1] = first_use + 1;
    } else {
        for (size_t o = 1; o < count && o <= 2; o++)
            uses[o - 1] = use_of(writes, &operands[o]);
    }
    const uint32_t write = (uint32_t)writes->flow.count;
    const uint32_t written = add_names(writes, kind, &operands[0]);
    if (splits && (!is_word || written != 2))
        return true;
    if (written == 0 || written > 2)
        return true;
    if (is_mov && !packs && !splits && uses[0] == FLOW_UNSURE) /* a constant */
        return true;
    struct move *move = add_move(writes, write, uses[0], uses[1]);
    if (splits) {
        copy_bytes(move, 0, 2, 0, 0);
        move = add_move(writes, write + 1, uses[0], uses[1]);
        copy_bytes(move, 0, 2, 0, 2);
    } else if (packs) {
        copy_bytes(move, 0, 2, 0, 0);
        copy_bytes(move, 2, 2, 1, 0);
    } else if (is_word || is_half) {
        copy_bytes(move, 0, is_word ? 4 : 2, 0, 0);
    } else if (is_permute && count == 4 && ascii_is_digit(*operands[3].start)) {
        permute_bytes(move, strtoul(operands[3].start, NULL, 0));
        move->packs = base_of(writes, name);
    } else if (from_f32 && (is_pair || is_bytes) && count == 3) {
        pack_bytes(move, is_bytes ? 1 : 2);
        move->packs = base_of(writes, name);
    } else if (from_f32 && count == 2 && (has_word(name, ".f16") || has_word(name, ".bf16"))) {
        const char *to_f32 = strstr(name, ".f32.");
        if (to_f32)
            convert_bytes(move, 0, 4, 0, 0, 2);
        else
            convert_bytes(move, 0, 2, 0, 0, 4);
        move->packs = to_f32 ? NULL : base_of(writes, name);
    }
    return true;
}

/* Records an instruction of PTX that is not a tensor-core instruction, or that has no form. */
static void note_ptx(struct writes *writes, const char *name,
                     const struct listing_instruction *instruction) {
    struct operand operands[OPERANDS_MAX];
    struct flow *flow = &writes->flow;
    const size_t count = name_split(instruction->operands, operands);
    const enum flow_kind kind = instruction->is_guarded ? FLOW_MAYBE : FLOW_WRITE;
    if (strncmp(name, "bra", 3) == 0 && (!name[3] || name[3] == '.') && count > 0)
        flow_branch(flow, instruction->is_guarded ? FLOW_SOMETIMES : FLOW_ALWAYS, true,
                    hash_of(operands[0].start, operands[0].length));
    else if (strncmp(name, "brx", 3) == 0)
        flow->is_lost = true;
    else if (strcmp(name, "ret") == 0 || strcmp(name, "exit") == 0 ||
             strcmp(name, "ret.uni") == 0) {
        if (!instruction->is_guarded)
            flow_stop(flow);
    } else if (count > 0 && strncmp(name, "call", 4) != 0 && *operands[0].start != '[' &&
               !ascii_is_digit(*operands[0].start) &&
               !note_ptx_move(writes, name, kind, operands, count))
        add_names(writes, kind, &operands[0]);
}

/* ---- Tensor cores ---- */

/* Adds events for the registers of an operand; returns how many. */
static uint32_t add_registers(struct writes *writes, enum flow_kind kind, const struct form *form,
                              const struct form_operand *of, const struct operand *operand) {
    uint32_t number;
    if (!form->is_sass)
        return add_names(writes, kind, operand);
    if (!read_register(operand->start, &number))
        return 0;
    for (uint32_t r = 0; r < of->registers; r++)
        flow_add(&writes->flow, kind, number + of->offset + r);
    return of->registers;
}

/* Records a tensor-core instruction. */
static void note_form(struct writes *writes, struct form *form, const struct operand *operands,
                      size_t count, bool is_guarded, bool is_asked, size_t number) {
    enum { PART_REGISTERS = 8 };
    struct flow *flow = &writes->flow;
    const struct form_operand *result = NULL;
    const enum flow_kind kind = is_guarded ? FLOW_MAYBE : FLOW_WRITE;
    uint32_t first;
    for (uint32_t o = 0; o < form->count; o++) {
        const struct form_operand *of = &form->operands[o];
        if (of->registers == 0 || of->index >= count)
            continue;
        if (of->index == 0) {
            result = of;
            continue;
        }
        if (!is_asked || !of->has_fragment || of->registers > ASKED_REGISTERS)
            continue;
        struct asked asked = {.place = (uint32_t)flow->place_count - 1,
                              .first = (uint32_t)flow->count,
                              .operand = o,
                              .instruction = number};
        asked.count = add_registers(writes, FLOW_USE, form, of, &operands[of->index]);
        if (asked.count != of->registers)
            continue;
        writes->asked = array_grow(writes->asked, writes->asked_count, 1, &writes->asked_room,
                                   sizeof *writes->asked);
        writes->asked[writes->asked_count++] = asked;
    }
    writes->told[flow->place_count - 1].first = (uint32_t)flow->count;
    writes->has_product |= result && has_elements(result);
    if (result)
        add_registers(writes, kind, form, result, &operands[0]);
    else if (form->is_sass && form->kind == FORM_UNKNOWN)
        flow_add(flow, FLOW_KILL, 0);
    else if (form->is_sass && count > 0 && read_register(operands[0].start, &first))
        for (uint32_t r = 0; r < PART_REGISTERS; r++) /* the instruction writes only part of the
                                                         operand */
            flow_add(flow, FLOW_MAYBE, first + r);
    else if (!form->is_sass && count > 0 && *operands[0].start != '[')
        add_names(writes, FLOW_MAYBE, &operands[0]);
}

void writes_note(struct writes *writes, const struct listing_instruction *instruction,
                 struct form *form, const struct operand *operands, size_t count, size_t line,
                 bool is_asked, size_t number) {
    struct flow *flow = &writes->flow;
    const struct opcode_rule *rule = find_rule(writes, instruction->opcode, instruction->length);
    if (flow->place_count == 0)
        flow->is_named = !instruction->is_sass;
    flow->is_lost |= flow->is_named == instruction->is_sass || instruction->is_quoted;
    flow_next(flow, instruction->has_address ? instruction->address : UINT64_MAX);
    writes->told = array_grow(writes->told, flow->place_count - 1, 1, &writes->told_room,
                              sizeof *writes->told);
    writes->told[flow->place_count - 1] =
        (struct told){.name = rule->name,
                      .form = form,
                      .first = (uint32_t)flow->count,
                      .line = line,
                      .address = instruction->has_address ? instruction->address : UINT64_MAX};
    if (form)
        note_form(writes, form, operands, count, instruction->is_guarded, is_asked, number);
    else if (instruction->is_sass) {
        const size_t first = flow->count;
        note_sass(writes, rule, instruction);
        for (size_t e = first; e < flow->count && writes->has_spills; e++)
            writes->is_spill_lost |=
                flow->events[e].kind != FLOW_USE && flow->events[e].reg == STACK_POINTER;
    } else
        note_ptx(writes, rule->name, instruction);
}

void writes_label(struct writes *writes, const char *name, size_t length) {
    flow_label(&writes->flow, hash_of(name, length));
}

void writes_reset(struct writes *writes) {
    flow_reset(&writes->flow);
    writes->move_count = writes->asked_count = writes->name_count = 0;
    writes->has_product = writes->has_spills = writes->is_spill_lost = false;
    writes->solved = 0;
    writes->function++;
    memset(writes->joins, 0, sizeof writes->joins);
}
