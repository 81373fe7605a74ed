#pragma once
// The table of providers, which answer the operators' requests.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/llm_client.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

class LlmBudget;
struct LlmEndpoint;

/// A provider's environment, since libraries do not read environment variables themselves.
struct LlmWorld {
  /// The value of an environment variable; nothing when it is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  LlmBudget* budget = nullptr;  ///< the run's; outlives the client; null = no limits
  std::string run_folder = {};  ///< base of relative folders in options; "" = the working folder
  /// Exchanges of earlier sessions of the run; null = none.
  std::function<Result<std::vector<Exchange>>()> answered = nullptr;
};

using ProviderFactory = std::unique_ptr<LlmClient> (*)(Params&, const LlmWorld&);

/// All providers, sorted by name.
std::span<const Component<ProviderFactory>> llm_providers();

/// Reads `kind` and its options. Errors are logged; an unknown kind gives null.
std::unique_ptr<LlmClient> make_llm_client(Params& params, const LlmWorld& world);

/// Endpoints of the models that operators may ask, with prices and limits, without those to fall
/// back on; empty for kinds without prices. Reads the options of the section `llm`.
std::vector<LlmEndpoint> asked_models(Params& params);

#define KE_PROVIDER(name, doc) \
  std::unique_ptr<LlmClient> make_##name##_provider(Params& params, const LlmWorld& world);
#include "operators/llm/providers/providers.def"
#undef KE_PROVIDER

}  // namespace ke
