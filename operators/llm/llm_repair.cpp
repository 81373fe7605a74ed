#include <algorithm>

#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Whether a change of the source may fix the failure.
bool is_curable(const Candidate& c) {
  switch (c.evaluation.verdict) {
    case Verdict::compile_error:
    case Verdict::compile_limit:
    case Verdict::load_error:
    case Verdict::runtime_error:
    case Verdict::resource_limit:
    case Verdict::wrong_result: return true;
    default: return false;
  }
}

/// Shows a model the newest failed kernel of the island with its diagnostics, and asks for a small
/// change that fixes it. Chooses its parent itself; each kernel is repaired once, and so is a
/// repair that failed. NoChild{nothing_to_repair} when none is left.
class LlmRepair final : public LlmOperator {
 public:
  explicit LlmRepair(Params& params) : LlmOperator(params, "repair", AnswerFormat::diff, 0) {}

  bool can_start(const Context& context, const Candidate*) const override {
    return !own_parents(context).empty();
  }

  std::vector<Parent> own_parents(const Context& context) const override {
    const auto& judged = context.judged;
    for (std::size_t i = judged.size(); i-- > 0;) {
      if (is_curable(*judged[i]) && !was_repaired(judged[i]->id, judged)) {
        return {{judged[i], ParentRole::failed}};
      }
    }
    return {};
  }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    if (parents.empty()) return NoChild{"nothing_to_repair"};
    return LlmOperator::start(parents, context, random);
  }

 private:
  static bool was_repaired(const LogicalId& id, std::span<const CandidatePtr> judged) {
    return std::ranges::any_of(judged, [&](const CandidatePtr& c) {
      return std::ranges::any_of(c->ancestors, [&](const Ancestor& ancestor) {
        return ancestor.id == id && ancestor.role == ParentRole::failed;
      });
    });
  }
};

}  // namespace

std::unique_ptr<Operator> make_llm_repair_operator(Params& params) {
  return std::make_unique<LlmRepair>(params);
}

}  // namespace ke
