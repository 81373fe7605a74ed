#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Asks a model for a kernel from the task alone; a working kernel shows the parameters. Needs no
/// parent.
class LlmDraft final : public LlmOperator {
 public:
  explicit LlmDraft(Params& params) : LlmOperator(params, "draft", AnswerFormat::rewrite) {}
  int arity() const override { return 0; }
};

}  // namespace

std::unique_ptr<Operator> make_llm_draft_operator(Params& params) {
  return std::make_unique<LlmDraft>(params);
}

}  // namespace ke
