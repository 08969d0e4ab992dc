/* check_opcodes.c - checking a file of what opcodes become; see check_opcodes.h. */
#include "command/check_opcodes.h"

#include "source/sass/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Differences that are shown of an architecture. */
enum { SHOWN_MAX = 5 };

/* A file and what is found now, and with which tools. */
struct recheck {
    const char *name;
    struct outcomes recorded, found;
    struct toolkits toolkits;
    struct tool_versions versions[TOOLKITS_MAX];
    struct measurement measurement;
};

/* ---- Finding ---- */

/* Finds the toolkits, and says for each architecture that is asked for which may be used: those
 * with the ptxas that is recorded. */
static enum mapping_status choose(struct recheck *recheck, const struct request *request,
                                  struct mapping_error *error) {
    const struct machinery *machinery = &request->machinery;
    struct toolkits *toolkits = &recheck->toolkits;
    enum mapping_status status = toolkits_find(machinery, toolkits, error);
    for (size_t t = 0; t < toolkits->count && status == MAPPING_OK; t++)
        status =
            tools_versions(&toolkits->toolkit[t], machinery->timeout, &recheck->versions[t], error);
    for (size_t arch = 0; mapping_arch_at(arch) && status == MAPPING_OK; arch++)
        for (size_t t = 0; t < toolkits->count; t++)
            if (request_wants(request, mapping_arch_at(arch)->number) &&
                strcmp(recheck->versions[t].ptxas, recheck->recorded.versions[arch].ptxas) == 0)
                recheck->measurement.allowed[arch] |= UINT32_C(1) << t;
    recheck->measurement.toolkits = toolkits;
    recheck->measurement.versions = recheck->versions;
    recheck->measurement.timeout = machinery->timeout;
    return status;
}

/* Assembles all that can be. Where there are no tools nothing is found, and that is noted. */
static enum mapping_status find(struct recheck *recheck, const struct request *request,
                                struct account *account, struct mapping_error *error) {
    struct mapping_error cause;
    enum mapping_status status = choose(recheck, request, &cause);
    if (status == MAPPING_OK)
        status = measure(&recheck->measurement, &recheck->found, &cause);
    if (status == MAPPING_UNAVAILABLE) {
        char reason[sizeof cause.message + 8];
        snprintf(reason, sizeof reason, "sass: %s", cause.message);
        account_add_reason(account, reason);
        return MAPPING_OK;
    }
    return status == MAPPING_OK ? status : mapping_fail(error, status, "sass: %-s", cause.message);
}

/* ---- Comparing ---- */

static bool differs(const struct outcome *recorded, const struct outcome *found) {
    return recorded->sass && (!found->sass || recorded->instructions != found->instructions ||
                              strcmp(recorded->sass, found->sass) != 0);
}

static void print_difference(const struct recheck *recheck, size_t opcode, size_t arch,
                             struct printer *to) {
    print(to, "FAIL  %s on sm_%u: %s differs from ptxas %s\n  has   ",
          recheck->recorded.opcodes[opcode].text, mapping_arch_at(arch)->number, recheck->name,
          recheck->found.versions[arch].ptxas);
    outcome_print(outcomes_at(&recheck->recorded, opcode, arch), to);
    print_text(to, "\n  wants ");
    outcome_print(outcomes_at(&recheck->found, opcode, arch), to);
    print_char(to, '\n');
}

/* Compares all opcodes on an architecture. */
static void compare(const struct recheck *recheck, size_t arch, struct account *account) {
    const struct tool_versions *versions = &recheck->found.versions[arch];
    unsigned number = mapping_arch_at(arch)->number;
    size_t different = 0;
    for (size_t n = 0; n < recheck->recorded.count; n++) {
        if (!differs(outcomes_at(&recheck->recorded, n, arch),
                     outcomes_at(&recheck->found, n, arch)))
            continue;
        if (different++ < SHOWN_MAX)
            print_difference(recheck, n, arch, account->lines);
    }
    if (different > SHOWN_MAX)
        print(account->lines, "FAIL  %zu more opcodes on sm_%u differ\n", different - SHOWN_MAX,
              number);
    if (different == 0)
        print(account->lines, "ok    %zu opcodes on sm_%u: sass (ptxas %s, nvdisasm %s)\n",
              outcomes_on(&recheck->recorded, number), number, versions->ptxas, versions->nvdisasm);
    account->different += different > 0;
    account->confirmed += different == 0;
}

/* Notes that what is recorded of an architecture is not compared. */
static void skip(const struct recheck *recheck, size_t arch, bool is_wanted,
                 struct account *account) {
    unsigned number = mapping_arch_at(arch)->number;
    char reason[128] = "no source could check them";
    if (is_wanted)
        snprintf(reason, sizeof reason, "not compared, they are of ptxas %s, which is not here",
                 recheck->recorded.versions[arch].ptxas);
    print(account->lines, "skip  %zu opcodes on sm_%u: %s\n",
          outcomes_on(&recheck->recorded, number), number, reason);
    snprintf(reason, sizeof reason, "sass: ptxas %s is not here",
             recheck->recorded.versions[arch].ptxas);
    if (is_wanted && recheck->toolkits.count > 0)
        account_add_reason(account, reason);
    account->unchecked++;
}

static enum mapping_status check(const struct request *request, const char *text, bool is_wanted,
                                 struct recheck *recheck, struct account *account,
                                 struct mapping_error *error) {
    struct mapping_error cause;
    enum mapping_status status = outcomes_init(&recheck->recorded, error);
    if (status == MAPPING_OK)
        status = outcomes_init(&recheck->found, error);
    if (status != MAPPING_OK)
        return status;
    status = outcomes_read(text, &recheck->recorded, &cause);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "%.200s is malformed: %-s", recheck->name,
                            cause.message);
    if (is_wanted)
        status = find(recheck, request, account, error);
    for (size_t arch = 0; mapping_arch_at(arch) && status == MAPPING_OK; arch++) {
        if (!*recheck->recorded.versions[arch].ptxas ||
            !request_wants(request, mapping_arch_at(arch)->number))
            continue;
        if (*recheck->found.versions[arch].ptxas)
            compare(recheck, arch, account);
        else
            skip(recheck, arch, is_wanted, account);
    }
    return status;
}

enum mapping_status check_opcodes(const struct request *request, const char *text, const char *name,
                                  bool is_wanted, struct account *account,
                                  struct mapping_error *error) {
    struct recheck *recheck = calloc(1, sizeof *recheck);
    if (!recheck)
        return mapping_out_of_memory(error);
    recheck->name = name;
    enum mapping_status status = check(request, text, is_wanted, recheck, account, error);
    outcomes_free(&recheck->recorded);
    outcomes_free(&recheck->found);
    free(recheck);
    return status;
}
