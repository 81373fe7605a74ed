#pragma once
// The only place where the search waits: sends jobs and requests, receives facts and exchanges.

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/recording_evaluator.hpp"

namespace ke {

/// An external request (a signal) for an orderly stop.
class StopToken {
 public:
  virtual ~StopToken() = default;
  virtual bool stop_requested() const = 0;
};

/// Delivers each fact to all callbacks for its key. Callbacks run inside `pump`, never
/// concurrently.
class Dispatcher {
 public:
  using OnFact = std::function<Result<void>(const Fact&)>;
  using OnExchange = std::function<Result<void>(const Exchange&)>;

  /// `llm` may be null. All must outlive this object.
  Dispatcher(RecordingEvaluator& evaluator, FactLog& facts, LlmClient* llm)
      : evaluator_(evaluator), facts_(facts), llm_(llm) {}

  Result<void> submit(Job job, OnFact then);
  bool has_llm() const { return llm_ != nullptr; }
  /// Answers with the stored reply if the history has a request at `place`, whatever its prompt.
  Result<void> submit(const Digest& key, const LlmRequest& request, const ExchangePlace& place,
                      OnExchange then);
  /// Whether the language model's budget does not cover this request, which then stays open.
  bool is_unpaid(const Digest& key) const { return unpaid_.contains(key); }
  /// Why requests stay open for lack of budget; "" if none does.
  std::string shortage() const { return unpaid_.empty() ? "" : unpaid_.begin()->second; }
  /// Delivers what has arrived; waits briefly if nothing has.
  Result<void> pump();
  /// The open requests, if only an answer from outside can make progress: no job is running. Call
  /// it after `pump`, which takes the answers already there.
  std::optional<OpenLetters> open_letters() const;
  /// Submits and pumps until this job's fact arrives; nothing when `stop` is requested first.
  Result<std::optional<Fact>> await(const Job& job, const StopToken& stop);

 private:
  Result<void> deliver(const Fact& fact);
  Result<void> deliver(const Exchange& exchange);
  RecordingEvaluator& evaluator_;
  FactLog& facts_;
  LlmClient* llm_;
  std::unordered_map<Digest, std::vector<OnFact>> waiting_;
  std::unordered_map<Digest, std::vector<OnExchange>> asked_;
  /// requests that the budget does not cover, each with the reason
  std::unordered_map<Digest, std::string> unpaid_;
};

}  // namespace ke
