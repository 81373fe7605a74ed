#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Shows a model two kernels with their times and asks for one that combines their strengths. Needs
/// two parents, which the strategy takes from different cells.
class LlmCrossover final : public LlmOperator {
 public:
  explicit LlmCrossover(Params& params) : LlmOperator(params, "crossover", AnswerFormat::rewrite) {}
  int arity() const override { return 2; }
};

}  // namespace

std::unique_ptr<Operator> make_llm_crossover_operator(Params& params) {
  return std::make_unique<LlmCrossover>(params);
}

}  // namespace ke
