#pragma once
// One model at one address.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "operators/llm/client/api_key.hpp"
#include "operators/llm/client/budget.hpp"
#include "operators/llm/client/model_traits.hpp"
#include "operators/llm/client/retry.hpp"
#include "operators/llm/client/transfers.hpp"

namespace ke {

/// Additive increase, multiplicative decrease: a full window of answers widens it by one, an
/// overload halves it. Between 1 and `most`.
class Window {
 public:
  explicit Window(std::size_t most) : most_(static_cast<double>(most)), size_(most_) {}
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  void answered() { size_ = std::min(most_, size_ + 1 / size_); }
  void overloaded() { size_ = std::max(1.0, size_ / 2); }

 private:
  double most_;
  double size_;
};

struct LlmEndpoint {
  std::string dialect = "openai_chat";  ///< a name of dialects()
  std::string base_url;                 ///< "" = the provider's own
  std::string model;
  std::string api_version;
  bool stream = true;
  std::int64_t max_output_tokens = 16'384;  ///< for requests without a limit
  ModelTraits traits;
  Price price;
  /// Returns the key; called once, before the first call. Null = send no key.
  std::function<Result<ApiKey>()> key;
  std::string key_origin = {};  ///< for messages, e.g. "environment variable KEY"
};

struct HttpClientOptions {
  std::vector<LlmEndpoint> endpoints;  ///< in the order of trial
  std::size_t concurrency = 8;
  int tries = 6;  ///< tries of a call per endpoint
  Backoff backoff;
  std::chrono::milliseconds stall{120'000};
  std::chrono::milliseconds total{1'200'000};  ///< of a call including all tries
  HttpOptions http;
  LlmBudget* budget = nullptr;  ///< null = no limits
};

/// Why a URL is unusable; "" if it is usable: http or https, with a host and without credentials;
/// with a key only over TLS or to this machine.
std::string url_problem(std::string_view url, bool with_key);

}  // namespace ke
