#include "operators/registry.hpp"

namespace ke {
namespace {

constexpr int tries = 100;

/// Uniform crossover [Syswerda1989]: each knob and each flag gene comes from either parent with
/// equal chance. Needs two parents of one source. Answers NoChild{different_sources}, or
/// NoChild{unchanged} when no admitted mixture differs from both parents.
class KnobCrossover final : public Operator {
 public:
  int arity() const override { return 2; }

  Outcome start(std::span<const Parent> parents, const Context&,
                RandomStream& random) const override {
    const Candidate& mother = *parents[0].candidate;
    const Candidate& father = *parents[1].candidate;
    if (mother.kernel.source != father.kernel.source) return NoChild{"different_sources"};
    for (int i = 0; i < tries; ++i) {
      Kernel child = mother.kernel;
      for (auto& [name, value] : child.knobs) {
        if (random.below(2) == 1) value = father.kernel.knobs.at(name);
      }
      for (std::size_t g = 0; g < child.flags.size(); ++g) {
        if (random.below(2) == 1) child.flags[g] = father.kernel.flags[g];
      }
      const Digest hash = child.genome_hash();
      const bool differs = hash != mother.genome_hash && hash != father.genome_hash;
      if (differs && mother.space && mother.space->admits(child)) return child;
    }
    return NoChild{"unchanged"};
  }
};

}  // namespace

std::unique_ptr<Operator> make_knob_crossover_operator(Params&) {
  return std::make_unique<KnobCrossover>();
}

}  // namespace ke
