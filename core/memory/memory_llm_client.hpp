#pragma once
// A language model in memory: a function answers the requests.

#include <functional>
#include <set>
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

}  // namespace ke
