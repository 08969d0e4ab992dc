// layouts.cc - libmapping from C++20: a context that closes itself, and tables as std::span.
// It prints which bank each lane of an ldmatrix.x4 reads first, and who holds a column.
#include <mapping.h>

#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

class Mapping {
  public:
    Mapping() : context(mapping_open(nullptr), mapping_close) {
        if (!context)
            throw std::bad_alloc();
    }

    // Asks in the words of the command line.
    const mapping_answer *ask(const std::vector<const char *> &words) {
        const mapping_answer *answer = nullptr;
        mapping_ask(context.get(), words.size(), words.data(), &answer);
        if (!answer)
            throw std::runtime_error(mapping_message(context.get()));
        return answer;
    }

  private:
    std::unique_ptr<mapping, void (*)(mapping *)> context;
};

// The table of one axis of a layout.
static std::span<const std::uint32_t> values(const mapping_layout *layout, const char *axis) {
    const std::uint32_t *table = mapping_layout_values(layout, axis);
    return {table, table ? mapping_layout_size(layout) : 0};
}

int main() try {
    Mapping mapping;

    const mapping_answer *plans =
        mapping.ask({"Sw<3,3,3> o 0 o (64,64):(64,1)", "--type=f16", "--load=mma.m16n8k16.a.f16"});
    const mapping_item *best = mapping_answer_item(plans, 0);
    std::uint64_t wavefronts = 0;
    mapping_item_number(best, MAPPING_WAVEFRONTS, &wavefronts);
    std::printf("%s: %u wavefronts\n", mapping_item_text(best, MAPPING_OPERATION),
                unsigned(wavefronts));
    for (std::uint32_t address :
         values(mapping_item_layout(best, MAPPING_FORWARD), "address").first(4))
        std::printf("byte %u, bank %u\n", unsigned(address), unsigned(address / 4 % 32));

    const mapping_answer *fragment = mapping.ask({"mma.m16n8k16.b.f16", "--arch=sm_90"});
    const mapping_layout *layout =
        mapping_item_layout(mapping_answer_item(fragment, 0), MAPPING_FORWARD);
    unsigned held = 0;
    for (std::uint32_t col : values(layout, MAPPING_AXIS_COL))
        held += col == 5;
    std::printf("column 5 of B: %u elements\n", held);

    try {
        mapping.ask({"mma.m16n8k17"});
    } catch (const std::runtime_error &error) {
        std::printf("refused: %.17s...\n", error.what());
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "layouts: %s\n", error.what());
    return 1;
}
