#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {

/// One prompt whose behaviour follows from its context, after the universal operator of [Liao2025].
/// Theirs is an agent loop with tools; this one asks once. Needs one parent.
std::unique_ptr<Operator> make_universal_oneshot_operator(Params& params) {
  return std::make_unique<LlmOperator>(params, "universal", AnswerFormat::rewrite, 1);
}

}  // namespace ke
