#include "core/memory/memory_llm_client.hpp"

#include <algorithm>

namespace ke {

Result<void> MemoryLlmClient::submit(const Digest& key, const LlmRequest& request) {
  const bool known = std::any_of(waiting_.begin(), waiting_.end(),
                                 [&](const Waiting& waiting) { return waiting.key == key; });
  if (!known) waiting_.push_back({key, request});
  return {};
}

std::vector<Exchange> MemoryLlmClient::poll(std::chrono::milliseconds) {
  if (waiting_.empty()) return {};
  const Waiting newest = std::move(waiting_.back());
  waiting_.pop_back();
  ++calls_;
  Exchange exchange = answer_(newest.request);
  exchange.key = newest.key;
  exchange.request = newest.request;
  return {exchange};
}

void MemoryLlmClient::cancel(const Digest& key) {
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.key == key; });
}

}  // namespace ke
