// Frozen parents: the task's seed kernels are judged, then varied in turn, repeatedly; children
// never become parents. Islands that differ in one operator setting then vary the same parents, so
// their children can be compared in pairs: this measures the gain of one step without the search's
// trajectory ("trajectory freezing").
//   step t < seeds: seed t
//   later:          seed (t - seeds) mod seeds; by an operator with one parent if it was judged ok,
//                   otherwise by one that repairs (arity 0, given the failed kernel)
// With a lag below the number of seeds every kernel is judged before its turn. If one is not, or no
// operator suits it, its turn goes to a fresh start.

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

  void tell(const Commit& told) override {
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

  std::vector<CandidatePtr> judged_;  ///< seeds in order of their steps
};

}  // namespace

std::unique_ptr<Strategy> make_frozen_strategy(Params&) { return std::make_unique<Frozen>(); }

}  // namespace ke
