#pragma once
// Exchanges with a language model, recorded as facts. Providers are in operators/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.hpp"
#include "core/codec.hpp"
#include "core/result.hpp"

namespace ke {

struct Message {
  std::string role;  ///< system | user | assistant
  std::string text;
  KE_CODED(role, text)
};

/// A request's position in its run: the `number`-th one (from 0) of a slot.
struct ExchangePlace {
  LogicalId slot;
  std::int64_t number = 0;
};

/// An operator's request. Never holds a secret.
struct LlmRequest {
  std::string model;  ///< "" = the run's default
  std::vector<Message> messages;
  std::int64_t max_output_tokens = 0;  ///< 0 = the provider's default
  std::map<std::string, std::string> settings;
  KE_CODED(model, messages, max_output_tokens, settings)
};

/// In bytes; a longer reply is refused.
constexpr std::size_t longest_reply = std::size_t{4} << 20;

/// Failures that do not depend on the request: the provider answers nothing until someone acts
/// (credit, key, address, budget). They end the search instead of being recorded, so that a resumed
/// run asks again; at the end of the budget the run is done.
constexpr std::string_view provider_refused = "provider_refused";
constexpr std::string_view provider_unreachable = "provider_unreachable";
constexpr std::string_view budget_exhausted = "budget_exhausted";

/// Parts of an exchange that most do not have. Encoded only if there are any, so that the hashes of
/// other exchanges stay what they were before these parts existed.
struct ExchangeDetail {
  bool estimated = false;  ///< some tokens and dollars are estimates: the provider reported none
  /// Estimated tokens of the prompt, if the provider read far fewer; 0 = no sign of that.
  std::int64_t sent_tokens = 0;
  std::string reasoning;  ///< of a model that reasoned and gave no answer
  friend bool operator==(const ExchangeDetail&, const ExchangeDetail&) = default;
  KE_CODED(estimated, sent_tokens, reasoning)
};

/// A request with its reply or failure. In encoded bytes it is the last value: `detail` may be
/// absent, which decoding sees from the end of the bytes.
struct Exchange {
  Digest key;  ///< SHA-256 of request and logical slot
  LlmRequest request;
  std::string status;  ///< "ok" or a failure code
  std::string reply;
  std::string model_returned;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  double dollars = 0;
  ExchangeDetail detail = {};
  void encode(Encoder& out) const {
    out(key)(request)(status)(reply)(model_returned)(input_tokens)(output_tokens)(cached_tokens);
    out(reasoning_tokens)(dollars);
    if (detail != ExchangeDetail{}) out(detail);
  }
  void decode(Decoder& in) {
    in(key)(request)(status)(reply)(model_returned)(input_tokens)(output_tokens)(cached_tokens);
    in(reasoning_tokens)(dollars);
    if (!in.at_end()) in(detail);
  }
};

/// Requests that wait for an answer from outside this process.
struct OpenLetters {
  std::int64_t count = 0;
  std::string place;  ///< where they are stored
};

/// Answers each request with one Exchange, possibly days later. One owner calls it.
class LlmClient {
 public:
  virtual ~LlmClient() = default;
  virtual Result<void> submit(const Digest& key, const LlmRequest& request) = 0;
  virtual std::vector<Exchange> poll(std::chrono::milliseconds wait) = 0;
  virtual void cancel(const Digest& key) = 0;
  /// All open requests, if answers can only come from outside this process: no call is under way,
  /// no program runs, no reply is unread. Nothing otherwise.
  virtual std::optional<OpenLetters> open_letters() const { return std::nullopt; }
};

}  // namespace ke
