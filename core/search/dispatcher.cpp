#include "core/search/dispatcher.hpp"

namespace ke {
namespace {

constexpr std::chrono::milliseconds patience(50);

Result<void> is_answer(const Exchange& exchange) {
  const std::string_view status = exchange.status;
  std::string why;
  if (status == provider_refused) {
    why = "the provider of the language model refuses: " + exchange.reply;
  } else if (status == provider_unreachable) {
    why = "the provider of the language model cannot be reached: " + exchange.reply;
  }
  if (why.empty()) return {};
  return Error{Failure::provider, why + "; once that is mended, 'kernelevolve resume' goes on"};
}

}  // namespace

Result<void> Dispatcher::submit(Job job, OnFact then) {
  auto& waiters = waiting_[job.key];
  waiters.push_back(std::move(then));
  if (waiters.size() > 1) return {};
  return evaluator_.submit(std::move(job));
}

Result<void> Dispatcher::submit(const Digest& key, const LlmRequest& request,
                                const ExchangePlace& place, OnExchange then) {
  KE_TRY(std::optional<Exchange> known, facts_.find_exchange(key));
  if (!known) {
    KE_TRY(known, facts_.find_exchange_at(place));
  }
  if (known) return then(*known);
  asked_[key].push_back(std::move(then));
  return llm_->submit(key, request);
}

Result<void> Dispatcher::pump() {
  if (llm_ != nullptr && !asked_.empty()) {
    const auto wait = waiting_.empty() ? patience : std::chrono::milliseconds(0);
    for (const Exchange& exchange : llm_->poll(wait)) {
      if (exchange.status == budget_exhausted) {
        unpaid_.emplace(exchange.key, exchange.reply);
        continue;
      }
      KE_TRY_VOID(is_answer(exchange));
      KE_TRY_VOID(facts_.append(exchange));
      KE_TRY_VOID(deliver(exchange));
    }
  }
  const auto wait = waiting_.empty() ? std::chrono::milliseconds(0) : patience;
  const std::vector<Fact> facts = evaluator_.poll(wait);
  KE_TRY_VOID(evaluator_.health());
  for (const Fact& fact : facts) KE_TRY_VOID(deliver(fact));
  return {};
}

std::optional<OpenLetters> Dispatcher::open_letters() const {
  if (llm_ == nullptr || asked_.empty() || !waiting_.empty()) return std::nullopt;
  return llm_->open_letters();
}

Result<void> Dispatcher::deliver(const Fact& fact) {
  const auto node = waiting_.extract(fact.key);
  if (node.empty()) return {};
  for (const auto& then : node.mapped()) KE_TRY_VOID(then(fact));
  return {};
}

Result<void> Dispatcher::deliver(const Exchange& exchange) {
  const auto node = asked_.extract(exchange.key);
  if (node.empty()) return {};
  for (const auto& then : node.mapped()) KE_TRY_VOID(then(exchange));
  return {};
}

Result<std::optional<Fact>> Dispatcher::await(const Job& job, const StopToken& stop) {
  std::optional<Fact> answer;
  KE_TRY_VOID(submit(job, [&answer](const Fact& fact) -> Result<void> {
    answer = fact;
    return {};
  }));
  while (!answer) {
    if (stop.stop_requested()) {
      waiting_.erase(job.key);  // the callback refers to this frame
      return std::optional<Fact>();
    }
    KE_TRY_VOID(pump());
  }
  return answer;
}

}  // namespace ke
