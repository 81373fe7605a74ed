#pragma once
// Counts and costs of a run's requests to language models, and the uses of the answers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// Answers of one model.
struct ModelBill {
  std::string model;  ///< as the provider names it, else as requested; "" = neither is known
  std::int64_t answers = 0;
  std::int64_t estimated = 0;  ///< answers with some tokens that were estimated
  std::int64_t input_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< part of the input
  std::int64_t output_tokens = 0;
  double dollars = 0;
  ModelBill& operator+=(const ModelBill& other);
};

struct LlmBill {
  std::vector<ModelBill> models;  ///< by name
  std::int64_t kernels = 0;       ///< conversations that gave a kernel
  std::int64_t fruitless = 0;     ///< conversations that gave none
  /// Unusable answers, by reason. Under the key "asked_again": those after which the model was told
  /// what is wrong and asked once more.
  std::map<std::string, std::int64_t> unusable;
  std::int64_t reasoning_only = 0;  ///< answers without text after some reasoning
  /// The first prompt of which the provider read far less than was sent, in tokens; 0 = none.
  std::int64_t read_tokens = 0;
  std::int64_t sent_tokens = 0;

  /// Sum over all models.
  ModelBill total() const;
  /// Whether models answered, and no answer was of use.
  bool all_unusable() const { return !models.empty() && kernels == 0 && fruitless > 0; }
};

/// Empty for a run that asked no model.
Result<LlmBill> llm_bill(const RunReader& reader);

/// A warning that a provider read only part of a prompt, as counted in tokens.
std::string cut_prompt_text(std::int64_t read_tokens, std::int64_t sent_tokens);

}  // namespace ke
