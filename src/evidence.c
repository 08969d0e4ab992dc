/* evidence.c - `make evidence`: prints results/README.md, which says of every fragment on every
 * architecture who has seen its layout, and who else gives the same.
 *
 * All of it is read off what was built in: the source lines of the recorded sections, which
 * --confirm writes, and the catalogue. What a device has shown of a statement is compared again. */
#include "report/braces.h"
#include "source/assembled.h"
#include "source/recorded.h"
#include "source/source.h"
#include "source/witness.h"
#include "system/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Of one fragment on one architecture ---- */

struct claim {
    bool is_seen;      /* on hardware of this architecture */
    bool is_published; /* by others */
    bool is_emulated;  /* no tensor core of the device does the whole product by itself */
    bool is_elsewhere; /* it is stated, and a device of another architecture has shown it */
    char seen[320];    /* on which hardware, or that it was not */
    char agreed[640];  /* who else gives the same */
};

static void add(char *text, size_t size, const char *separator, const char *more) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length > 0 ? separator : "", more);
}

/* Adds the versions of ptxas, each once: of "ptxas 13.5.37, nvdisasm 13.5.37" the first. */
static void add_assemblers(const struct provenance *provenance, struct claim *claim) {
    static const char label[] = "ptxas ";
    char versions[256] = "";
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        char version[64];
        if (strcmp(evidence->kind, "sass") != 0)
            continue;
        const char *start = evidence->with + sizeof label - 1;
        snprintf(version, sizeof version, "%.*s", (int)strcspn(start, ","), start);
        if (!strstr(versions, version))
            add(versions, sizeof versions, ", ", version);
    }
    if (*versions) {
        add(claim->agreed, sizeof claim->agreed, "; ", label);
        add(claim->agreed, sizeof claim->agreed, "", versions);
    }
}

/* Adds on which hardware it was seen: by a kernel of ours, or by others. */
static void add_hardware(const struct provenance *provenance, bool is_emulated,
                         struct claim *claim) {
    const struct evidence *gpu = provenance_find(provenance, "gpu");
    const struct evidence *published = provenance_find(provenance, "published");
    if (gpu)
        add(claim->seen, sizeof claim->seen, "; ", gpu->with);
    if (gpu && is_emulated)
        add(claim->seen, sizeof claim->seen, ", ", "emulated");
    if (published) {
        add(claim->seen, sizeof claim->seen, "; ", "published: ");
        add(claim->seen, sizeof claim->seen, "", published->with);
    }
    claim->is_published = published && !gpu;
    claim->is_emulated = gpu && is_emulated;
    claim->is_seen = gpu || published;
}

/* The architecture's bit among all. */
static uint32_t bit_of(unsigned arch) {
    uint32_t bit = 1;
    for (uint32_t a = 0; mapping_arch_at(a) && mapping_arch_at(a)->number != arch; a++)
        bit <<= 1;
    return bit;
}

/* True if no tensor core of the architecture does the whole product by itself. */
static bool is_emulated_on(size_t index, unsigned arch) {
    const struct assembled_archs *archs = &recorded_archs[index];
    return archs->emulated & ~archs->native & bit_of(arch);
}

/* Says that it was not seen, and of a statement which device has shown the same elsewhere. */
static void add_unseen(const struct confirmation *confirmation, size_t index, struct claim *claim) {
    const char *end = is_emulated_on(index, confirmation->arch) ? ", emulated" : "";
    snprintf(claim->seen, sizeof claim->seen, "not verified on hardware");
    claim->is_elsewhere = confirmation->arch != 0;
    if (claim->is_elsewhere)
        snprintf(claim->seen, sizeof claim->seen,
                 "not verified on hardware; the same as on sm_%u: %s%s", confirmation->arch,
                 confirmation->with, end);
}

/* Adds what the PTX ISA and others state, and that the program has more to say of it. */
static void add_statements(const struct mapping_fragment *fragment, struct claim *claim) {
    char section[ISA_TEXT];
    if (fragment->bases) {
        isa_section(fragment, section);
        add(claim->agreed, sizeof claim->agreed, "; ", section);
    }
    if (fragment->agrees)
        add(claim->agreed, sizeof claim->agreed, "; ", fragment->agrees);
    if (fragment->note)
        add(claim->agreed, sizeof claim->agreed, "; ", "with a note");
}

/* Adds which ptxas emulates the product with code that gives it, when it is executed. */
static void add_emulations(const char *name, struct claim *claim) {
    static const char label[] = "# source: ";
    char line[MAPPING_NAME_SIZE + 2], version[64];
    const char *separator = "; the code that emulates it, by ";
    snprintf(line, sizeof line, "\n%s\n", name);
    if (!strstr(recorded_emulated, line))
        return;
    for (const char *at = strstr(recorded_emulated, label); at; at = strstr(at + 1, label)) {
        const char *start = at + sizeof label - 1;
        snprintf(version, sizeof version, "%.*s", (int)strcspn(start, ","), start);
        add(claim->agreed, sizeof claim->agreed, separator, version);
        separator = ", ";
    }
}

/* Finds which device has shown what is stated, on whatever architecture. */
static enum mapping_status confirm(const struct mapping_fragment *fragment,
                                   struct confirmation *confirmation, struct mapping_error *error) {
    struct observation observed = {.fragment = *fragment};
    *confirmation = (struct confirmation){.arch = 0};
    if (!fragment->bases)
        return MAPPING_OK;
    enum mapping_status status = mapping_fragment_state(fragment, &observed.layout, error);
    if (status == MAPPING_OK)
        status = recorded_confirm(&observed, error);
    *confirmation = observed.confirmation;
    observation_free(&observed);
    return status;
}

static struct claim claim_of(const struct mapping_fragment *fragment, size_t index, unsigned arch,
                             const struct confirmation *confirmation) {
    struct claim claim = {.seen = ""};
    char name[MAPPING_NAME_SIZE];
    size_t count;
    mapping_fragment_name(fragment, name);
    const struct recorded_section *sections = recorded_find(fragment, &count);
    for (size_t n = 0; n < count; n++) {
        struct provenance provenance;
        if (sections[n].arch != arch || !recorded_provenance(&sections[n], NULL, &provenance))
            continue;
        add_hardware(&provenance, is_emulated_on(index, arch), &claim);
        add_assemblers(&provenance, &claim);
    }
    if (!claim.is_seen)
        add_unseen(confirmation, index, &claim);
    add_statements(fragment, &claim);
    add_emulations(name, &claim);
    return claim;
}

/* ---- Of all ---- */

/* Fragments of one instruction of which the same is known on the same architectures. */
struct group {
    enum mapping_instruction instruction;
    uint32_t archs; /* bit n for mapping_arch_at(n) */
    struct claim claim;
    struct braces names; /* owned */
    size_t order, count;
};

struct groups {
    struct group *group;
    size_t count, room;
};

static void groups_free(struct groups *groups) {
    for (size_t g = 0; g < groups->count; g++)
        braces_free(&groups->group[g].names);
    free(groups->group);
}

static bool same_claim(const struct claim *a, const struct claim *b) {
    return strcmp(a->seen, b->seen) == 0 && strcmp(a->agreed, b->agreed) == 0;
}

/* Finds the group, or adds one. NULL if out of memory. */
static struct group *find_group(struct groups *groups, enum mapping_instruction instruction,
                                uint32_t archs, const struct claim *claim) {
    for (size_t g = 0; g < groups->count; g++) {
        struct group *group = &groups->group[g];
        if (group->instruction == instruction && group->archs == archs &&
            same_claim(&group->claim, claim))
            return group;
    }
    struct group *group = array_grow(groups->group, groups->count, 1, &groups->room, sizeof *group);
    if (!group)
        return NULL;
    groups->group = group;
    group += groups->count;
    *group = (struct group){
        .instruction = instruction, .archs = archs, .claim = *claim, .order = groups->count++};
    return group;
}

/* By instruction, then by the first architecture, else as they were found. */
static int by_arch(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    int first = __builtin_ctz(x->archs), second = __builtin_ctz(y->archs);
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    if (first != second)
        return first < second ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Adds a fragment to the groups of its architectures. */
static enum mapping_status add_fragment(struct groups *groups,
                                        const struct mapping_fragment *fragment, size_t index,
                                        struct mapping_error *error) {
    struct confirmation confirmation;
    struct claim claims[MAPPING_ARCHS_MAX];
    uint32_t left = 0, archs;
    char name[MAPPING_NAME_SIZE];
    enum mapping_status status = confirm(fragment, &confirmation, error);
    mapping_fragment_name(fragment, name);
    for (uint32_t a = 0; mapping_arch_at(a) && status == MAPPING_OK; a++)
        if (mapping_fragment_on(fragment, mapping_arch_at(a)->number)) {
            claims[a] = claim_of(fragment, index, mapping_arch_at(a)->number, &confirmation);
            left |= UINT32_C(1) << a;
        }
    for (; left; left &= ~archs) {
        const struct claim *claim = &claims[__builtin_ctz(left)];
        archs = 0;
        for (uint32_t a = 0; a < MAPPING_ARCHS_MAX; a++)
            if (left >> a & 1 && same_claim(&claims[a], claim))
                archs |= UINT32_C(1) << a;
        struct group *group = find_group(groups, fragment->instruction, archs, claim);
        if (!group || !braces_add(&group->names, name))
            return mapping_out_of_memory(error);
        group->count++;
    }
    return status;
}

static enum mapping_status collect(struct groups *groups, struct mapping_error *error) {
    struct mapping_fragment fragment;
    enum mapping_status status = MAPPING_OK;
    for (size_t index = 0; status == MAPPING_OK && mapping_catalogue_at(index, &fragment); index++)
        status = add_fragment(groups, &fragment, index, error);
    if (groups->count > 0)
        qsort(groups->group, groups->count, sizeof *groups->group, by_arch);
    return status;
}

/* ---- The tables ---- */

static const char preface[] =
    "# What the layouts rest on\n\n"
    "`make evidence` prints this file from the source lines of the others here. It says of every "
    "fragment, on every\narchitecture that has it, on which hardware its layout was seen, and who "
    "else gives the same in every entry.\n\n"
    "| word | what it means |\n"
    "| --- | --- |\n"
    "| NVIDIA H200, nvcc 13.0.88 | a kernel of the `gpu` source, compiled by this nvcc, has shown "
    "it on this device |\n"
    "| emulated | tensor cores of that device do not do the product, or not all of it: what was "
    "seen is what other instructions do in their place, which ptxas chose (`sass.txt`) |\n"
    "| published | others printed it on this hardware, as their text says (`published.txt`) |\n"
    "| not verified on hardware | nobody here has seen it on a device of this architecture, and no "
    "table of others is counted |\n"
    "| the same as on sm_90 | what is stated for all architectures alike was seen there; here it "
    "was not |\n"
    "| ptxas 13.5.37 | the code that this ptxas made of a `wmma.load` or `wmma.store`, executed on "
    "the host by the `sass` source |\n"
    "| the code that emulates it | what ptxas puts in place of a product of Volta from sm_80 on, "
    "executed on the host: it gives the product of fragments with these layouts, so that they fit "
    "each other (`emulated.txt`) |\n"
    "| PTX ISA | what it states: the `isa` source |\n"
    "| CUTLASS, Triton | what these compute, compared when the statement was written and in CI |\n"
    "| with a note | there is more to say, which the program says: often, that others state "
    "something else |\n\n"
    "Names are in braces as in bash: `{a,b}` is a and b, `{8..32..8}` is 8, 16, 24 and 32. Of "
    "tcgen05 the widest stands for\nall, as in `--list`. A fragment on one architecture is *a "
    "pair* here.\n";

/* Prints architectures: "sm_70 to sm_75, sm_90", those between being all that there are. */
static void print_archs(struct printer *to, uint32_t archs) {
    const char *separator = "";
    for (uint32_t a = 0, end; mapping_arch_at(a); a = end + 1) {
        for (end = a; archs >> end & 1;)
            end++;
        if (end == a)
            continue;
        print(to, "%ssm_%u", separator, mapping_arch_at(a)->number);
        if (end - a > 1)
            print(to, "%ssm_%u", end - a > 2 ? " to " : ", ", mapping_arch_at(end - 1)->number);
        separator = ", ";
    }
}

/* How many pairs of an instruction, or of all where it is -1, there are of each kind. */
static void print_sum(struct printer *to, const struct groups *groups, int instruction,
                      const char *name) {
    size_t all = 0, seen = 0, emulated = 0, published = 0, elsewhere = 0;
    for (size_t g = 0; g < groups->count; g++) {
        const struct group *group = &groups->group[g];
        size_t pairs = group->count * (size_t)__builtin_popcount(group->archs);
        if (instruction >= 0 && (int)group->instruction != instruction)
            continue;
        all += pairs;
        seen += group->claim.is_seen && !group->claim.is_published && !group->claim.is_emulated
                    ? pairs
                    : 0;
        emulated += group->claim.is_emulated ? pairs : 0;
        published += group->claim.is_published ? pairs : 0;
        elsewhere += group->claim.is_elsewhere ? pairs : 0;
    }
    print(to, "| %s | %zu | %zu | %zu | %zu | %zu | %zu |\n", name, all, seen, emulated, published,
          elsewhere, all - seen - emulated - published - elsewhere);
}

static void print_sums(struct printer *to, const struct groups *groups) {
    int last = -1;
    print_text(
        to, "\n## How many\n\n"
            "| instruction | pairs | seen on a device | the same, emulated | published | not, but "
            "the same as on sm_90 | not at all |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t g = 0; g < groups->count; g++) {
        int instruction = (int)groups->group[g].instruction;
        if (instruction != last)
            print_sum(to, groups, instruction,
                      mapping_instruction_name(groups->group[g].instruction));
        last = instruction;
    }
    print_sum(to, groups, -1, "all");
}

static void print_groups(struct printer *to, struct groups *groups) {
    int instruction = -1;
    for (size_t g = 0; g < groups->count; g++) {
        struct group *group = &groups->group[g];
        if ((int)group->instruction != instruction) {
            instruction = (int)group->instruction;
            print(to, "\n## %s\n\n", mapping_instruction_name(group->instruction));
            print_text(to, "| fragments | | architectures | on hardware | the same by |\n"
                           "| --- | ---: | --- | --- | --- |\n");
        }
        braces_merge(&group->names);
        print_text(to, "| ");
        braces_print(&group->names, to);
        print(to, " | %zu | ", group->count);
        print_archs(to, group->archs);
        print(to, " | %s | %s |\n", group->claim.seen, group->claim.agreed);
    }
}

/* Prints what the source lines of results/shared.txt say, of each atom. */
static void print_shared(struct printer *to) {
    static const char header[] = "# ", label[] = "# source: ";
    print_text(to, "\n## Matrices in shared memory\n\n"
                   "| atom | source |\n| --- | --- |\n");
    for (const char *line = recorded_shared; *line; line += strcspn(line, "\n"), line += *line != 0)
        if (strncmp(line, label, sizeof label - 1) == 0)
            print(to, " | %.*s |\n", (int)(strcspn(line, "\n") - sizeof label + 1),
                  line + sizeof label - 1);
        else if (strncmp(line, header, sizeof header - 1) == 0)
            print(to, "| `%.*s`", (int)(strcspn(line, "\n") - sizeof header + 1),
                  line + sizeof header - 1);
}

/* ---- Tools ---- */

/* Prints each pair of ptxas and nvdisasm that made the code of some section. */
static void print_tools(struct printer *to) {
    struct provenance all = {.count = 0};
    print_text(to, "\n## Tools\n\n"
                   "Each ptxas was read by an nvdisasm. Of wmma it was:\n\n");
    for (uint32_t n = 0; n < recorded_index_count; n++) {
        struct provenance provenance, sass = {.count = 0};
        if (!recorded_provenance(&recorded_index[n], "sass", &provenance))
            continue;
        for (unsigned e = 0; e < provenance.count; e++)
            if (strcmp(provenance.evidence[e].kind, "sass") == 0)
                provenance_add(&sass, "sass", provenance.evidence[e].with);
        provenance_merge(&all, &sass);
    }
    for (unsigned e = 0; e < all.count; e++)
        print(to, "- %s\n", all.evidence[e].with);
    print_text(to, "\nWhat is native and what is emulated was found with:\n\n");
    static const char label[] = "# source: ";
    for (const char *line = strstr(recorded_assembled, label); line;
         line = strstr(line + 1, label)) {
        size_t length = strcspn(line, "\n") - (sizeof label - 1);
        print(to, "- %.*s\n", (int)length, line + sizeof label - 1);
    }
}

int main(void) {
    struct groups groups = {.count = 0};
    struct printer text = {.text = NULL};
    struct mapping_error error;
    enum mapping_status status = collect(&groups, &error);
    if (status == MAPPING_OK) {
        print_text(&text, preface);
        print_sums(&text, &groups);
        print_groups(&text, &groups);
        print_shared(&text);
        print_tools(&text);
        if (text.failed)
            status = mapping_out_of_memory(&error);
    }
    if (status == MAPPING_OK && printer_write(&text, 1) != 0)
        status = mapping_fail(&error, MAPPING_FAILED, "standard output could not be written");
    if (status != MAPPING_OK)
        fprintf(stderr, "evidence: %s\n", error.message);
    groups_free(&groups);
    printer_free(&text);
    return (int)status;
}
