// Frozen parents: the task's seed kernels are judged, then each is varied in its turn, over and
// over; nothing that comes of it is ever a parent. Islands that differ in one setting of an
// operator then answer the same questions, and their children are compared pair by pair: what one
// step gains, without the trajectories that searches take ("trajectory freezing").
//   step t < seeds: seed t
//   later:          seed (t - seeds) mod seeds, by an operator of one parent when it was judged ok,
//                   else by one that repairs (arity 0, told which kernel failed)
// With a lag below the number of seeds every kernel is judged by its turn; one that is not, or that
// no operator suits, gives its turn to a fresh start.

#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class Frozen final : public Strategy {
 public:
  Proposal ask(const IslandView& view, RandomStream& random) override {
    const auto step = static_cast<std::size_t>(view.step);
    if (step < view.seeds) return {"seed_source", {}};
    const std::size_t turn = view.seeds == 0 ? 0 : (step - view.seeds) % view.seeds;
    if (turn >= judged_.size() || judged_[turn]->outcome == OutcomeKind::no_child) {
      return fresh(view, random);
    }
    return vary_frozen(view, judged_[turn], random);
  }

  void tell(const Told& told) override {
    if (told.candidate->operator_name == "seed_source") judged_.push_back(told.candidate);
  }

 private:
  static Proposal vary_frozen(const IslandView& view, const CandidatePtr& parent,
                              RandomStream& random) {
    const bool failed = parent->evaluation.verdict != Verdict::ok;
    std::vector<OperatorChoice> fitting;
    for (const OperatorChoice& choice : view.operators) {
      const bool is_seed = choice.name == "seed_source";
      if (choice.arity == (failed ? 0 : 1) && !is_seed) fitting.push_back(choice);
    }
    const OperatorChoice* choice = draw_operator(fitting, 1, random);
    if (choice == nullptr) return fresh(view, random);
    return {choice->name, {{parent, failed ? ParentRole::failed : ParentRole::parent}}};
  }

  std::vector<CandidatePtr> judged_;  ///< seeds in the order of their steps
};

}  // namespace

std::unique_ptr<Strategy> make_frozen_strategy(Params&) { return std::make_unique<Frozen>(); }

}  // namespace ke
