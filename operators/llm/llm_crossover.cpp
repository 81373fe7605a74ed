#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {

/// Shows a model two kernels with their times and asks for one that combines their strengths. Needs
/// two parents, which the strategy takes from different cells.
std::unique_ptr<Operator> make_llm_crossover_operator(Params& params) {
  return std::make_unique<LlmOperator>(params, "crossover", AnswerFormat::rewrite, 2);
}

}  // namespace ke
