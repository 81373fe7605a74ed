#pragma once
// The table of providers: who answers the requests of operators.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/llm_client.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

class LlmBudget;

/// What a provider needs of its surroundings. Libraries read no environment by themselves.
struct LlmWorld {
  /// The value of an environment variable; nothing when it is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  LlmBudget* budget = nullptr;  ///< of the run; outlives the client; null = no limits
  std::string run_folder =
      {};  ///< relative folders of options are below it; "" = the working folder
  /// What earlier sessions of the run were answered; null = nothing.
  std::function<Result<std::vector<Exchange>>()> answered = nullptr;
};

using ProviderFactory = std::unique_ptr<LlmClient> (*)(Params&, const LlmWorld&);

/// All providers, sorted by name.
std::span<const Component<ProviderFactory>> llm_providers();

/// Reads `kind` and the options of that kind. Wrong options are logged; a kind that is not there
/// gives null.
std::unique_ptr<LlmClient> make_llm_client(Params& params, const LlmWorld& world);

#define KE_PROVIDER(name, doc) \
  std::unique_ptr<LlmClient> make_##name##_provider(Params& params, const LlmWorld& world);
#include "operators/llm/providers/providers.def"
#undef KE_PROVIDER

}  // namespace ke
