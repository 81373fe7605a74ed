#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {

/// Shows a model one kernel with its results, and asks for a complete kernel with another
/// algorithmic structure that uses the lessons of the parent. Separate from llm_mutation, which
/// asks for a small edit, so that selection credits the two separately. Needs one parent.
std::unique_ptr<Operator> make_llm_restructure_operator(Params& params) {
  return std::make_unique<LlmOperator>(params, "restructure", AnswerFormat::rewrite, 1);
}

}  // namespace ke
