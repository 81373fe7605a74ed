#pragma once
// A language model in memory: a function answers the requests.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

/// Answers one waiting request per poll, the newest first, so that answers arrive out of order.
class MemoryLlmClient final : public LlmClient {
 public:
  using Answer = std::function<Exchange(const LlmRequest&)>;
  explicit MemoryLlmClient(Answer answer) : answer_(std::move(answer)) {}

  Result<void> submit(const Digest& key, const LlmRequest& request) override;
  std::vector<Exchange> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;
  std::int64_t calls() const { return calls_; }

 private:
  struct Waiting {
    Digest key;
    LlmRequest request;
  };
  Answer answer_;
  std::vector<Waiting> waiting_;
  std::int64_t calls_ = 0;
};

inline Result<void> MemoryLlmClient::submit(const Digest& key, const LlmRequest& request) {
  const bool known = std::any_of(waiting_.begin(), waiting_.end(),
                                 [&](const Waiting& waiting) { return waiting.key == key; });
  if (!known) waiting_.push_back({key, request});
  return {};
}

inline std::vector<Exchange> MemoryLlmClient::poll(std::chrono::milliseconds) {
  if (waiting_.empty()) return {};
  const Waiting newest = std::move(waiting_.back());
  waiting_.pop_back();
  ++calls_;
  Exchange exchange = answer_(newest.request);
  exchange.key = newest.key;
  exchange.request = newest.request;
  return {exchange};
}

inline void MemoryLlmClient::cancel(const Digest& key) {
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.key == key; });
}

}  // namespace ke
