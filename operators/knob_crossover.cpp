#include "operators/registry.hpp"

namespace ke {
namespace {

constexpr int crossover_tries = 100;

bool same_genes(const Kernel& a, const Kernel& b) {
  return a.knobs == b.knobs && a.flags == b.flags;
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
    bool met_any = false;
    Kernel child = mother.kernel;  // its source is copied once, not for each try
    for (int i = 0; i < crossover_tries; ++i) {
      child.knobs = mother.kernel.knobs;
      child.flags = mother.kernel.flags;
      for (auto& [name, value] : child.knobs) {
        if (random.below(2) == 1) value = father.kernel.knobs.at(name);
      }
      for (std::size_t g = 0; g < child.flags.size(); ++g) {
        if (random.below(2) == 1) child.flags[g] = father.kernel.flags[g];
      }
      // Most tries end here or at the constraints; hashing comes last, since it costs the most.
      if (same_genes(child, mother.kernel) || same_genes(child, father.kernel)) continue;
      if (!mother.space || !mother.space->admits(child)) continue;
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
