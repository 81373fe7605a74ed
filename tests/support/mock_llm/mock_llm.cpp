#include "tests/support/mock_llm/mock_llm.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <mutex>
#include <optional>
#include <thread>

#include "experiments/run/serve/loopback_server.hpp"
#include "experiments/text/json.hpp"
#include "operators/llm/tools/tool_table.hpp"
#include "tests/support/mock_llm/mock_wire.hpp"

namespace ke {
namespace {

using httplib::Request;
using httplib::Response;
using std::chrono::milliseconds;

/// Gathers all texts below the document's prompt keys.
void gather_texts(const Json& json, std::string& texts) {
  for (const auto& [name, value] : json.items()) {
    const bool text = name == "content" || name == "text" || name == "system" ||
                      name == "instructions" || name == "input" || name == "output" ||
                      name == "result";
    if (text && value.is_string()) texts += value.get<std::string>() + "\n";
    if (value.is_structured()) gather_texts(value, texts);
  }
}

std::string key_of(const Request& request) {
  for (const char* header : {"x-api-key", "x-goog-api-key"}) {
    if (request.has_header(header)) return request.get_header_value(header);
  }
  const std::string bearer = request.get_header_value("authorization");
  return bearer.starts_with("Bearer ") ? bearer.substr(7) : "";
}

std::string text_or(const Json& json, const char* name, std::string fallback) {
  const bool has = json.is_object() && json.contains(name) && json[name].is_string();
  return has ? json[name].get<std::string>() : std::move(fallback);
}

struct StatusFault {
  int status;
  const char* code;
  const char* message;
};

/// Faults that are an HTTP status.
std::optional<StatusFault> status_of(MockFault fault, const std::string& dialect) {
  switch (fault) {
    case MockFault::rate_limit: return StatusFault{429, "rate_limit_exceeded", "slow down"};
    case MockFault::no_credit:
      if (dialect == "anthropic_messages") {
        return StatusFault{400, "", "Your credit balance is too low to access the API."};
      }
      if (dialect == "gemini") return StatusFault{402, "", "billing"};
      return StatusFault{429, "insufficient_quota", "You exceeded your current quota."};
    case MockFault::server_error: return StatusFault{500, "server_error", "oops"};
    case MockFault::unavailable: return StatusFault{503, "unavailable", "loading"};
    case MockFault::overloaded: return StatusFault{529, "server_is_overloaded", "busy"};
    default: return std::nullopt;
  }
}

}  // namespace

struct MockLlm::Impl {
  explicit Impl(MockOptions given) : options(std::move(given)), server(options.threads) {
    serve("/v1/chat/completions", "openai_chat");
    serve("/v1/responses", "openai_responses");
    serve("/v1/messages", "anthropic_messages");
    serve(R"(/v1beta/models/([^:/]+):(generateContent|streamGenerateContent))", "gemini");
  }

  void serve(const char* pattern, const std::string& dialect) {
    server.handlers().Post(pattern, [this, dialect](const Request& request, Response& response) {
      answer(dialect, request, response);
    });
  }

  MockTurn next_turn(MockRequest& seen) {
    const std::lock_guard lock(mutex);
    seen.number = counts.requests++;
    return options.script(seen);
  }

  void answer(const std::string& dialect, const Request& request, Response& response) {
    if (key_of(request) != options.token) {
      const std::lock_guard lock(mutex);
      ++counts.unauthorised;
      response.status = 401;
      // Quotes the key in the message, as the most careless provider would.
      const std::string quote = "Incorrect API key provided: " + key_of(request);
      response.set_content(mock_error(dialect, 401, "invalid_api_key", quote), "application/json");
      return;
    }
    const Json json = parse_json(request.body);
    MockRequest seen{0, dialect, text_or(json, "model", request.matches[1].str()), {}};
    gather_texts(json, seen.prompt);
    const MockTurn turn = next_turn(seen);
    const bool sampled = turn.fault == MockFault::bad_parameter && json.contains("temperature");
    auto status = status_of(turn.fault, dialect);
    const bool offers = json.is_object() && json.contains("tools");
    if (turn.fault == MockFault::no_tools && offers) {
      status = StatusFault{400, "", "this model does not support tools"};
    }
    if (sampled) status = StatusFault{400, "unsupported_value", "not with this model"};
    if (status) {
      response.status = status->status;
      if (status->status == 429 && options.retry_after_s >= 0) {
        response.set_header("Retry-After", std::to_string(options.retry_after_s));
      }
      response.set_content(mock_error(dialect, status->status, status->code, status->message),
                           "application/json");
      return;
    }
    const bool stream = dialect == "gemini" ? request.matches[2].str()[0] == 's'
                                            : json.is_object() && json.value("stream", false);
    MockAnswer made = answer_of(turn, seen);
    if (offers) take_calls(made, seen.number);
    reply(made, turn.fault, stream, response);
  }

  MockAnswer answer_of(const MockTurn& turn, const MockRequest& seen) const {
    MockAnswer answer{seen.dialect, seen.model + "-mock", turn.text};
    if (turn.fault == MockFault::empty) answer.text.clear();
    if (turn.fault == MockFault::refusal) answer.refused = true;
    if (turn.fault == MockFault::reasoning) answer.reasoning = true;
    if (turn.fault == MockFault::huge) answer.text.assign(std::size_t{5} << 20, 'x');
    if (turn.fault == MockFault::echo) answer.text = seen.prompt + options.token;
    answer.input_tokens = static_cast<std::int64_t>(seen.prompt.size() / 4 + 1);
    answer.output_tokens = static_cast<std::int64_t>(answer.text.size() / 4 + 1);
    return answer;
  }

  /// Turns calls in a reply's text into tool calls of the API.
  static void take_calls(MockAnswer& answer, std::int64_t number) {
    ToolReply reply = read_tool_reply(answer.text);
    if (reply.calls.empty()) return;
    answer.text = std::move(reply.prose);
    for (std::size_t i = 0; i < reply.calls.size(); ++i) {
      const ToolCall& call = reply.calls[i];
      answer.calls.push_back({fmt::format("call_{}_{}", number, i), call.tool,
                              call.fault.empty() ? wire_arguments(call) : call.arguments});
    }
  }

  static MockAnswer first_half(MockAnswer answer) {
    answer.text.resize(answer.text.size() / 2);
    answer.calls.clear();
    answer.output_tokens = static_cast<std::int64_t>(answer.text.size() / 4 + 1);
    return answer;
  }

  void bill(const MockAnswer& answer, bool whole) {
    const std::lock_guard lock(mutex);
    if (whole) ++counts.answered;
    counts.input_tokens += answer.input_tokens;
    counts.output_tokens += answer.output_tokens;
  }

  void reply(const MockAnswer& answer, MockFault fault, bool stream, Response& response) {
    if (fault == MockFault::slow) pause(options.slow, [] { return true; });
    if (fault == MockFault::wrong_type) {
      response.set_content("<html><body>It works!</body></html>", "text/html");
      return;
    }
    if (fault == MockFault::truncated_json) {
      const std::string body = mock_body(answer);
      response.set_content(body.substr(0, body.size() / 2), "application/json");
      return;
    }
    const bool broken = fault == MockFault::stalled || fault == MockFault::cut;
    const MockAnswer sent = broken && stream ? first_half(answer) : answer;
    bill(sent, !broken);
    std::vector<std::string> pieces =
        stream ? mock_events(sent, !broken) : std::vector<std::string>{mock_body(sent)};
    if (broken) pieces.back().resize(pieces.back().size() / 2);
    response.set_chunked_content_provider(
        stream ? "text/event-stream" : "application/json",
        [this, pieces = std::move(pieces), fault](std::size_t, httplib::DataSink& sink) {
          return send(pieces, fault, sink);
        });
  }

  bool send(const std::vector<std::string>& pieces, MockFault fault, httplib::DataSink& sink) {
    for (const std::string& piece : pieces) {
      if (!sink.write(piece.data(), piece.size())) return false;
    }
    const bool stays = fault == MockFault::stalled || fault == MockFault::held;
    if (stays) pause(options.stall, sink.is_writable);
    if (fault == MockFault::stalled || fault == MockFault::cut) return false;
    sink.done();
    return true;
  }

  /// Sleeps until the time is over, the server stops or the client leaves.
  void pause(milliseconds time, const std::function<bool()>& is_wanted) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!server.stopping() && is_wanted() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  MockOptions options;
  mutable std::mutex mutex;
  MockCounts counts;
  LoopbackServer server;  // last, so that its threads end before the members that they use
};

MockLlm::MockLlm(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<MockLlm>> MockLlm::start(MockOptions options) {
  KE_CHECK(options.script != nullptr);
  auto impl = std::make_unique<Impl>(std::move(options));
  KE_TRY_VOID(impl->server.start(impl->options.port));
  return std::unique_ptr<MockLlm>(new MockLlm(std::move(impl)));
}

MockLlm::~MockLlm() = default;

int MockLlm::port() const { return impl_->server.port(); }

std::string MockLlm::base_url(const std::string& dialect) const {
  return fmt::format("http://127.0.0.1:{}/{}", port(), dialect == "gemini" ? "v1beta" : "v1");
}

MockCounts MockLlm::counts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counts;
}

}  // namespace ke
