#pragma once
// The one place where the search waits: hands jobs and requests out, brings facts and exchanges
// back.

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/recording_evaluator.hpp"

namespace ke {

/// Set from outside (a signal) to ask for an orderly stop.
class StopToken {
 public:
  virtual ~StopToken() = default;
  virtual bool stop_requested() const = 0;
};

/// Routes each fact to all who wait for its key. Callbacks run inside `pump`, never concurrently.
class Dispatcher {
 public:
  using OnFact = std::function<Result<void>(const Fact&)>;
  using OnExchange = std::function<Result<void>(const Exchange&)>;

  /// `llm` may be null. All must outlive this object.
  Dispatcher(RecordingEvaluator& evaluator, FactLog& facts, LlmClient* llm)
      : evaluator_(evaluator), facts_(facts), llm_(llm) {}

  Result<void> submit(Job job, OnFact then);
  bool has_llm() const { return llm_ != nullptr; }
  /// A request that the history has at `place` with another prompt gets the answer that it got.
  Result<void> submit(const Digest& key, const LlmRequest& request, const ExchangePlace& place,
                      OnExchange then);
  /// Delivers what has arrived, waiting a moment if nothing has.
  Result<void> pump();
  /// The requests that wait, when all that can happen next is an answer from outside: no job is
  /// under way. Ask after `pump`, which takes the answers that are there.
  std::optional<OpenLetters> open_letters() const;
  /// Submits and pumps until this job's fact is there; nothing when `stop` was requested first.
  Result<std::optional<Fact>> await(const Job& job, const StopToken& stop);

 private:
  Result<void> deliver(const Fact& fact);
  Result<void> deliver(const Exchange& exchange);
  RecordingEvaluator& evaluator_;
  FactLog& facts_;
  LlmClient* llm_;
  std::unordered_map<Digest, std::vector<OnFact>> waiting_;
  std::unordered_map<Digest, std::vector<OnExchange>> asked_;
};

}  // namespace ke
