#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

AnswerFormat format_of(Params& params) {
  const std::string format =
      params.choice("format", "diff", {"diff", "rewrite"}, "blocks of changes, or the whole file");
  return format == "diff" ? AnswerFormat::diff : AnswerFormat::rewrite;
}

/// Shows a model one kernel with the results of judge and island, and asks for a faster one, as in
/// [Novikov2025]. Needs one parent. Never waits: the answer may take days.
class LlmMutation final : public LlmOperator {
 public:
  explicit LlmMutation(Params& params) : LlmMutation(params, format_of(params)) {}
  int arity() const override { return 1; }

 private:
  LlmMutation(Params& params, AnswerFormat format)
      : LlmOperator(params, format == AnswerFormat::diff ? "mutation_diff" : "mutation_rewrite",
                    format) {}
};

}  // namespace

std::unique_ptr<Operator> make_llm_mutation_operator(Params& params) {
  return std::make_unique<LlmMutation>(params);
}

}  // namespace ke
