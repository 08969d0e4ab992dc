/* gluon.c - translates Gluon's layouts to attributes of Triton's dialects; see gluon.h. */
#include "command/gluon.h"

#include "layout/ascii.h"
#include "layout/nearest.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 7, NESTED = 5, DIMS = 5 };

/* A class of Gluon: the attribute of Triton that it is translated to, and its parameters in the
 * order of the call. A parameter has its name and, after a blank, the key in the attribute; a
 * parameter with two keys is a pair. */
struct class {
    const char *name, *attribute;
    const char *parameter[PARAMETERS];
};
static const struct class classes[] = {
    {"BlockedLayout",
     "#ttg.blocked",
     {"size_per_thread sizePerThread", "threads_per_warp threadsPerWarp",
      "warps_per_cta warpsPerCTA", "order order"}},
    {"SliceLayout", "#ttg.slice", {"dim dim", "parent parent"}},
    {"DistributedLinearLayout",
     "#ttg.linear",
     {"reg_bases register", "lane_bases lane", "warp_bases warp", "block_bases block",
      "shape shape"}},
    {"DotOperandLayout", "#ttg.dot_op", {"operand_index opIdx", "parent parent", "k_width kWidth"}},
    {"NVMMADistributedLayout",
     "#ttg.nvidia_mma",
     {"version versionMajor versionMinor", "warps_per_cta warpsPerCTA", "instr_shape instrShape"}},
    {"NVMMASharedLayout",
     "#ttg.nvmma_shared",
     {"swizzle_byte_width swizzlingByteWidth", "element_bitwidth elementBitWidth", "rank rank",
      "transposed transposed", "fp4_padded fp4Padded"}},
    {"SwizzledSharedLayout",
     "#ttg.swizzled_shared",
     {"vec vec", "per_phase perPhase", "max_phase maxPhase", "order order"}},
    {"PaddedSharedLayout.with_identity_for",
     "#ttg.padded_shared",
     {"interval_padding_pairs intervals", "shape shape", "order order"}},
    {"PaddedSharedLayout",
     "#ttg.padded_shared",
     {"interval_padding_pairs intervals", "offset_bases offset", "cga_layout CGALayout",
      "shape shape"}},
    {"SharedLinearLayout",
     "#ttg.shared_linear",
     {"offset_bases offset", "block_bases block", "alignment alignment"}},
    {"TensorMemoryLayout",
     "#ttng.tensor_memory_encoding",
     {"block blockM blockN", "col_stride colStride", "cga_layout CGALayout", "two_ctas twoCTAs",
      "fp4_padded fp4Padded"}},
    {"TensorMemoryScalesLayout", "#ttng.tensor_memory_scales_encoding", {"cga_layout CGALayout"}},
    {"AutoLayout", NULL, {NULL}},
    {"CoalescedLayout", NULL, {NULL}},
    {"AMDMFMALayout", NULL, {NULL}},
    {"AMDWMMALayout", NULL, {NULL}},
};

/* A parameter that every class has: the CTAs of a cluster. */
static const char *const of_ctas[] = {"cga_layout CGALayout", "ctas_per_cga CTAsPerCGA",
                                      "cta_split_num CTASplitNum", "cta_order CTAOrder"};

static const char default_method[] = "NVMMASharedLayout.get_default_for";

struct reader {
    const char *start, *next;
    struct printer *to;
    struct mapping_error *error;
};

/* What a printed LinearLayout ends with. */
static const char out_dims[] = "where out dims are: [";

static bool refuse(const struct reader *reader, const char *reason) {
    mapping_fail(reader->error, MAPPING_INVALID,
                 "'%.80s' is not a valid layout of %s: at character %zu, '%.24s': %s",
                 reader->start, strstr(reader->start, out_dims) ? "Triton" : "Gluon",
                 (size_t)(reader->next - reader->start) + 1, reader->next, reason);
    return false;
}

static bool accept(struct reader *reader, char c) {
    reader->next = ascii_skip_blanks(reader->next);
    const bool is_there = *reader->next == c;
    reader->next += is_there;
    return is_there;
}

/* Reads the opening bracket of a list or tuple, and returns the matching closing one; 0 if there is
 * none. */
static char open_list(struct reader *reader) {
    if (accept(reader, '['))
        return ']';
    return (char)(accept(reader, '(') ? ')' : '\0');
}

/* ---- Classes ---- */

/* The length of a name with the names of its modules: "gl.BlockedLayout". */
static size_t dotted_length(const char *text) {
    size_t length = ascii_identifier_length(text);
    while (length > 0 && text[length] == '.')
        length += 1 + ascii_identifier_length(text + length + 1);
    return length;
}

/* True if a dotted name is `name`, or ends with it after a dot. */
static bool ends_with(const char *dotted, size_t length, const char *name) {
    const size_t size = strlen(name);
    return length >= size && ascii_begins_alike(dotted + length - size, name, size) &&
           (length == size || dotted[length - size - 1] == '.');
}

static const struct class *find_class(const char *dotted, size_t length) {
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        if (ends_with(dotted, length, classes[c].name))
            return &classes[c];
    return NULL;
}

enum { WORD_SIZE = 40 };

/* Finds the classes whose names are like the last one of a dotted name, "gl.BlockLayout". False if
 * there is none. */
static bool find_near(const char *dotted, size_t length, char word[WORD_SIZE],
                      struct nearest *nearest) {
    size_t start = length;
    while (start > 0 && dotted[start - 1] != '.')
        start--;
    snprintf(word, WORD_SIZE, "%.*s", (int)(length - start), dotted + start);
    *nearest = nearest_to(word);
    bool is_near = false;
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        is_near = nearest_offer(nearest, classes[c].name) || is_near;
    return is_near;
}

/* True if a dotted name can only be a layout of Gluon, even if Gluon has no such layout. A name
 * without a module must be closer to a class of Gluon than a suggestion must be, because
 * ComposedLayout is a name of CuTe. */
static bool is_of_gluon(const char *dotted, size_t length) {
    static const char ending[] = "Layout";
    const size_t size = sizeof ending - 1;
    struct nearest nearest;
    char word[WORD_SIZE];
    return ascii_begins_alike(dotted, "gl.", 3) || ascii_begins_alike(dotted, "ttgl.", 5) ||
           (length >= size && strncmp(dotted + length - size, ending, size) == 0 &&
            find_near(dotted, length, word, &nearest) &&
            2 * nearest.found[0].distance <= nearest.limit);
}

/* Skips "name =" and "name: gl.constexpr =". */
static const char *skip_definition(const char *text) {
    const char *next = ascii_skip_blanks(text);
    next = ascii_skip_blanks(next + ascii_identifier_length(next));
    if (*next == ':') {
        next = ascii_skip_blanks(next + 1);
        next = ascii_skip_blanks(next + dotted_length(next));
    }
    return *next == '=' ? ascii_skip_blanks(next + 1) : ascii_skip_blanks(text);
}

bool gluon_is_meant(const char *text) {
    if (strstr(text, out_dims) && strspn(text, " \n-") > 0)
        return true;
    text = skip_definition(text);
    const size_t length = dotted_length(text);
    return text[length] == '(' &&
           (find_class(text, length) || ends_with(text, length, default_method) ||
            is_of_gluon(text, length));
}

/* ---- Values ---- */

static bool read_class(struct reader *reader, unsigned depth);

static bool read_number(struct reader *reader) {
    const size_t digits = strspn(reader->next, "0123456789");
    if (digits == 0)
        return refuse(reader, "write a whole number here");
    print(reader->to, "%.*s", (int)digits, reader->next);
    reader->next += digits;
    return true;
}

/* Copies a number, or lists and tuples of numbers. */
static bool read_numbers(struct reader *reader, unsigned depth) {
    const char end = open_list(reader);
    if (!end)
        return read_number(reader);
    if (depth == 2)
        return refuse(reader, "lists are nested too deep");
    print_char(reader->to, '[');
    for (bool is_first = true; !accept(reader, end); is_first = false) {
        print_text(reader->to, is_first ? "" : ", ");
        if (!read_numbers(reader, depth + 1))
            return false;
        if (!accept(reader, ',') && *reader->next != end)
            return refuse(reader, "a comma or a bracket is missing");
    }
    print_char(reader->to, ']');
    return true;
}

/* Writes a pair as the values of two keys: "versionMajor = 2, versionMinor = 0". */
static bool read_pair(struct reader *reader, const char *keys) {
    const char end = open_list(reader);
    const size_t length = strcspn(keys, " ");
    print(reader->to, "%.*s = ", (int)length, keys);
    if (!end || !read_number(reader) || !accept(reader, ','))
        return refuse(reader, "write two numbers in brackets here");
    reader->next = ascii_skip_blanks(reader->next);
    print(reader->to, ", %s = ", keys + length + 1);
    return read_number(reader) && (accept(reader, end) || refuse(reader, "a bracket is missing"));
}

/* Reads the value of a parameter, and writes it with its key. */
static bool read_value(struct reader *reader, const char *key, unsigned depth) {
    static const char *const words[][2] = {{"True", "true"}, {"False", "false"}};
    reader->next = ascii_skip_blanks(reader->next);
    const size_t word = dotted_length(reader->next);
    if (strchr(key, ' '))
        return read_pair(reader, key);
    print(reader->to, "%s = ", key);
    for (size_t w = 0; w < 2; w++)
        if (word == strlen(words[w][0]) && strncmp(reader->next, words[w][0], word) == 0) {
            print_text(reader->to, words[w][1]);
            reader->next += word;
            return true;
        }
    return reader->next[word] == '(' && word > 0 ? read_class(reader, depth + 1)
                                                 : read_numbers(reader, 0);
}

/* The key for a named parameter, or for a parameter at a position; NULL if there is none. */
static const char *find_key(const struct class *class, const char *name, size_t length,
                            size_t position) {
    if (length == 0)
        return position < PARAMETERS && class->parameter[position]
                   ? strchr(class->parameter[position], ' ') + 1
                   : NULL;
    for (size_t p = 0; p < PARAMETERS + sizeof of_ctas / sizeof *of_ctas; p++) {
        const char *parameter = p < PARAMETERS ? class->parameter[p] : of_ctas[p - PARAMETERS];
        if (parameter && strncmp(parameter, name, length) == 0 && parameter[length] == ' ')
            return parameter + length + 1;
    }
    return NULL;
}

/* Refuses an argument that the class does not have, and lists its parameters. */
static bool refuse_parameter(const struct reader *reader, const struct class *class) {
    char reason[256] = "";
    mapping_append(reason, sizeof reason, "%s has", class->name);
    for (size_t p = 0; p < PARAMETERS && class->parameter[p]; p++)
        mapping_append(reason, sizeof reason, "%s %.*s", p == 0 ? " only" : ",",
                       (int)strcspn(class->parameter[p], " "), class->parameter[p]);
    return refuse(reader, reason);
}

/* Skips the name of an argument, "order="; returns its length, or 0 if there is none. */
static size_t skip_name(struct reader *reader) {
    reader->next = ascii_skip_blanks(reader->next);
    const size_t length = ascii_identifier_length(reader->next);
    const char *behind = ascii_skip_blanks(reader->next + length);
    if (length == 0 || *behind != '=')
        return 0;
    reader->next = behind + 1;
    return length;
}

/* The length of a value that is omitted from the attribute: None, or an empty list of CTA bases. */
static size_t skip_none(const char *value, const char *key) {
    if (strncmp(value, "None", 4) == 0)
        return 4;
    return strncmp(value, "[]", 2) == 0 && strcmp(key, "CGALayout") == 0 ? 2 : 0;
}

/* Reads the arguments of a call after its opening bracket. */
static bool read_arguments(struct reader *reader, const struct class *class, unsigned depth) {
    bool is_first = true;
    for (size_t position = 0; !accept(reader, ')'); position++) {
        const char *name = reader->next = ascii_skip_blanks(reader->next);
        const size_t length = skip_name(reader);
        const char *key = find_key(class, name, length, position);
        if (!key) {
            reader->next = name;
            return refuse_parameter(reader, class);
        }
        reader->next = ascii_skip_blanks(reader->next);
        const size_t none = skip_none(reader->next, key);
        if (none > 0) {
            reader->next += none;
        } else {
            print_text(reader->to, is_first ? "" : ", ");
            is_first = false;
            if (!read_value(reader, key, depth))
                return false;
        }
        if (!accept(reader, ',') && *reader->next != ')')
            return refuse(reader, "a comma or a bracket is missing");
    }
    return true;
}

static bool refuse_class(const struct reader *reader, size_t length) {
    struct nearest nearest;
    char word[WORD_SIZE], offered[160] = "";
    if (find_near(reader->next, length, word, &nearest))
        nearest_print(&nearest, offered, sizeof offered);
    mapping_fail(reader->error, MAPPING_INVALID, "Gluon has no layout '%.*s'%s",
                 (int)(length < 60 ? length : 60), reader->next, offered);
    return false;
}

static bool read_class(struct reader *reader, unsigned depth) {
    const size_t length = dotted_length(reader->next);
    const struct class *class = find_class(reader->next, length);
    if (!class)
        return refuse_class(reader, length);
    if (!class->attribute) {
        mapping_fail(
            reader->error, MAPPING_INVALID,
            strstr(class->name, "AMD")
                ? "%s is a layout of AMD GPUs; only layouts of NVIDIA GPUs are supported"
                : "%s leaves the choice to the compiler; give the layout that the compiler prints",
            class->name);
        return false;
    }
    if (depth == NESTED)
        return refuse(reader, "parents are nested too deep");
    reader->next += length;
    if (!accept(reader, '('))
        return refuse(reader, "( is missing");
    print(reader->to, "%s<{", class->attribute);
    if (!read_arguments(reader, class, depth))
        return false;
    print_text(reader->to, "}>");
    return true;
}

/* ---- get_default_for ---- */

/* Triton's name of an element type: "f16" for "gl.float16"; NULL if it is not one. */
static const char *type_of(const char *dotted, size_t length) {
    static const char *const types[][2] = {
        {"float16", "f16"},         {"bfloat16", "bf16"},  {"float32", "f32"},
        {"float64", "f64"},         {"int8", "i8"},        {"uint8", "i8"},
        {"int16", "i16"},           {"uint16", "i16"},     {"int32", "i32"},
        {"uint32", "i32"},          {"int64", "i64"},      {"uint64", "i64"},
        {"float8e4nv", "f8E4M3FN"}, {"float8e5", "f8E5M2"}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (ends_with(dotted, length, types[t][0]))
            return types[t][1];
    return NULL;
}

/* The swizzle that get_default_for chooses, in bytes: the largest that divides a line. */
static uint64_t default_swizzle(const uint64_t *shape, size_t rank, bool is_transposed,
                                uint64_t bits) {
    uint64_t lines = 1;
    const size_t inner = is_transposed ? 0 : rank - 1;
    for (size_t d = 0; d < rank; d++)
        lines *= d == inner ? 1 : shape[d];
    for (uint64_t bytes = 128; bytes >= 32 && rank > 1 && lines >= 8; bytes /= 2)
        if (shape[inner] * bits % (8 * bytes) == 0)
            return bytes;
    return 0;
}

/* Reads "[64, 64], gl.float16, transposed=True)" and writes a type of shared memory. */
static bool read_default(struct reader *reader) {
    uint64_t shape[DIMS];
    size_t rank = 0;
    skip_name(reader);
    const char end = open_list(reader);
    while (end && !accept(reader, end)) {
        reader->next = ascii_skip_blanks(reader->next);
        const size_t digits = strspn(reader->next, "0123456789");
        if (rank == DIMS || digits == 0 || digits > 7)
            return refuse(reader, "write the size of a dimension here, as a number");
        shape[rank++] = strtoull(reader->next, NULL, 10);
        reader->next += digits;
        if (!accept(reader, ',') && *reader->next != end)
            return refuse(reader, "a comma or a bracket is missing");
    }
    if (rank == 0 || !accept(reader, ','))
        return refuse(reader, "get_default_for needs a shape and a type");
    skip_name(reader);
    reader->next = ascii_skip_blanks(reader->next);
    const size_t length = dotted_length(reader->next);
    const char *type = type_of(reader->next, length);
    if (!type)
        return refuse(reader, "write a type here, such as gl.float16");
    reader->next += length;
    bool is_transposed = false;
    if (accept(reader, ',') && *ascii_skip_blanks(reader->next) != ')') {
        const char *name = ascii_skip_blanks(reader->next);
        const size_t named = skip_name(reader);
        reader->next = ascii_skip_blanks(reader->next);
        is_transposed = strncmp(reader->next, "True", 4) == 0;
        if ((named && strncmp(name, "transposed", named) != 0) ||
            (!is_transposed && strncmp(reader->next, "False", 5) != 0))
            return refuse(reader, "only transposed=True or transposed=False can follow");
        reader->next += is_transposed ? 4 : 5;
    }
    if (!accept(reader, ')'))
        return refuse(reader, "a bracket is missing");
    const uint64_t bits = strtoull(type + strcspn(type, "0123456789"), NULL, 10);
    print_text(reader->to, "!ttg.memdesc<");
    for (size_t d = 0; d < rank; d++)
        print(reader->to, "%ux", (unsigned)shape[d]);
    print(reader->to,
          "%s, #ttg.nvmma_shared<{swizzlingByteWidth = %u, elementBitWidth = %u, rank = %u, "
          "transposed = %s}>, #smem>",
          type, (unsigned)default_swizzle(shape, rank, is_transposed, bits), (unsigned)bits,
          (unsigned)rank, is_transposed ? "true" : "false");
    return true;
}

/* ---- Printed linear layouts ---- */

/* Skips a word; false if another text follows. */
static bool accept_word(struct reader *reader, const char *word) {
    const size_t length = strlen(word);
    const bool is_there = strncmp(reader->next, word, length) == 0;
    reader->next += is_there ? length : 0;
    return is_there;
}

/* Reads "(0, 1)" or "[dim0 (size 16), dim1 (size 8)]" from the first number on, and prints the
 * numbers as a list. `before` precedes each number, `behind` follows it. */
static bool read_coordinates(struct reader *reader, const char *behind, char end) {
    print_char(reader->to, '[');
    for (unsigned count = 0;; count++) {
        if (*behind)
            reader->next += strcspn(reader->next, "(]");
        if ((*behind && !accept_word(reader, "(size ")) || !read_number(reader) ||
            !accept_word(reader, behind))
            return refuse(reader, "write a number for each dimension here");
        if (!accept(reader, ','))
            break;
        print_text(reader->to, ", ");
        reader->next = ascii_skip_blanks(reader->next);
    }
    print_char(reader->to, ']');
    return accept(reader, end) || refuse(reader, "a bracket is missing");
}

/* Reads the bases of one dimension: "register=1 -> (0, 1)", "register=2 -> (8, 0)", each in a line;
 * or "warp is a size 1 dimension". */
static bool read_printed_bases(struct reader *reader) {
    const char *name = reader->next;
    const size_t length = ascii_identifier_length(name);
    print(reader->to, "%.*s = [", (int)length, name);
    for (unsigned count = 0;; count++) {
        char place[24];
        snprintf(place, sizeof place, "=%u -> (", 1U << count);
        if (count < 31 && strncmp(reader->next, name, length) == 0) {
            reader->next += length;
            if (count == 0 && accept_word(reader, " is a size 1 dimension"))
                break;
            print_text(reader->to, count > 0 ? ", " : "");
            if (!accept_word(reader, place))
                return refuse(reader, "the place of the next power of two is missing");
            if (!read_coordinates(reader, "", ')'))
                return false;
            reader->next += strspn(reader->next, " \n");
        } else {
            break;
        }
    }
    print_text(reader->to, "], ");
    return true;
}

/* Reads a LinearLayout as Triton prints it, " - register=1 -> (0, 1)\n   register=2 -> (8, 0)\n".
 */
static bool read_printed(struct reader *reader) {
    const char *start = reader->next + strspn(reader->next, " \n-");
    const bool is_shared = strncmp(start, "offset", 6) == 0;
    const char *const dims = is_shared ? "offset block" : "register lane warp block";
    print(reader->to, "#ttg.%s<{", is_shared ? "shared_linear" : "linear");
    for (;;) {
        reader->next += strspn(reader->next, " \n-");
        if (accept_word(reader, out_dims))
            break;
        if (!mapping_word_is_in(dims, reader->next, ascii_identifier_length(reader->next)))
            return refuse(reader, "a layout maps register, lane, warp and block, or offset and "
                                  "block, to the dimensions of a tensor");
        if (!read_printed_bases(reader))
            return false;
    }
    print_text(reader->to, is_shared ? "alignment = 16" : "shape = ");
    const size_t size = reader->to->size;
    if (!read_coordinates(reader, ")", ']'))
        return false;
    if (is_shared)
        reader->to->size = size;
    print_text(reader->to, "}>");
    return true;
}

enum mapping_status gluon_translate(const char *text, struct printer *to,
                                    struct mapping_error *error) {
    struct reader reader = {text, skip_definition(text), to, error};
    const size_t length = dotted_length(reader.next);
    bool is_read;
    if (strstr(text, out_dims)) {
        reader.next = text;
        is_read = read_printed(&reader);
    } else if (ends_with(reader.next, length, default_method)) {
        reader.next += length + 1;
        is_read = read_default(&reader);
    } else {
        is_read = read_class(&reader, 0);
    }
    reader.next = ascii_skip_blanks(reader.next);
    if (is_read && *reader.next)
        is_read = refuse(&reader, "the text after the layout is not part of it");
    return is_read ? MAPPING_OK : MAPPING_INVALID;
}
