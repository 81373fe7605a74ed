#pragma once
// What operators that ask a language model have in common: prompt, answer, another try.

#include "operators/llm/knowledge.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// What a model's answer is: blocks of changes to the first parent, or a whole file.
enum class AnswerFormat { diff, rewrite };

/// Asks once, turns the answer into a kernel, and asks again when the answer cannot be used:
///   start:  sections of the scene, perhaps knowledge -> prompt -> Request
///   resume: reply -> source -> declarations -> Kernel
///           or, while `retries` last, the conversation goes on with what was wrong with the answer
///           or NoChild{reason of reply, patch or declarations} with a message
/// With `new_code` a child is unusable (`reintroduced`) that equals a judged kernel of the island
/// but for comments and white space, or whose added lines are all lines that its ancestors had.
/// The child keeps knobs and flags of its base where it declares them alike. Holds no thread: its
/// state is text. Model replies are data: nothing in them but the kernel is used.
class LlmOperator : public Operator {
 public:
  /// `name` of the template with the operator's prompt.
  LlmOperator(Params& params, std::string_view prompt, AnswerFormat format,
              std::int64_t retries = 1);

  bool learns() const override { return true; }
  bool asks() const override { return true; }
  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override;
  Outcome resume(std::string_view state, const Exchange& exchange, std::span<const Parent> parents,
                 const Context& context, RandomStream& random) const override;

 protected:
  /// What a child descends from: the first parent, or else the seed that prompts show.
  static const Kernel& base_of(std::span<const Parent> parents, const Context& context);
  /// Answers that cannot be used before it gives up.
  std::int64_t retries() const { return retries_; }

 private:
  Outcome ask_again(const NoChild& why, const Exchange& exchange, std::string_view state,
                    const Language& language) const;

  std::string prompt_;
  AnswerFormat format_;
  std::int64_t retries_;
  std::int64_t max_output_tokens_;
  std::string model_;
  bool new_code_;  ///< whether code that the island had before is refused
  PromptSections sections_;
  Knowledge knowledge_;
};

}  // namespace ke
