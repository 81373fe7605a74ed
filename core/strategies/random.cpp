// Random search: after the seeds every step draws an operator without parents. The baseline that
// every other strategy has to beat at equal budget (best-of-N).

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class RandomSearch final : public Strategy {
 public:
  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (static_cast<std::size_t>(view.step) < view.seeds) return {"seed_source", {}};
    return fresh(view, random);
  }
  void tell(const Commit&) override {}
};

}  // namespace

std::unique_ptr<Strategy> make_random_strategy(Params&) { return std::make_unique<RandomSearch>(); }

}  // namespace ke
