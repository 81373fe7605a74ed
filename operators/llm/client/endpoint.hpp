#pragma once
// One model at one address, and the reactions to its unsuccessful replies.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/hash.hpp"
#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/api_key.hpp"
#include "operators/llm/client/budget.hpp"
#include "operators/llm/client/dialect.hpp"
#include "operators/llm/client/transfers.hpp"

namespace ke {

enum class Reaction {
  retry,             ///< repeat the call later
  slow_down,         ///< as retry, with fewer concurrent calls
  rename_parameter,  ///< repeat at once with the parameter's other name, if it has one
  refuse,            ///< credit, permission or a valid request is missing: no call can succeed
  fail               ///< this call cannot succeed
};

/// The effective status: with HTTP status 200 the error's own, if it has one.
int status_meant(int status, const WireError& error);

/// The reaction to an HTTP status and the error in its body. With `status` 200 (an error inside a
/// reply or stream) the error alone decides.
Reaction reaction_to(int status, const WireError& error);

/// Whether the error says that the model or the server does not support tools.
bool refuses_tools(int status, const WireError& error);

/// Delay before a retry: full jitter below base * 2^attempt (Brooker, "Exponential backoff and
/// jitter"), derived from the key so that a run is repeatable, and never less than `retry_after`.
struct Backoff {
  std::chrono::milliseconds base{1000};
  std::chrono::milliseconds longest{60'000};
  std::chrono::milliseconds delay(const Digest& key, int attempt,
                                  std::chrono::milliseconds retry_after) const;
};

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
