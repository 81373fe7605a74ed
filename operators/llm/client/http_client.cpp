#include "operators/llm/client/http_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "core/text.hpp"
#include "operators/llm/sampling.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

std::string base_url(const LlmEndpoint& endpoint, const Dialect& dialect) {
  std::string url = endpoint.base_url;
  if (url.empty()) url = dialect.default_base_url();
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string failure_of(HttpEnd::Kind kind) {
  switch (kind) {
    case HttpEnd::Kind::timeout: return "timeout";
    case HttpEnd::Kind::stalled: return "stalled";
    default: return "network";
  }
}

std::string code_text(const WireError& error) {
  std::string code = error.code.empty() ? error.type : error.code;
  std::erase_if(code, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  code.resize(std::min<std::size_t>(code.size(), 60));
  return code;
}

/// The first part of a message, as one line.
std::string one_line(std::string text) {
  constexpr std::size_t most = 300;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text.size() > most ? text.substr(0, most) + " .." : text;
}

/// Whether an error rejects a parameter itself rather than its value.
bool says_unknown(const WireError& error) {
  const auto words = {"upported", "recognized", "nknown", "not permitted", "extra_forbidden"};
  return error.code == "unsupported_parameter" || error.code == "unknown_parameter" ||
         std::any_of(words.begin(), words.end(), [&](const char* word) {
           return error.message.find(word) != std::string::npos;
         });
}

/// Advice about a sampling setting that the error names; "" if it names none.
std::string refused_setting(const WireError& error) {
  for (const std::string_view name : sampling_names()) {
    if (error.param.find(name) == std::string::npos) continue;
    return fmt::format("; the model does not take llm.{0} as it is given: change or remove it",
                       name);
  }
  return "";
}

/// "the next call takes up to $0.0107 and $0.0036 is left"; names only what is limited.
std::string shortage_text(const LlmCost& most, const LlmCost& left) {
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 2;
  std::string text = "the next call takes up to";
  if (left.picodollars < unlimited) {
    text += fmt::format(" ${:.4f} of the ${:.4f} that is left", most.dollars(), left.dollars());
  }
  if (left.tokens < unlimited) {
    text += fmt::format("{} {} of the {} tokens that are left",
                        left.picodollars < unlimited ? " and" : "", most.tokens, left.tokens);
  }
  return text;
}

/// Whether the provider may bill a try. Providers bill what a model wrote until it was cut off or
/// abandoned, and no reply that is an error.
bool may_be_billed(const HttpEnd& end, ReplyReader::State state, std::size_t written) {
  if (state == ReplyReader::State::complete || (end.status == 200 && written > 0)) return true;
  const bool waited = end.kind == HttpEnd::Kind::stalled || end.kind == HttpEnd::Kind::timeout;
  const bool worked = end.status == 200 || (end.status == 0 && waited && end.sent);
  return worked && state == ReplyReader::State::cut;
}

/// Counts that the provider reported, with estimates for those that are missing. The counts of a
/// stream that was cut may be those of its start.
Usage completed(Usage counted, const Usage& guess, bool whole) {
  if (counted.input == 0) counted.input = guess.input;
  const bool missing = whole ? counted.output == 0 : counted.output < guess.output / 2;
  if (missing) counted.output = guess.output;
  return counted;
}

std::size_t bytes_of(const LlmRequest& request) {
  std::size_t bytes = 0;
  for (const Message& message : request.messages) bytes += message.text.size();
  return bytes;
}

}  // namespace

HttpLlmClient::HttpLlmClient(HttpClientOptions options)
    : options_(std::move(options)), window_(options_.concurrency), transfers_(options_.http) {
  for (const LlmEndpoint& endpoint : options_.endpoints) {
    const auto* row = find_component(dialects(), endpoint.dialect);
    KE_CHECK(row != nullptr);
    endpoints_.push_back({endpoint, row->make(), std::nullopt});
  }
  KE_CHECK(!endpoints_.empty());
}

HttpLlmClient::~HttpLlmClient() {
  for (auto& [id, call] : flying_) charge_open(call);
}

Result<void> HttpLlmClient::read_keys() {
  for (Endpoint& endpoint : endpoints_) {
    if (keys_read_ || !endpoint.options.key) continue;
    KE_TRY(endpoint.key, endpoint.options.key());
  }
  keys_read_ = true;
  return {};
}

bool HttpLlmClient::known(const Digest& key) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Call& call) { return call.key == key; }) ||
         std::any_of(flying_.begin(), flying_.end(),
                     [&](const auto& entry) { return entry.second.key == key; });
}

Result<void> HttpLlmClient::submit(const Digest& key, const LlmRequest& request) {
  if (known(key)) return {};
  KE_TRY_VOID(read_keys());
  Call call;
  call.key = key;
  call.request = request;
  call.due = Clock::now();
  if (!request.model.empty()) {
    const auto at = std::find_if(endpoints_.begin(), endpoints_.end(), [&](const Endpoint& e) {
      return e.options.model == request.model;
    });
    if (at == endpoints_.end()) {
      return Error{Failure::config, fmt::format("no endpoint has the model '{}'", request.model)};
    }
    call.endpoint = static_cast<std::size_t>(at - endpoints_.begin());
  }
  waiting_.push_back(std::move(call));
  return {};
}

std::vector<Exchange> HttpLlmClient::poll(milliseconds wait) {
  const auto until = Clock::now() + wait;
  std::vector<Exchange> answers;
  for (;;) {
    start_due(answers);
    const milliseconds left = answers.empty() ? patience(until) : milliseconds(0);
    for (const HttpEnd& ended : transfers_.poll(left)) {
      auto node = flying_.extract(ended.id);
      KE_CHECK(!node.empty());
      end(std::move(node.mapped()), ended, answers);
    }
    const bool idle = waiting_.empty() && flying_.empty();
    if (!answers.empty() || idle || Clock::now() >= until) {
      start_due(answers);  // start calls now, since the next poll may come late
      return answers;
    }
  }
}

void HttpLlmClient::cancel(const Digest& key) {
  std::erase_if(waiting_, [&](const Call& call) { return call.key == key; });
  for (auto at = flying_.begin(); at != flying_.end(); ++at) {
    if (at->second.key != key) continue;
    charge_open(at->second);
    transfers_.cancel(at->first);
    flying_.erase(at);
    return;
  }
}

/// How long to wait for transfers: at most until a waiting call is due.
milliseconds HttpLlmClient::patience(Clock::time_point until) const {
  const bool room = flying_.size() < window_.size();
  for (const Call& call : waiting_) {
    if (room) until = std::min(until, call.due);
  }
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - Clock::now()));
}

std::int64_t HttpLlmClient::output_limit(const Call& call) const {
  return call.request.max_output_tokens > 0 ? call.request.max_output_tokens
                                            : endpoints_[call.endpoint].options.max_output_tokens;
}

void HttpLlmClient::start_due(std::vector<Exchange>& answers) {
  const auto now = Clock::now();
  for (std::size_t i = 0; i < waiting_.size() && flying_.size() < window_.size();) {
    if (waiting_[i].due > now) {
      ++i;
      continue;
    }
    Call call = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!refusal_.empty()) {
      finish(call, "provider_refused", answers);
    } else if (now >= call.deadline) {
      const bool unreachable = call.last_failure == provider_unreachable;
      finish(call, unreachable ? call.last_failure : "timeout", answers);
    } else if (reserve(call, answers)) {
      send(std::move(call));
    }
  }
}

/// Reserves what the next try costs at most; false when the call was answered or postponed instead.
bool HttpLlmClient::reserve(Call& call, std::vector<Exchange>& answers) {
  call.prompt_bytes = bytes_of(call.request);
  call.output_limit = output_limit(call);
  if (options_.budget == nullptr) return true;
  constexpr milliseconds look(20);
  LlmBudget& budget = *options_.budget;
  const Endpoint& endpoint = endpoints_[call.endpoint];
  const auto most = [&] {
    return worst_cost(endpoint.rates.most(call.prompt_bytes, call.output_limit),
                      endpoint.options.price);
  };
  auto held = budget.reserve(most());
  const bool last = std::holds_alternative<LlmBudget::Refusal>(held) &&
                    budget.reserved() == LlmCost{};  // no open call can give anything back
  if (last && shorten(call, budget)) held = budget.reserve(most());
  if (auto* reservation = std::get_if<LlmBudget::Reservation>(&held)) {
    call.reservation.emplace(std::move(*reservation));
    return true;
  }
  if (last) {
    call.words = shortage_text(most(), budget.left());
    finish(call, std::string(budget_exhausted), answers);
  } else {
    call.due = Clock::now() + look;
    waiting_.push_back(std::move(call));
  }
  return false;
}

/// Limits the answer to what the rest of the budget pays for; false if that is too short.
bool HttpLlmClient::shorten(Call& call, const LlmBudget& budget) const {
  const Endpoint& endpoint = endpoints_[call.endpoint];
  const Usage most = endpoint.rates.most(call.prompt_bytes, 0);
  const std::int64_t affordable = affordable_output(budget.left(), most, endpoint.options.price);
  if (affordable < endpoint.rates.least_output(call.output_limit)) return false;
  call.output_limit = std::min(call.output_limit, affordable);
  return true;
}

void HttpLlmClient::send(Call call) {
  const Endpoint& endpoint = endpoints_[call.endpoint];
  const auto now = Clock::now();
  if (call.deadline == Clock::time_point::max()) call.deadline = now + options_.total;
  const WireRequest wire{call.request, endpoint.options.model, call.output_limit,
                         endpoint.options.stream, endpoint.options.traits};
  HttpRequest request;
  request.url = base_url(endpoint.options, *endpoint.dialect) + endpoint.dialect->path(wire);
  request.headers = endpoint.dialect->headers(endpoint.options.api_version);
  request.key_header = endpoint.dialect->key_header();
  request.body = endpoint.dialect->body(wire);
  request.stall = options_.stall;
  request.total = std::chrono::ceil<milliseconds>(call.deadline - now);
  call.id = next_id_++;
  call.sent_limit = endpoint.options.traits.max_tokens_name;
  call.sent_tools = endpoint.options.traits.native_tools && !offered_tools(call.request).empty();
  call.reader = std::make_unique<ReplyReader>(*endpoint.dialect);
  ++call.tries;
  ++attempts_;
  ReplyReader* const reader = call.reader.get();
  transfers_.start(call.id, std::move(request), endpoint.key ? &*endpoint.key : nullptr,
                   [reader](int status, std::string_view type, std::string_view bytes) {
                     return reader->take(status, type, bytes);
                   });
  const std::uint64_t id = call.id;
  flying_.emplace(id, std::move(call));
}

void HttpLlmClient::end(Call call, const HttpEnd& ended, std::vector<Exchange>& answers) {
  using State = ReplyReader::State;
  const bool whole = ended.kind == HttpEnd::Kind::whole;
  const State state = ended.status == 0 ? State::cut : call.reader->finish(ended.status, whole);
  charge(call, state, ended);
  if (state == State::complete) {
    window_.answered();
    const Answer& answer = call.reader->answer();
    const bool empty = trim(answer.text).empty();
    if (empty) call.detail.reasoning = answer.reasoning;
    return finish(call, empty && answer.status == "ok" ? "empty" : answer.status, answers);
  }
  if (state == State::too_long) return finish(call, "bad_reply", answers);
  if (state == State::failed) return react(std::move(call), ended.status, ended, answers);
  if (ended.kind == HttpEnd::Kind::timeout) return finish(call, "timeout", answers);
  const bool connected = ended.status != 0 || ended.sent || ended.kind == HttpEnd::Kind::stalled;
  const std::string failure = !connected                  ? std::string(provider_unreachable)
                              : state == State::malformed ? "bad_reply"
                              : ended.status == 200 && ended.kind != HttpEnd::Kind::stalled
                                  ? "cut"
                                  : failure_of(ended.kind);
  const Endpoint& endpoint = endpoints_[call.endpoint];
  call.words = fmt::format("{}: {} ({} tries)", base_url(endpoint.options, *endpoint.dialect),
                           ended.why, call.tries);
  try_again(std::move(call), failure, milliseconds(0), answers);
}

void HttpLlmClient::react(Call call, int status, const HttpEnd& ended,
                          std::vector<Exchange>& answers) {
  const WireError& error = call.reader->answer().error;
  status = status_meant(status, error);
  const std::string failure = status == 200 ? "stream_error" : fmt::format("http_{}", status);
  if (refuses_tools(status, error) && drop_tools(call)) {
    call.due = Clock::now();
    waiting_.push_front(std::move(call));
    return;
  }
  switch (reaction_to(status, error)) {
    case Reaction::slow_down:
      window_.overloaded();
      return try_again(std::move(call), failure, ended.retry_after, answers);
    case Reaction::retry: return try_again(std::move(call), failure, ended.retry_after, answers);
    case Reaction::rename_parameter:
      if (rename_limit(call)) {
        call.due = Clock::now();
        waiting_.push_front(std::move(call));
        return;
      }
      [[fallthrough]];
    case Reaction::refuse:
      refusal_ = refusal_text(endpoints_[call.endpoint], status, error);
      finish(call, "provider_refused", answers);
      return refuse_all(answers);
    case Reaction::fail: return finish(call, failure, answers);
  }
}

/// Omits the provider's message about a key, since it quotes parts of it.
std::string HttpLlmClient::refusal_text(const Endpoint& endpoint, int status,
                                        const WireError& error) const {
  const std::string code = code_text(error);
  std::string text = fmt::format("status {}{}{} from {}", status, code.empty() ? "" : ", ", code,
                                 base_url(endpoint.options, *endpoint.dialect));
  if (status == 401 || status == 403) {
    return text + (endpoint.key ? "; it was sent the key of " + endpoint.options.key_origin
                                : "; it was sent no key: key_variable or key_file name one");
  }
  std::string said = error.message;
  for (const Endpoint& one : endpoints_) {
    if (one.key) said = one.key->without_parts(said);
  }
  if (!said.empty()) text += ": " + one_line(std::move(said));
  return text + refused_setting(error);
}

/// Switches once to the other name of the output token limit when the error names the sent one;
/// false when both were tried.
bool HttpLlmClient::rename_limit(Call& call) {
  Endpoint& endpoint = endpoints_[call.endpoint];
  const WireError& error = call.reader->answer().error;
  const bool meant =
      error.param == call.sent_limit || error.message.find(call.sent_limit) != error.message.npos;
  if (endpoint.options.dialect != "openai_chat" || !meant || !says_unknown(error)) return false;
  std::string& name = endpoint.options.traits.max_tokens_name;
  if (name != call.sent_limit) return true;  // another call has switched already
  if (std::exchange(endpoint.limit_renamed, true)) return false;
  name = name == "max_tokens" ? "max_completion_tokens" : "max_tokens";
  return true;
}

/// Stops sending tools in their own field, for all calls; false when this try sent none.
bool HttpLlmClient::drop_tools(Call& call) {
  if (!call.sent_tools) return false;
  endpoints_[call.endpoint].options.traits.native_tools = false;
  return true;
}

void HttpLlmClient::try_again(Call call, const std::string& failure, milliseconds pause,
                              std::vector<Exchange>& answers) {
  call.last_failure = failure;
  if (failure != provider_unreachable) call.answered_failure = failure;
  call.reader.reset();
  if (call.tries >= options_.tries) {
    // A request for a specific model is answered only by that model.
    if (!call.request.model.empty() || call.endpoint + 1 == endpoints_.size()) {
      return finish(call, failure, answers);
    }
    ++call.endpoint;
    call.tries = 0;
    pause = milliseconds(0);
    call.due = Clock::now();
  } else {
    call.due = Clock::now() + options_.backoff.delay(call.key, call.tries - 1, pause);
  }
  if (call.due >= call.deadline) return finish(call, failure, answers);
  waiting_.push_back(std::move(call));
}

/// Books the cost of a try: the provider's report, with estimates for what it lacks.
void HttpLlmClient::charge(Call& call, ReplyReader::State state, const HttpEnd& end) {
  CallRates& rates = endpoints_[call.endpoint].rates;
  const Usage& counted = call.reader->answer().usage;
  const std::size_t written = call.reader->written_bytes();
  if (!counted.counted() && !may_be_billed(end, state, written)) return book(call, {});
  const bool whole = state == ReplyReader::State::complete;
  const Usage usage = completed(counted, rates.guess(call.prompt_bytes, written), whole);
  const std::int64_t sent = rates.sent_tokens(call.prompt_bytes, counted.input);
  call.detail.sent_tokens = std::max(call.detail.sent_tokens, sent);
  if (usage != counted) call.detail.estimated = true;
  if (usage == counted && whole && sent == 0) rates.learn(call.prompt_bytes, written, counted);
  book(call, usage);
}

/// Books a try that is abandoned.
void HttpLlmClient::charge_open(Call& call) {
  charge(call, ReplyReader::State::cut, {call.id, HttpEnd::Kind::timeout, 0, true});
}

void HttpLlmClient::book(Call& call, const Usage& usage) {
  const LlmCost cost = cost_of(usage, endpoints_[call.endpoint].options.price);
  call.usage += usage;
  call.cost += cost;
  if (call.reservation) call.reservation->settle(cost);
  call.reservation.reset();
}

void HttpLlmClient::refuse_all(std::vector<Exchange>& answers) {
  for (Call& call : waiting_) finish(call, "provider_refused", answers);
  waiting_.clear();
}

std::string HttpLlmClient::without_keys(std::string text) const {
  for (const Endpoint& endpoint : endpoints_) {
    if (endpoint.key) text = endpoint.key->without_key(text);
  }
  return text;
}

void HttpLlmClient::finish(Call& call, const std::string& status, std::vector<Exchange>& answers) {
  Exchange exchange;
  exchange.key = call.key;
  exchange.request = std::move(call.request);
  // An exchange that ends the search is not recorded, so one that was paid for keeps its failure.
  const bool unrecorded =
      status == provider_refused || status == provider_unreachable || status == budget_exhausted;
  const bool paid = call.cost != LlmCost{} && !call.answered_failure.empty();
  exchange.status = unrecorded && paid ? call.answered_failure : status;
  const bool has_reply = call.reader && (status == "ok" || status == "truncated" ||
                                         status == "refused" || status == "empty");
  if (has_reply) {
    exchange.reply = without_keys(std::move(call.reader->answer().text));
  } else if (exchange.status == provider_refused) {
    exchange.reply = without_keys(refusal_);
  } else if (exchange.status == provider_unreachable || exchange.status == budget_exhausted) {
    exchange.reply = without_keys(call.words);
  }
  if (call.reader) exchange.model_returned = without_keys(call.reader->answer().model);
  exchange.detail = std::move(call.detail);
  exchange.detail.reasoning = without_keys(std::move(exchange.detail.reasoning));
  exchange.input_tokens = call.usage.input;
  exchange.output_tokens = call.usage.output;
  exchange.cached_tokens = call.usage.cached;
  exchange.reasoning_tokens = call.usage.reasoning;
  exchange.dollars = call.cost.dollars();
  answers.push_back(std::move(exchange));
}

}  // namespace ke
