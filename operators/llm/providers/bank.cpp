#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "operators/llm/cassette.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

/// Whether the model itself answered; a failure in transit is not a child of a prompt.
bool is_child(const Exchange& exchange) {
  const std::string& status = exchange.status;
  return status == "ok" || status == "truncated" || status == "refused" || status == "empty";
}

/// A proposal bank: for each prompt (which contains the parent, the operator's name and template)
/// and model, a file of exchanges holds up to `children` answers, from which each run draws without
/// replacement. Drawing an empty place asks the provider `otherwise` and stores its answer, so the
/// first runs fill the bank, all later ones share it, and every answer is new to its run. A run
/// with more requests than places asks live.
///
/// The drawn child depends on the request's key and the run's earlier draws; its exchange has the
/// setting `bank: drawn` and the tokens of the call that made the child. A resumed run skips the
/// answers of its earlier sessions.
class BankProvider final : public LlmClient {
 public:
  BankProvider(Params& params, const LlmWorld& world)
      : file_(params.required_text("file", "file of exchanges, one a line; made if missing")),
        children_(static_cast<std::size_t>(params.integer(
            "children", 4, {1, 1000}, "answers of a model to one prompt that the bank holds"))),
        model_(params.text("model", "", "model that requests without one are meant for")),
        answered_(world.answered) {
    Params live = params.section("otherwise");
    if (live.node() == nullptr) {
      if (params.node() != nullptr) {
        params.fail("otherwise", "is missing; it says who answers what the bank lacks");
      }
      return;
    }
    otherwise_ = make_llm_client(live, world);
  }

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    KE_TRY_VOID(open_bank());
    if (asked_.contains(key)) return {};
    LlmRequest named = request;
    if (named.model.empty()) named.model = model_;
    const Digest prompt = digest_of(named);
    Prompt& known = prompts_[prompt];
    if (const auto drawn = draw(known, key)) {
      ready_.push_back(known.children[*drawn]);
      ready_.back().key = key;
      ready_.back().request.settings["bank"] = "drawn";
      known.drawn.insert(*drawn);
      return {};
    }
    asked_[key] = prompt;
    ++known.in_flight;
    return otherwise_->submit(key, named);
  }

  std::vector<Exchange> poll(std::chrono::milliseconds wait) override {
    std::vector<Exchange> answers = std::exchange(ready_, {});
    if (!answers.empty()) wait = std::chrono::milliseconds(0);
    for (Exchange& live : otherwise_->poll(wait)) {
      keep(live);
      answers.push_back(std::move(live));
    }
    return answers;
  }

  void cancel(const Digest& key) override {
    std::erase_if(ready_, [&](const Exchange& exchange) { return exchange.key == key; });
    forget(key);
    otherwise_->cancel(key);
  }

  std::optional<OpenLetters> open_letters() const override {
    return ready_.empty() ? otherwise_->open_letters() : std::nullopt;
  }

 private:
  struct Prompt {
    std::vector<Exchange> children;
    std::set<std::size_t> drawn;  ///< positions already drawn by this run
    std::size_t in_flight = 0;    ///< places being filled
  };

  Result<void> open_bank() {
    if (bank_.is_open()) return {};
    bank_.open(file_, std::ios::binary | std::ios::app);
    if (!bank_) return Error{Failure::io, file_ + ": cannot be written"};
    KE_TRY(const auto exchanges, read_cassette(file_));
    for (const auto& [key, exchange] : exchanges) {
      prompts_[digest_of(exchange.request)].children.push_back(exchange);
    }
    return leave_out_answered();
  }

  /// Finds a child that the run already had, drawn or live, by prompt and answer.
  Result<void> leave_out_answered() {
    if (!answered_) return {};
    KE_TRY(const auto answered, answered_());
    for (const Exchange& had : answered) {
      LlmRequest request = had.request;
      request.settings.erase("bank");
      const auto known = prompts_.find(digest_of(request));
      if (known == prompts_.end()) continue;
      auto& [children, drawn, in_flight] = known->second;
      for (std::size_t i = 0; i < children.size(); ++i) {
        const bool same = children[i].reply == had.reply && children[i].status == had.status;
        if (same && drawn.insert(i).second) break;
      }
    }
    return {};
  }

  /// Uniform over the places that this run has not drawn; nothing for an empty place.
  std::optional<std::size_t> draw(const Prompt& prompt, const Digest& key) const {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < prompt.children.size(); ++i) {
      if (!prompt.drawn.contains(i)) left.push_back(i);
    }
    const std::size_t taken = prompt.children.size() + prompt.in_flight;
    const std::size_t places = left.size() + (taken < children_ ? children_ - taken : 0);
    const std::size_t place = places == 0 ? left.size() : std::hash<Digest>{}(key) % places;
    return place < left.size() ? std::optional(left[place]) : std::nullopt;
  }

  void keep(const Exchange& live) {
    const auto asked = asked_.find(live.key);
    if (asked == asked_.end()) return;
    Prompt& prompt = prompts_[asked->second];
    forget(live.key);
    if (!is_child(live)) return;
    Encoder name;  // equal seeds and slots of two arms have equal keys
    name("bank/1")(live.key)(live.reply);
    Exchange child = live;
    child.key = name.digest();
    prompt.drawn.insert(prompt.children.size());
    // Writes a whole line at once, since runs that share the file only append.
    bank_ << cassette_line(child) + "\n" << std::flush;
    prompt.children.push_back(std::move(child));
  }

  void forget(const Digest& key) {
    const auto asked = asked_.find(key);
    if (asked == asked_.end()) return;
    --prompts_[asked->second].in_flight;
    asked_.erase(asked);
  }

  std::string file_;
  std::size_t children_;
  std::string model_;
  std::function<Result<std::vector<Exchange>>()> answered_;
  std::ofstream bank_;
  std::unique_ptr<LlmClient> otherwise_;
  std::map<Digest, Prompt> prompts_;
  std::map<Digest, Digest> asked_;  ///< live requests, with their prompts
  std::vector<Exchange> ready_;
};

}  // namespace

std::unique_ptr<LlmClient> make_bank_provider(Params& params, const LlmWorld& world) {
  return std::make_unique<BankProvider>(params, world);
}

}  // namespace ke
