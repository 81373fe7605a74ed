#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {

/// Asks a model for a kernel from the task alone; a working kernel shows the parameters. Needs no
/// parent.
std::unique_ptr<Operator> make_llm_draft_operator(Params& params) {
  return std::make_unique<LlmOperator>(params, "draft", AnswerFormat::rewrite, 0, 1,
                                       HintUse::carried);
}

}  // namespace ke
