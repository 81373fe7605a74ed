#pragma once
// What a model takes beside its prompt. An unknown model is sent nothing that could be refused.

#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct ModelTraits {
  /// Settings that are sent on: temperature, top_p, top_k, seed, effort, or any name as it is.
  std::vector<std::string> accepts;
  /// Name of the limit of output tokens in openai_chat.
  std::string max_tokens_name = "max_completion_tokens";
  bool native_tools =
      true;  ///< tools go into the request's own field; else only the prompt names them
  bool takes(std::string_view setting) const;
  /// Remembers that a setting was refused.
  void drop(std::string_view setting);
};

/// Traits of the longest known prefix of a model's name.
ModelTraits traits_of(std::string_view model);

}  // namespace ke
