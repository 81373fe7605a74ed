#include <algorithm>

#include "operators/registry.hpp"

namespace ke {
namespace {

constexpr int crossover_tries = 100;

/// What both parents give: the genes of one point.
struct Genes {
  Positions knobs;
  std::vector<std::string> flags;
  friend bool operator==(const Genes&, const Genes&) = default;
};

/// Knobs in order of their names: the order in which genes are drawn.
std::vector<std::size_t> by_name(const std::vector<Knob>& knobs) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < knobs.size(); ++k) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return knobs[a].name < knobs[b].name; });
  return order;
}

/// Uniform crossover [Syswerda1989]: each knob and each flag gene comes from either parent with
/// equal chance; mixtures that the run has seen are passed over. Needs two parents of one source.
/// Answers NoChild{different_sources}, NoChild{unchanged} when no admitted mixture differs from
/// both parents, or NoChild{all_seen} when no new one does.
class KnobCrossover final : public Operator {
 public:
  int arity() const override { return 2; }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const Candidate& mother = *parents[0].candidate;
    const Candidate& father = *parents[1].candidate;
    if (mother.kernel.source != father.kernel.source) return NoChild{"different_sources"};
    const bool comparable = mother.space && mother.space->declares(mother.kernel) &&
                            mother.space->declares(father.kernel);
    if (!comparable) return NoChild{"unchanged"};
    const KernelSpace& space = *mother.space;
    const Genes hers{space.positions(mother.kernel), mother.kernel.flags};
    const Genes his{space.positions(father.kernel), father.kernel.flags};
    const std::vector<std::size_t> order = by_name(space.knobs);
    bool met_any = false;
    for (int i = 0; i < crossover_tries; ++i) {
      Genes mixed = hers;
      for (const std::size_t k : order) {
        if (random.below(2) == 1) mixed.knobs[k] = his.knobs[k];
      }
      for (std::size_t g = 0; g < mixed.flags.size(); ++g) {
        if (random.below(2) == 1) mixed.flags[g] = his.flags[g];
      }
      // Most tries end here or at the constraints; hashing comes last, since it costs the most.
      if (mixed == hers || mixed == his || !space.admits(mixed.knobs)) continue;
      Kernel child = space.at(mixed.knobs, mother.kernel);
      child.flags = std::move(mixed.flags);
      const Digest hash = child.genome_hash();
      if (hash == mother.genome_hash || hash == father.genome_hash) continue;
      if (context.seen == nullptr || !context.seen->contains(hash)) return child;
      met_any = true;
    }
    return NoChild{met_any ? "all_seen" : "unchanged"};
  }
};

}  // namespace

std::unique_ptr<Operator> make_knob_crossover_operator(Params&) {
  return std::make_unique<KnobCrossover>();
}

}  // namespace ke
