#pragma once
// One model at one address.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operators/llm/client/api_key.hpp"
#include "operators/llm/client/budget.hpp"
#include "operators/llm/client/model_traits.hpp"
#include "operators/llm/client/retry.hpp"
#include "operators/llm/client/transfers.hpp"

namespace ke {

struct LlmEndpoint {
  std::string dialect = "openai_chat";  ///< a name of dialects()
  std::string base_url;                 ///< "" = the provider's own
  std::string model;
  std::string api_version;
  bool stream = true;
  std::int64_t max_output_tokens = 16'384;  ///< for requests that do not say
  ModelTraits traits;
  Price price;
  /// Where the key comes from, asked once, before the first call; null = no key is sent.
  std::function<Result<ApiKey>()> key;
  std::string key_origin = {};  ///< for messages, e.g. "environment variable KEY"
};

struct HttpClientOptions {
  std::vector<LlmEndpoint> endpoints;  ///< in the order in which they are tried
  std::size_t concurrency = 8;
  int tries = 6;  ///< of a call at one endpoint
  Backoff backoff;
  std::chrono::milliseconds stall{120'000};
  std::chrono::milliseconds total{1'200'000};  ///< of a call with all its tries
  HttpOptions http;
  LlmBudget* budget = nullptr;  ///< null = no limits
};

/// Why a URL cannot be used; "" when it can: http or https, with a host and no credentials, and
/// with a key only over TLS or to this machine.
std::string url_problem(std::string_view url, bool with_key);

}  // namespace ke
