#pragma once
// Parameters that a model accepts. An unknown model gets none that it could reject.

#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct ModelTraits {
  /// Accepted settings: temperature, top_p, top_k, seed, effort, or any other name, sent unchanged.
  std::vector<std::string> accepts;
  /// Name of the output token limit in openai_chat.
  std::string max_tokens_name = "max_completion_tokens";
  bool native_tools = true;  ///< send tools in the request's own field; else only in the prompt
  bool takes(std::string_view setting) const;
  /// Records that a setting was rejected.
  void drop(std::string_view setting);
};

/// Traits of the longest known prefix of the model's name.
ModelTraits traits_of(std::string_view model);

}  // namespace ke
