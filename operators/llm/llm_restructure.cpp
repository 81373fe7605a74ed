#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Shows a model one kernel with what is known of it, and asks for a whole kernel of another
/// algorithmic structure that keeps what the parent taught. Beside llm_mutation, which asks for a
/// small edit, so that selection credits the two apart. Needs one parent.
class LlmRestructure final : public LlmOperator {
 public:
  explicit LlmRestructure(Params& params)
      : LlmOperator(params, "restructure", AnswerFormat::rewrite) {}
  int arity() const override { return 1; }
};

}  // namespace

std::unique_ptr<Operator> make_llm_restructure_operator(Params& params) {
  return std::make_unique<LlmRestructure>(params);
}

}  // namespace ke
