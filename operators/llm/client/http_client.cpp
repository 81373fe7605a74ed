#include "operators/llm/client/http_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/text.hpp"
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
  for (auto& [id, call] : flying_) book(call, guessed_usage(call.prompt_bytes, 0));
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
    book(at->second, guessed_usage(at->second.prompt_bytes, 0));
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

/// Reserves the worst case of the next try; false when the call was answered or postponed instead.
bool HttpLlmClient::reserve(Call& call, std::vector<Exchange>& answers) {
  if (options_.budget == nullptr) return true;
  constexpr milliseconds look(20);
  const Usage worst =
      worst_usage(bytes_of(call.request), call.request.messages.size(), output_limit(call));
  auto held = options_.budget->reserve(worst_cost(worst, endpoints_[call.endpoint].options.price));
  if (auto* reservation = std::get_if<LlmBudget::Reservation>(&held)) {
    call.reservation.emplace(std::move(*reservation));
    return true;
  }
  if (std::get<LlmBudget::Refusal>(held) == LlmBudget::Refusal::exhausted) {
    finish(call, "budget_exhausted", answers);
  } else {
    call.due = Clock::now() + look;
    waiting_.push_back(std::move(call));
  }
  return false;
}

void HttpLlmClient::send(Call call) {
  const Endpoint& endpoint = endpoints_[call.endpoint];
  const auto now = Clock::now();
  if (call.deadline == Clock::time_point::max()) call.deadline = now + options_.total;
  const WireRequest wire{call.request, endpoint.options.model, output_limit(call),
                         endpoint.options.stream, endpoint.options.traits};
  HttpRequest request;
  request.url = base_url(endpoint.options, *endpoint.dialect) + endpoint.dialect->path(wire);
  request.headers = endpoint.dialect->headers(endpoint.options.api_version);
  request.key_header = endpoint.dialect->key_header();
  request.body = endpoint.dialect->body(wire);
  request.stall = options_.stall;
  request.total = std::chrono::ceil<milliseconds>(call.deadline - now);
  call.id = next_id_++;
  call.prompt_bytes = bytes_of(call.request);
  call.sent_limit = endpoint.options.traits.max_tokens_name;
  call.sent_tools = endpoint.options.traits.native_tools && !offered_tools(call.request).empty();
  call.sent_settings.clear();
  for (const auto& [name, value] : call.request.settings) {
    if (endpoint.options.traits.takes(name)) call.sent_settings.push_back(name);
  }
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
  charge(call, state);
  if (state == State::complete) {
    window_.answered();
    const Answer& answer = call.reader->answer();
    const bool empty = answer.status == "ok" && trim(answer.text).empty();
    return finish(call, empty ? "empty" : answer.status, answers);
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
    case Reaction::drop_parameter:
      if (drop_parameter(call) || rename_limit(call)) {
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
  return said.empty() ? text : text + ": " + one_line(std::move(said));
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

/// Stops sending the setting that the error names, in all calls; false if this try did not send it.
bool HttpLlmClient::drop_parameter(Call& call) {
  const WireError& error = call.reader->answer().error;
  for (const std::string& name : call.sent_settings) {
    const bool effort = name == "effort" && error.param.find("effort") != std::string::npos;
    if (error.param != name && !effort) continue;
    endpoints_[call.endpoint].options.traits.drop(name);
    return true;
  }
  return false;
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

/// Books the cost of a try: the provider's report, or an estimate for an answer without one.
void HttpLlmClient::charge(Call& call, ReplyReader::State state) {
  const Answer& answer = call.reader->answer();
  const bool counted = answer.usage.input > 0 || answer.usage.output > 0;
  const bool guess = !counted && state == ReplyReader::State::complete;
  book(call, guess ? guessed_usage(call.prompt_bytes, answer.text.size()) : answer.usage);
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

void HttpLlmClient::finish(Call& call, const std::string& status, std::vector<Exchange>& answers) {
  Exchange exchange;
  exchange.key = call.key;
  exchange.request = std::move(call.request);
  exchange.status = status;
  const bool has_reply = call.reader && (status == "ok" || status == "truncated" ||
                                         status == "refused" || status == "empty");
  if (has_reply) {
    exchange.reply = std::move(call.reader->answer().text);
    exchange.model_returned = call.reader->answer().model;
  } else if (status == "provider_refused") {
    exchange.reply = refusal_;
  } else if (status == provider_unreachable) {
    exchange.reply = call.words;
  }
  for (const Endpoint& endpoint : endpoints_) {
    if (!endpoint.key) continue;
    exchange.reply = endpoint.key->without_key(exchange.reply);
    exchange.model_returned = endpoint.key->without_key(exchange.model_returned);
  }
  exchange.input_tokens = call.usage.input;
  exchange.output_tokens = call.usage.output;
  exchange.cached_tokens = call.usage.cached;
  exchange.reasoning_tokens = call.usage.reasoning;
  exchange.dollars = call.cost.dollars();
  answers.push_back(std::move(exchange));
}

}  // namespace ke
