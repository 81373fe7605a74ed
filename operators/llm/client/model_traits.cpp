#include "operators/llm/client/model_traits.hpp"

#include <algorithm>

namespace ke {
namespace {

struct TraitsRow {
  std::string_view prefix;
  std::vector<std::string> accepts;
  std::string_view max_tokens_name;
};

const std::vector<TraitsRow>& traits_table() {
  // Reasoning models and Claude since 4.7 reject sampling parameters, even their defaults.
  static const std::vector<TraitsRow> rows{
      {"gpt-3.5", {"temperature", "top_p", "seed"}, "max_tokens"},
      {"gpt-4", {"temperature", "top_p", "seed"}, "max_tokens"},
      {"gpt-5", {"effort"}, "max_completion_tokens"},
      {"o3", {"effort"}, "max_completion_tokens"},
      {"o4", {"effort"}, "max_completion_tokens"},
      {"claude-3", {"temperature", "top_p", "top_k"}, ""},
      {"gemini-", {"temperature", "top_p", "top_k", "seed"}, ""},
  };
  return rows;
}

}  // namespace

bool ModelTraits::takes(std::string_view setting) const {
  return std::find(accepts.begin(), accepts.end(), setting) != accepts.end();
}

void ModelTraits::drop(std::string_view setting) { std::erase(accepts, setting); }

ModelTraits traits_of(std::string_view model) {
  const TraitsRow* best = nullptr;
  for (const TraitsRow& row : traits_table()) {
    const bool longer = best == nullptr || row.prefix.size() > best->prefix.size();
    if (model.starts_with(row.prefix) && longer) best = &row;
  }
  ModelTraits traits;
  if (best == nullptr) return traits;
  traits.accepts = best->accepts;
  if (!best->max_tokens_name.empty()) traits.max_tokens_name = best->max_tokens_name;
  return traits;
}

}  // namespace ke
