#include "operators/registry.hpp"

namespace ke {
namespace {

/// Proposes the task's seed kernels at their defaults, in turn by step. Needs no parent. Answers
/// NoChild{no_seeds} when the task has none.
class SeedSource final : public Operator {
 public:
  int arity() const override { return 0; }
  bool stays_in_spaces() const override { return true; }
  Outcome start(std::span<const Parent>, const Context& context, RandomStream&) const override {
    if (context.seeds.empty()) return NoChild{"no_seeds"};
    const auto turn = static_cast<std::size_t>(context.id.step + context.id.slot);
    return context.seeds[turn % context.seeds.size()].kernel;
  }
};

}  // namespace

std::unique_ptr<Operator> make_seed_source_operator(Params&) {
  return std::make_unique<SeedSource>();
}

}  // namespace ke
