#pragma once
// A client for language models over HTTP.

#include <deque>
#include <map>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/client/endpoint.hpp"
#include "operators/llm/client/reply_reader.hpp"

namespace ke {

/// Runs many calls concurrently in its owner's thread. Every request ends as one exchange:
///   ok | truncated | refused | empty   the model's answer
///   bad_reply                          malformed or beyond 4 MiB
///   timeout | stalled | cut | network  the last failure after all tries
///   http_<status>                      an unsuccessful status
///   provider_refused                   no request can succeed: credit, permission, address or a
///                                      parameter is wrong; also all later requests
///   provider_unreachable               no connection in all tries
///   budget_exhausted                   its worst case exceeds the remaining budget
/// Transient failures are retried with growing pauses, then at the next endpoint. Tokens and
/// dollars of an exchange cover all its tries: as reported, or estimated from lengths for a try
/// that the provider may bill without a report, such as a stream that was cut. At the end of the
/// budget, answers are limited to what the rest pays for. Replies and messages are stored without
/// the key.
class HttpLlmClient final : public LlmClient {
 public:
  explicit HttpLlmClient(HttpClientOptions options);
  ~HttpLlmClient() override;

  /// Errors: an unreadable key; a model that no endpoint has.
  Result<void> submit(const Digest& key, const LlmRequest& request) override;
  std::vector<Exchange> poll(std::chrono::milliseconds wait) override;
  /// A call under way is charged an estimate, since the provider may bill its output.
  void cancel(const Digest& key) override;

  std::int64_t attempts() const { return attempts_; }
  /// Number of calls that may be under way now.
  std::size_t window() const { return window_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Endpoint {
    LlmEndpoint options;
    std::unique_ptr<Dialect> dialect;
    std::optional<ApiKey> key;
    bool limit_renamed = false;  ///< the other name of the output token limit is in use
    CallRates rates = {};
  };
  struct Call {
    Digest key;
    LlmRequest request;
    std::size_t endpoint = 0;
    int tries = 0;
    Clock::time_point due;
    Clock::time_point deadline = Clock::time_point::max();  ///< set at the first try
    Usage usage;
    LlmCost cost;
    ExchangeDetail detail;
    std::string last_failure;
    std::string answered_failure;  ///< the last failure of a try that reached the provider
    std::string words;             ///< the last failure, for people
    // State of the current try:
    std::uint64_t id = 0;
    std::size_t prompt_bytes = 0;
    std::int64_t output_limit = 0;
    std::string sent_limit;  ///< name of the output token limit
    bool sent_tools = false;
    std::optional<LlmBudget::Reservation> reservation;
    std::unique_ptr<ReplyReader> reader;
  };

  Result<void> read_keys();
  bool known(const Digest& key) const;
  std::int64_t output_limit(const Call& call) const;
  void start_due(std::vector<Exchange>& answers);
  bool reserve(Call& call, std::vector<Exchange>& answers);
  bool shorten(Call& call, const LlmBudget& budget) const;
  void send(Call call);
  void end(Call call, const HttpEnd& end, std::vector<Exchange>& answers);
  void react(Call call, int status, const HttpEnd& end, std::vector<Exchange>& answers);
  bool rename_limit(Call& call);
  std::string refusal_text(const Endpoint& endpoint, int status, const WireError& error) const;
  bool drop_tools(Call& call);
  void try_again(Call call, const std::string& failure, std::chrono::milliseconds pause,
                 std::vector<Exchange>& answers);
  void charge(Call& call, ReplyReader::State state, const HttpEnd& end);
  void charge_open(Call& call);
  void book(Call& call, const Usage& usage);
  std::string without_keys(std::string text) const;
  void refuse_all(std::vector<Exchange>& answers);
  void finish(Call& call, const std::string& status, std::vector<Exchange>& answers);
  std::chrono::milliseconds patience(Clock::time_point until) const;

  HttpClientOptions options_;
  std::vector<Endpoint> endpoints_;
  Window window_;
  std::deque<Call> waiting_;
  std::map<std::uint64_t, Call> flying_;
  std::uint64_t next_id_ = 0;
  std::int64_t attempts_ = 0;
  std::string refusal_;  ///< the provider's refusal; "" = none
  bool keys_read_ = false;
  Transfers transfers_;  // last: its sinks refer to readers of calls
};

}  // namespace ke
