#include "operators/registry.hpp"

namespace ke {
namespace {

/// Draws a point uniformly from the space of a uniformly drawn seed kernel. Needs no parent.
/// Answers NoChild{no_seeds} or NoChild{constraints} when no admitted point was met.
class RandomRestart final : public Operator {
 public:
  int arity() const override { return 0; }
  Outcome start(std::span<const Parent>, const Context& context,
                RandomStream& random) const override {
    if (context.seeds.empty()) return NoChild{"no_seeds"};
    const Seed& seed = context.seeds[random.below(context.seeds.size())];
    auto kernel = seed.space->sample(seed.kernel, random);
    if (!kernel) return NoChild{"constraints"};
    return *std::move(kernel);
  }
};

}  // namespace

std::unique_ptr<Operator> make_random_restart_operator(Params&) {
  return std::make_unique<RandomRestart>();
}

}  // namespace ke
