#pragma once
// Operators that ask a language model: prompt, answer, retries.

#include "operators/llm/knowledge.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// Format of a model's answer: blocks of changes to the first parent, or a complete file.
enum class AnswerFormat { diff, rewrite };

/// Whether an operator's letters carry a hint of the run, if it breeds any.
enum class HintUse { none, carried };

/// Asks once, converts the answer to a kernel, and asks again if the answer is unusable:
///   start:  sections of the scene, optional knowledge -> prompt -> Request
///   resume: reply -> source -> declarations -> Kernel
///           or, while `retries` last, the conversation continues with the error in the answer
///           or NoChild{reason of reply, patch or declarations} with a message
/// With `new_code`, a child is unusable (`reintroduced`) if it equals a judged kernel of the island
/// except for comments and white space, or if its ancestors had all of its added lines. The child
/// keeps the base's knobs and flags that it declares equally. Has no thread: its state is text.
/// Model replies are data: only the kernel in them is used.
class LlmOperator : public Operator {
 public:
  /// `prompt`: name of the template; `retries`: default of the option.
  LlmOperator(Params& params, std::string_view prompt, AnswerFormat format, int arity,
              std::int64_t retries = 1, HintUse hints = HintUse::none);

  int arity() const override { return arity_; }
  bool learns() const override { return true; }
  bool asks() const override { return true; }
  bool takes_hint() const override { return hints_ == HintUse::carried; }
  std::int64_t most_requests() const override { return 1 + retries_; }
  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override;
  Outcome resume(std::string_view state, const Exchange& exchange, std::span<const Parent> parents,
                 const Context& context, RandomStream& random) const override;

 protected:
  /// The outcome of an exchange that failed.
  static NoChild failed_answer(const Exchange& exchange);
  /// The child's origin: the first parent, or else the seed shown in prompts.
  static const Kernel& base_of(std::span<const Parent> parents, const Context& context);
  /// Number of unusable answers before it gives up.
  std::int64_t retries() const { return retries_; }

 private:
  Outcome ask_again(const NoChild& why, const Exchange& exchange, std::string_view state,
                    const Language& language) const;

  std::string prompt_;
  AnswerFormat format_;
  int arity_;
  std::int64_t retries_;
  HintUse hints_;
  std::int64_t max_output_tokens_;
  std::string model_;
  bool new_code_;  ///< whether code that the island had before is rejected
  PromptSections sections_;
  Knowledge knowledge_;
};

}  // namespace ke
