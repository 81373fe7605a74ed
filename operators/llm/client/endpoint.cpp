#include "operators/llm/client/endpoint.hpp"

#include <cstring>

#include "core/random_stream.hpp"

namespace ke {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_any(const std::string& text, Words values) {
  return std::ranges::find(values, text) != values.end();
}

bool holds_any(const std::string& text, Words words) {
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Whether credit or a spending limit is exhausted; some providers report this with the status of a
/// temporary limit.
bool is_spent(const WireError& error) {
  const Words spent = {"insufficient_quota",
                       "credit_balance_exhausted",
                       "enforced_spend_limit_reached",
                       "billing_hard_limit_reached",
                       "billing_error",
                       "quota_exceeded"};
  return is_any(error.code, spent) || is_any(error.type, spent) ||
         holds_any(error.message, {"credit balance"});
}

bool is_passing_limit(const WireError& error) {
  return is_any(error.code, {"rate_limit_exceeded", "slow_down", "server_is_overloaded"}) ||
         is_any(error.type, {"rate_limit_error", "overloaded_error", "RESOURCE_EXHAUSTED"});
}

bool is_forbidden(const WireError& error) {
  return is_any(error.type, {"authentication_error", "permission_error", "PERMISSION_DENIED",
                             "UNAUTHENTICATED"}) ||
         error.code == "invalid_api_key";
}

/// Whether the prompt is too long or rejected; other requests may succeed.
bool is_about_the_prompt(int status, const WireError& error) {
  if (status == 413 || error.type == "request_too_large") return true;
  if (is_any(error.code, {"context_length_exceeded", "string_above_max_length", "content_filter",
                          "content_policy_violation", "invalid_prompt"})) {
    return true;
  }
  return holds_any(error.message, {"context length", "context window", "prompt is too long",
                                   "content policy", "content management policy"});
}

bool names_a_parameter(const WireError& error) {
  return !error.param.empty() ||
         is_any(error.code, {"unsupported_value", "unsupported_parameter"}) ||
         holds_any(error.message, {"max_tokens", "max_completion_tokens"});
}

/// An error without a status that every retry would meet again.
bool is_lasting(const WireError& error) {
  return is_any(error.type,
                {"invalid_request_error", "not_found_error", "INVALID_ARGUMENT", "NOT_FOUND"}) ||
         is_any(error.code, {"model_not_found", "unsupported_value", "unsupported_parameter"});
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

int status_meant(int status, const WireError& error) {
  return status == 200 && error.status != 0 ? error.status : status;
}

Reaction reaction_to(int status, const WireError& error) {
  status = status_meant(status, error);
  if (status == 401 || status == 402 || status == 403) return Reaction::refuse;
  if (is_spent(error) || is_forbidden(error)) return Reaction::refuse;
  if (status == 429 || status == 529 || is_passing_limit(error)) return Reaction::slow_down;
  if (status == 200 && is_lasting(error)) status = 400;
  if (status < 500 && is_about_the_prompt(status, error)) return Reaction::fail;
  if ((status == 400 || status == 422) && names_a_parameter(error))
    return Reaction::rename_parameter;
  if (status == 200 || status == 408 || status >= 500) return Reaction::retry;
  return status >= 300 ? Reaction::refuse : Reaction::fail;
}

bool refuses_tools(int status, const WireError& error) {
  // Servers without tools answer with various statuses: 400 (vLLM, Ollama), 500 (llama.cpp).
  if (status < 400 || status == 401 || status == 403 || status == 429) return false;
  return error.param.starts_with("tool") || error.message.find("tool") != std::string::npos;
}

std::chrono::milliseconds Backoff::delay(const Digest& key, int attempt,
                                         std::chrono::milliseconds retry_after) const {
  std::uint64_t seed;
  std::memcpy(&seed, key.bytes.data(), sizeof seed);
  RandomStream random({seed, 0, attempt, 0, Purpose::resume});
  const auto most = std::min(longest, base * (std::int64_t{1} << std::min(attempt, 20)));
  const double jittered = random.uniform() * static_cast<double>(most.count());
  return std::max(retry_after, std::chrono::milliseconds(static_cast<std::int64_t>(jittered)));
}

std::string url_problem(std::string_view url, bool with_key) {
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return "is no http or https URL";
  const std::string_view rest = url.substr(secure ? 8 : 7);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (rest.find_first_of("?# \r\n\t") != std::string_view::npos) {
    return "has a query, a fragment or white space";
  }
  if (authority.find('@') != std::string_view::npos) return "holds credentials";
  const std::size_t host_end =
      authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':');
  const std::string_view host = authority.substr(0, host_end);
  if (host.empty()) return "names no host";
  if (with_key && !secure && !is_this_machine(host)) {
    return "would send the key unencrypted to another machine";
  }
  return "";
}

}  // namespace ke
