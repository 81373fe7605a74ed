#include <optional>
#include <utility>

#include "operators/llm/cassette.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

/// Answers from a file of recorded exchanges (written by `cassette export`), by key only. A missing
/// request goes to the provider `otherwise`; without one it is a replay miss that names the nearest
/// exchange, and no connection is ever opened.
class CassetteProvider final : public LlmClient {
 public:
  CassetteProvider(Params& params, const LlmWorld& world)
      : file_(params.required_text("file",
                                   "file of recorded exchanges, one a line; 'otherwise: {kind: "
                                   "..}' says who answers what it lacks")) {
    if (!params.has("otherwise")) return;
    Params live = params.section("otherwise");
    otherwise_ = make_llm_client(live, world);
  }

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    if (!cassette_) {
      KE_TRY(cassette_, read_cassette(file_));
    }
    const auto found = cassette_->find(key);
    if (found == cassette_->end() && otherwise_) return otherwise_->submit(key, request);
    if (found == cassette_->end()) {
      return Error{Failure::replay_miss, "replay miss: no recorded exchange " + key.short_hex() +
                                             "; " + nearest_exchange(*cassette_, request)};
    }
    ready_.push_back(found->second);
    ready_.back().request = request;
    return {};
  }

  std::vector<Exchange> poll(std::chrono::milliseconds wait) override {
    std::vector<Exchange> answers = std::exchange(ready_, {});
    if (!otherwise_) return answers;
    if (!answers.empty()) wait = std::chrono::milliseconds(0);
    for (Exchange& live : otherwise_->poll(wait)) answers.push_back(std::move(live));
    return answers;
  }

  void cancel(const Digest& key) override {
    if (otherwise_) otherwise_->cancel(key);
    std::erase_if(ready_, [&](const Exchange& exchange) { return exchange.key == key; });
  }

  std::optional<OpenLetters> open_letters() const override {
    return ready_.empty() && otherwise_ ? otherwise_->open_letters() : std::nullopt;
  }

 private:
  std::string file_;
  std::optional<std::map<Digest, Exchange>> cassette_;
  std::vector<Exchange> ready_;
  std::unique_ptr<LlmClient> otherwise_;  ///< null = a miss is an error
};

}  // namespace

std::unique_ptr<LlmClient> make_cassette_provider(Params& params, const LlmWorld& world) {
  return std::make_unique<CassetteProvider>(params, world);
}

}  // namespace ke
