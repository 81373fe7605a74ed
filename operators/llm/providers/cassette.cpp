#include <deque>
#include <optional>

#include "operators/llm/cassette.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

/// Answers from a file of recorded exchanges (`cassette export` writes them), by key alone. A
/// request that it does not hold is a replay miss that names the nearest. Opens no connection.
class CassetteProvider final : public LlmClient {
 public:
  explicit CassetteProvider(Params& params)
      : file_(params.required_text("file", "file of recorded exchanges, one a line")) {}

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    if (!cassette_) {
      KE_TRY(cassette_, read_cassette(file_));
    }
    const auto found = cassette_->find(key);
    if (found == cassette_->end()) {
      return Error{Failure::replay_miss, "replay miss: no recorded exchange " + key.short_hex() +
                                             "; " + nearest_exchange(*cassette_, request)};
    }
    ready_.push_back(found->second);
    ready_.back().request = request;
    return {};
  }

  std::vector<Exchange> poll(std::chrono::milliseconds /*wait*/) override {
    std::vector<Exchange> answers(ready_.begin(), ready_.end());
    ready_.clear();
    return answers;
  }

  void cancel(const Digest& key) override {
    std::erase_if(ready_, [&](const Exchange& exchange) { return exchange.key == key; });
  }

 private:
  std::string file_;
  std::optional<std::map<Digest, Exchange>> cassette_;
  std::deque<Exchange> ready_;
};

}  // namespace

std::unique_ptr<LlmClient> make_cassette_provider(Params& params, const LlmWorld& /*world*/) {
  return std::make_unique<CassetteProvider>(params);
}

}  // namespace ke
