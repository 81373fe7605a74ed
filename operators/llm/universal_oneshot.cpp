#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// One prompt whose behaviour follows from its context, after the universal operator of [Liao2025].
/// Theirs is an agent loop with tools; this one asks once. Needs one parent.
class UniversalOneshot final : public LlmOperator {
 public:
  explicit UniversalOneshot(Params& params)
      : LlmOperator(params, "universal", AnswerFormat::rewrite) {}
  int arity() const override { return 1; }
};

}  // namespace

std::unique_ptr<Operator> make_universal_oneshot_operator(Params& params) {
  return std::make_unique<UniversalOneshot>(params);
}

}  // namespace ke
