/* listing.c - finds the instructions in a listing; see listing.h. In this order: common functions,
 * SASS, PTX, and lines that describe the instructions after them. */
#include "listing/listing.h"

#include "layout/ascii.h"

#include <stdlib.h>
#include <string.h>

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_of_word(char c) {
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '.' || c == '$';
}

static const char *skip_blanks(const char *text) {
    while (ascii_is_blank(*text))
        text++;
    return text;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- SASS ---- */

/* Operands of SASS end at ';', a quote, a comment, the "\l" of a graph, or text that Triton and
 * nvdisasm print after them: " ?WAIT4_END_GROUP", " &req={0}". */
static const char *end_of_sass(const char *text) {
    for (; *text && *text != ';' && *text != '"'; text++)
        if ((*text == '/' && (text[1] == '*' || text[1] == '/')) ||
            (*text == '\\' && text[1] == 'l') ||
            (ascii_is_blank(*text) && (text[1] == '?' || text[1] == '&') && text[2] != ' '))
            break;
    return text;
}

/* True if an opcode may begin at `text`, in a line that begins at `line`: after a blank, a quote,
 * or the "\l" of a graph. */
static bool is_boundary(const char *line, const char *text) {
    return text == line || ascii_is_blank(text[-1]) || strchr("\",{|", text[-1]) ||
           (text - line > 1 && text[-1] == 'l' && text[-2] == '\\');
}

/* Finds the next opcode from `text` on; the line begins at `line`. An opcode has two or more
 * capitals, perhaps a digit between them, and other characters of a name, followed by a blank, a
 * quote or the end. Sets *length. NULL if there is none. */
static const char *next_opcode(const char *line, const char *text, size_t *length) {
    for (; *text; text++) {
        if (*text == '/' && text[1] == '/')
            return NULL;
        if (*text == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            if (!end)
                return NULL;
            text = end + 1;
            continue;
        }
        const char *second = text + (ascii_is_digit(text[1]) ? 2 : 1); /* F2FP, I2F */
        if (!is_upper(*text) || !is_upper(*second) || !is_boundary(line, text))
            continue;
        const char *end = text;
        while (is_of_word(*end))
            end++;
        *length = (size_t)(end - text);
        if (!*end || ascii_is_blank(*end) || strchr(";\"\\", *end))
            return text;
        text = end - 1;
    }
    return NULL;
}

/* Skips the beginning of a line that is not code: "=> 0x7f... <kern+192>:" of cuda-gdb, where the
 * name may be that of a template. */
static const char *skip_place(const char *line) {
    const char *text = skip_blanks(line);
    text = begins(text, "=>") ? skip_blanks(text + 2) : text;
    const char *end = begins(text, "0x") ? strstr(text, ">:") : NULL;
    return end ? end + 2 : line;
}

/* Reads the address before the code, as in a comment 0130. */
static bool read_address(const char *line, uint64_t *address) {
    const char *text = skip_blanks(line);
    char *end;
    if (!begins(text, "/*") || !(ascii_is_digit(text[2]) || ascii_is_letter(text[2])))
        return false;
    *address = strtoull(text + 2, &end, 16);
    return begins(end, "*/");
}

/* Reads the address in "=> 0x7f... <kern+192>:" of cuda-gdb. */
static bool read_place(const char *line, uint64_t *address) {
    if (skip_place(line) == line)
        return false;
    *address = strtoull(strstr(line, "0x"), NULL, 16);
    return true;
}

/* Reads the address of a row of Nsight Compute: "12","7fa1c2f00","HMMA...". */
static bool read_column(const char *line, uint64_t *address) {
    const char *text = *line == '"' ? strstr(line, "\",\"") : NULL;
    char *end = NULL;
    if (!text || !(ascii_is_digit(text[3]) || ascii_is_letter(text[3])))
        return false;
    *address = strtoull(text + 3, &end, 16);
    return end > text + 3 && *end == '"';
}

/* True for the control code that Triton prints before an instruction, "02:-:1:Y:2". */
static bool has_control(const char *line) {
    for (size_t c = 0; c < 10; c++) {
        const bool is_colon = c == 2 || c == 4 || c == 6 || c == 8;
        if (is_colon != (line[c] == ':') ||
            (!is_colon && !ascii_is_digit(line[c]) && !ascii_is_letter(line[c]) && line[c] != '-'))
            return false;
    }
    return ascii_is_blank(line[10]);
}

/* The JSON text between an opcode and its operands. */
static const char json_operands[] = "\",\"operands\":\"";

/* Reads a label of SASS, ".L_x_2:"; false if the line is not a label. */
static bool read_label(struct listing *listing, const char *line) {
    const char *text = skip_blanks(line), *end = text;
    while (is_of_word(*end))
        end++;
    const char *behind = *end == ':' ? skip_blanks(end + 1) : end;
    if (end == text || *end != ':' || (*behind && !begins(behind, "//"))) /* nvdisasm -plr */
        return false;
    listing->taker.label(listing->taker.context, text, (size_t)(end - text));
    return true;
}

/* Reads all SASS instructions in a line. JSON and Triton's listings have no addresses; there,
 * addresses are counted from the start of the function, 16 bytes for each instruction. */
static void read_sass(struct listing *listing, char *line, bool is_json) {
    static const char json_opcode[] = ",\"opcode\":\""; /* behind a predicate */
    struct listing_instruction found = {.is_sass = true};
    char *text = line + (skip_place(line) - line);
    if (has_control(line)) {
        found.has_address = true;
        found.address = listing->next_address;
        listing->next_address += 16;
    } else {
        found.has_address = is_json || read_address(line, &found.address) ||
                            read_place(line, &found.address) || read_column(line, &found.address);
    }
    for (const char *opcode; (opcode = next_opcode(line, text, &found.length));) {
        const char *before = opcode;
        while (before > line && ascii_is_blank(before[-1]))
            before--;
        while (before > line && (is_of_word(before[-1]) || before[-1] == '!'))
            before--;
        const size_t front = sizeof json_opcode - 1;
        found.is_guarded =
            (before > line && before[-1] == '@') ||
            ((size_t)(opcode - line) > front && memcmp(opcode - front, json_opcode, front) == 0);
        text = line + (opcode - line) + found.length;
        if (begins(text, json_operands))
            text += strlen(json_operands);
        found.opcode = opcode;
        found.operands = text;
        char *end = text + (end_of_sass(text) - text), was = *end;
        *end = '\0';
        listing->taker.instruction(listing->taker.context, &found);
        *end = was;
        found.address += is_json ? 16 : 0;
        text = end + (was == '"' || was == ';');
    }
}

/* Reads a block of a graph, "[label=...\l\ \ HMMA.16816.F32\ R4,\ ...", and drops each '\'. */
static void read_block(struct listing *listing, const char *line) {
    struct printer *plain = &listing->plain;
    plain->size = 0;
    for (; *line; line++) {
        const bool is_escape = *line == '\\' && line[1];
        line += is_escape;
        if (is_escape && *line == 'l')
            print_text(plain, "; ");
        else
            print_char(plain, *line);
    }
    read_sass(listing, printer_string(plain), false);
}

const char *listing_cut_sass(const char *line) {
    struct printer cut = {.text = NULL};
    size_t length;
    const char *opcode = next_opcode(line, skip_place(line), &length);
    if (!opcode)
        return NULL;
    const char *operands = opcode + length;
    operands += begins(operands, json_operands) ? strlen(json_operands) : 0;
    print(&cut, "%.*s %.*s", (int)length, opcode, (int)(end_of_sass(operands) - operands),
          operands);
    return printer_string(&cut);
}

/* ---- PTX ---- */

/* Instructions to search for in text that is not PTX: inline assembly, or a few lines. */
static const char *const mnemonics[] = {"mma.sync",  "mma.sp",    "wmma.load", "wmma.store",
                                        "wmma.mma",  "wgmma.",    "tcgen05.",  "ldmatrix.",
                                        "stmatrix.", "movmatrix."};

/* The next of these from `text` on, up to a comment, in a line that begins at `line`; NULL if there
 * is none. */
static const char *next_mnemonic(const char *line, const char *text) {
    for (; *text && !(*text == '/' && text[1] == '/'); text++) {
        const bool may_begin =
            *text == 'm' || *text == 'w' || *text == 't' || *text == 'l' || *text == 's';
        if (!may_begin || (text > line && is_of_word(text[-1])))
            continue;
        for (size_t m = 0; m < sizeof mnemonics / sizeof *mnemonics; m++)
            if (begins(text, mnemonics[m]))
                return text;
    }
    return NULL;
}

/* Ends a statement, and passes it to the caller if it is an instruction. */
static void end_statement(struct listing *listing) {
    struct listing_instruction found = {.is_sass = false, .is_quoted = !listing->is_ptx};
    char *text = printer_string(&listing->statement);
    const char *start = skip_blanks(text);
    found.is_guarded = *start == '@';
    if (found.is_guarded)
        start = skip_blanks(start + strcspn(start, " \t\r\n"));
    const char *end = start;
    while (is_of_word(*end) || *end == ':')
        end++;
    found.opcode = start;
    found.length = (size_t)(end - start);
    found.operands = end;
    if (ascii_is_letter(*start))
        listing->taker.instruction(listing->taker.context, &found);
    listing->statement.size = 0;
}

/* Reports that the statement so far is a label for the next instruction. */
static void end_label(struct listing *listing) {
    const char *name = skip_blanks(printer_string(&listing->statement));
    const size_t length = strcspn(name, " \t\r\n");
    if (length > 0)
        listing->taker.label(listing->taker.context, name, length);
    listing->statement.size = 0;
}

/* True if the statement so far begins with an instruction, so that braces belong to it. */
static bool takes_braces(struct listing *listing) {
    const char *start = skip_blanks(printer_string(&listing->statement));
    return ascii_is_letter(*start) || *start == '@';
}

/* True if the statement so far is blank. */
static bool is_blank(struct listing *listing) {
    return !*skip_blanks(printer_string(&listing->statement));
}

/* Reads a line of PTX. In other text, reads from the first instruction name on. */
static void read_ptx(struct listing *listing, const char *line) {
    enum { STATEMENT_MAX = 1 << 16 }; /* a longer statement is not an instruction */
    struct printer *statement = &listing->statement;
    const char *text = line;
    for (; *text; text++) {
        if (listing->is_in_comment) {
            const char *end = strstr(text, "*/");
            listing->is_in_comment = !end;
            if (!end)
                return;
            text = end + 1;
            continue;
        }
        if (*text == '/' && text[1] == '/')
            break;
        if (*text == '/' && text[1] == '*') {
            listing->is_in_comment = true;
            text++;
            continue;
        }
        if (!listing->is_ptx && (text == line || !is_of_word(text[-1]))) {
            const char *mnemonic = next_mnemonic(line, text);
            if (mnemonic == text)
                statement->size = 0;
            else if (statement->size == 0 && !mnemonic)
                return;
            else if (statement->size == 0)
                text = mnemonic;
        }
        /* a label, or the end of inline assembly; the "::" in an opcode follows a word */
        const bool is_first = text == line, is_behind_word = !is_first && is_of_word(text[-1]);
        const bool is_label = *text == ':' && (is_first || text[-1] != ':') &&
                              (text[1] != ':' || (!listing->is_ptx && !is_behind_word));
        if (*text == ';' || (is_label && !listing->is_ptx))
            end_statement(listing);
        else if (is_label)
            end_label(listing);
        else if (((*text == '{' || *text == '}') && !takes_braces(listing)) ||
                 statement->size > STATEMENT_MAX)
            statement->size = 0;
        else
            print_char(statement, *text);
    }
    const char *start = statement->size > 0 ? skip_blanks(printer_string(statement)) : "";
    if (*start == '.' || (!listing->is_ptx && !*skip_blanks(line)) || is_blank(listing))
        statement->size = 0; /* a directive may have no ';' */
    else
        print_char(statement, '\n');
}

/* ---- Lines that describe the instructions after them ---- */

/* Says which architecture is named, "sm_90a" or "EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90", in the text.
 */
static void read_arch(struct listing *listing, const char *text) {
    const char *flag = strstr(text, "EF_CUDA_SM");
    text = flag ? flag : text;
    text += strcspn(text, "0123456789");
    const unsigned long number = strtoul(text, NULL, 10);
    if (number > 0 && number < 1000)
        listing->taker.arch(listing->taker.context, (unsigned)number);
}

/* Reports that a function begins. Its name ends at one of these characters. */
static void read_function(struct listing *listing, const char *text, const char *ends) {
    text = skip_blanks(text);
    if (*text == '(') { /* skip the results of a .func */
        text += strcspn(text, ")");
        text = skip_blanks(text + (*text == ')'));
    }
    size_t length = strcspn(text, ends);
    length -= length > 0 && text[length - 1] == ':';
    listing->next_address = 0;
    if (length > 0)
        listing->taker.function(listing->taker.context, text, length);
}

/* The beginnings of lines, and the text that follows them. */
static const struct {
    const char *front;
    enum { IS_ARCH, IS_FUNCTION, IS_PTX, IS_SASS } what;
    const char *ends; /* the characters that end the name of a function */
} fronts[] = {
    {".headerflags", IS_ARCH, NULL},
    {".target", IS_ARCH, NULL},
    {"arch = ", IS_ARCH, NULL},
    {"code for sm_", IS_ARCH, NULL},
    {"Fatbin elf code", IS_SASS, NULL},
    {"Fatbin ptx code", IS_PTX, NULL},
    {".version", IS_PTX, NULL},
    {"Function :", IS_FUNCTION, " \t\r"},
    {"Function:", IS_FUNCTION, " \t\r"},
    {".section\t.text.", IS_FUNCTION, ","},
    {"Dump of assembler code for function ", IS_FUNCTION, "\r"}, /* then "NAME:" */
};

/* Reads a line without code. False if it contains no information. */
static bool read_front(struct listing *listing, const char *line) {
    const char *text = skip_blanks(line);
    if (*text != '.' && *text != 'a' && *text != 'c' && *text != 'F' && *text != 'D')
        return false;
    for (size_t f = 0; f < sizeof fronts / sizeof *fronts; f++) {
        if (!begins(text, fronts[f].front))
            continue;
        const char *rest = text + strlen(fronts[f].front);
        if (fronts[f].what == IS_FUNCTION)
            read_function(listing, rest, fronts[f].ends);
        else if (fronts[f].what == IS_ARCH)
            read_arch(listing, rest);
        if (fronts[f].what != IS_ARCH) {
            listing->is_ptx = fronts[f].what == IS_PTX;
            listing->is_in_comment = false;
            listing->statement.size = 0;
        }
        return true;
    }
    return false;
}

/* Reads the members before the instructions in the JSON of nvdisasm, up to the next function. */
static void read_json(struct listing *listing, char *line) {
    static const char name[] = "\"function-name\":\"",
                      version[] = "\"SM\":{\"version\":{\"major\":";
    const char *major = strstr(line, version);
    if (major) {
        const char *minor = strstr(major, "\"minor\":");
        const unsigned long number = strtoul(major + sizeof version - 1, NULL, 10);
        if (minor && number < 100)
            listing->taker.arch(listing->taker.context,
                                (unsigned)(number * 10 + strtoul(minor + 8, NULL, 10) % 10));
    }
    for (char *part = line; part;) {
        char *function = strstr(part, name), *next = NULL;
        if (function) {
            read_function(listing, function + sizeof name - 1, "\"");
            part = function + sizeof name - 1;
            next = strstr(part, name);
        }
        if (next)
            *next = '\0';
        read_sass(listing, part, true);
        if (next)
            *next = *name;
        part = next;
    }
}

/* Reads a line without escape sequences. */
static void read_plain(struct listing *listing, char *line) {
    const char *entry;
    if (read_front(listing, line))
        return;
    if (listing->is_ptx) {
        if ((entry = strstr(line, ".entry ")) || (entry = strstr(line, ".func ")))
            read_function(listing, entry + strcspn(entry, " "), "(;{ \t\r");
        read_ptx(listing, line);
    } else if ((*line == '[' || *line == '{') && strstr(line, "\"opcode\":\"")) {
        read_json(listing, line);
    } else if (begins(line, "[label=")) {
        if ((entry = strstr(line, "\\l.text.")))
            read_function(listing, entry + strlen("\\l.text."), ":");
        read_block(listing, line);
    } else if (listing->statement.size > 0 || listing->is_in_comment ||
               (!begins(skip_blanks(line), "/*") && next_mnemonic(line, line))) {
        read_ptx(listing, line);
    } else if (!read_label(listing, line)) {
        read_sass(listing, line, false);
    }
}

/* The length of an escape sequence that sets colors or makes a link; 0 if the text is none. */
static size_t escape_length(const char *text) {
    if (text[0] != '\x1b')
        return 0;
    if (text[1] == ']') { /* a link, up to BEL or ESC \ */
        const size_t length = strcspn(text + 1, "\a\x1b") + 1;
        return length + (text[length] == '\a') +
               (text[length] == '\x1b' && text[length + 1] ? 2U : 0U);
    }
    if (text[1] != '[')
        return 1;
    const size_t length = 2 + strspn(text + 2, "0123456789;:?");
    return length + (text[length] != '\0');
}

/* Reads a line without its escape sequences; blanks that do not break become plain blanks. */
static void read_colored(struct listing *listing, const char *line) {
    static const char blank[] = "\xc2\xa0";
    struct printer *clean = &listing->clean;
    clean->size = 0;
    while (*line) {
        const size_t escape = escape_length(line);
        const bool is_blank = begins(line, blank);
        if (is_blank)
            print_char(clean, ' ');
        else if (escape == 0)
            print_char(clean, *line);
        line += escape > 0 ? escape : is_blank ? 2 : 1;
    }
    printer_string(clean);
    listing_read(listing, clean->text);
}

/* Reads a line that is a string with the escapes \n, \t and \", line by line. */
static void read_string(struct listing *listing, const char *line) {
    struct printer piece = {.text = NULL};
    while (*line) {
        const char *end = strstr(line, "\\n");
        const size_t length = end ? (size_t)(end - line) : strlen(line);
        piece.size = 0;
        for (size_t c = 0; c < length; c++) {
            const bool is_escape =
                line[c] == '\\' && c + 1 < length && strchr("t\"'\\", line[c + 1]);
            c += is_escape;
            if (is_escape && line[c] == 't')
                print_char(&piece, '\t');
            else
                print_char(&piece, line[c]);
        }
        printer_string(&piece);
        read_plain(listing, piece.text);
        line += length + (end ? 2 : 0);
    }
    printer_free(&piece);
}

/* True if a line is a string of many lines. Inline assembly has fewer in a line. */
static bool is_string(const char *line) {
    enum { LEAST = 8 };
    unsigned count = 0;
    while (count < LEAST && (line = strstr(line, "\\n"))) {
        line += 2;
        count++;
    }
    return count == LEAST;
}

void listing_read(struct listing *listing, char *line) {
    if (strpbrk(line, "\x1b\xc2") && (strchr(line, '\x1b') || strstr(line, "\xc2\xa0")))
        read_colored(listing, line);
    else if (is_string(line))
        read_string(listing, line);
    else
        read_plain(listing, line);
}
