#include "operators/llm/llm_operator.hpp"
#include "operators/registry.hpp"

namespace ke {

/// Shows a model one kernel with the results of judge and island, and asks for a faster one, as in
/// [Novikov2025]. Needs one parent. Never waits: the answer may take days.
std::unique_ptr<Operator> make_llm_mutation_operator(Params& params) {
  const bool diff = params.choice("format", "diff", {"diff", "rewrite"},
                                  "blocks of changes, or the whole file") == "diff";
  return std::make_unique<LlmOperator>(params, diff ? "mutation_diff" : "mutation_rewrite",
                                       diff ? AnswerFormat::diff : AnswerFormat::rewrite, 1, 1,
                                       HintUse::carried);
}

}  // namespace ke
